import type { AuditLog } from '../audit/AuditLog';
import type { ContractUseStore } from '../contracts/ContractUseStore';
import type { StatusListStore } from '../credentials/StatusListStore';
import type { Outbox } from '../events/EventStore';
import type { CopyMarks } from '../grants/CopyMarks';
import type { GrantStore } from '../grants/GrantStore';
import type { CitizenStore } from '../identity/CitizenStore';
import type { ShareStore } from './ShareStore';

/** Stores that sharing changes, and the one that it finds citizens in. */
export interface SharingStores {
  citizens: Pick<CitizenStore, 'findById' | 'lockIfActive'>;
  contractUses: ContractUseStore;
  shares: ShareStore;
  grants: GrantStore;
  statusLists: StatusListStore;
  audit: AuditLog;
  events: Outbox;
  dataCopies: CopyMarks;
}

/** Stores that change when a share turns out to be gone or invalid. */
export type ShareStates = Pick<
  SharingStores,
  'audit' | 'citizens' | 'dataCopies' | 'events' | 'grants' | 'shares' | 'statusLists'
>;
