import { FilterPattern, ImmutableMetadataPatcher, RepresentationPatcher } from '@solid/community-server';
import type { AuxiliaryStrategy, RepresentationPatcherInput } from '@solid/community-server';
import type { NamedNode, Quad } from 'n3';
import { DataFactory, Store } from 'n3';
import { compareQuickly } from '../../../../src/server/patches/compareQuickly';
import type { PatchedRdf } from '../../../../src/server/patches/patching';

const path = 'https://data.example/alice/';
const contains = 'http://www.w3.org/ns/ldp#contains';

/** Replaces all statements. */
class Replacing extends RepresentationPatcher<PatchedRdf> {
  public constructor(private readonly quads: Quad[]) {
    super();
  }

  public async handle({ representation }: RepresentationPatcherInput<PatchedRdf>): Promise<PatchedRdf> {
    representation!.dataset = new Store(this.quads);
    return representation!;
  }
}

function node(name: string | number): NamedNode {
  return DataFactory.namedNode(`${path}${name}`);
}

function members(count: number, predicate = contains): Quad[] {
  return Array.from({ length: count }, (_, at): Quad =>
    DataFactory.quad(node(''), DataFactory.namedNode(predicate), node(at)));
}

async function patch(before: Quad[], after: Quad[]): Promise<number> {
  const strategy = { getSubjectIdentifier: (): object => ({ path }) } as unknown as AuxiliaryStrategy;
  const patterns = [ new FilterPattern(undefined, contains) ];
  // N3 and the server have different types for the same datasets.
  const patcher = new ImmutableMetadataPatcher(new Replacing(after) as never, strategy, patterns);
  const representation = { dataset: new Store(before) } as unknown as PatchedRdf;
  const input = { identifier: { path: `${path}.meta` }, patch: {}, representation };
  const patched = await patcher.handle(input as never);
  return patched.dataset.size;
}

describe('A patch of a description', (): void => {
  beforeAll(compareQuickly);

  it('cannot change what the server states in it, and other statements only.', async(): Promise<void> => {
    await expect(patch(members(2), members(3))).rejects.toThrow(`<${path}> <${contains}> ?o`);
    await expect(patch(members(3), members(3).slice(1))).rejects.toThrow('Not allowed');
    await expect(patch(members(2), members(3).slice(1))).rejects.toThrow('Not allowed');
    await expect(patch(members(3), [ ...members(3).reverse(), ...members(4, 'urn:other') ])).resolves.toBe(7);
  });

  it('is compared in a short time when it names many members.', async(): Promise<void> => {
    const begun = performance.now();
    await expect(patch(members(100_000), members(100_000).reverse())).resolves.toBe(100_000);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
