import { parseWebId } from '../../../../src/platform/webId';
import { databaseUrl } from '../../../support/postgres';
import { citizenNumber, nationalNumber, now, postgresPlace } from '../places';

describe('Rotating on PostgreSQL', (): void => {
  it('waits for writers, and does not rewrite what was changed meanwhile.', async(): Promise<void> => {
    const place = await postgresPlace(databaseUrl!);
    const { records: { citizens, transaction }} = await place.open();
    const operator = await place.open();
    const webId = parseWebId('https://pod.example/c/profile/card#me');
    const citizen = { id: 'c', webId, podUrl: 'https://pod.example/c/' };
    await citizens.insertOrGet({ ...citizen, nationalNumber: citizenNumber(0), createdAt: now });
    await operator.rotation.rotate('encryption', undefined, 'ops');
    let rewriting: Promise<number> | undefined;
    await transaction(async(stores): Promise<void> => {
      await stores.citizens.setNationalNumber('c', citizenNumber(9));
      await expect(place.sql('select * from current_keys for update nowait')).rejects.toThrow('could not obtain lock');
      rewriting ??= operator.rewriting.rewrite();
      // Waits until it has read the row, and waits to write it.
      const waiting = `select 1 from pg_locks where relation = 'citizens'::regclass and locktype = 'tuple'
        and database = (select oid from pg_database where datname = current_database())`;
      while ((await place.sql(waiting)).length === 0) {
        await place.sql('select pg_sleep(0.01)');
      }
    });
    await rewriting;
    expect((await citizens.getNationalNumber('c')).reveal()).toBe(nationalNumber(9));
    expect((await citizens.findByNationalNumber(citizenNumber(9)))?.id).toBe('c');
    await place.remove();
  });
});
