import type { Term } from '@rdfjs/types';
import { ACP, AcpReader, getMatcher, IdentifierMap } from '@solid/community-server';
import type {
  Credentials,
  getAccessControlledResources,
  getPolicy,
  PermissionMap,
  PermissionReaderInput,
  PermissionSet,
  ResourceIdentifier,
} from '@solid/community-server';
import type { Store } from 'n3';
import { opened } from '../../platform/opened';

type Controlled = ReturnType<typeof getAccessControlledResources> extends Iterable<infer T> ? T : never;
type Matcher = ReturnType<typeof getMatcher>;
type Policy = ReturnType<typeof getPolicy>;

/** Steps of the server's own reader. */
interface Steps {
  getAncestorIdentifiers: (target: ResourceIdentifier) => Iterable<ResourceIdentifier>;
  readAcrData: (identifier: ResourceIdentifier) => Promise<Store>;
  extractPermissions: (
    target: ResourceIdentifier,
    credentials: Credentials,
    found: IdentifierMap<Controlled[]>,
  ) => Promise<PermissionSet>;
}

/**
 * The server's own reader of access control resources, without its copies: it copies each matcher for each policy, each
 * policy for each access control, and so on, so that 35 KB in which parts share their parts would block the process for
 * a minute. Here, each policy and each matcher is read once, and each policy is applied once, which gives the same
 * modes.
 *
 * @see [Access Control Policy, section 5.2](https://solidproject.org/TR/acp#effective-policies)
 */
export class BoundedAcpReader extends AcpReader {
  public override async handle({ credentials, requestedModes }: PermissionReaderInput): Promise<PermissionMap> {
    const steps = opened<Steps>(this);
    const documents = new IdentifierMap<Policies>();
    const permissions: PermissionMap = new IdentifierMap();
    for (const target of requestedModes.distinctKeys()) {
      const found = new IdentifierMap<Controlled[]>();
      for (const identifier of steps.getAncestorIdentifiers(target)) {
        const policies = documents.get(identifier) ?? new Policies(await steps.readAcrData(identifier));
        documents.set(identifier, policies);
        found.set(identifier, [ controlledBy(policies.effectiveFor(target), target) ]);
      }
      permissions.set(target, await steps.extractPermissions(target, credentials, found));
    }
    return permissions;
  }
}

/** The policies in one document. */
class Policies {
  private readonly policies = new Map<string, Policy>();
  private readonly matchers = new Map<string, Matcher>();

  public constructor(private readonly data: Store) {}

  /** Returns the policies that this document applies to a resource: its own, or a member of it. */
  public effectiveFor({ path }: ResourceIdentifier): Policy[] {
    const resources = this.data.getQuads(null, ACP.terms.resource, null, null);
    const [ own, others ] = [ true, false ].map((isOwn): Term[] => resources
      .filter(({ object }): boolean => (object.value === path) === isOwn)
      .map(({ subject }): Term => subject));
    const controls = [
      ...this.objectsOf(own, ACP.terms.accessControl),
      ...this.objectsOf(others, ACP.terms.memberAccessControl),
    ];
    return this.objectsOf(controls, ACP.terms.apply).map((term): Policy => this.policy(term));
  }

  private policy(term: Term): Policy {
    return remembered(this.policies, term, (): Policy => ({
      iri: term.value,
      allow: this.modesOf(term, ACP.terms.allow),
      deny: this.modesOf(term, ACP.terms.deny),
      allOf: this.matchersOf(term, ACP.terms.allOf),
      anyOf: this.matchersOf(term, ACP.terms.anyOf),
      noneOf: this.matchersOf(term, ACP.terms.noneOf),
    }));
  }

  private modesOf(policy: Term, predicate: Term): Policy['allow'] {
    // The library compares modes as text: any other IRI is a mode that no request needs.
    return new Set(this.objectsOf([ policy ], predicate).map(({ value }): string => value)) as Policy['allow'];
  }

  private matchersOf(policy: Term, predicate: Term): Matcher[] {
    return this.objectsOf([ policy ], predicate).map((term): Matcher =>
      remembered(this.matchers, term, (): Matcher => getMatcher(this.data, term)));
  }

  /** Returns each object of some subjects once. */
  private objectsOf(subjects: Term[], predicate: Term): Term[] {
    return distinct(distinct(subjects).flatMap((subject): Term[] => this.data.getObjects(subject, predicate, null)));
  }
}

/** Returns a resource with these policies, in the form that the server's own reader works on. */
function controlledBy(policy: Policy[], { path }: ResourceIdentifier): Controlled {
  const accessControl = [{ iri: path, policy }];
  return { iri: path, accessControlResource: { iri: path, accessControl, memberAccessControl: []}};
}

function remembered<T>(known: Map<string, T>, term: Term, read: () => T): T {
  const key = keyOf(term);
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}

function distinct(terms: Term[]): Term[] {
  return [ ...new Map(terms.map((term): [string, Term] => [ keyOf(term), term ])).values() ];
}

function keyOf({ termType, value }: Term): string {
  return `${termType} ${value}`;
}
