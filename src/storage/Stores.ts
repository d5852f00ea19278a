import type { ActivityStore } from '../audit/Activity';
import type { AuditLog } from '../audit/AuditLog';
import type { ContractUseStore } from '../contracts/ContractUseStore';
import type { SuspensionStore } from '../contracts/SuspensionStore';
import type { StatusListStore } from '../credentials/StatusListStore';
import type { DataCopyStore } from '../data-copies/DataCopyStore';
import type { EventStore } from '../events/EventStore';
import type { SubscriptionStore } from '../events/SubscriptionStore';
import type { GrantStore, UsableGrants } from '../grants/GrantStore';
import type { CitizenStore } from '../identity/CitizenStore';
import type { InvitationStore } from '../identity/InvitationStore';
import type { PodOwnerStore } from '../identity/PodOwnerStore';
import type { ShareStore } from '../personal-data/ShareStore';
import type { DutyStore } from '../platform/DutyStore';
import type { SweepStore } from '../resources/SweepStore';
import type { EndedTokens } from '../tokens/EndedTokens';
import type { ProofStore } from '../tokens/ProofStore';
import type { GuessStore } from '../verification/GuessStore';

/** Every store of this service's own records. */
export interface Stores {
  citizens: CitizenStore;
  podOwners: PodOwnerStore;
  contractUses: ContractUseStore;
  suspensions: SuspensionStore;
  shares: ShareStore;
  grants: GrantStore;
  usableGrants: UsableGrants;
  statusLists: StatusListStore;
  dataCopies: DataCopyStore;
  duties: DutyStore;
  guesses: GuessStore;
  proofs: ProofStore;
  endedTokens: EndedTokens;
  invitations: InvitationStore;
  sweeps: SweepStore;
  events: EventStore;
  subscriptions: SubscriptionStore;
  audit: AuditLog;
  activity: ActivityStore;
}
