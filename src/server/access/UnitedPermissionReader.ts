import {
  AccessMode,
  IdentifierMap,
  IdentifierSetMultiMap,
  isContainerIdentifier,
  PermissionReader,
} from '@solid/community-server';
import type {
  AuxiliaryStrategy,
  IdentifierStrategy,
  PermissionMap,
  PermissionReaderInput,
  PermissionSet,
  ResourceIdentifier,
  ResourceSet,
} from '@solid/community-server';
import type { TreeDataAccessor } from '../files/ContainerGate';
import { isAccessDocument } from './isAccessDocument';

/** Options of {@link UnitedPermissionReader}. */
export interface UnitedPermissionReaderArgs {
  /** Reads the caller's permissions by WAC or ACP. */
  ownReader: PermissionReader;
  /** Reads additional permissions on content, such as those of access grants. */
  grantReader: PermissionReader;
  /** Finds the container of a resource. */
  identifierStrategy: IdentifierStrategy;
  /** Finds the access control document of a resource. */
  auxiliaryStrategy: AuxiliaryStrategy;
  /** Knows which resources exist. */
  resourceSet: ResourceSet;
  /** Lists the members of containers. Nothing else may be read there without the lock of the resource. */
  dataAccessor: TreeDataAccessor;
}

/**
 * Unites the permissions of WAC or ACP with those of access grants. A refusal by one is not overruled by the other.
 *
 * A grant to write covers content. As with WAC, creating a resource also needs Append on its container, and removing it
 * needs Write there, by a rule or a grant. No grant removes a resource with access rules of its own: the rules would be
 * removed with it, and a resource created anew would be under the rules of the container.
 *
 * @see [Web Access Control, section 4.2](https://solidproject.org/TR/wac#access-modes)
 */
export class UnitedPermissionReader extends PermissionReader {
  private readonly args: UnitedPermissionReaderArgs;

  public constructor(args: UnitedPermissionReaderArgs) {
    super();
    this.args = args;
  }

  public async handle(input: PermissionReaderInput): Promise<PermissionMap> {
    const { credentials, requestedModes } = input;
    const own = await this.args.ownReader.handleSafe(input);
    const containers = this.containersOf(input, own);
    const asked = new IdentifierSetMultiMap<AccessMode>(requestedModes);
    for (const [ , container ] of containers) {
      asked.add(container, new Set([ AccessMode.append ]));
    }
    const granted = await this.args.grantReader.handleSafe({ credentials, requestedModes: asked });
    const united: PermissionMap = new IdentifierMap();
    for (const identifier of requestedModes.distinctKeys()) {
      united.set(identifier, unite(own.get(identifier), granted.get(identifier)));
    }
    for (const [ identifier, container ] of containers) {
      // Rules and grants together may allow a request that neither allows alone.
      const permissions = united.get(identifier);
      if (permissions && (granted.has(identifier) || granted.has(container))) {
        const ofContainer = unite(await this.ownOn(container, input), granted.get(container));
        await this.completeWith(ofContainer, identifier, permissions);
      }
    }
    return united;
  }

  private async completeWith(
    { append, write }: PermissionSet,
    identifier: ResourceIdentifier,
    permissions: PermissionSet,
  ): Promise<void> {
    permissions.create ??= append;
    if (permissions.delete === undefined && permissions.write && write) {
      permissions.delete = !await this.isGuarded(identifier);
    }
  }

  /** Returns the containers of resources to create or remove for which the rules alone do not allow it. */
  private containersOf(
    { requestedModes }: PermissionReaderInput,
    own: PermissionMap,
  ): IdentifierMap<ResourceIdentifier> {
    const { identifierStrategy } = this.args;
    const containers = new IdentifierMap<ResourceIdentifier>();
    for (const [ identifier, modes ] of requestedModes.entrySets()) {
      const isOpen = [ AccessMode.create, AccessMode.delete ].some((mode): boolean =>
        modes.has(mode) && own.get(identifier)?.[mode] === undefined);
      if (isOpen && !identifierStrategy.isRootContainer(identifier)) {
        containers.set(identifier, identifierStrategy.getParentContainer(identifier));
      }
    }
    return containers;
  }

  private async ownOn(container: ResourceIdentifier, input: PermissionReaderInput): Promise<PermissionSet | undefined> {
    const modes = new Set([ AccessMode.append, AccessMode.write ]);
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ container, modes ]]);
    return (await this.args.ownReader.handleSafe({ credentials: input.credentials, requestedModes })).get(container);
  }

  /**
   * Checks whether a removal would remove access rules too: those of the resource or, in a container, those of
   * resources that do not exist (yet).
   */
  private async isGuarded(identifier: ResourceIdentifier): Promise<boolean> {
    const { auxiliaryStrategy, dataAccessor, resourceSet } = this.args;
    for (const auxiliary of auxiliaryStrategy.getAuxiliaryIdentifiers(identifier)) {
      if (isAccessDocument(auxiliary) && await resourceSet.hasResource(auxiliary)) {
        return true;
      }
    }
    if (isContainerIdentifier(identifier) && await resourceSet.hasResource(identifier)) {
      for await (const child of dataAccessor.getChildren(identifier)) {
        if (isAccessDocument({ path: child.identifier.value })) {
          return true;
        }
      }
    }
    return false;
  }
}

/** Merges permissions: an explicit false is a refusal, and wins. */
function unite(...sets: (PermissionSet | undefined)[]): PermissionSet {
  const united: Record<string, boolean | undefined> = {};
  for (const set of sets) {
    for (const [ mode, value ] of Object.entries(set ?? {})) {
      if (value !== undefined && united[mode] !== false) {
        united[mode] = value;
      }
    }
  }
  return united;
}
