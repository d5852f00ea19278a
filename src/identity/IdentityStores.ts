import type { AuditLog } from '../audit/AuditLog';
import type { CitizenStore } from './CitizenStore';
import type { PodOwnerStore } from './PodOwnerStore';

/** Stores of citizens, and of their pods and WebIDs. */
export interface IdentityStores {
  citizens: CitizenStore;
  podOwners: PodOwnerStore;
  audit: AuditLog;
}
