import { Initializer } from '@solid/community-server';
import type { PermissionReader } from '@solid/community-server';
import type { GuardedDocumentsStore } from './GuardedDocumentsStore';
import { PublicReading } from './PublicReading';

/**
 * Gives a store of guarded documents the rules by which they are public. Reading those rules goes through the store
 * itself.
 */
export class GuardedDocuments extends Initializer {
  /**
   * @param store - Keeps guarded documents readable by everyone.
   * @param reader - The server's rules on permissions.
   */
  public constructor(store: GuardedDocumentsStore, reader: PermissionReader) {
    super();
    store.judgeBy(new PublicReading(reader));
  }

  /** Nothing is left to do once it is made. */
  public async handle(): Promise<void> {
    // It only has to be among what is started.
  }
}
