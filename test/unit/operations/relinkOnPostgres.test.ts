import { belgianNumbers as numbers } from '../../../src/identity/belgianNumbers';
import type { NationalNumber } from '../../../src/identity/NationalNumber';
import type { Citizen } from '../../../src/identity/CitizenStore';
import { relinkCitizen } from '../../../src/operations/relinkCitizen';
import type { CitizenChanges } from '../../../src/operations/findCitizen';
import type { Records, Transactions } from '../../../src/platform/Records';
import { parseWebId } from '../../../src/platform/webId';
import type { Stores } from '../../../src/storage/Stores';
import { databaseUrl } from '../../support/postgres';
import type { Place } from '../storage/places';
import { citizenNumber, nationalNumber, now, postgresPlace } from '../storage/places';

describe('Giving a citizen another number, on PostgreSQL,', (): void => {
  const by = { operator: 'ops', now: (): Date => now, numbers };
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await postgresPlace(databaseUrl!);
    ({ records } = await place.open());
    const webId = parseWebId('https://pod.example/c/profile/card#me');
    const citizen = { id: 'c', webId, podUrl: 'https://pod.example/c/' };
    await records.citizens.insertOrGet({ ...citizen, nationalNumber: citizenNumber(0), createdAt: now });
    await records.citizens.setState('c', 'ACTIVE');
  });

  afterEach(async(): Promise<void> => place.remove());

  /** The records, in which something else happens once the citizen has been found. */
  function after(meanwhile: () => Promise<unknown>): Transactions<CitizenChanges> {
    let isFirst = true;
    return {
      transaction: async<T>(work: (stores: CitizenChanges) => Promise<T>): Promise<T> =>
        records.transaction(async({ audit, citizens }): Promise<T> => work({
          audit,
          citizens: Object.assign(Object.create(citizens) as typeof citizens, {
            findByNationalNumber: async(number: NationalNumber): Promise<Citizen | undefined> => {
              const found = await citizens.findByNationalNumber(number);
              if (isFirst) {
                isFirst = false;
                await meanwhile();
              }
              return found;
            },
          }),
        })),
    };
  }

  it('is refused when another command has just done so.', async(): Promise<void> => {
    const name = { nationalNumber: nationalNumber(0) };
    await expect(relinkCitizen(
      after(async(): Promise<unknown> => relinkCitizen(records, name, nationalNumber(1), by)),
      name,
      nationalNumber(2),
      by,
    )).rejects.toThrow('There is no such citizen.');
    expect((await records.citizens.getNationalNumber('c')).reveal()).toBe(nationalNumber(1));
    await expect(records.audit.list(0, 10)).resolves.toHaveLength(1);
  });

  it('is refused when somebody else has just been given that number.', async(): Promise<void> => {
    const webId = parseWebId('https://pod.example/d/profile/card#me');
    const other = { id: 'd', webId, podUrl: 'https://pod.example/d/', nationalNumber: citizenNumber(1), createdAt: now };
    await records.citizens.insertOrGet(other);
    await records.citizens.setState('d', 'ACTIVE');
    await expect(relinkCitizen(
      after(async(): Promise<unknown> => relinkCitizen(records, { podId: 'd' }, nationalNumber(2), by)),
      { podId: 'c' },
      nationalNumber(2),
      by,
    )).rejects.toThrow('The new number belongs to another citizen, with the pod d');
    expect((await records.citizens.getNationalNumber('c')).reveal()).toBe(nationalNumber(0));
  });

  it('is refused when the citizen is being erased meanwhile.', async(): Promise<void> => {
    await expect(relinkCitizen(
      after(async(): Promise<unknown> => records.citizens.setState('c', 'DELETING')),
      { nationalNumber: nationalNumber(0) },
      nationalNumber(2),
      by,
    )).rejects.toThrow('The citizen was changed or erased meanwhile: try again.');
    expect((await records.citizens.getNationalNumber('c')).reveal()).toBe(nationalNumber(0));
  });
});
