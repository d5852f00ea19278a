import { Initializer } from '@solid/community-server';
import type { PermissionReader } from '@solid/community-server';
import type { GuardedDocumentsStore } from './GuardedDocumentsStore';
import { PublicReading } from './PublicReading';

/**
 * Gives a store of guarded documents the rules that make them public. Reading those rules goes through the store
 * itself.
 */
export class GuardedDocuments extends Initializer {
  /**
   * @param store - Keeps guarded documents readable by everyone.
   * @param reader - The server's rules on permissions.
   */
  public constructor(store: GuardedDocumentsStore, reader: PermissionReader) {
    super();
    store.setReading(new PublicReading(reader));
  }

  /** Does nothing: the constructor does the work. */
  public async handle(): Promise<void> {
    // Must be among the initializers to be constructed.
  }
}
