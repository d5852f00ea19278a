import type { AuditLog } from '../audit/AuditLog';
import type { GrantStore } from '../grants/GrantStore';
import type { IdentityStores } from '../identity/IdentityStores';
import type { ShareStore } from '../personal-data/ShareStore';

/** Stores for reading and listing resources, and for recording it. */
export interface ReadingStores extends IdentityStores {
  audit: AuditLog;
  grants: GrantStore;
  shares: ShareStore;
}
