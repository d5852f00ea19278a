import { canonicalWebId } from '../platform/webId';
import { ContractSuspended, DataUserSuspended } from '../problems';
import type { Contract } from './Contract';
import type { SuspensionStore } from './SuspensionStore';

/**
 * Checks that neither contract nor data user is suspended. Call it before any action under a contract.
 *
 * @throws ContractSuspended, DataUserSuspended
 */
export async function assertNotSuspended(
  { id, forDataUser }: Pick<Contract, 'id' | 'forDataUser'>,
  suspensions: Pick<SuspensionStore, 'find'>,
): Promise<void> {
  const found = await suspensions.find(suspendableNames({ id, forDataUser }));
  if (found) {
    throw found.name === id ? new ContractSuspended() : new DataUserSuspended();
  }
}

/** Returns the names under which a contract can be suspended: it may spell the WebID differently than the operator. */
export function suspendableNames({ id, forDataUser }: Pick<Contract, 'id' | 'forDataUser'>): string[] {
  return [ id, forDataUser, canonicalWebId(forDataUser) ?? forDataUser ];
}
