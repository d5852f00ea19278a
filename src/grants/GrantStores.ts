import type { AuditLog } from '../audit/AuditLog';
import type { StatusListStore } from '../credentials/StatusListStore';
import type { Outbox } from '../events/EventStore';
import type { CitizenStore } from '../identity/CitizenStore';
import type { CopyMarks } from './CopyMarks';
import type { GrantStore } from './GrantStore';

/** Stores that issuing and revoking a grant changes, and the one it looks citizens up in. */
export interface GrantStores {
  citizens: Pick<CitizenStore, 'findByPodUrl' | 'findByWebId'>;
  grants: GrantStore;
  statusLists: StatusListStore;
  audit: AuditLog;
  events: Outbox;
  dataCopies: CopyMarks;
}
