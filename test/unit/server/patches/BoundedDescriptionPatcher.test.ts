import { BasicRepresentation, LDP, RepresentationPatcher } from '@solid/community-server';
import type { AuxiliaryStrategy } from '@solid/community-server';
import { DataFactory, Store } from 'n3';
import type { Quad } from 'n3';
import { BoundedDescriptionPatcher } from '../../../../src/server/patches/BoundedDescriptionPatcher';
import type { PatchedRdf } from '../../../../src/server/patches/patching';

describe('A patch of a description', (): void => {
  const subject = DataFactory.namedNode('http://localhost/a/');

  /** Patches a document: it then has `after` statements in place of `before`. */
  async function patch(before: number, after: number, { predicate = 'urn:p', path = 'http://localhost/a/.meta' } = {}):
  Promise<number> {
    const data = new BasicRepresentation([], 'internal/quads');
    const representation: PatchedRdf = Object.assign(data, { dataset: statements(before) });
    const patcher = new BoundedDescriptionPatcher({
      metadataStrategy: {
        isAuxiliaryIdentifier: (identifier: { path: string }): boolean => identifier.path.endsWith('.meta'),
      } as unknown as AuxiliaryStrategy,
      source: new class extends RepresentationPatcher<PatchedRdf> {
        public async handle(): Promise<PatchedRdf> {
          representation.dataset = statements(after, predicate);
          return representation;
        }
      }(),
    });
    const change = new BasicRepresentation('', 'text/n3');
    return (await patcher.handleSafe({ identifier: { path }, patch: change, representation })).dataset.size;
  }

  function statements(count: number, predicate = 'urn:p'): Store {
    return new Store(Array.from({ length: count }, (_, at): Quad =>
      DataFactory.quad(subject, DataFactory.namedNode(predicate), DataFactory.literal(at))));
  }

  it('may make it smaller, but not larger, when it is too large already.', async(): Promise<void> => {
    await expect(patch(5000, 4999)).resolves.toBe(4999);
    await expect(patch(5000, 5001)).rejects.toMatchObject({ statusCode: 422 });
  });

  it('is bounded whatever the number of members of a container.', async(): Promise<void> => {
    await expect(patch(0, 5000, { predicate: LDP.contains })).resolves.toBe(5000);
    await expect(patch(0, 2001)).rejects.toMatchObject({ statusCode: 422 });
  });

  it('is no patch of a document, which may be large.', async(): Promise<void> => {
    await expect(patch(0, 2001, { path: 'http://localhost/a/document' })).resolves.toBe(2001);
  });
});
