import type { AuditLog } from '../audit/AuditLog';
import type { StatusListStore } from '../credentials/StatusListStore';
import type { Outbox } from '../events/EventStore';
import type { CitizenStore } from '../identity/CitizenStore';
import type { CopyMarks } from './CopyMarks';
import type { GrantStore } from './GrantStore';

/** Stores that change when a grant is issued or revoked, and the store of citizens for look-ups. */
export interface GrantStores {
  citizens: Pick<CitizenStore, 'findByPodUrl' | 'findByWebId'>;
  grants: GrantStore;
  statusLists: StatusListStore;
  audit: AuditLog;
  events: Outbox;
  dataCopies: CopyMarks;
}
