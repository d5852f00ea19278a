import type { AuditEvent } from '../../../../src/audit/AuditLog';
import type { Activity } from '../../../../src/audit/Activity';
import { ParameterInvalid } from '../../../../src/problems';
import type { Records } from '../../../../src/platform/Records';
import { activityPage } from '../../../../src/storage/audit/SqlActivityStore';
import { openDatabase } from '../../../../src/storage/database/engine';
import { up } from '../../../../src/storage/migrations/2026-11-28-activity-reads';
import type { Stores } from '../../../../src/storage/Stores';
import { later, now, places } from '../places';
import type { Place } from '../places';

const bank = 'https://bank.example/#us';
const shop = 'https://shop.example/#us';
const resource = 'https://pod.example/a/credentials/00/1';

function event(changes: Partial<AuditEvent> = {}): AuditEvent {
  return { type: 'data.shared', at: now, personal: { owner: 'https://a.example/#me' }, citizenId: 'a', ...changes };
}

function read(seconds: number, webId = bank, uri = resource, citizenId = 'a'): AuditEvent {
  return event({ type: 'resource.read', at: later(seconds), personal: { webId, resource: uri }, citizenId });
}

describe.each(places)('The activity of a citizen, on %s,', (engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  async function append(...events: AuditEvent[]): Promise<void> {
    for (const one of events) {
      await records.audit.append(one);
    }
  }

  async function all(citizenId: string, limit = 200): Promise<Activity[]> {
    const found: Activity[] = [];
    let after: string | undefined;
    do {
      const page = await records.activity.list(citizenId, { limit, after });
      expect(page.activities.length).toBeLessThanOrEqual(limit);
      found.push(...page.activities);
      after = page.next;
    } while (after !== undefined);
    return found;
  }

  it('contains the audit rows about that citizen and nobody else, newest first.', async(): Promise<void> => {
    await append(
      event({ facts: { outcome: 'created' }}),
      event({ citizenId: 'b' }),
      event({ citizenId: undefined }),
      event({ type: 'grant.revoked' }),
    );
    await expect(all('a')).resolves.toEqual([
      { event: { ...event({ type: 'grant.revoked' }), correlationId: undefined, facts: {}}, count: 1, lastAt: now },
      { event: { ...event({ facts: { outcome: 'created' }}), correlationId: undefined }, count: 1, lastAt: now },
    ]);
    await expect(all('b')).resolves.toHaveLength(1);
    await expect(all('')).resolves.toEqual([]);
    await expect(all('nobody')).resolves.toEqual([]);
    await expect(records.audit.verify()).resolves.toEqual([]);
  });

  it('leaves out citizens\' own reads, and the grant that comes with a share.', async(): Promise<void> => {
    await append(
      event({ type: 'webid.read' }),
      event({ type: 'grant.read' }),
      event({ type: 'grant.issued', facts: { contract: 'diplomas', contractDigest: 'ab' }}),
      event({ type: 'grant.issued' }),
    );
    await expect(all('a')).resolves.toMatchObject([{ event: { type: 'grant.issued', facts: {}}}]);
  });

  it('combines the reads of one party on one resource in one hour, with their number.', async(): Promise<void> => {
    await append(read(1), read(2));
    for (const seconds of [ 3, 4, 3599 ]) {
      records.audit.enqueue(read(seconds));
    }
    records.audit.enqueue(read(5, shop));
    records.audit.enqueue(read(6, bank, `${resource}2`));
    records.audit.enqueue(read(3600));
    records.audit.enqueue(read(3601));
    records.audit.enqueue(read(7, bank, resource, 'b'));
    await records.audit.flush();
    await append(read(8));
    const found = await all('a');
    expect(found.map(({ event: { at, personal }, count, lastAt }): unknown[] => [ at, personal!.webId, count, lastAt ]))
      .toEqual([
        [ later(3600), bank, 2, later(3601) ],
        [ later(6), bank, 1, later(6) ],
        [ later(5), shop, 1, later(5) ],
        [ later(1), bank, 6, later(8) ],
      ]);
    expect((await all('b')).map(({ count }): number => count)).toEqual([ 1 ]);
    expect(JSON.stringify(await place.sql('select * from activity'))).not.toContain('example');
  });

  it('shows who saw data, among any number of requests of others.', async(): Promise<void> => {
    await append(event({ type: 'data.listed' }), read(1));
    await append(...Array.from({ length: 5 }, (): AuditEvent => event({ type: 'grant.requested' })));
    await append(read(2), read(3, shop), read(4, shop, resource, 'b'), event({ type: 'businesskey.verified' }));
    const seen = await records.activity.list('a', { limit: 3, reads: true });
    expect(seen.activities.map(({ event: { type }, count }): unknown[] => [ type, count ]))
      .toEqual([[ 'businesskey.verified', 1 ], [ 'resource.read', 1 ], [ 'resource.read', 2 ]]);
    await expect(records.activity.list('a', { limit: 3, reads: true, after: seen.next })).resolves
      .toMatchObject({ activities: [{ event: { type: 'data.listed' }}]});
  });

  it('shows who saw data before an upgrade.', async(): Promise<void> => {
    await append(event(), read(1), event({ type: 'data.listed' }));
    await place.sql('update activity set reads = null');
    await place.sql('drop index activity_by_reads');
    const { db } = await openDatabase(place.records);
    await up(db);
    await db.destroy();
    await expect(records.activity.list('a', { limit: 9, reads: true })).resolves
      .toMatchObject({ activities: [{ event: { type: 'data.listed' }}, { event: { type: 'resource.read' }}]});
  });

  it('can be paged to its end, whatever the size of a page.', async(): Promise<void> => {
    await append(...Array.from({ length: 9 }, (_, index): AuditEvent => event({ facts: { index }})));
    for (const limit of [ 1, 2, 3, 4, 9, 10 ]) {
      const found = await all('a', limit);
      expect(found.map(({ event: { facts }}): unknown => facts!.index)).toEqual([ 8, 7, 6, 5, 4, 3, 2, 1, 0 ]);
    }
  });

  it('continues only at this citizen\'s own cursors.', async(): Promise<void> => {
    await append(event(), event(), event({ citizenId: 'b' }), event({ citizenId: 'b' }));
    const { next } = await records.activity.list('a', { limit: 1 });
    const altered = `${next!.slice(0, -1)}${next!.endsWith('A') ? 'B' : 'A'}`;
    const bytes = Buffer.from(next!, 'base64url');
    bytes[bytes.length - 1] ^= 1;
    const others = [ altered, bytes.toString('base64url'), '', 'x', '1', btoa('[1,"a"]'), next!.slice(4) ]
      .filter((after): boolean => !Buffer.from(after, 'base64url').equals(Buffer.from(next!, 'base64url')));
    for (const after of others) {
      await expect(records.activity.list('a', { limit: 1, after })).rejects.toThrow(ParameterInvalid);
    }
    await expect(records.activity.list('b', { limit: 1, after: next })).rejects.toThrow(ParameterInvalid);
    await expect(records.activity.list('nobody', { limit: 1, after: next })).rejects.toThrow(ParameterInvalid);
    await expect(records.activity.list('a', { limit: 1, after: next })).resolves.toMatchObject({ activities: [{}]});
  });

  it('is gone when the citizen is forgotten, but nobody else\'s.', async(): Promise<void> => {
    await append(event(), read(1), event({ citizenId: 'b' }));
    await records.audit.forget('a');
    await append(event(), read(2));
    await expect(all('a')).resolves.toEqual([]);
    await expect(all('b')).resolves.toHaveLength(1);
    await expect(place.sql('select * from activity')).resolves.toHaveLength(1);
    await expect(records.audit.verify()).resolves.toEqual([]);
  });

  it('is not counted if the transaction fails.', async(): Promise<void> => {
    await append(read(1));
    await expect(records.transaction(async({ audit }): Promise<void> => {
      await audit.append(read(2));
      await audit.append(event());
      await audit.flush();
      throw new Error('failed');
    })).rejects.toThrow('failed');
    await expect(all('a')).resolves.toMatchObject([{ count: 1 }]);
  });

  it('is found through one index, with a hundred thousand rows as with a hundred.', async(): Promise<void> => {
    await append(event(), event({ citizenId: 'b' }));
    const [ many, one ] = await place.sql('select key_id from audit_subjects order by citizen_id') as
      { key_id: string }[];
    const numbers = engine === 'SQLite' ?
      `with recursive n (i) as (select 3 union all select i + 1 from n where i < 100002) select i from n` :
      'select i from generate_series(3, 100002) as g (i)';
    await place.sql(`insert into activity (sequence, key_id, times, last_at)
      select i, '${many.key_id}', 1, 0 from (${numbers}) as numbers`);
    await place.sql('analyze');
    const { db } = await openDatabase(place.records);
    const plans = await Promise.all([ many, one ].map(async(key): Promise<string> => {
      const { sql, parameters } = activityPage(db, key.key_id, 90_000, 51).compile();
      const values = parameters.map((value): string => typeof value === 'string' ? `'${value}'` : String(value));
      const statement = sql.replaceAll(/\?|\$\d/gu, (): string => values.shift()!);
      return JSON.stringify(await place.sql(`explain ${engine === 'SQLite' ? 'query plan' : ''} ${statement}`));
    }));
    await db.destroy();
    // PostgreSQL chooses between them by the number of this citizen's rows.
    for (const plan of plans) {
      expect(plan).toMatch(/using (?:index )?activity_/iu);
      expect(plan).not.toMatch(/TEMP B-TREE|Seq Scan|SCAN/u);
    }
  });
});
