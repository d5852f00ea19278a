import { userInfo } from 'node:os';
import { hashRow } from '../../../../src/audit/chain';
import type { ChainRow } from '../../../../src/audit/chain';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import { appendRows, later, now, places } from '../../storage/places';
import type { Place } from '../../storage/places';

describe.each(places)('The commands on the audit record, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
    await appendRows(records, 3, 'alice');
    await appendRows(records, 2);
  });

  afterEach(async(): Promise<void> => place.remove());

  async function run(...words: string[]): Promise<CommandAnswer> {
    return operate(place, words);
  }

  it('find no fault in an intact chain, while others append to it.', async(): Promise<void> => {
    const appending = appendRows(records, 20, 'bob');
    const { code, output } = await run('audit', 'verify');
    await appending;
    expect(code).toBe(0);
    const { output: last } = await run('audit', 'verify');
    const { end } = await records.audit.check(1);
    expect(output).toContain('is intact');
    expect(last).toBe(`The audit record is intact: 25 rows, the last hash is ${end.hash}.\n`);
  });

  it.each([
    [ 'edited', `update audit_rows set facts = '{}' where sequence >= 3`, 3 ],
    [ 'removed', 'delete from audit_rows where sequence = 2', 3 ],
    [ 'moved', 'update audit_rows set sequence = 0 where sequence = 2', 0 ],
    [ 'reordered', `update audit_rows set
        hash = (select hash from audit_rows as other where other.sequence = 7 - audit_rows.sequence),
        previous_hash = (select previous_hash from audit_rows as other where other.sequence = 7 - audit_rows.sequence)
      where sequence in (3, 4)`, 3 ],
    [ 'cut off', 'delete from audit_rows where sequence > 3', 5 ],
  ])('name the first bad row when rows were %s.', async(_how, statement, row): Promise<void> => {
    await place.sql(statement);
    const { code, output, errors } = await run('audit', 'verify');
    expect(code).toBe(3);
    expect(output).toContain(`Row ${row}: `);
    expect(errors).toBe('');
  });

  it('export rows whose hashes anybody can verify, without naming anybody.', async(): Promise<void> => {
    const { code, output, lines } = await run('audit', 'export');
    expect(code).toBe(0);
    expect(lines()).toHaveLength(5);
    expect(lines().every((row): boolean => hashRow(row as unknown as ChainRow) === row.hash)).toBe(true);
    expect(new Set(lines().map(({ keyId }): unknown => keyId)).size).toBe(2);
    expect(output).not.toContain('pod.example');
    expect(output).not.toContain('alice');
  });

  it('export names on request, but not of people who were forgotten.', async(): Promise<void> => {
    const personal = { webId: 'https://pod.example/alice/profile/card#me' };
    const before = (await run('audit', 'export', '--with-identities')).lines();
    expect(before[0]).toMatchObject({ citizen: 'alice', identities: personal, time: now.toISOString() });
    await records.audit.forget('alice');
    const after = (await run('audit', 'export', '--with-identities')).lines();
    expect(after[0]).not.toHaveProperty('identities');
    expect(after[4]).toHaveProperty('identities');
  });

  it('record an export with names, and none without.', async(): Promise<void> => {
    await run('audit', 'export');
    await run('audit', 'export', '--with-identities');
    const { lines } = await run('audit', 'export', '--with-identities');
    const row = { type: 'audit.exported', identities: { operator: userInfo().username }};
    expect(lines().slice(5)).toMatchObject([ row, row ]);
  });

  it('export the rows of a period, however many there are.', async(): Promise<void> => {
    for (let index = 0; index < 1100; index += 1) {
      records.audit.enqueue({ type: 'resource.read', at: later(index % 2 === 0 ? 3600 : 7200) });
    }
    await records.audit.flush();
    const time = [ '--from', '2026-11-21T14:00:00+01:00', '--to', '2026-11-21T14:00:00Z' ];
    const { lines } = await run('audit', 'export', ...time);
    expect(lines()).toHaveLength(550);
    expect((await run('audit', 'export', '--to', '2026-11-21')).lines()).toEqual([]);
    expect((await run('audit', 'export')).lines()).toHaveLength(1105);
  });

  it.each([
    [[ 'audit', 'export', '--from', 'yesterday' ], '--from must be' ],
    [[ 'audit', 'export', '--form', '2026-11-21' ], 'Unknown option' ],
    [[ 'audit', 'verify', 'everything' ], 'audit verify takes options only' ],
    [[ 'audit', 'erase' ], 'There are audit verify, audit export' ],
  ])('refuse %j.', async(words, why): Promise<void> => {
    const { code, output, errors } = await run(...words);
    expect(code).toBe(2);
    expect(output).toBe('');
    expect(errors).toContain(why);
  });
});

describe('A command', (): void => {
  it('creates no records where there are none.', async(): Promise<void> => {
    const nowhere = { records: '/nowhere/records.sqlite', keys: '/nowhere/keys' };
    const { code, errors } = await operate(nowhere, [ 'audit', 'verify' ]);
    expect(code).toBe(1);
    expect(errors).toBe('--records: there is no file /nowhere/records.sqlite\n');
  });

  it('has a help text.', async(): Promise<void> => {
    const { code, output } = await operate({ records: '/nowhere', keys: '/nowhere' }, [ 'audit', 'export', '--help' ]);
    expect(code).toBe(0);
    expect(output).toContain('--with-identities');
    expect(output).toContain('--records');
    expect((await operate({ records: '/nowhere', keys: '/nowhere' }, [ 'help' ])).output).toContain('audit verify');
  });
});
