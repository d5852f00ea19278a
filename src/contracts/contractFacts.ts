import type { AuditEvent } from '../audit/AuditLog';
import type { Contract } from './Contract';

/** What audit rows say of the contract under which something was done: which one, and what it was then. */
export function contractFacts({ id, digest }: Pick<Contract, 'id' | 'digest'>): NonNullable<AuditEvent['facts']> {
  return { contract: id, contractDigest: digest };
}
