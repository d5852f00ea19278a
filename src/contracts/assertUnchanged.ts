import { ContractNotConsumable } from '../problems';
import type { Contract } from './Contract';

/**
 * Checks that the text of a contract has not changed since its first use.
 *
 * @param onRecord - Digest at the first use; absent when the contract was never used.
 *
 * @throws ContractNotConsumable
 */
export function assertUnchanged(contract: Pick<Contract, 'digest'>, onRecord: string | undefined): void {
  if (onRecord !== undefined && onRecord !== contract.digest) {
    throw new ContractNotConsumable('The contract has changed since it was first used.');
  }
}
