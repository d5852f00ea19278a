import { Readable } from 'node:stream';
import {
  BadRequestHttpError,
  BasicRepresentation,
  guardStream,
  INTERNAL_QUADS,
  RdfPatcher,
  readableToQuads,
  RepresentationPatcher,
} from '@solid/community-server';
import type { RepresentationPatcherInput } from '@solid/community-server';
import type { Quad } from 'n3';
import { DataFactory } from 'n3';
import { limitPatched } from '../../../../src/server/patches/limitPatched';
import type { PatchedRdf } from '../../../../src/server/patches/patching';

/** Changes nothing. */
class EmptyPatcher extends RepresentationPatcher<PatchedRdf> {
  public async handle({ representation }: RepresentationPatcherInput<PatchedRdf>): Promise<PatchedRdf> {
    return representation!;
  }
}

function* triples(count: number): Generator<Quad> {
  const node = DataFactory.namedNode('urn:it');
  for (let at = 0; at < count; at += 1) {
    yield DataFactory.quad(node, node, DataFactory.literal(String(at)));
  }
}

function* unreadable(): Generator<Quad> {
  yield* triples(2);
  throw new BadRequestHttpError('It is not RDF.');
}

async function patched(document: Iterable<Quad>): Promise<number> {
  const identifier = { path: 'https://data.example/alice/document' };
  const data = guardStream(Readable.from(document));
  const representation = new BasicRepresentation(data, identifier, INTERNAL_QUADS);
  const patch = new BasicRepresentation([], identifier);
  // N3 and the server have different types for the same datasets.
  const result = await new RdfPatcher(new EmptyPatcher() as never).handle({ identifier, representation, patch });
  return (await readableToQuads(result.data)).size;
}

describe('A patch', (): void => {
  beforeAll(limitPatched);

  it('is of a document that fits into memory.', async(): Promise<void> => {
    await expect(patched(triples(0))).resolves.toBe(0);
    await expect(patched(triples(200_000))).resolves.toBe(200_000);
    await expect(patched(triples(200_001))).rejects.toMatchObject({ statusCode: 422 });
    await expect(patched(unreadable())).rejects.toMatchObject({ statusCode: 400 });
  });
});
