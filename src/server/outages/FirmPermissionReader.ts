import { UnionPermissionReader } from '@solid/community-server';
import type { PermissionMap, PermissionReader, PermissionReaderInput } from '@solid/community-server';
import { firmResults } from './firmResults';

/**
 * Unites the permissions of several readers, and fails when one of them is unavailable now. The server's own union
 * ignores an unavailable reader: it would refuse an owner whose access control document is unreadable for a moment.
 */
export class FirmPermissionReader extends UnionPermissionReader {
  /**
   * @param readers - Their permissions are united. A refusal by one is not overruled by the others.
   */
  public constructor(readers: PermissionReader[]) {
    super(readers);
  }

  public override async handle(input: PermissionReaderInput): Promise<PermissionMap> {
    return this.combine(await firmResults(this.handlers, input));
  }
}
