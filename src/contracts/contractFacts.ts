import type { AuditEvent } from '../audit/AuditLog';
import type { Contract } from './Contract';

/** Returns facts for audit rows about the contract of an action, as it is at the time. */
export function contractFacts({ id, digest }: Pick<Contract, 'id' | 'digest'>): NonNullable<AuditEvent['facts']> {
  return { contract: id, contractDigest: digest };
}
