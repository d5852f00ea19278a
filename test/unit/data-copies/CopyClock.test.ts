import { CopyClock } from '../../../src/data-copies/CopyClock';
import type { FeedEvent } from '../../../src/events/Event';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { openDatabase } from '../../../src/storage/database/engine';
import { toCheck } from '../../../src/storage/stores/SqlDataCopyStore';
import { later, now, places } from '../storage/places';
import type { Place } from '../storage/places';
import { copy, grant, pod, share } from '../storage/rows';
import { resourceUri } from '../../support/uris';

const graceSeconds = 60;
const resource = resourceUri(`${pod}one`);

describe.each(places)('The clock of copies, on %s,', (engine, makePlace): void => {
  let place: Place;
  let open: OpenRecords;
  let clocks: CopyClock[];
  let clock: Date;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    open = await place.open();
    clock = now;
    clocks = [ open, await place.open() ].map(({ records }): CopyClock =>
      new CopyClock({ records, graceMs: graceSeconds * 1000, now: (): Date => clock }));
  });

  afterEach(async(): Promise<void> => place.remove());

  /** Runs both nodes at once. */
  async function eventsAt(seconds: number): Promise<string[]> {
    clock = later(seconds);
    await Promise.all(clocks.map(async(one): Promise<void> => one.run()));
    const { events } = await open.records.events.list(copy('c').dataUser, 0, 100);
    return events.map(({ at, type }: FeedEvent): string => `${type} ${(at.getTime() - now.getTime()) / 1000}`);
  }

  it('reports that a grant has ended, its copy is due, and is overdue, each once.', async(): Promise<void> => {
    const { records } = open;
    await records.grants.insert(grant('g', { expiresAt: later(10) }));
    await records.dataCopies.insertOrGet(copy('c'));
    await expect(eventsAt(9)).resolves.toEqual([]);
    await expect(eventsAt(10)).resolves.toEqual([ 'AccessExpired 10', 'DataCopyDue 10' ]);
    // The clock is set back.
    await expect(eventsAt(0)).resolves.toHaveLength(2);
    await expect(eventsAt(69)).resolves.toHaveLength(2);
    const all = [ 'AccessExpired 10', 'DataCopyDue 10', 'DataCopyOverdue 70' ];
    await expect(eventsAt(70)).resolves.toEqual(all);
    await expect(eventsAt(1000)).resolves.toEqual(all);
    const { events } = await records.events.list(copy('c').dataUser, 1, 1);
    expect(events[0].data).toEqual({
      resource,
      purpose: 'https://purpose.example/',
      accessGrant: 'https://pod.example/.access/vc/g',
    });
  });

  it.each<[string, (records: OpenRecords['records']) => Promise<unknown>]>([
    [ 'a grant was revoked', async({ dataCopies, grants }): Promise<unknown> => {
      await grants.revoke('g', later(5));
      return dataCopies.checkSoon({ grants: [ 'g' ]}, later(5));
    } ],
    [ 'shared data is gone', async({ dataCopies, shares }): Promise<unknown> => {
      await shares.setAbsent(resource, later(5));
      return dataCopies.checkSoon({ resource }, later(5));
    } ],
    [ 'shared data is invalid', async({ dataCopies, shares }): Promise<unknown> => {
      await shares.setInvalid({ digest: 'ab', resource }, later(5), 'altered');
      return dataCopies.checkSoon({ resource }, later(5));
    } ],
  ])('reports that a copy is due when %s.', async(_name, change): Promise<void> => {
    await open.records.grants.insert(grant('g'));
    await open.records.shares.save(share('s', { resource }));
    await open.records.dataCopies.insertOrGet(copy('c'));
    await expect(eventsAt(4)).resolves.toEqual([]);
    await change(open.records);
    await expect(eventsAt(5)).resolves.toEqual([ 'DataCopyDue 5' ]);
  });

  it('reports that a copy is due when the credential expires.', async(): Promise<void> => {
    await open.records.grants.insert(grant('g', { expiresAt: later(999) }));
    await open.records.shares.save(share('s', { resource, expiresAt: later(30) }));
    await open.records.dataCopies.insertOrGet(copy('c'));
    // Dates of credentials are compared with some tolerance.
    for (const seconds of [ 1, 30, 31, 90 ]) {
      await expect(eventsAt(seconds)).resolves.toEqual([]);
    }
    await expect(eventsAt(91)).resolves.toEqual([ 'DataCopyDue 30' ]);
  });

  it('reports nothing about copies that were deleted in time.', async(): Promise<void> => {
    await open.records.grants.insert(grant('g', { expiresAt: later(10) }));
    await open.records.dataCopies.insertOrGet(copy('c'));
    await expect(eventsAt(10)).resolves.toHaveLength(2);
    await open.records.dataCopies.close('c', later(11), undefined);
    await expect(eventsAt(100)).resolves.toHaveLength(2);
  });

  it('checks a copy again when it is reported under another grant.', async(): Promise<void> => {
    await open.records.grants.insert(grant('g', { expiresAt: later(10) }));
    await open.records.grants.insert(grant('h', { expiresAt: later(500) }));
    await open.records.dataCopies.insertOrGet(copy('c'));
    await expect(eventsAt(10)).resolves.toHaveLength(2);
    await open.records.dataCopies.update(copy('c', { grantId: 'h', reportedAt: later(20) }));
    await expect(eventsAt(400)).resolves.toHaveLength(2);
    await expect(eventsAt(500)).resolves.toEqual(expect.arrayContaining([ 'DataCopyDue 500' ]));
  });

  it('reads the beginning of an index.', async(): Promise<void> => {
    const { db } = await openDatabase(place.records);
    const { sql, parameters } = toCheck(db, now, 1).compile();
    await db.destroy();
    const values = [ ...parameters ];
    const statement = sql.replaceAll(/\?|\$\d/gu, (): string => String(values.shift()));
    const explain = engine === 'SQLite' ? 'explain query plan' : 'explain';
    expect(JSON.stringify(await place.sql(`${explain} ${statement}`))).toContain('data_copies_to_judge');
  });
});
