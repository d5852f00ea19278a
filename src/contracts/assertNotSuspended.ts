import { canonicalWebId } from '../platform/webId';
import { ContractSuspended, DataUserSuspended } from '../problems';
import type { Contract } from './Contract';
import type { SuspensionStore } from './SuspensionStore';

/**
 * To be called before anything is done under a contract.
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

/** The names by which a suspension meets a contract: a contract may spell the WebID otherwise than the operator. */
export function suspendableNames({ id, forDataUser }: Pick<Contract, 'id' | 'forDataUser'>): string[] {
  return [ id, forDataUser, canonicalWebId(forDataUser) ?? forDataUser ];
}
