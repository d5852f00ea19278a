import { AccessMode, IdentifierSetMultiMap, ModesExtractor } from '@solid/community-server';
import type { AccessMap, Operation } from '@solid/community-server';

/**
 * The modes that the server requires for an operation, or Append where it requires none: an empty patch still rewrites
 * the resource, which alters the bytes of a shared credential, and reveals whether it exists.
 */
export class PatchModesExtractor extends ModesExtractor {
  private readonly source: ModesExtractor;

  /**
   * @param source - The server's own rule.
   */
  public constructor(source: ModesExtractor) {
    super();
    this.source = source;
  }

  public override async canHandle(operation: Operation): Promise<void> {
    await this.source.canHandle(operation);
  }

  public async handle(operation: Operation): Promise<AccessMap> {
    const modes = await this.source.handle(operation);
    return modes.size > 0 ? modes : new IdentifierSetMultiMap<AccessMode>([[ operation.target, AccessMode.append ]]);
  }
}
