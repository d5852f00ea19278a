import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import { contractFacts } from '../contracts/contractFacts';
import type { UsableContracts } from '../contracts/UsableContracts';
import type { Citizen } from '../identity/CitizenStore';
import type { Clock } from '../platform/clock';
import type { Candidates } from './Candidates';
import type { PersonalDataValue } from './PersonalDataValue';

/** Dependencies of {@link PersonalDataService}. */
export interface PersonalDataServiceOptions {
  candidates: Pick<Candidates, 'list'>;
  contracts: Pick<UsableContracts, 'get'>;
  audit: Pick<AuditLog, 'enqueue'>;
  now: Clock;
}

/** Shows citizens their personal data that a contract covers. */
export class PersonalDataService {
  public constructor(private readonly options: PersonalDataServiceOptions) {}

  /**
   * Lists the values of all data types of the contract. A source that is unavailable gives one value with an error.
   *
   * @throws ContractIdInvalid, ContractNotFound, ContractNotConsumable, ContractSuspended, DataUserSuspended
   */
  public async list(citizen: Citizen, contractId: string, context: CallContext): Promise<PersonalDataValue[]> {
    const contract = await this.options.contracts.get(contractId);
    const values = (await this.options.candidates.list(citizen, contract))
      .map(({ value }): PersonalDataValue => value);
    this.options.audit.enqueue({
      type: 'data.listed',
      at: this.options.now(),
      ...ofCall(context, { ...contractFacts(contract), values: values.length }),
      personal: { webId: citizen.webId },
      citizenId: citizen.id,
    });
    return values;
  }
}
