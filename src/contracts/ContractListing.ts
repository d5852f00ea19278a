import type { I18nString } from '../data-types/DataType';
import type { Clock } from '../platform/clock';
import type { Artefacts } from './Artefacts';
import { suspendableNames } from './assertNotSuspended';
import type { Contract, ContractCatalogue } from './Contract';
import type { DataUsers } from './DataUsers';
import type { SuspensionStore } from './SuspensionStore';

/** A contract in a list. */
export interface ListedContract extends Omit<Contract, 'digest' | 'document'> {
  /** Names of the data user, when the operator describes it. */
  dataUserNames?: I18nString[];
  /** Names of the purpose, when this server describes it. */
  purposeLabels?: I18nString[];
}

/** Dependencies of {@link ContractListing}. */
export interface ContractListingOptions {
  contracts: Pick<ContractCatalogue, 'listConsumable'>;
  suspensions: Pick<SuspensionStore, 'list'>;
  dataUsers: Pick<DataUsers, 'find'>;
  purposes: Pick<Artefacts, 'purposeLabels'>;
  now: Clock;
}

/** Lists the contracts under which citizens can share now. */
export class ContractListing {
  public constructor(private readonly options: ContractListingOptions) {}

  /** Lists contracts within their dates by id, except suspended ones and those of suspended data users. */
  public async list(): Promise<ListedContract[]> {
    const { contracts, dataUsers, now, purposes, suspensions } = this.options;
    const suspended = new Set((await suspensions.list()).map(({ name }): string => name));
    return contracts.listConsumable(now())
      .filter((contract): boolean => !suspendableNames(contract).some((name): boolean => suspended.has(name)))
      .map(({ digest, document, ...contract }): ListedContract => ({
        ...contract,
        dataUserNames: dataUsers.find(contract.forDataUser)?.names,
        purposeLabels: purposes.purposeLabels(contract.forPurpose),
      }));
  }
}
