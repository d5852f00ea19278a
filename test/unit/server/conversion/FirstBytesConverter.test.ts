import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Representation, RepresentationConverterArgs } from '@solid/community-server';
import { BasicRepresentation, guardStream, RepresentationConverter } from '@solid/community-server';
import { FirstBytesConverter } from '../../../../src/server/conversion/FirstBytesConverter';

const identifier = { path: 'http://localhost/pod/document' };

/** Converts to a stream of chunks of 1,000 bytes. */
class Chunks extends RepresentationConverter {
  public readonly data: Readable;

  public constructor(count: number) {
    super();
    const chunks = Array.from({ length: count }, (...[ , at ]): string => String(at % 10).repeat(1000));
    this.data = guardStream(Readable.from(chunks, { objectMode: false }));
  }

  public override async handle(): Promise<Representation> {
    return new BasicRepresentation(guardStream(this.data), identifier, 'text/turtle');
  }
}

async function convert(source: Chunks, stored = Readable.from([])): Promise<Representation> {
  const representation = new BasicRepresentation(guardStream(stored), identifier, 'text/plain');
  const args: RepresentationConverterArgs = { identifier, representation, preferences: { type: { 'text/turtle': 1 }}};
  return new FirstBytesConverter(source).handleSafe(args);
}

describe('A converted document', (): void => {
  it.each([ 0, 1, 65, 66, 5000 ])('of %i kilobytes is sent unchanged.', async(count): Promise<void> => {
    const { data } = await convert(new Chunks(count));
    const sent = await buffer(data);
    expect(sent).toHaveLength(count * 1000);
    expect(sent.every((byte, at): boolean => byte === 0x30 + (Math.floor(at / 1000) % 10))).toBe(true);
  });

  it('of which nothing is read, as for HEAD, is neither converted nor read any more.', async(): Promise<void> => {
    const source = new Chunks(5000);
    const stored = new PassThrough();
    const { data } = await convert(source, stored);
    expect([ source.data.destroyed, stored.destroyed ]).toEqual([ false, false ]);
    const closed = Promise.all([ once(source.data, 'close'), once(stored, 'close') ]);
    data.destroy();
    await closed;
    expect([ source.data.destroyed, stored.destroyed ]).toEqual([ true, true ]);
  });
});
