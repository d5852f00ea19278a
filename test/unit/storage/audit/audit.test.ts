import type { AuditEvent } from '../../../../src/audit/AuditLog';
import type { AuditFinding } from '../../../../src/audit/chain';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { appendRows, atOnce, later, now, places } from '../places';
import type { Place } from '../places';

const read: AuditEvent = { type: 'resource.read', at: now };

describe.each(places)('The audit log, on %s', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  async function problems(): Promise<string[]> {
    const findings = await records.audit.verify();
    return findings.map(({ sequence, problem }: AuditFinding): string => `${sequence}: ${problem}`);
  }

  it('returns rows in order.', async(): Promise<void> => {
    const event: AuditEvent = {
      type: 'data.shared',
      at: now,
      correlationId: 'c1',
      facts: { contract: 'diplomas', values: 2, again: false },
      personal: { webId: 'https://pod.example/a/profile/card#me' },
      citizenId: 'a',
    };
    await records.audit.append(event);
    await records.audit.append({ type: 'building.read', at: later(1), personal: { dataUser: 'https://user.example/#us' }});
    const rows = await records.audit.list(0, 10);
    expect(rows).toMatchObject([
      { sequence: 1, event },
      { sequence: 2, event: { type: 'building.read', at: later(1), personal: { dataUser: 'https://user.example/#us' }}},
    ]);
    expect(rows[1].event.citizenId).toBeUndefined();
    await expect(records.audit.list(1, 10)).resolves.toEqual([ rows[1] ]);
    await expect(records.audit.list(0, 1)).resolves.toEqual([ rows[0] ]);
  });

  it('is intact when empty and after many rows.', async(): Promise<void> => {
    await expect(problems()).resolves.toEqual([]);
    await appendRows(records, 3, 'a');
    for (let index = 0; index < 1200; index += 1) {
      records.audit.enqueue(read);
    }
    await records.audit.flush();
    await expect(problems()).resolves.toEqual([]);
    await expect(records.audit.list(1202, 10)).resolves.toMatchObject([{ sequence: 1203 }]);
  });

  it('is one chain, however many append at once.', async(): Promise<void> => {
    const other = await place.open();
    await atOnce(40, async(index): Promise<void> => {
      const { audit } = index % 2 ? records : other.records;
      await audit.append({ ...read, facts: { index }, personal: { webId: 'x' }, citizenId: `c${index % 3}` });
    });
    const rows = await records.audit.list(0, 100);
    expect(rows.map(({ sequence }): number => sequence)).toEqual(rows.map((_, index): number => index + 1));
    expect(new Set(rows.map(({ event }): unknown => event.facts?.index)).size).toBe(40);
    expect(rows.every(({ event }): boolean => event.personal?.webId === 'x')).toBe(true);
    await expect(problems()).resolves.toEqual([]);
  });

  it('contains the rows of successful transactions only, however many run at once.', async(): Promise<void> => {
    const other = await place.open();
    await atOnce(20, async(index): Promise<void> =>
      (index % 2 ? records : other.records).transaction(async(stores): Promise<void> => {
        await stores.audit.append({ ...read, facts: { index }});
        await stores.statusLists.allocate(index % 3 ? 'grants' : 'credentials');
        await stores.audit.append({ ...read, facts: { index }});
        await stores.statusLists.allocate(index % 3 ? 'credentials' : 'grants');
      }));
    const rows = await records.audit.list(0, 100);
    expect(rows).toHaveLength(40);
    const order = rows.map(({ event }): unknown => event.facts?.index);
    expect(order.every((index, at): boolean => index === order[at - (at % 2)])).toBe(true);
    await expect(problems()).resolves.toEqual([]);
  });

  it('writes queued rows when the records are closed.', async(): Promise<void> => {
    const other = await place.open();
    other.records.audit.enqueue(read);
    await other.close();
    await expect(records.audit.list(0, 10)).resolves.toMatchObject([{ event: read }]);
  });

  it('keeps no personal fact in clear.', async(): Promise<void> => {
    await appendRows(records, 1, 'a');
    expect(JSON.stringify(await place.sql('select * from audit_rows'))).not.toContain('pod.example');
  });

  it.each([
    [ 'a fact', 'update audit_rows set personal = (select personal from audit_rows where sequence = 1)' ],
    [ 'a key', 'update audit_keys set wrapped = (select min(wrapped) from audit_keys)' ],
  ])('decrypts %s in its own row only.', async(_what, tamper): Promise<void> => {
    await appendRows(records, 1, 'a');
    await appendRows(records, 1, 'a');
    await appendRows(records, 1, 'b');
    await place.sql(tamper);
    await expect(records.audit.list(0, 10)).rejects.toThrow('unable to authenticate');
  });

  it('detects rows moved from one citizen to another.', async(): Promise<void> => {
    await appendRows(records, 1, 'a');
    await appendRows(records, 2, 'b');
    await expect(problems()).resolves.toEqual([]);
    const [ one, other ] = await place.sql('select * from audit_subjects order by citizen_id') as { key_id: string }[];
    await place.sql(`update audit_subjects set key_id = 'x' where citizen_id = 'a'`);
    await place.sql(`update audit_subjects set key_id = '${one.key_id}' where citizen_id = 'b'`);
    await place.sql(`update audit_subjects set key_id = '${other.key_id}' where citizen_id = 'a'`);
    await expect(problems()).resolves.toEqual([
      '1: the key of the row belongs to somebody else',
      '2: the key of the row belongs to somebody else',
    ]);
    await expect(records.audit.list(0, 10)).rejects.toThrow('unable to authenticate');
    await place.sql(`update audit_subjects set key_id = 'gone' where citizen_id = 'a'`);
    await expect(problems()).resolves.toContain('0: the key of the row belongs to somebody else');
  });

  it('becomes unreadable about a citizen who was forgotten, and stays intact.', async(): Promise<void> => {
    await appendRows(records, 1, 'a');
    await appendRows(records, 1, 'b');
    await records.audit.forget('a');
    const rows = await records.audit.list(0, 10);
    expect(rows[0].event)
      .toEqual({ type: 'data.shared', at: now, correlationId: 'c0', facts: { contract: 'diplomas', index: 0 }});
    expect(rows[1].event.personal).toEqual({ webId: 'https://pod.example/b/profile/card#me' });
    await expect(place.sql('select * from audit_keys')).resolves.toHaveLength(1);
    await expect(place.sql('select * from audit_subjects where key_id is not null'))
      .resolves.toMatchObject([{ citizen_id: 'b' }]);
    await expect(problems()).resolves.toEqual([]);
  });

  it('stores no personal facts about a citizen who was already forgotten.', async(): Promise<void> => {
    records.audit.enqueue({ ...read, personal: { webId: 'x' }, citizenId: 'a' });
    await records.transaction(async(stores): Promise<void> => {
      await stores.audit.append({ ...read, personal: { webId: 'x' }, citizenId: 'a' });
      await stores.audit.forget('a');
      await stores.audit.append({ type: 'webid.deleted', at: now, personal: { webId: 'x' }, citizenId: 'a' });
    });
    await records.audit.flush();
    const rows = await records.audit.list(0, 10);
    expect(rows).toHaveLength(3);
    expect(rows.filter(({ event }): boolean => Boolean(event.personal) || Boolean(event.citizenId))).toEqual([]);
    await expect(place.sql('select * from audit_keys')).resolves.toEqual([]);
  });

  it('does not forget a citizen if the transaction fails.', async(): Promise<void> => {
    await appendRows(records, 1, 'a');
    await expect(records.transaction(async(stores): Promise<void> => {
      await stores.audit.forget('a');
      await stores.audit.flush();
      throw new Error('changed my mind');
    })).rejects.toThrow('changed my mind');
    await expect(records.audit.list(0, 1)).resolves.toMatchObject([{ event: { citizenId: 'a' }}]);
  });

  it.each([
    [ 'an edited fact', 'update audit_rows set facts = \'{}\' where sequence = 2', [ '2: the row was changed' ]],
    [ 'another moment', 'update audit_rows set at = at + 1 where sequence = 2', [ '2: the row was changed' ]],
    [ 'another citizen', 'update audit_rows set key_id = \'x\' where sequence = 2', [ '2: the row was changed' ]],
    [ 'a removed row', 'delete from audit_rows where sequence = 2', [ '3: 1 rows before this one are missing' ]],
    [ 'a removed beginning', 'delete from audit_rows where sequence <= 2', [ '3: 2 rows before this one are missing' ]],
    [ 'a removed end', 'delete from audit_rows where sequence >= 3', [ '4: the last 2 rows are missing' ]],
    [ 'all rows removed', 'delete from audit_rows', [ '4: the last 4 rows are missing' ]],
    [
      'an end that was moved back',
      'update audit_head set sequence = 3, hash = (select hash from audit_rows where sequence = 3)',
      [ '3: the note of the end of the chain was changed', '4: there are rows after the end of the chain' ],
    ],
    [ 'a removed note of the end', 'delete from audit_head', [ '0: the note of the end of the chain is missing' ]],
    [
      'an added row',
      `insert into audit_rows select 5, at, type, correlation_id, facts, key_id, personal, hash, hash
        from audit_rows where sequence = 4`,
      [ '5: there are rows after the end of the chain' ],
    ],
  ])('detects %s.', async(_name, tamper, findings): Promise<void> => {
    await appendRows(records, 4, 'a');
    await place.sql(tamper);
    await expect(problems()).resolves.toEqual(findings);
  });

  it('detects rows in another order.', async(): Promise<void> => {
    await appendRows(records, 4, 'a');
    for (const [ from, to ] of [[ 2, 9 ], [ 3, 2 ], [ 9, 3 ]]) {
      await place.sql(`update audit_rows set sequence = ${to} where sequence = ${from}`);
    }
    const found = await problems();
    expect(found).toContain('2: the row was changed');
    expect(found).toContain('3: the row was changed');
    expect(found).toContain('4: the row does not continue the previous one');
  });
});
