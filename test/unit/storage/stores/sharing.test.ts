import { statusListLength } from '../../../../src/credentials/StatusListStore';
import type { StatusEntry } from '../../../../src/credentials/StatusListStore';
import type { GrantTerms } from '../../../../src/grants/AccessGrant';
import { resourceEvents } from '../../../../src/grants/resourceEvents';
import type { ShareIntent } from '../../../../src/personal-data/ShareStore';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { openDatabase } from '../../../../src/storage/database/engine';
import { due } from '../../../../src/storage/stores/SqlShareStore';
import { parseWebId } from '../../../../src/platform/webId';
import { atOnce, later, now, places } from '../places';
import type { Place } from '../places';
import { copy, grant, pod, share } from '../rows';
import { resourceUri } from '../../../support/uris';

function ids(rows: { id: string }[]): string[] {
  return rows.map(({ id }): string => id);
}

describe.each(places)('The stores of sharing, on %s', (engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  /** Returns how the database finds what is due. */
  async function explain(dataType: string, by: Date): Promise<string> {
    const { db } = await openDatabase(place.records);
    const { sql, parameters } = due(db, dataType, by.getTime(), 50).compile();
    await db.destroy();
    const values = parameters.map((value): string => typeof value === 'string' ? `'${value}'` : String(value));
    const statement = sql.replaceAll(/\?|\$\d/gu, (): string => values.shift()!);
    return JSON.stringify(await place.sql(`explain ${engine === 'SQLite' ? 'query plan' : 'analyze'} ${statement}`));
  }

  describe('shares', (): void => {
    it('are returned as saved, by key and by resource.', async(): Promise<void> => {
      const one = share('1', {
        status: { listId: 'l', index: 5 },
        absentAt: later(1),
        invalidAt: later(2),
        invalidReason: 'revoked',
        expiresAt: later(3),
        checkedAt: later(4),
      });
      await records.shares.save(one);
      await records.shares.save(share('2'));
      await expect(records.shares.find(one)).resolves.toEqual(one);
      await expect(records.shares.find({ ...one, recordId: 'other' })).resolves.toBeUndefined();
      await expect(records.shares.findByResource(resourceUri(`${pod}credentials/00/2`))).resolves.toEqual(share('2'));
    });

    it('are replaced under the same id.', async(): Promise<void> => {
      await records.shares.save(share('1', { status: { listId: 'l', index: 5 }}));
      await records.shares.save(share('1', { version: '2' }));
      await expect(records.shares.find(share('1'))).resolves.toEqual(share('1', { version: '2' }));
    });

    it('are unique for their key.', async(): Promise<void> => {
      await records.shares.save(share('1'));
      // By its message: Jest may not recognise an error of the native driver if another test file loaded that.
      await expect(records.shares.save(share('2', { recordId: 'record-1' })))
        .rejects.toMatchObject({ message: expect.stringMatching(/unique/iu) as string });
    });

    it('are listed newest first, in pages.', async(): Promise<void> => {
      await records.shares.save(share('1', { createdAt: later(1) }));
      await records.shares.save(share('2', { createdAt: later(2) }));
      await records.shares.save(share('3', { createdAt: later(2) }));
      await records.shares.save(share('4', { createdAt: later(3), citizenId: 'b' }));
      const first = await records.shares.list('a', { limit: 2 });
      expect(ids(first.shares)).toEqual([ '3', '2' ]);
      const second = await records.shares.list('a', { limit: 2, cursor: first.next });
      expect(ids(second.shares)).toEqual([ '1' ]);
      expect(second.next).toBeUndefined();
    });

    it('are listed by type.', async(): Promise<void> => {
      await records.shares.save(share('1', { dataType: 'x' }));
      await records.shares.save(share('2'));
      await records.shares.save(share('3'));
      const byType = await records.shares.list('a', { dataType: 'x', limit: 10 });
      expect(ids(byType.shares)).toEqual([ '1' ]);
    });

    const malformed = [ 'x', '', 'WzFd', 'WyIxIiwiYSJd', 'W10', 'bnVsbA' ];

    it.each(malformed)('refuse the cursor "%s".', async(cursor): Promise<void> => {
      await expect(records.shares.list('a', { limit: 1, cursor })).rejects.toMatchObject({ type: 'parameter-invalid' });
    });

    it('keep the first mark of absence until it is removed, then are due.', async(): Promise<void> => {
      const { resource } = share('1');
      await records.shares.save(share('1', { checkAt: later(60) }));
      await records.shares.setAbsent(resource, later(1));
      await records.shares.setAbsent(resource, later(2));
      await expect(records.shares.findByResource(resource))
        .resolves.toMatchObject({ absentAt: later(1), checkAt: undefined });
      await records.shares.setAbsent(resource, undefined);
      await expect(records.shares.findByResource(resource)).resolves.toEqual(share('1', { checkAt: now }));
    });

    it('keep the first mark of invalidity, for the credential that was checked.', async(): Promise<void> => {
      const { digest, resource } = share('1');
      await records.shares.save(share('1'));
      await expect(records.shares.setInvalid({ resource, digest: 'other' }, later(2), 'altered')).resolves.toBe(false);
      await expect(records.shares.setInvalid({ resource, digest }, later(3), 'withdrawn')).resolves.toBe(true);
      await expect(records.shares.setInvalid({ resource, digest }, later(4), 'expired')).resolves.toBe(false);
      await expect(records.shares.findByResource(resource))
        .resolves.toMatchObject({ invalidAt: later(3), invalidReason: 'withdrawn', checkAt: undefined });
      await records.shares.setAbsent(resource, later(5));
      await records.shares.setAbsent(resource, undefined);
      await expect(records.shares.findByResource(resource)).resolves.toMatchObject({ checkAt: undefined });
    });

    it('are listed when they are due, in order.', async(): Promise<void> => {
      const dataType = share('1').dataType;
      await records.shares.save(share('1', { checkAt: later(3) }));
      await records.shares.save(share('2', { checkAt: later(2) }));
      await records.shares.save(share('3', { checkAt: later(5) }));
      await records.shares.save(share('4', { checkAt: later(1), dataType: 'https://other.example/' }));
      await records.shares.save(share('5', { checkAt: later(1), invalidAt: now }));
      async function listDue(limit = 9): Promise<string[]> {
        return (await records.shares.listDue(dataType, later(4), limit)).map(({ id }): string => id);
      }
      await expect(listDue()).resolves.toEqual([ '2', '1' ]);
      await expect(listDue(1)).resolves.toEqual([ '2' ]);
      await records.shares.requestCheck(share('3').resource);
      await records.shares.requestCheck(share('5').resource);
      await expect(listDue()).resolves.toEqual([ '3', '2', '1' ]);
      await records.shares.setChecked([
        { id: '1', digest: 'ab', checkAt: later(90), checkedAt: later(4) },
        { id: '2', digest: 'of another', checkAt: later(90), checkedAt: later(4) },
        { id: '3', digest: 'ab', checkAt: later(90) },
        { id: '5', digest: 'ab', checkAt: later(90) },
      ]);
      await expect(listDue()).resolves.toEqual([ '2' ]);
      await expect(records.shares.findByResource(share('1').resource))
        .resolves.toMatchObject({ checkedAt: later(4), checkAt: later(90) });
      await expect(records.shares.findByResource(share('5').resource)).resolves.toMatchObject({ checkAt: undefined });
    });

    it('are found without reading those that are not due, however many there are.', async(): Promise<void> => {
      const dataType = share('1').dataType;
      await records.shares.save(share('due', { checkAt: later(1) }));
      // 5,000 due tomorrow, as many invalid ones, and as many due ones of another kind.
      await place.sql(`insert into shares (id, citizen_id, contract_id, data_type, record_id, version, resource,
          content_type, size, digest, grant_id, created_at, modified_at, check_at)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 15000)
        select 'x' || i, citizen_id, contract_id, case when i % 3 = 0 then 'other' else data_type end, 'x' || i,
          version, 'x' || i, content_type, size, digest, grant_id, created_at, modified_at,
          case when i % 3 = 0 then 1 when i % 3 = 1 then check_at + 86400000 end
        from n, (select * from shares where id = 'due') as one`);
      await place.sql('analyze');
      const plan = await explain(dataType, later(4));
      expect(plan).toContain('shares_by_check');
      expect(plan).not.toMatch(/seq scan|scan shares|temp b-tree|sort|removed by filter/iu);
      // PostgreSQL also counts the rows that it read.
      expect(plan).toMatch(engine === 'SQLite' ? /check_at<\?/u : /actual time=\S+ rows=1(?:\.00)? /u);
      await expect(records.shares.listDue(dataType, later(4), 50)).resolves.toHaveLength(1);
    });

    it('of an erased citizen are all marked absent, and kept.', async(): Promise<void> => {
      await records.shares.save(share('1', { absentAt: later(1) }));
      await records.shares.save(share('2'));
      await records.shares.save(share('3', { citizenId: 'b' }));
      await records.shares.setAllAbsent('a', later(9));
      const { shares } = await records.shares.list('a', { limit: 10 });
      expect(shares.map(({ absentAt }): unknown => absentAt)).toEqual([ later(9), later(1) ]);
      await expect(records.shares.find(share('3', { citizenId: 'b' }))).resolves.toMatchObject({ absentAt: undefined });
    });

    it('of an erased citizen name no records of sources, and do not change otherwise.', async(): Promise<void> => {
      await records.shares.save(share('1', { absentAt: later(1) }));
      await records.shares.save(share('2', { absentAt: later(1) }));
      await records.shares.save(share('3', { citizenId: 'b' }));
      await records.shares.forgetRecords('a');
      const { shares } = await records.shares.list('a', { limit: 10 });
      expect(shares).toEqual([ '2', '1' ].map((id): object =>
        share(id, { absentAt: later(1), recordId: id, version: '', digest: '' })));
      await expect(records.shares.find(share('3', { citizenId: 'b' }))).resolves
        .toEqual(share('3', { citizenId: 'b' }));
    });

    it('have intents, oldest first, until they are deleted.', async(): Promise<void> => {
      const intent: ShareIntent = {
        id: '2',
        citizenId: 'a',
        resource: resourceUri(`${pod}one`),
        digest: 'ab',
        existed: true,
        plan: '{}',
        createdAt: later(1),
      };
      await records.shares.insertIntents([ intent ]);
      await records.shares.insertIntents([{ ...intent, id: '1', existed: false, createdAt: later(2) }]);
      await expect(records.shares.listIntents())
        .resolves.toEqual([ intent, { ...intent, id: '1', existed: false, createdAt: later(2) }]);
      await records.shares.insertIntents([{ ...intent, id: '3', citizenId: 'b' }]);
      expect(ids(await records.shares.listIntentsOf('a'))).toEqual([ '2', '1' ]);
      expect(ids(await records.shares.listIntentsOf('b'))).toEqual([ '3' ]);
      await records.shares.deleteIntent('3');
      await records.shares.deleteIntent('2');
      expect(ids(await records.shares.listIntents())).toEqual([ '1' ]);
    });

    it('have intents that only one of several processes takes over, unchanged.', async(): Promise<void> => {
      await records.shares.insertIntents([{
        id: 'taken',
        citizenId: 'a',
        resource: resourceUri(`${pod}one`),
        digest: 'ab',
        existed: true,
        plan: '{}',
        createdAt: later(1),
      }]);
      await expect(records.shares.takeIntent('taken', '')).resolves.toBe(false);
      const taken = await Promise.all(Array.from({ length: 5 }, async(): Promise<boolean> =>
        records.transaction(async({ shares }): Promise<boolean> => shares.takeIntent('taken', 'ab'))));
      expect(taken.filter(Boolean)).toHaveLength(1);
      await expect(records.shares.takeIntent('taken', 'ab')).resolves.toBe(false);
    });
  });

  describe('grants', (): void => {
    const recipient = parseWebId('https://user.example/#us');

    it('are returned as inserted.', async(): Promise<void> => {
      const full = grant('1', {
        modes: [ 'Read', 'Append' ],
        resources: [ `${pod}two`, `${pod}one`, `${pod}one` ],
        inherit: true,
        contract: { id: 'diplomas', digest: 'ab' },
        request: 'https://pod.example/.access/vc/r',
        expiresAt: later(10),
        revokedAt: later(5),
        invalidAt: later(6),
      });
      await records.grants.insert(full);
      await records.grants.insert(grant('2'));
      await expect(records.grants.findById('1')).resolves.toEqual(full);
      await expect(records.grants.findById('2')).resolves.toEqual(grant('2'));
      await expect(records.grants.findById('3')).resolves.toBeUndefined();
    });

    it('are usable by their recipient on the named resources, while they last.', async(): Promise<void> => {
      await records.grants.insert(grant('usable', { resources: [ pod, `${pod}one` ], expiresAt: later(1) }));
      await records.grants.insert(grant('endless', { issuedAt: later(-1) }));
      await records.grants.insert(grant('expired', { expiresAt: now }));
      await records.grants.insert(grant('revoked', { revokedAt: now }));
      await records.grants.insert(grant('invalid', { invalidAt: now }));
      await records.grants.insert(grant('request', { kind: 'request' }));
      await records.grants.insert(grant('denial', { kind: 'denial' }));
      await records.grants.insert(grant('elsewhere', { resources: [ `${pod}one/more` ]}));
      await records.grants.insert(grant('theirs', { recipient: parseWebId('https://other.example/#us') }));
      const named = [ `${pod}one`, pod, 'https://pod.example/' ];
      const usable = await records.usableGrants.listUsable(recipient, named, now);
      expect(ids(usable)).toEqual([ 'usable', 'endless' ]);
      await expect(records.usableGrants.listUsable(recipient, [], now)).resolves.toEqual([]);
    });

    it('are limited, with those by people in control first, whatever was issued since.', async(): Promise<void> => {
      const subject = parseWebId('https://stranger.example/#me');
      for (let index = 0; index < 30; index += 1) {
        await records.grants.insert(grant(`other${index}`, { subject, issuedAt: later(index) }), []);
      }
      await records.grants.insert(grant('first', { issuedAt: later(-2) }));
      await records.grants.insert(grant('second', { issuedAt: later(-1), resources: [ pod, `${pod}one` ]}), [ pod ]);
      const usable = await records.usableGrants.listUsable(recipient, [ `${pod}one`, pod ], now);
      expect(ids(usable.slice(0, 2))).toEqual([ 'second', 'first' ]);
      const found = await records.usableGrants.listUsable(recipient, [ `${pod}one` ], now);
      expect(found).toHaveLength(21);
      expect(found[0].id).toBe('first');
      const tried: string[] = [];
      async function isThird({ id }: GrantTerms): Promise<boolean> {
        tried.push(id);
        return tried.length === 3;
      }
      const wanted = await records.usableGrants.findUsable(recipient, [ `${pod}one` ], now, isThird);
      expect(tried).toEqual(ids(found.slice(0, 3)));
      expect(wanted).toEqual(found[2]);
      const none = records.usableGrants.findUsable(recipient, [ pod ], now, async(): Promise<boolean> => false);
      await expect(none).resolves.toBeUndefined();
    });

    it('are archived when they have ended, and found as before.', async(): Promise<void> => {
      for (const seconds of [ 1, 2, 3 ]) {
        await records.grants.insert(grant(`${seconds}`, { expiresAt: later(seconds) }));
      }
      await records.grants.insert(grant('endless'));
      await expect(records.grants.settle(now, 9)).resolves.toBe(0);
      await expect(records.grants.settle(later(3), 2)).resolves.toBe(2);
      await expect(records.grants.settle(later(3), 2)).resolves.toBe(1);
      await expect(records.grants.settle(later(3), 2)).resolves.toBe(0);
      const states = await place.sql('select state from grant_resources order by grant_id');
      expect(states.map(({ state }): unknown => state)).toEqual([ 'expired', 'expired', 'expired', 'open' ]);
      const { grants } = await records.grants.list(
        { party: recipient, status: 'Expired', resource: `${pod}one`, now: later(3) },
        { size: 9 },
      );
      expect(grants).toHaveLength(3);
      await records.grants.revoke('1', later(4));
      const revoked = await records.grants.list({ party: recipient, status: 'Revoked', now: later(4) }, { size: 9 });
      expect(ids(revoked.grants)).toEqual([ '1' ]);
    });

    it('are listed by exact resource, newest first, whatever their status.', async(): Promise<void> => {
      await records.grants.insert(grant('1', { revokedAt: now }));
      const other = parseWebId('https://other.example/#us');
      await records.grants.insert(grant('2', { issuedAt: later(1), recipient: other }));
      await records.grants.insert(grant('3', { resources: [ `${pod}three` ], issuedAt: later(2) }));
      await records.grants.insert(grant('4', { resources: [ pod ]}));
      await records.grants.insert(grant('5', { kind: 'denial' }));
      expect(ids(await records.grants.listByResources([ `${pod}one` ]))).toEqual([ '2', '1' ]);
      expect(ids(await records.grants.listByResources([ `${pod}one` ], recipient))).toEqual([ '1' ]);
      expect(ids(await records.grants.listByResources([ `${pod}one`, `${pod}three` ]))).toEqual([ '3', '2', '1' ]);
      const theirs = await records.grants.listByResources([ `${pod}one`, `${pod}three` ], recipient);
      expect(ids(theirs)).toEqual([ '3', '1' ]);
    });

    it('that have not ended tell whom a change concerns, however many have ended.', async(): Promise<void> => {
      const [ resource, last ] = [ resourceUri(`${pod}one`), parseWebId('https://z.example/#us') ];
      await records.grants.insert(grant('open', { recipient: last, expiresAt: later(9) }));
      for (let index = 0; index < 400; index += 1) {
        await records.grants.insert(grant(`${index}`, { revokedAt: now }));
      }
      const { subject } = grant('open');
      await expect(resourceEvents('ResourceUpdated', records.grants, resource, subject, later(8))).resolves
        .toEqual([{ dataUser: last, type: 'ResourceUpdated', at: later(8), data: { resource }}]);
      await expect(resourceEvents('ResourceUpdated', records.grants, resource, last, later(8))).resolves.toEqual([]);
      await expect(resourceEvents('ResourceUpdated', records.grants, resource, subject, later(9))).resolves.toEqual([]);
      await expect(records.grants.hasOpen([ resource ], later(8))).resolves.toBe(true);
      await expect(records.grants.hasOpen([ resource ], later(9))).resolves.toBe(false);
    });

    it('name resources of a pod that are not shared data, each once, page by page.', async(): Promise<void> => {
      const names = [ '', 'a', 'a/', 'a/b', 'shared', 'z' ];
      for (const [ index, name ] of [ ...names, 'a' ].entries()) {
        await records.grants.insert(grant(`${index}`, { resources: [ pod + name ]}));
      }
      await records.grants.insert(grant('beside', { resources: [ `${pod.slice(0, -1)}0`, pod.slice(0, -1) ]}));
      await records.grants.insert(grant('denial', { kind: 'denial', resources: [ `${pod}denied` ]}));
      await records.grants.insert(grant('ended', { revokedAt: now, resources: [ `${pod}ended` ]}));
      const stranger = parseWebId('https://b.example/#me');
      await records.grants.insert(grant('stated', { subject: stranger, resources: [ `${pod}stated` ]}), []);
      await records.shares.save(share('1', { resource: resourceUri(`${pod}shared`) }));
      const subjects = [ grant('1').subject, parseWebId('https://nobody.example/#me') ];
      const bySubject = { podUrl: pod, by: { subjects }};
      const theirs = [ '', 'a', 'a/', 'a/b', 'ended', 'z' ].map((name): string => pod + name);
      await expect(records.grants.listNamed({ ...bySubject, limit: 9 })).resolves.toEqual(theirs);
      await expect(records.grants.listNamed({ ...bySubject, limit: 2 })).resolves.toEqual(theirs.slice(0, 2));
      await expect(records.grants.listNamed({ ...bySubject, after: theirs[1], limit: 2 }))
        .resolves.toEqual(theirs.slice(2, 4));
      await expect(records.grants.listNamed({ podUrl: pod, by: { recipient }, limit: 9 }))
        .resolves.toEqual(theirs.filter((uri): boolean => !uri.endsWith('ended')));
    });

    it('of strangers are listed up to twenty for each resource, after those by its owner.', async(): Promise<void> => {
      await records.grants.insert(grant('own', { issuedAt: later(-1) }));
      for (let index = 0; index < 60; index += 1) {
        await records.grants.insert(grant(`stranger ${index}`, { subject: parseWebId('https://b.example/#me') }), []);
      }
      const listed = ids(await records.grants.listByResources([ `${pod}one` ]));
      expect(listed).toHaveLength(21);
      expect(listed).toContain('own');
      expect(ids(await records.grants.listByResources([ `${pod}one` ], recipient))).toHaveLength(21);
    });

    it('are revoked once: the first time counts.', async(): Promise<void> => {
      await records.grants.insert(grant('1'));
      const answers = await atOnce(20, async(index): Promise<boolean> => records.grants.revoke('1', later(index)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      await expect(records.grants.findById('1')).resolves.toMatchObject({ revokedAt: later(answers.indexOf(true)) });
      await expect(records.grants.revoke('2', now)).resolves.toBe(false);
    });

    it('end with their subject or their recipient.', async(): Promise<void> => {
      const me = parseWebId('https://a.example/#me');
      await records.grants.insert(grant('given'));
      await records.grants.insert(grant('revoked', { revokedAt: later(1) }));
      await records.grants.insert(grant('received', { subject: parseWebId('https://b.example/#me'), recipient: me }));
      await records.grants.insert(grant('others', { subject: parseWebId('https://b.example/#me') }));
      await expect(records.grants.endAllOf(me, later(5))).resolves.toEqual([ grant('given', { revokedAt: later(5) }) ]);
      await expect(records.grants.endAllOf(me, later(6))).resolves.toEqual([]);
      await expect(records.grants.findById('revoked')).resolves.toMatchObject({ revokedAt: later(1) });
      await expect(records.grants.findById('received'))
        .resolves.toMatchObject({ revokedAt: undefined, invalidAt: later(5) });
      await expect(records.grants.findById('others'))
        .resolves.toEqual(grant('others', { subject: parseWebId('https://b.example/#me') }));
    });

    it('are found among more resources than a query could list.', async(): Promise<void> => {
      await records.grants.insert(grant('1'));
      const many = Array.from({ length: 70_000 }, (_, index): string => `${pod}${index}`);
      expect(ids(await records.grants.listByResources([ ...many, `${pod}one` ]))).toEqual([ '1' ]);
    });
  });

  describe('status lists', (): void => {
    it('give every credential an index of its own, in a list of its kind.', async(): Promise<void> => {
      const other = await place.open();
      const entries = await atOnce(60, async(index): Promise<StatusEntry> =>
        (index % 2 ? records : other.records).statusLists.allocate('grants'));
      expect(new Set(entries.map(({ index }): number => index)).size).toBe(60);
      expect(new Set(entries.map(({ listId }): string => listId)).size).toBe(1);
      expect(entries.every(({ index }): boolean => index >= 0 && index < statusListLength)).toBe(true);
      expect(Math.max(...entries.map(({ index }): number => index))).toBeGreaterThan(1000);
      // Nor do adjacent indexes show who got theirs at the same time.
      const taken = (await place.sql('select position from status_entries'))
        .map(({ position }): number => Number(position));
      expect(taken.filter((position): boolean => taken.includes(position + 1)).length).toBeLessThan(10);
      const credential = await records.statusLists.allocate('credentials');
      expect(credential.listId).not.toBe(entries[0].listId);
    });

    it('have every index recorded before it is handed out.', async(): Promise<void> => {
      const given = await atOnce(40, async(): Promise<StatusEntry> => records.statusLists.allocate('credentials'));
      const taken = await place.sql('select list_id, position from status_entries');
      const known = new Set(taken.map((row): string => `${String(row.list_id)} ${String(row.position)}`));
      expect(given.filter(({ index, listId }): boolean => !known.has(`${listId} ${index}`))).toEqual([]);
      // Callers that wait share one reservation: 48 at once, fewer if one was drawn twice.
      expect(taken.length).toBeLessThanOrEqual(48);
    });

    it('are followed by a new one when half full.', async(): Promise<void> => {
      const { listId } = await (await place.open()).records.statusLists.allocate('grants');
      await place.sql(`delete from status_entries`);
      await place.sql(`insert into status_entries (list_id, position)
        with recursive n (i) as (select 0 union all select i + 2 from n where i < ${statusListLength - 4})
        select '${listId}', i from n`);
      const last = await records.statusLists.allocate('grants');
      const entries = await atOnce(64, async(): Promise<StatusEntry> => records.statusLists.allocate('grants'));
      expect(last.listId).toBe(listId);
      expect(last.index === statusListLength - 2 || last.index % 2 === 1).toBe(true);
      const next = entries.filter((entry): boolean => entry.listId !== listId);
      expect(next.length).toBeGreaterThan(0);
      expect(new Set(next.map((entry): string => entry.listId)).size).toBe(1);
      expect(new Set(entries.map((entry): string => `${entry.listId} ${entry.index}`)).size).toBe(64);
    });

    it('return which bits are set, and when the list changed.', async(): Promise<void> => {
      const one = await records.statusLists.allocate('grants');
      const two = await records.statusLists.allocate('grants');
      await expect(records.statusLists.read('grants', one.listId)).resolves.toEqual({ revoked: [], modified: now });
      await records.statusLists.revoke(one, later(5));
      await records.statusLists.revoke(one, later(9));
      await expect(records.statusLists.read('grants', one.listId))
        .resolves.toEqual({ revoked: [ one.index ], modified: later(5) });
      await expect(records.statusLists.isRevoked(one)).resolves.toBe(true);
      await expect(records.statusLists.isRevoked(two)).resolves.toBe(false);
    });

    it('are of one kind each.', async(): Promise<void> => {
      const { listId } = await records.statusLists.allocate('grants');
      await expect(records.statusLists.read('credentials', listId)).resolves.toBeUndefined();
      await expect(records.statusLists.read('grants', 'other')).resolves.toBeUndefined();
    });
  });

  describe('data copies', (): void => {
    it('are returned as inserted.', async(): Promise<void> => {
      const closed = { deletedAt: later(1), deletionReason: 'NO_LONGER_NEEDED' };
      const full = copy('1', { system: 'archive', storedAt: later(-5), ...closed });
      await expect(records.dataCopies.insertOrGet(full)).resolves.toEqual({ copy: full, inserted: true });
      await expect(records.dataCopies.listByKey(full.dataUser, full.resource)).resolves.toEqual([ full ]);
    });

    it('are open once per data user, resource and purpose.', async(): Promise<void> => {
      const answers = await atOnce(50, async(index): ReturnType<Stores['dataCopies']['insertOrGet']> =>
        records.dataCopies.insertOrGet(copy(`c${index}`)));
      expect(answers.filter(({ inserted }): boolean => inserted)).toHaveLength(1);
      expect(new Set(answers.map((answer): string => answer.copy.id)).size).toBe(1);
      await expect(records.dataCopies.insertOrGet(copy('x', { purpose: 'https://other.example/' })))
        .resolves.toMatchObject({ inserted: true });
    });

    it('can be opened again once closed.', async(): Promise<void> => {
      await records.dataCopies.insertOrGet(copy('1'));
      const closed = await atOnce(5, async(): Promise<boolean> =>
        records.dataCopies.close('1', later(1), 'GRANT_EXPIRED'));
      expect(closed.filter(Boolean)).toHaveLength(1);
      await expect(records.dataCopies.close('1', later(2), undefined)).resolves.toBe(false);
      await expect(records.dataCopies.insertOrGet(copy('2', { reportedAt: later(3) })))
        .resolves.toMatchObject({ inserted: true });
      const { dataUser, resource, purpose } = copy('1');
      await expect(records.dataCopies.listByKey(dataUser, resource, purpose)).resolves.toEqual([
        copy('2', { reportedAt: later(3) }),
        copy('1', { deletedAt: later(1), deletionReason: 'GRANT_EXPIRED' }),
      ]);
      await expect(records.dataCopies.listByKey(dataUser, resource, 'other')).resolves.toEqual([]);
    });

    it('keep the first mark of invalidity, until they are made again.', async(): Promise<void> => {
      const { dataCopies } = records;
      const { dataUser, resource } = copy('1');
      const others = [
        copy('2', { purpose: 'https://late.example/', reportedAt: later(2) }),
        copy('3', { purpose: 'https://deleted.example/', reportedAt: later(-1), deletedAt: later(1) }),
        copy('4', { purpose: 'https://deleted.example/', reportedAt: later(-2), deletedAt: later(3) }),
      ];
      for (const each of [ copy('1'), ...others ]) {
        await dataCopies.insertOrGet(each);
      }
      await dataCopies.setInvalid(resource, later(2), later(2));
      await dataCopies.setInvalid(resource, later(3), later(2));
      await expect(dataCopies.listByKey(dataUser, resource)).resolves.toEqual([
        others[0],
        copy('1', { invalidAt: later(2) }),
        others[1],
        { ...others[2], invalidAt: later(2) },
      ]);
      await dataCopies.update(copy('1', { grantId: 'h' }));
      await expect(dataCopies.listByKey(dataUser, resource, copy('1').purpose))
        .resolves.toEqual([ copy('1', { grantId: 'h', invalidAt: later(2) }) ]);
      await dataCopies.update(copy('1', { storedAt: later(1) }));
      await expect(dataCopies.listByKey(dataUser, resource, copy('1').purpose))
        .resolves.toEqual([ copy('1', { storedAt: later(1) }) ]);
    });

    it('keep since when the resource was missing first, until they are made again.', async(): Promise<void> => {
      const { dataCopies } = records;
      const { dataUser, resource } = copy('1');
      const others = [
        copy('2', { purpose: 'https://late.example/', reportedAt: later(2) }),
        copy('3', { purpose: 'https://deleted.example/', reportedAt: later(-1), deletedAt: later(1) }),
        copy('4', { purpose: 'https://deleted.example/', reportedAt: later(-2), deletedAt: later(3) }),
      ];
      for (const each of [ copy('1'), ...others ]) {
        await dataCopies.insertOrGet(each);
      }
      const deleted = { ...others[2], absentAt: later(2) };
      await dataCopies.setAbsent(resource, later(2), 'deleted');
      await expect(dataCopies.listByKey(dataUser, resource))
        .resolves.toEqual([ others[0], copy('1'), others[1], deleted ]);
      await dataCopies.setAbsent(resource, later(3), { reportedBefore: later(2) });
      await dataCopies.setAbsent(resource, later(4), { reportedBefore: later(2) });
      await expect(dataCopies.listByKey(dataUser, resource))
        .resolves.toEqual([ others[0], copy('1', { absentAt: later(3) }), others[1], deleted ]);
      await dataCopies.update(copy('1', { grantId: 'h' }));
      await expect(dataCopies.listByKey(dataUser, resource, copy('1').purpose))
        .resolves.toEqual([ copy('1', { grantId: 'h', absentAt: later(3) }) ]);
      await dataCopies.update(copy('1', { storedAt: later(1) }));
      await expect(dataCopies.listByKey(dataUser, resource, copy('1').purpose))
        .resolves.toEqual([ copy('1', { storedAt: later(1) }) ]);
    });

    it('are listed by data user, newest first, in pages.', async(): Promise<void> => {
      for (const id of [ '1', '2', '3' ]) {
        await records.dataCopies.insertOrGet(copy(id, { resource: resourceUri(`${pod}${id}`) }));
      }
      await records.dataCopies.insertOrGet(copy('4', { dataUser: parseWebId('https://other.example/#us') }));
      const first = await records.dataCopies.listByDataUser(copy('1').dataUser, { limit: 2 });
      expect(ids(first.copies)).toEqual([ '3', '2' ]);
      const second = await records.dataCopies.listByDataUser(copy('1').dataUser, { limit: 2, cursor: first.next });
      expect(ids(second.copies)).toEqual([ '1' ]);
      expect(second.next).toBeUndefined();
    });

    it('are listed by the pods their resources are in.', async(): Promise<void> => {
      const elsewhere = [ 'ab/one', 'A/one', 'b/one' ].map((path): string => `https://pod.example/${path}`);
      const resources = [ `${pod}one`, `${pod}~/é`, ...elsewhere ];
      for (const [ index, resource ] of resources.entries()) {
        const report = { resource: resourceUri(resource), reportedAt: later(index) };
        await records.dataCopies.insertOrGet(copy(`${index}`, report));
      }
      const alone = await records.dataCopies.listByPod(pod, { limit: 10 });
      expect(ids(alone.copies)).toEqual([ '1', '0' ]);
      const owner = parseWebId('https://pod.example/a/profile/card#me');
      const other = parseWebId('https://pod.example/b/profile/card#me');
      await records.podOwners.set(pod, [ owner, other ]);
      await records.podOwners.set('https://pod.example/b/', [ other ]);
      const one = await records.dataCopies.listByOwner(owner, { limit: 10 });
      expect(ids(one.copies)).toEqual([ '1', '0' ]);
      const two = await records.dataCopies.listByOwner(other, { limit: 2 });
      expect(ids(two.copies)).toEqual([ '4', '1' ]);
      await expect(records.dataCopies.listByOwner(owner, { limit: 2, cursor: two.next }))
        .resolves.toMatchObject({ copies: [{ id: '0' }]});
      await expect(records.dataCopies.listByOwner(parseWebId('https://nobody.example/'), { limit: 10 }))
        .resolves.toEqual({ copies: []});
    });
  });
});
