import type { Clock } from '../platform/clock';
import { assertNotSuspended } from './assertNotSuspended';
import { assertUnchanged } from './assertUnchanged';
import type { Contract, ContractCatalogue } from './Contract';
import type { ContractUseStore } from './ContractUseStore';
import type { SuspensionStore } from './SuspensionStore';

/** Dependencies of {@link UsableContracts}. */
export interface UsableContractsOptions {
  contracts: Pick<ContractCatalogue, 'getConsumable'>;
  suspensions: Pick<SuspensionStore, 'find'>;
  uses: Pick<ContractUseStore, 'find'>;
  now: Clock;
}

/** The contracts that can be used now. */
export class UsableContracts {
  public constructor(private readonly options: UsableContractsOptions) {}

  /** @throws ContractIdInvalid, ContractNotFound, ContractNotConsumable, ContractSuspended, DataUserSuspended */
  public async get(id: string): Promise<Contract> {
    const contract = this.options.contracts.getConsumable(id, this.options.now());
    await assertNotSuspended(contract, this.options.suspensions);
    return contract;
  }

  /** @throws ContractNotConsumable when the text of the contract has changed since its first use. */
  public async assertAsFirstUsed(contract: Contract): Promise<void> {
    assertUnchanged(contract, await this.options.uses.find(contract.id));
  }
}
