import type { AuditEvent } from '../audit/AuditLog';
import type { Contract } from './Contract';

/** Facts for audit rows about the contract under which something was done, as it was then. */
export function contractFacts({ id, digest }: Pick<Contract, 'id' | 'digest'>): NonNullable<AuditEvent['facts']> {
  return { contract: id, contractDigest: digest };
}
