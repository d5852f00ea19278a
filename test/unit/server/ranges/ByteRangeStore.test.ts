import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Representation, ResourceStore } from '@solid/community-server';
import { BasicRepresentation, guardStream, POSIX, toLiteral, XSD } from '@solid/community-server';
import { ByteRangeStore } from '../../../../src/server/ranges/ByteRangeStore';

const identifier = { path: 'http://localhost/pod/document' };
const range = { unit: 'bytes', parts: [{ start: 2, end: 5 }]};
const chunkBytes = 60_000;

/** Returns the stored bytes as a stream of chunks, which ends only when it is read or destroyed. */
function chunksOf(bytes: Buffer): Readable {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (...[ , at ]): Buffer =>
    bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
  return guardStream(Readable.from(chunks, { objectMode: false }));
}

/** Reads the range of a document whose size is known or not. */
async function read(source: Readable, size?: number): Promise<Representation> {
  const representation = new BasicRepresentation(guardStream(source), identifier, 'text/plain');
  if (size !== undefined) {
    representation.metadata.set(POSIX.terms.size, toLiteral(size, XSD.terms.integer));
  }
  const backend: Partial<ResourceStore> = { getRepresentation: async(): Promise<Representation> => representation };
  return new ByteRangeStore(backend as ResourceStore).getRepresentation(identifier, { range });
}

describe('A range of bytes', (): void => {
  const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, at): number => at % 251));

  it.each([ 10, 100_000, 1_048_576 ])('is cut from a generated representation of %i bytes.', async(size):
  Promise<void> => {
    const { data } = await read(chunksOf(bytes.subarray(0, size)));
    expect([ ...await buffer(data) ]).toEqual([ 2, 3, 4, 5 ]);
  });

  it.each([ 1_048_577, 3_000_000 ])('is ignored for a generated one of %i, which is sent whole.', async(size):
  Promise<void> => {
    const { data } = await read(chunksOf(bytes.subarray(0, size)));
    expect((await buffer(data)).equals(bytes.subarray(0, size))).toBe(true);
  });

  it.each([
    [ 'of known size', bytes.length ],
    [ 'that is sent whole', undefined ],
  ])('ends the reading of a document %s when it is not wanted.', async(...[ , size ]): Promise<void> => {
    const source = chunksOf(bytes);
    const { data } = await read(source, size);
    const closed = once(source, 'close');
    data.destroy();
    await closed;
    expect(source.destroyed).toBe(true);
  });
});
