import type { Citizen } from './CitizenStore';

/**
 * Ends shares, rights and subscriptions to events together with their citizens. The folder that owns shares implements
 * it.
 *
 * @typeParam TStores - Stores to work on, such as those of a transaction.
 */
export interface SharedByCitizens<TStores> {
  /**
   * Revokes all grants and shares of a citizen or, when the citizen brought WebID or pod, those on data to be removed.
   */
  endRights: (stores: TStores, citizen: Citizen, at: Date) => Promise<void>;
  /** Marks shares as removed, revokes their credentials, and removes subscriptions of a WebID that was made here. */
  endShares: (stores: TStores, citizen: Citizen, at: Date) => Promise<void>;
  /** Forgets which records of sources a citizen shared. */
  forgetShares: (stores: TStores, citizen: Citizen) => Promise<void>;
  /** Lists the resources of all shares, interrupted ones included. */
  listResources: (stores: TStores, citizen: Citizen) => Promise<string[]>;
}
