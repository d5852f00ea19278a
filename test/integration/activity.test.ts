import { randomUUID } from 'node:crypto';
import { expectProblem } from '../support/callers';
import type { CitizenWithPod, Shared } from '../support/sharing';
import { citizenWithPod, revocationUrl, share } from '../support/sharing';
import { json, until, untilInMidHour } from '../support/sharingWorld';
import type { AccountHolder, Client, World } from '../support/world';
import { accountWithPod, startWorld } from '../support/world';

interface Grant {
  id: string;
  status: string;
  owner: string;
}

interface GrantPage {
  accessGrants: Grant[];
  next: string | null;
}

interface Activity {
  type: string;
  count: number;
}

interface ActivityPage {
  activities: Activity[];
  next: string | null;
}

describe('The parties to access grants', (): void => {
  let world: World;
  let base: string;
  let emma: CitizenWithPod;
  let noor: CitizenWithPod;
  let consumer: AccountHolder;
  let stranger: AccountHolder;
  let diploma: Shared;

  beforeAll(async(): Promise<void> => {
    world = await startWorld();
    ({ base } = world);
    consumer = await accountWithPod(base, 'consumer');
    stranger = await accountWithPod(base, 'stranger');
    emma = await citizenWithPod(world, 'emma', 'DPoP');
    noor = await citizenWithPod(world, 'noor', 'DPoP');
    diploma = await share(emma.client, base, 'diploma-employment');
  });

  afterAll(async(): Promise<void> => world.stop());

  async function list(client: Client, query: Record<string, string> = {}): Promise<GrantPage> {
    return json(await client.request('GET', `${base}v1/access-grants?${new URLSearchParams(query).toString()}`));
  }

  async function listAll(client: Client, query: Record<string, string> = {}): Promise<string[]> {
    const ids: string[] = [];
    for (let page = await list(client, query); ; page = await json(await client.request('GET', page.next))) {
      ids.push(...page.accessGrants.map(({ id }): string => id));
      if (page.next === null) {
        return ids;
      }
    }
  }

  async function activityOf(client: Client, query = ''): Promise<Activity[]> {
    const found: Activity[] = [];
    let next: string | null = `${base}v1/activity${query}`;
    while (next) {
      const page: ActivityPage = await json(await client.request('GET', next));
      found.push(...page.activities);
      ({ next } = page);
    }
    return found;
  }

  describe('list the grants', (): void => {
    let counselling: Shared;
    let ofNoor: Shared;

    beforeAll(async(): Promise<void> => {
      counselling = await share(emma.client, base, 'study-counselling');
      ofNoor = await share(noor.client, base, 'study-counselling');
    });

    it('with the names of everyone and everything involved.', async(): Promise<void> => {
      const { accessGrants, next } = await list(emma.client, { contract: 'diploma-employment' });
      expect(next).toBeNull();
      const purpose = `${base}v1/purposes/employment`;
      const type = `${base}v1/data-types/diploma/2024-05-22`;
      expect(accessGrants).toEqual([{
        id: diploma.accessGrant,
        status: 'ACTIVE',
        owner: emma.webId,
        grantee: consumer.webId,
        granteeNames: expect.arrayContaining([{ language: 'nl', value: expect.any(String) }]),
        resource: diploma.podResource,
        resources: [{
          uri: diploma.podResource,
          type,
          labels: expect.arrayContaining([{ language: 'fr', value: expect.stringMatching(/^Diplôme/u) }]),
        }],
        mode: [ 'Read' ],
        purpose: [ purpose ],
        purposes: [{ uri: purpose, labels: expect.arrayContaining([{ language: 'en', value: expect.any(String) }]) }],
        contract: `${base}v1/contracts/diploma-employment`,
        issuedAt: expect.stringMatching(/Z$/u),
        expiresAt: expect.stringMatching(/Z$/u),
        revokedAt: null,
      }]);
    });

    it('as giver or recipient, newest first, from page to page.', async(): Promise<void> => {
      await expect(listAll(emma.client)).resolves.toEqual([ counselling.accessGrant, diploma.accessGrant ]);
      await expect(listAll(emma.client, { limit: '1' })).resolves.toHaveLength(2);
      await expect(listAll(noor.client)).resolves.toEqual([ ofNoor.accessGrant ]);
      await expect(listAll(consumer.client, { limit: '2' })).resolves
        .toEqual([ ofNoor.accessGrant, counselling.accessGrant, diploma.accessGrant ]);
      await expect(listAll(stranger.client)).resolves.toEqual([]);
    });

    it('that the caller gave, without those of others to the caller.', async(): Promise<void> => {
      const given = { given: 'true' };
      await expect(listAll(emma.client, { ...given, limit: '1' })).resolves
        .toEqual([ counselling.accessGrant, diploma.accessGrant ]);
      const toConsumer = { ...given, grantee: consumer.webId };
      await expect(listAll(noor.client, toConsumer)).resolves.toEqual([ ofNoor.accessGrant ]);
      const ofContract = { ...given, contract: 'diploma-employment' };
      await expect(listAll(emma.client, ofContract)).resolves.toEqual([ diploma.accessGrant ]);
      await expect(listAll(consumer.client, ofContract)).resolves.toEqual([]);
      await expect(listAll(consumer.client, given)).resolves.toEqual([]);
      await expect(listAll(consumer.client, { given: 'false' })).resolves.toHaveLength(3);
    });

    it('by grantee, purpose, contract and status.', async(): Promise<void> => {
      const all = [ counselling.accessGrant, diploma.accessGrant ];
      const contract = `${base}v1/contracts/diploma-employment`;
      const purpose = `${base}v1/purposes/employment`;
      const cases: [Record<string, string>, string[]][] = [
        [{ grantee: consumer.webId }, all ],
        [{ grantee: stranger.webId }, []],
        [{ grantee: 'nobody' }, []],
        [{ purpose }, [ diploma.accessGrant ]],
        [{ purpose: `${purpose}/none` }, []],
        [{ contract }, [ diploma.accessGrant ]],
        [{ contract: 'diploma-employment', purpose, grantee: consumer.webId }, [ diploma.accessGrant ]],
        [{ contract, purpose: `${base}v1/purposes/other` }, []],
        [{ contract, grantee: stranger.webId }, []],
        [{ contract: 'unknown' }, []],
        [{ status: 'ACTIVE' }, all ],
        [{ status: 'REVOKED' }, []],
      ];
      for (const [ query, expected ] of cases) {
        expect([ query, await listAll(emma.client, query) ]).toEqual([ query, expected ]);
      }
      await json(await emma.client.request('DELETE', revocationUrl(base, counselling)));
      for (const { client } of [ emma, consumer ]) {
        const [ revoked, ...more ] = (await list(client, { status: 'REVOKED' })).accessGrants;
        expect([ revoked.id, revoked.status, more ]).toEqual([ counselling.accessGrant, 'REVOKED', []]);
      }
      await expect(listAll(emma.client, { status: 'ACTIVE' })).resolves.toEqual([ diploma.accessGrant ]);
    });

    it.each([
      'status=Active',
      'status=',
      'status=ACTIVE&status=REVOKED',
      'grantee=',
      'grantee=a%20b',
      'purpose=%00',
      'contract=…',
      'limit=0',
      'limit=201',
      'cursor=made-up',
      'cursor=WzEsMl0',
      'page=1',
      'owner=https%3A%2F%2Fexample.org%2F',
      'given=yes',
    ])('but not with the query %s.', async(query): Promise<void> => {
      const url = `${base}v1/access-grants?${query.replace('…', 'x'.repeat(2049))}`;
      const response = await emma.client.request('GET', url);
      await expectProblem(response, 400, 'parameter-invalid');
    });

    it('without others\' grants after another caller\'s cursor; an altered cursor is refused.', async():
    Promise<void> => {
      const ofConsumer = new URL((await list(consumer.client, { limit: '1' })).next!);
      await expect(listAll(stranger.client, Object.fromEntries(ofConsumer.searchParams))).resolves.toEqual([]);
      const cursor = ofConsumer.searchParams.get('cursor')!;
      for (const altered of [ cursor.slice(1), `${cursor}x`, cursor.toUpperCase() ]) {
        const url = `${base}v1/access-grants?${new URLSearchParams({ cursor: altered }).toString()}`;
        await expectProblem(await consumer.client.request('GET', url), 400, 'parameter-invalid');
      }
    });

    it('but not without a token.', async(): Promise<void> => {
      expect((await fetch(`${base}v1/access-grants`)).status).toBe(401);
    });

    it('with no receipt for strangers, or for anything but a grant.', async(): Promise<void> => {
      const id = diploma.accessGrant.split('/').at(-1)!;
      for (const [ client, name ] of [
        [ stranger.client, id ],
        [ noor.client, id ],
        [ emma.client, randomUUID() ],
        [ emma.client, id.toUpperCase() ],
        [ emma.client, 'x'.repeat(300) ],
      ] as const) {
        const response = await client.request('GET', `${base}v1/access-grants/${name}/receipt`);
        await expectProblem(response, 404, 'grant-not-found');
      }
      expect((await fetch(`${base}v1/access-grants/${id}/receipt`)).status).toBe(401);
    });
  });

  describe('see what happened to their data', (): void => {
    let lucas: CitizenWithPod;
    let shared: Shared;

    beforeAll(async(): Promise<void> => {
      lucas = await citizenWithPod(world, 'lucas', 'DPoP');
      shared = await share(lucas.client, base, 'diploma-employment');
      const read = `${base}v1/resources?resource=${encodeURIComponent(shared.podResource)}`;
      const headers = { 'x-access-grant': shared.accessGrant };
      await untilInMidHour();
      for (const verified of [ 'false', 'true', 'false' ]) {
        await json(await consumer.client.request('GET', `${read}&verified=${verified}`, { headers }));
      }
      const body = { resource: shared.podResource, accessGrant: shared.accessGrant };
      await json(await consumer.client.request('POST', `${base}v1/data-copies`, { body }));
      await json(await lucas.client.request('DELETE', revocationUrl(base, shared)));
      await json(await consumer.client.request('DELETE', `${base}v1/data-copies`, {
        body: { resource: shared.podResource, reason: 'GRANT_REVOKED' },
      }));
      await until(async(): Promise<boolean> =>
        (await activityOf(lucas.client)).some(({ count }): boolean => count === 3));
    });

    it('with only what was seen, on request.', async(): Promise<void> => {
      const found = await activityOf(lucas.client, '?reads=true&limit=1');
      expect(new Set(found.map(({ type }): string => type))).toEqual(new Set([ 'data.listed', 'resource.read' ]));
      await expect(activityOf(lucas.client, '?reads=false')).resolves.toEqual(await activityOf(lucas.client));
    });

    it('newest first: shares, reads, copies, revocations and deletions, and by whom.', async(): Promise<void> => {
      const found = await activityOf(lucas.client);
      // Reads are recorded at most a second later, changes at once.
      const changes = found.filter(({ type }): boolean => type !== 'resource.read' && type !== 'data.listed');
      expect(changes.map(({ count, type }): unknown[] => [ type, count ])).toEqual([
        [ 'copy.deleted', 1 ],
        [ 'grant.revoked', 1 ],
        [ 'copy.reported', 1 ],
        [ 'data.shared', 1 ],
        [ 'webid.created', 1 ],
      ]);
      const type = `${base}v1/data-types/diploma/2024-05-22`;
      expect(found.find((activity): boolean => activity.type === 'resource.read')).toEqual({
        type: 'resource.read',
        at: expect.stringMatching(/Z$/u),
        lastAt: expect.stringMatching(/Z$/u),
        count: 3,
        by: consumer.webId,
        byNames: expect.arrayContaining([{ language: 'nl', value: expect.any(String) }]),
        to: null,
        toNames: [],
        app: expect.any(String),
        resources: [{ uri: shared.podResource, type, labels: expect.arrayContaining([ expect.any(Object) ]) }],
        grant: shared.accessGrant,
        contract: `${base}v1/contracts/diploma-employment`,
        details: { verified: false },
      });
      expect(found.find((activity): boolean => activity.type === 'data.shared'))
        .toMatchObject({ by: lucas.webId, to: consumer.webId, grant: shared.accessGrant });
      expect(changes[0]).toMatchObject({ by: consumer.webId, details: { reason: 'GRANT_REVOKED' }});
    });

    it('from page to page.', async(): Promise<void> => {
      const all = await activityOf(lucas.client);
      await expect(activityOf(lucas.client, '?limit=2')).resolves.toEqual(all);
    });

    it('but not what happened to others\' data.', async(): Promise<void> => {
      const of = JSON.stringify(await activityOf(emma.client));
      expect(of).toContain(emma.podId);
      expect(of).not.toContain(lucas.podId);
      for (const { client } of [ consumer, stranger ]) {
        await expectProblem(await client.request('GET', `${base}v1/activity`), 403, 'claim-missing');
      }
      expect((await fetch(`${base}v1/activity`)).status).toBe(401);
    });

    it.each([ 'after=', 'after=made-up', 'after=…', 'limit=0', 'limit=201', 'cursor=x', 'type=resource.read' ])(
      'but not with the query %s.',
      async(query): Promise<void> => {
        const { next } = await json<ActivityPage>(await emma.client.request('GET', `${base}v1/activity?limit=1`));
        const ofEmma = new URL(next!).searchParams.get('after')!;
        const url = `${base}v1/activity?${query.replace('…', ofEmma)}`;
        await expectProblem(await lucas.client.request('GET', url), 400, 'parameter-invalid');
      },
    );

    it('until they leave.', async(): Promise<void> => {
      await json(await lucas.client.request('DELETE', `${base}v1/webids`));
      const response = await lucas.client.request('GET', `${base}v1/activity`);
      expect([ 401, 403 ]).toContain(response.status);
    });
  });
});
