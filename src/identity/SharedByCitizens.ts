import type { Citizen } from './CitizenStore';

/**
 * Ends shares and rights together with their citizens. The folder that owns shares implements it.
 *
 * @typeParam TStores - Stores it works on, those of a transaction among others.
 */
export interface SharedByCitizens<TStores> {
  /** Revokes grants and shares: all of them, or those in what goes, when the citizen brought WebID or pod. */
  endRights: (stores: TStores, citizen: Citizen, at: Date) => Promise<void>;
  /** Marks shares as gone, and revokes their credentials. */
  endShares: (stores: TStores, citizen: Citizen, at: Date) => Promise<void>;
  /** Lists the resources of all shares, and of those that were interrupted. */
  listResources: (stores: TStores, citizen: Citizen) => Promise<string[]>;
}
