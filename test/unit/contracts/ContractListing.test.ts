import type { Contract } from '../../../src/contracts/Contract';
import type { ListedContract } from '../../../src/contracts/ContractListing';
import { ContractListing } from '../../../src/contracts/ContractListing';
import type { Suspension } from '../../../src/contracts/SuspensionStore';
import type { DataUser } from '../../../src/contracts/DataUsers';
import type { I18nString } from '../../../src/data-types/DataType';
import type { WebId } from '../../../src/platform/webId';
import { parseWebId } from '../../../src/platform/webId';
import { now } from '../storage/places';

const employment = 'https://pods.example/v1/purposes/employment';
const office = parseWebId('https://office.example/#us');
const officeNames = [{ value: 'Employment Office', language: 'en' }];
const labels = [{ value: 'Recruitment', language: 'en' }];

function contract(id: string, forDataUser: WebId, forPurpose: string): Contract {
  const uri = `https://pods.example/v1/contracts/${id}`;
  const terms = { forDataType: [], accessMode: 'READ', accessDuration: 'P1D' } as const;
  return { id, uri, forDataUser, forPurpose, ...terms, forDataType: [], digest: 'd', document: {}};
}

async function list(suspended: string[]): Promise<ListedContract[]> {
  return new ContractListing({
    contracts: { listConsumable: (): Contract[] => [
      contract('loans', parseWebId('https://BANK.example/#us'), employment),
      contract('jobs', office, 'https://other.example/jobs'),
    ]},
    suspensions: {
      list: async(): Promise<Suspension[]> => suspended.map((name): Suspension => ({ name, suspendedAt: now })),
    },
    dataUsers: {
      find: (webId): DataUser | undefined => webId === office ? { names: officeNames } as DataUser : undefined,
    },
    purposes: { purposeLabels: (iri): I18nString[] | undefined => iri === employment ? labels : undefined },
    now: (): Date => now,
  }).list();
}

describe('The list of contracts', (): void => {
  it('has the described names, and no internal fields.', async(): Promise<void> => {
    const [ loans, jobs ] = await list([]);
    expect(loans.purposeLabels).toEqual(labels);
    expect(jobs.purposeLabels).toBeUndefined();
    expect(jobs.dataUserNames).toEqual(officeNames);
    expect(loans.dataUserNames).toBeUndefined();
    expect(Object.keys(loans)).not.toEqual(expect.arrayContaining([ 'digest' ]));
    expect(Object.keys(loans)).not.toEqual(expect.arrayContaining([ 'document' ]));
  });

  it.each([
    [[ 'loans' ], [ 'jobs' ]],
    [[ 'https://bank.example/#us' ], [ 'jobs' ]],
    [[ 'https://BANK.example/#us', 'jobs' ], []],
    [[ 'other' ], [ 'loans', 'jobs' ]],
  ])('leaves out suspended contracts: %j leaves %j.', async(suspended, left): Promise<void> => {
    expect((await list(suspended)).map(({ id }): string => id)).toEqual(left);
  });
});
