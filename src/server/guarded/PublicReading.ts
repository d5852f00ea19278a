import {
  AccessMode,
  AcpReader,
  IdentifierSetMultiMap,
  WebAclReader,
} from '@solid/community-server';
import type { PermissionReader, ResourceIdentifier, ResourceStore } from '@solid/community-server';
import { opened } from '../../platform/opened';

/** Parts of the server's permission readers that contain other readers. */
interface Nested {
  source?: object;
  reader?: object;
  handlers?: object[];
}

/** Store of the access rules. */
export type RulesStore = Pick<ResourceStore, 'getRepresentation' | 'hasResource'>;

/** Decides by the server's own rules, WAC or ACP, which documents everyone may read. */
export class PublicReading {
  private readonly rules: object;

  /**
   * @param reader - A reader that contains that of WAC or ACP.
   *
   * @throws Error when it contains neither.
   */
  public constructor(reader: PermissionReader) {
    const rules = findRules(reader);
    if (!rules) {
      throw new Error('css-data-sharing finds neither WAC nor ACP in the configuration of this server.');
    }
    this.rules = rules;
  }

  /**
   * Checks whether everyone may read a resource.
   *
   * @param resource - The resource, which may be missing.
   * @param store - The access rules, current or proposed.
   */
  public async isPublic(resource: ResourceIdentifier, store: RulesStore): Promise<boolean> {
    // The server's own reader with other rules to read.
    const reader = Object.create(this.rules, {
      aclStore: { value: store },
      acrStore: { value: store },
      resourceSet: { value: store },
    }) as PermissionReader;
    const requestedModes = new IdentifierSetMultiMap<AccessMode>([[ resource, AccessMode.read ]]);
    return (await reader.handle({ credentials: {}, requestedModes })).get(resource)?.read === true;
  }
}

function findRules(reader: object): object | undefined {
  if (reader instanceof WebAclReader || reader instanceof AcpReader) {
    return reader;
  }
  const { source, reader: inner, handlers = []} = opened<Nested>(reader);
  for (const each of [ source, inner, ...handlers ]) {
    const found = each && findRules(each);
    if (found) {
      return found;
    }
  }
}
