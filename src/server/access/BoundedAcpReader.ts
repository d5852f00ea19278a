import type { Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
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

/** The inverse of `acp:resource`. */
const controlledIn = DataFactory.namedNode(`${ACP.namespace}accessControlResource`);
/** Individuals that match every context, as values of `acp:issuer` and `acp:client`. */
const [ publicIssuer, publicClient ] = [ 'PublicIssuer', 'PublicClient' ].map((name): string => ACP.namespace + name);

/**
 * The server's own reader of access control resources, without its copies: it copies each matcher for each policy, each
 * policy for each access control, and so on, so that 35 KB in which parts share their parts would block the process for
 * a minute. Here, each policy and each matcher is read once, and each policy is applied once, which gives the same
 * modes. Also knows `acp:accessControlResource` and `acp:PublicIssuer`, which the server's own ignores.
 *
 * @see [Access Control Policy, section 6.2](https://solidproject.org/TR/acp#effective-policies)
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
    const controlled = this.controlled();
    const [ own, others ] = [ true, false ].map((isOwn): Term[] => controlled
      .filter(({ resource }): boolean => (resource.value === path) === isOwn)
      .map(({ rules }): Term => rules));
    const controls = [
      ...this.objectsOf(own, ACP.terms.accessControl),
      ...this.objectsOf(others, ACP.terms.memberAccessControl),
    ];
    return this.objectsOf(controls, ACP.terms.apply).map((term): Policy => this.policy(term));
  }

  /**
   * Lists the resources, each with what controls it.
   *
   * @see [Access Control Policy, section 4.1](https://solidproject.org/TR/acp#access-control-resource)
   */
  private controlled(): { rules: Term; resource: Term }[] {
    return [
      ...this.data.getQuads(null, ACP.terms.resource, null, null)
        .map(({ subject, object }): { rules: Term; resource: Term } => ({ rules: subject, resource: object })),
      ...this.data.getQuads(null, controlledIn, null, null)
        .map(({ subject, object }): { rules: Term; resource: Term } => ({ rules: object, resource: subject })),
    ];
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
      remembered(this.matchers, term, (): Matcher => withPublicIssuer(getMatcher(this.data, term))));
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

/**
 * Returns a matcher for the library, which knows no public issuer. As that one matches always, it is left out; where it
 * is the only attribute, the public client matches as often.
 *
 * @see [Access Control Policy, section 4.4](https://solidproject.org/TR/acp#matcher)
 */
function withPublicIssuer(matcher: Matcher): Matcher {
  const { client, issuer } = matcher;
  return issuer.includes(publicIssuer) ?
      { ...matcher, issuer: [], client: client.length > 0 ? client : [ publicClient ]} :
    matcher;
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
