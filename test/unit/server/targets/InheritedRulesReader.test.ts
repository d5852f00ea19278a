import { Parser } from 'n3';
import {
  AccessMode,
  AgentAccessChecker,
  AgentClassAccessChecker,
  BasicRepresentation,
  BooleanHandler,
  ComposedAuxiliaryStrategy,
  guardedStreamFrom,
  IdentifierSetMultiMap,
  INTERNAL_QUADS,
  NotFoundHttpError,
  ParentContainerReader,
  SingleRootIdentifierStrategy,
  SuffixAuxiliaryIdentifierStrategy,
  WebAclReader,
} from '@solid/community-server';
import type { AccessMap, PermissionMap, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { InheritedRulesReader } from '../../../../src/server/targets/InheritedRulesReader';
import { fc } from '../../../support/properties';

const base = 'http://localhost:3000/';
const identifiers = new SingleRootIdentifierStrategy(base);
const lists = new ComposedAuxiliaryStrategy(new SuffixAuxiliaryIdentifierStrategy('.acl'));

/** Access control lists by the path of their resource. */
type Lists = Record<string, string>;

/** Rules: rights of everybody on the resource itself, and on its contents. */
function list(own: string, inherited: string): string {
  const agent = '<http://www.w3.org/ns/auth/acl#agentClass> <http://xmlns.com/foaf/0.1/Agent>';
  return `@prefix acl: <http://www.w3.org/ns/auth/acl#>.
    <#own> a acl:Authorization; ${agent}; acl:accessTo <./>; acl:mode acl:${own}.
    <#in> a acl:Authorization; ${agent}; acl:default <./>; acl:mode acl:${inherited}.`;
}

interface Readers {
  stock: ParentContainerReader;
  ours: ParentContainerReader;
  /** By path of an access control list. */
  looks: Map<string, number>;
}

function readers(present: Lists): Readers {
  const looks = new Map<string, number>();
  const store = {
    async hasResource({ path }: ResourceIdentifier): Promise<boolean> {
      looks.set(path, (looks.get(path) ?? 0) + 1);
      return path.slice(base.length - 1, -4) in present;
    },
    async getRepresentation(identifier: ResourceIdentifier): Promise<BasicRepresentation> {
      const text = present[identifier.path.slice(base.length - 1, -4)];
      if (text === undefined) {
        throw new NotFoundHttpError();
      }
      const quads = new Parser({ baseIRI: identifier.path }).parse(text);
      return new BasicRepresentation(guardedStreamFrom(quads), identifier, INTERNAL_QUADS, false);
    },
  } as unknown as ResourceStore;
  const checker = new BooleanHandler([ new AgentAccessChecker(), new AgentClassAccessChecker() ]);
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- it is one by its types
  const stock = new WebAclReader(lists, store, store, identifiers, checker);
  return {
    stock: new ParentContainerReader(stock, identifiers),
    ours: new ParentContainerReader(new InheritedRulesReader(stock, lists, store, identifiers), identifiers),
    looks,
  };
}

/** Returns the permissions for a PUT that creates all containers below an existing one. */
function creating(path: string, there: number): AccessMap {
  const modes: AccessMap = new IdentifierSetMultiMap<AccessMode>([
    [{ path: base + path }, AccessMode.write ],
    [{ path: base + path }, AccessMode.create ],
  ]);
  const names = path.split('/');
  for (let at = names.length - 1; at > there; at -= 1) {
    modes.add({ path: `${base}${names.slice(0, at).join('/')}/` }, AccessMode.create);
  }
  return modes;
}

async function answers(reader: ParentContainerReader, requestedModes: AccessMap): Promise<unknown> {
  try {
    const found: PermissionMap = await reader.handleSafe({ credentials: {}, requestedModes });
    return [ ...requestedModes.distinctKeys() ].map((key): unknown => [ key.path, found.get(key) ]);
  } catch (error: unknown) {
    return (error as Error).name;
  }
}

describe('The permissions on all resources that a request creates', (): void => {
  it('are the same as the server\'s, wherever there are rules.', async(): Promise<void> => {
    const mode = fc.constantFrom('Read', 'Append', 'Write', 'Control');
    const place = fc.constantFrom('/', '/a/', '/a/b/', '/a/b/c/', '/a/b/c/d/', '/a/b/c/d/e');
    const present = fc.dictionary(place, fc.tuple(mode, mode));
    await fc.assert(fc.asyncProperty(present, fc.integer({ min: 0, max: 4 }), async(placed, there): Promise<void> => {
      const { ours, stock } = readers(Object.fromEntries(Object.entries(placed)
        .map(([ path, [ own, inherited ]]): [string, string] => [ path, list(own, inherited) ])));
      const modes = creating('a/b/c/d/e', there);
      await expect(answers(ours, modes)).resolves.toEqual(await answers(stock, modes));
    }));
  });

  it('need one look-up of each ancestor.', async(): Promise<void> => {
    const { looks, ours, stock } = readers({ '/': list('Read', 'Read'), '/a/': list('Append', 'Append') });
    const path = `a/${'b/'.repeat(60)}f`;
    await ours.handleSafe({ credentials: {}, requestedModes: creating(path, 1) });
    expect(looks.size).toBe(62);
    // The list that is found is checked again where it is read, for itself and for what inherits from it.
    expect([ ...looks.values() ].reduce((sum, count): number => sum + count)).toBeLessThan(70);
    looks.clear();
    await stock.handleSafe({ credentials: {}, requestedModes: creating(path, 1) });
    expect([ ...looks.values() ].reduce((sum, count): number => sum + count)).toBeGreaterThan(1800);
  });

  it('on access control lists are requested unchanged.', async(): Promise<void> => {
    const { looks, ours } = readers({ '/': list('Control', 'Control') });
    await ours.handleSafe({ credentials: {}, requestedModes: new IdentifierSetMultiMap<AccessMode>([
      [{ path: `${base}a/.acl` }, AccessMode.read ],
      [{ path: `${base}b/.acl` }, AccessMode.read ],
    ]) });
    expect(looks.size).toBe(5);
  });
});
