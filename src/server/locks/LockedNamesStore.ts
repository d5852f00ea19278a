import { ensureTrailingSlash, trimTrailingSlashes } from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  ChangeMap,
  Conditions,
  ExpiringReadWriteLocker,
  IdentifierStrategy,
  Patch,
  Representation,
  ResourceIdentifier,
  ResourceStore,
} from '@solid/community-server';
import { nameFromSlug } from '../names/nameFromSlug';
import { RenewedReadsStore } from './RenewedReadsStore';

/** The server releases a lock that was not renewed for 6 seconds. */
const renewalMs = 2000;

/**
 * Locks every name that a request creates, not only the resource that it addresses: the name that `POST` gives to a new
 * resource, and those of the containers that `PUT` and `PATCH` create on the way. A document and a container of the
 * same name have one lock. So whoever creates a name is alone: nobody replaces what somebody else has just created, and
 * a name never has two resources.
 *
 * The locks are taken from the innermost name outwards, so that two requests never wait for each other.
 *
 * @see [Solid Protocol, section 3.1](https://solidproject.org/TR/protocol#uri-slash-semantics)
 */
export class LockedNamesStore extends RenewedReadsStore {
  private readonly unlocked: ResourceStore;
  private readonly expiring: ExpiringReadWriteLocker;
  private readonly identifierStrategy: IdentifierStrategy;

  /**
   * @param source - The store behind it, which takes no locks.
   * @param locks - Locks that expire.
   * @param auxiliaryStrategy - Names the resource whose lock an auxiliary one has.
   * @param identifierStrategy - Names the container of a resource.
   */
  public constructor(
    source: ResourceStore,
    locks: ExpiringReadWriteLocker,
    auxiliaryStrategy: AuxiliaryIdentifierStrategy,
    identifierStrategy: IdentifierStrategy,
  ) {
    super(source, locks, auxiliaryStrategy);
    this.unlocked = source;
    this.expiring = locks;
    this.identifierStrategy = identifierStrategy;
  }

  public override async addResource(
    container: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return this.holding([ ...namedBy(container, representation), container ], async(): Promise<ChangeMap> =>
      this.unlocked.addResource(container, representation, conditions));
  }

  public override async setRepresentation(
    identifier: ResourceIdentifier,
    representation: Representation,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return this.holding(await this.createdWith(identifier), async(): Promise<ChangeMap> =>
      this.unlocked.setRepresentation(identifier, representation, conditions));
  }

  public override async modifyResource(
    identifier: ResourceIdentifier,
    patch: Patch,
    conditions?: Conditions,
  ): Promise<ChangeMap> {
    return this.holding(await this.createdWith(identifier), async(): Promise<ChangeMap> =>
      this.unlocked.modifyResource(identifier, patch, conditions));
  }

  protected override getLockIdentifier(identifier: ResourceIdentifier): ResourceIdentifier {
    return { path: trimTrailingSlashes(super.getLockIdentifier(identifier).path) };
  }

  /** Returns a resource and, when it is missing, the missing containers around it. */
  private async createdWith(identifier: ResourceIdentifier): Promise<ResourceIdentifier[]> {
    const created = [ identifier ];
    let at = identifier;
    while (!this.identifierStrategy.isRootContainer(at) && !await this.unlocked.hasResource(at)) {
      at = this.identifierStrategy.getParentContainer(at);
      created.push(at);
    }
    // The last of several exists.
    return created.slice(0, Math.max(1, created.length - 1));
  }

  /** Does work that holds the locks of resources, of which inner ones come first. */
  private async holding<T>(identifiers: ResourceIdentifier[], work: () => Promise<T>): Promise<T> {
    const paths = new Set(identifiers.map((identifier): string => this.getLockIdentifier(identifier).path));
    return this.holdingAll([ ...paths ], work);
  }

  private async holdingAll<T>([ path, ...others ]: string[], work: () => Promise<T>): Promise<T> {
    return this.expiring.withWriteLock({ path }, async(renew): Promise<T> => {
      if (others.length === 0) {
        return work();
      }
      // It must not expire while the others are waited for.
      const timer = setInterval(renew, renewalMs);
      try {
        return await this.holdingAll(others, async(): Promise<T> => {
          clearInterval(timer);
          return work();
        });
      } finally {
        clearInterval(timer);
      }
    });
  }
}

/** Returns the resource that a new member of a container becomes if the name that it asks for is free. */
function namedBy({ path }: ResourceIdentifier, { metadata }: Representation): ResourceIdentifier[] {
  try {
    const name = nameFromSlug(metadata);
    return name ? [{ path: `${ensureTrailingSlash(path)}${name}` }] : [];
  } catch {
    // Malformed: the store refuses it.
    return [];
  }
}
