import { randomUUID } from 'node:crypto';
import type { AccessGrant, GrantStatus } from '../../../../src/grants/AccessGrant';
import { grantStatus } from '../../../../src/grants/AccessGrant';
import type { GrantFilter, ListedStatus } from '../../../../src/grants/GrantStore';
import { ParameterInvalid } from '../../../../src/problems';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { parseWebId } from '../../../../src/platform/webId';
import { later, now, places } from '../places';
import type { Place } from '../places';
import { grant as grantRow } from '../rows';

const anna = parseWebId('https://anna.example/#me');
const bank = parseWebId('https://bank.example/#me');
const contract = { id: 'diplomas', digest: 'ab' };
const shop = parseWebId('https://shop.example/#me');

function grant(changes: Partial<AccessGrant> = {}): AccessGrant {
  return grantRow(randomUUID(), { subject: anna, recipient: bank, ...changes });
}

describe.each(places)('Lists of grants, on %s', (engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  async function insert(...grants: AccessGrant[]): Promise<string[]> {
    for (const one of grants) {
      await records.grants.insert(one);
    }
    return grants.map(({ id }): string => id);
  }

  async function find(filter: Partial<GrantFilter>, size = 50): Promise<string[]> {
    const found: string[] = [];
    let page: string | undefined;
    do {
      const listed = await records.grants.list({ party: anna, now, ...filter }, { size, page });
      found.push(...listed.grants.map(({ id }): string => id));
      page = listed.next;
    } while (page !== undefined);
    return found;
  }

  it('can be paged to their end and back, whatever the size of a page, in one order.', async(): Promise<void> => {
    const times = [ 0, 0, 0, 5, 5, 9, 9, 9, 9 ];
    const ids = await insert(...times.map((seconds, index): AccessGrant => grant({
      issuedAt: later(seconds),
      // As giver, as receiver, and as both.
      ...[{}, { subject: bank, recipient: anna }, { recipient: anna }][index % 3],
    })));
    const whole = await find({});
    expect([ ...whole ].sort()).toEqual([ ...ids ].sort());
    for (const size of [ 1, 2, 3, 4, 9, 10 ]) {
      await expect(find({}, size)).resolves.toEqual(whole);
      const backward: string[] = [];
      let { last: page } = await records.grants.list({ party: anna, now }, { size });
      while (page !== undefined) {
        const listed = await records.grants.list({ party: anna, now }, { size, page });
        expect(listed.grants).not.toHaveLength(0);
        backward.unshift(...listed.grants.map(({ id }): string => id));
        page = listed.prev;
      }
      expect(backward).toEqual(whole);
    }
  });

  it('contain only grants that the caller is party to.', async(): Promise<void> => {
    const received = grant({ subject: bank, recipient: anna });
    const [ given ] = await insert(grant(), received, grant({ subject: shop }));
    await expect(find({})).resolves.toEqual(expect.arrayContaining([ given, received.id ]));
    await expect(find({})).resolves.toHaveLength(2);
    await expect(find({ from: anna })).resolves.toEqual([ given ]);
    await expect(find({ to: bank })).resolves.toEqual([ given ]);
    await expect(find({ from: bank })).resolves.toEqual([ received.id ]);
    await expect(find({ from: anna, to: bank })).resolves.toEqual([ given ]);
    await expect(find({ from: bank, to: anna })).resolves.toEqual([ received.id ]);
    await expect(find({ from: shop })).resolves.toEqual([]);
    await expect(find({ from: shop, to: bank })).resolves.toEqual([]);
    await expect(find({ party: parseWebId('https://pod.example/none') })).resolves.toEqual([]);
  });

  it('show the status of each: revoked, then answered, then expired.', async(): Promise<void> => {
    const [ pending, granted, denied, canceled, expired, answered, active, ended, revoked, denial ] = await insert(
      grant({ kind: 'request' }),
      grant({ kind: 'request' }),
      grant({ kind: 'request' }),
      grant({ kind: 'request', expiresAt: now }),
      grant({ kind: 'request', expiresAt: now }),
      grant({ kind: 'request', expiresAt: now }),
      grant({ expiresAt: later(1) }),
      grant({ expiresAt: now }),
      grant({ expiresAt: now }),
      grant({ kind: 'denial' }),
    );
    await expect(records.grants.answer(granted, 'granted')).resolves.toBe(true);
    await expect(records.grants.answer(denied, 'denied')).resolves.toBe(true);
    await expect(records.grants.answer(answered, 'granted')).resolves.toBe(true);
    await expect(records.grants.answer(canceled, 'granted')).resolves.toBe(true);
    await records.grants.revoke(canceled, now);
    await records.grants.revoke(revoked, now);
    await expect(records.grants.answer(canceled, 'denied')).resolves.toBe(false);
    await expect(records.grants.answer(active, 'granted')).resolves.toBe(false);
    await expect(records.grants.answer('none', 'granted')).resolves.toBe(false);
    const expected: [ListedStatus, string[]][] = [
      [ 'Pending', [ pending ]],
      [ 'Granted', [ granted, answered ]],
      [ 'Denied', [ denied ]],
      [ 'Canceled', [ canceled ]],
      [ 'Expired', [ expired, ended ]],
      [ 'Active', [ active, denial ]],
      [ 'Revoked', [ revoked ]],
    ];
    for (const [ status, ids ] of expected) {
      expect([ status, (await find({ status })).sort() ]).toEqual([ status, ids.sort() ]);
      expect((await find({ status, purpose: 'https://purpose.example/' })).sort()).toEqual(ids);
    }
    await expect(find({ status: 'Expired', kinds: [ 'grant' ]})).resolves.toEqual([ ended ]);
    await expect(find({ status: 'Active', kinds: [ 'request' ]})).resolves.toEqual([]);
    await expect(find({ kinds: [ 'request' ]})).resolves.toHaveLength(6);
    await expect(find({ kinds: [ 'denial' ]})).resolves.toEqual([ denial ]);
  });

  it('show what ended each grant first, as their records do.', async(): Promise<void> => {
    const [ active, ended, revoked, lapsed, both ] = await insert(
      grant({ contract, expiresAt: later(1) }),
      grant({ contract, expiresAt: now }),
      grant({ contract, expiresAt: later(9) }),
      grant({ contract, expiresAt: later(-9) }),
      grant({ contract, expiresAt: later(-1), revokedAt: later(-1) }),
      grant({ contract, kind: 'denial' }),
    );
    const [ void_, lateVoid, imported ] = await insert(
      grant({ contract, subject: shop, recipient: anna }),
      grant({ contract, subject: shop, recipient: anna, expiresAt: later(-5) }),
      grant({ contract, expiresAt: later(-4), invalidAt: later(-5), revokedAt: later(-3) }),
    );
    await records.grants.revoke(revoked, now);
    await records.grants.revoke(lapsed, now);
    await records.grants.endAllOf(anna, later(-2));
    await records.grants.revoke(void_, now);
    const expected: [GrantStatus, string[]][] = [
      [ 'ACTIVE', []],
      [ 'REVOKED', [ active, ended, revoked, both ]],
      [ 'EXPIRED', [ lapsed, lateVoid ]],
      [ 'INVALID', [ void_, imported ]],
    ];
    const found = [ active, ended, revoked, lapsed, both, void_, lateVoid, imported ];
    const statuses = await Promise.all(found.map(async(id): Promise<[string, GrantStatus]> =>
      [ id, grantStatus((await records.grants.findTerms(id))!, now) ]));
    for (const [ status, ids ] of expected) {
      expect([ status, statuses.filter(([ , its ]): boolean => its === status).map(([ id ]): string => id).sort() ])
        .toEqual([ status, [ ...ids ].sort() ]);
      for (const more of [{}, { contract: 'diplomas' }, { purpose: 'https://purpose.example/' }]) {
        expect((await find({ kinds: [ 'grant' ], status, ...more })).sort()).toEqual(ids.sort());
      }
    }
    await expect(find({ kinds: [ 'grant' ], contract: 'diplomas' })).resolves.toHaveLength(found.length);
    await expect(find({ status: 'Revoked', contract: 'diplomas' })).resolves.toHaveLength(found.length + 1);
  });

  it('show which grants are effective, by page.', async(): Promise<void> => {
    await insert(grant({ contract }), grant({ contract: { ...contract, id: 'other' }}), grant({ contract }), grant());
    const filter = { party: anna, kinds: [ 'grant' as const ], contract: contract.id, now };
    const first = await records.grants.listTerms(filter, { size: 1 });
    const second = await records.grants.listTerms(filter, { size: 1, page: first.next });
    expect([ ...first.grants, ...second.grants ]).toMatchObject([{ contract, recipient: bank }, { contract }]);
    expect(second.next).toBeUndefined();
    await expect(records.grants.listTerms({ ...filter, to: shop }, { size: 9 })).resolves.toEqual({ grants: []});
  });

  it.each([ 'recipient', 'subject' ])('are found by contract and %s through one index.', async(role): Promise<void> => {
    await insert(grant({ contract }));
    const statement = `select issued_at, id from access_grants
      where ${role} = 'a' and contract_id = 'b' and kind = 'grant' and state = 'invalid' and (issued_at, id) < (1, 'c')
      order by issued_at desc, id desc limit 9`;
    if (engine !== 'SQLite') {
      await place.sql('set enable_seqscan = off');
    }
    const plan = JSON.stringify(await place.sql(`explain ${engine === 'SQLite' ? 'query plan' : ''} ${statement}`));
    expect(plan).toContain(`access_grants_by_${role}_contract`);
    expect(plan).not.toMatch(/TEMP B-TREE|Sort/u);
  });

  it('are found by resource, purpose and time, in every combination.', async(): Promise<void> => {
    const resources = [ 'https://pod.example/a', 'https://pod.example/b' ];
    const purposes = [ 'https://purpose.example/', 'https://purpose.example/more' ];
    const [ one, two ] = await insert(
      grant({ resources, purposes, issuedAt: later(-10) }),
      grant({ resources: [ resources[1] ], issuedAt: later(-5) }),
      grant({ subject: shop, resources, purposes }),
    );
    await expect(find({ resource: resources[0] })).resolves.toEqual([ one ]);
    await expect(find({ resource: resources[1] })).resolves.toEqual([ two, one ]);
    await expect(find({ resource: resources[1] }, 1)).resolves.toEqual([ two, one ]);
    await expect(find({ purpose: purposes[1] })).resolves.toEqual([ one ]);
    await expect(find({ resource: resources[1], purpose: purposes[1], to: bank })).resolves.toEqual([ one ]);
    await expect(find({ party: bank, from: anna, resource: resources[1] })).resolves.toEqual([ two, one ]);
    await expect(find({ resource: 'https://pod.example/' })).resolves.toEqual([]);
    await expect(find({ issuedSince: later(-5) })).resolves.toEqual([ two ]);
    await expect(find({ issuedSince: later(-5), resource: resources[1] })).resolves.toEqual([ two ]);
    await records.grants.revoke(two, later(-3));
    await records.grants.revoke(one, later(-1));
    await expect(find({ revokedSince: later(-4) })).resolves.toEqual([ one, two ]);
    await expect(find({ revokedSince: later(-4) }, 1)).resolves.toEqual([ one, two ]);
    await expect(find({ revokedSince: later(-2) })).resolves.toEqual([ one ]);
    const both = { revokedSince: later(-4), issuedSince: later(-5) };
    await expect(find({ ...both, resource: resources[1] })).resolves.toEqual([ two ]);
    await expect(find({ revokedSince: later(-4), purpose: purposes[1], status: 'Revoked' })).resolves.toEqual([ one ]);
  });

  it('accept only cursors that they returned.', async(): Promise<void> => {
    for (const page of [ 'x', '', btoa('[]'), btoa('["after"]'), btoa('["after","1","2"]'), btoa('["first",1,"2"]') ]) {
      await expect(records.grants.list({ party: anna, now }, { size: 1, page })).rejects.toThrow(ParameterInvalid);
    }
  });

  it('count grants issued by clients, by WebID and by token issuer, up to a limit.', async(): Promise<void> => {
    const issuer = 'https://idp.example/';
    await insert(
      grant({ made: { at: later(-2), tokenIssuer: issuer }}),
      grant({ made: { at: now, tokenIssuer: issuer }, subject: shop, issuedAt: later(-9999) }),
      grant(),
    );
    await expect(records.grants.countMade({ subject: anna }, later(-2), 5)).resolves.toBe(1);
    await expect(records.grants.countMade({ subject: anna }, later(-1), 5)).resolves.toBe(0);
    await expect(records.grants.countMade({ tokenIssuer: issuer }, later(-2), 5)).resolves.toBe(2);
    await expect(records.grants.countMade({ tokenIssuer: issuer }, later(-2), 1)).resolves.toBe(1);
  });
});
