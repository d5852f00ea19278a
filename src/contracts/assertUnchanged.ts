import { ContractNotConsumable } from '../problems';
import type { Contract } from './Contract';

/**
 * Checks that a contract has the text it had when it was first used.
 *
 * @param onRecord - Digest of that text; absent when the contract was never used.
 *
 * @throws ContractNotConsumable
 */
export function assertUnchanged(contract: Pick<Contract, 'digest'>, onRecord: string | undefined): void {
  if (onRecord !== undefined && onRecord !== contract.digest) {
    throw new ContractNotConsumable('The contract has changed since it was first used.');
  }
}
