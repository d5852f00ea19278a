import type { GivenModes } from '../grants/AccessDecision';
import type { AccessMode, GrantTerms } from '../grants/AccessGrant';
import { containersOf } from '../pods/resourceUri';
import type { Access, AccessKind } from './AccessRecord';

/** A mode that a request on a resource may need. */
export type NeededMode = 'append' | 'create' | 'delete' | 'read' | 'write';

/** A needed mode that only a grant gave. */
export interface GivenMode {
  uri: string;
  mode: NeededMode;
  grant?: GrantTerms;
}

/** Kinds of access, the most specific first. */
const kinds: [NeededMode, AccessKind][] = [
  [ 'delete', 'resource.deleted' ],
  [ 'create', 'resource.created' ],
  [ 'write', 'resource.written' ],
  [ 'append', 'resource.appended' ],
  [ 'read', 'resource.read' ],
];

const grantModes: Partial<Record<NeededMode, AccessMode[]>> = {
  read: [ 'Read' ],
  append: [ 'Append', 'Write' ],
  create: [ 'Append', 'Write' ],
  write: [ 'Write' ],
  delete: [ 'Write' ],
};

/**
 * Finds the grant that gives a mode on a resource. A grant on the container may allow creating or removing a member.
 *
 * @param uri - The resource.
 * @param mode - The needed mode.
 * @param granted - Modes that grants give, by resource.
 */
export function findGrant(
  uri: string,
  mode: NeededMode,
  granted: ReadonlyMap<string, GivenModes>,
): GrantTerms | undefined {
  return [ uri, ...containersOf(uri).slice(0, 1) ]
    .flatMap((place): (GrantTerms | undefined)[] => (grantModes[mode] ?? []).map((name): GrantTerms | undefined =>
      granted.get(place)?.get(name)))
    .find(Boolean);
}

/**
 * Describes a request by the most specific of the modes that only grants gave it; `undefined` when there are none.
 *
 * @param given - These modes.
 * @param created - URI of the resource that the request has created, if any.
 */
export function describeAccess(given: GivenMode[], created?: string): Omit<Access, 'caller'> | undefined {
  for (const [ mode, type ] of kinds) {
    const found = given.find((one): boolean => one.mode === mode);
    if (found) {
      const { grant, uri } = found;
      return created !== undefined && mode === 'append' ?
          { type: 'resource.created', uri: created, grant } :
          { type, uri, grant };
    }
  }
}
