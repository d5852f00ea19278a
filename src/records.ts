import type { AuditLog } from './audit/AuditLog';
import type { ContractUseStore } from './contracts/ContractUseStore';
import type { SuspensionStore } from './contracts/SuspensionStore';
import type { StatusListStore } from './credentials/StatusListStore';
import type { DataCopyStore } from './data-copies/DataCopyStore';
import type { GrantStore } from './grants/GrantStore';
import type { CitizenStore } from './identity/CitizenStore';
import type { InvitationStore } from './identity/InvitationStore';
import type { PodOwnerStore } from './identity/PodOwnerStore';
import type { ShareStore } from './personal-data/ShareStore';
import type { DutyStore } from './resources/DutyStore';
import type { EndedTokens } from './tokens/EndedTokens';
import type { ProofStore } from './tokens/ProofStore';
import type { GuessStore } from './verification/GuessStore';

/** Every store of this service's own records. */
export interface Stores {
  citizens: CitizenStore;
  podOwners: PodOwnerStore;
  contractUses: ContractUseStore;
  suspensions: SuspensionStore;
  shares: ShareStore;
  grants: GrantStore;
  statusLists: StatusListStore;
  dataCopies: DataCopyStore;
  duties: DutyStore;
  guesses: GuessStore;
  proofs: ProofStore;
  endedTokens: EndedTokens;
  invitations: InvitationStore;
  audit: AuditLog;
}

/**
 * The records: the stores, each call on its own, and a way to do several calls as one.
 */
export interface Records extends Stores {
  /**
   * Runs work in one database transaction: all of it is durable when the promise resolves, none of it when it rejects.
   * The work must use only the stores it is given, and must not wait for anything but them. It may be run again when
   * the database asks for it, so it leaves nothing behind outside of the stores.
   */
  transaction: <T>(work: (stores: Stores) => Promise<T>) => Promise<T>;
}
