import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withRecordsOf } from '../support/openRecordsOf';
import { revocationUrl } from '../support/sharing';
import { expectProblem } from '../support/callers';
import { json, SharingWorld, until } from '../support/sharingWorld';
import type { AccountHolder, Client } from '../support/world';
import { validateReceipt } from '../support/validateReceipt';
import { accountWithPod } from '../support/world';

interface Event {
  specversion: string;
  id: string;
  source: string;
  type: string;
  time: string;
  sequence: string;
  data: { accessGrant?: string; accessRequest?: string; contract?: string; resource?: string; resources?: string[] };
}

interface Page {
  events: Event[];
  next: string;
  more: boolean;
}

/** Types of events, and what each is about. */
function said(events: Event[]): unknown[] {
  return events.map(({ data, type }): unknown[] => [ type, data.resource ?? data.accessGrant ?? data.accessRequest ]);
}

describe('Events of data users', (): void => {
  let world: SharingWorld;
  let consumer: AccountHolder;
  let stranger: AccountHolder;

  beforeAll(async(): Promise<void> => {
    const contracts = { usual: {}, short: { accessDuration: 'PT10S' }};
    world = await SharingWorld.start(contracts, 'debug', { copyGrace: 'PT2S' });
    consumer = await world.dataUser();
    stranger = await accountWithPod(world.base, 'stranger');
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await world?.remove();
  });

  async function page(url = `${world.base}v1/events`, client: Client = consumer.client): Promise<Page> {
    return json<Page>(await client.request('GET', url));
  }

  /** Returns the cursor after all events. */
  async function end(client: Client = consumer.client): Promise<string> {
    let { more, next } = await page(`${world.base}v1/events?limit=1000`, client);
    while (more) {
      ({ more, next } = await page(next, client));
    }
    return next;
  }

  /** Removes the events before a moment, as after their retention. */
  async function forget(before = new Date()): Promise<void> {
    const { folder, stored } = world.server;
    await withRecordsOf(
      folder,
      async({ records }): Promise<unknown> => records.events.forget(before, 1000),
      { records: stored.place },
    );
  }

  function receiptOf(grant: string): string {
    return `${world.base}v1/access-grants/${grant.split('/').at(-1)!}/receipt`;
  }

  async function state(client: Client, credential: object): Promise<string> {
    const response = await client.request('POST', `${world.base}.access/issue`, { body: { credential: {

      '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
      ...credential,
    }}});
    return (await json<{ id: string }>(response)).id;
  }

  describe('in the feed', (): void => {
    it('come in the order of a citizen\'s actions, as CloudEvents that contain only URIs.', async(): Promise<void> => {
      const start = await end();
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      await world.writeDiploma(citizen, 1, '2');
      const [ again ] = await world.shareAll(citizen);
      await json(await citizen.client.request('DELETE', revocationUrl(world.base, again)));
      const { events, more, next } = await page(start);
      expect(said(events)).toEqual([
        [ 'AccessGranted', shared.accessGrant ],
        [ 'ResourceUpdated', shared.podResource ],
        [ 'AccessRevoked', shared.accessGrant ],
      ]);
      expect(events[0]).toEqual({
        specversion: '1.0',
        id: expect.stringMatching(/^[\da-f-]{36}$/u),
        source: `${world.base}v1/events`,
        type: 'AccessGranted',
        time: expect.stringMatching(/Z$/u),
        sequence: expect.stringMatching(/^\d{16}$/u),
        datacontenttype: 'application/json',
        data: {
          accessGrant: shared.accessGrant,
          resources: [ shared.podResource ],
          contract: `${world.base}v1/contracts/usual`,
        },
      });
      expect(JSON.stringify(events)).not.toContain(citizen.nationalNumber);
      expect(more).toBe(false);
      expect(new URL(next).searchParams.get('after')).not.toBe(new URL(start).searchParams.get('after'));
      await expect(page(next)).resolves.toEqual({ events: [], next, more: false });
    });

    it('come page by page.', async(): Promise<void> => {
      const start = await end();
      const shared = await world.shareAll(await world.citizen(3));
      const read: Event[] = [];
      let next = start.replace('limit=1000', 'limit=2');
      for (let more = true; more;) {
        const got = await page(next);
        expect(got.events.length).toBeLessThanOrEqual(2);
        read.push(...got.events);
        ({ more, next } = got);
      }
      expect(said(read)).toEqual(shared.map(({ accessGrant }): string[] => [ 'AccessGranted', accessGrant ]));
    });

    it('are kept, though a stranger states a grant of the past.', async(): Promise<void> => {
      const start = await end();
      const [ shared ] = await world.shareAll(await world.citizen());
      const past = await state(stranger.client, {
        type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
        expirationDate: '2020-01-01T00:00:00Z',
        credentialSubject: { providedConsent: {
          mode: [ 'Read' ],
          hasStatus: 'ConsentStatusExplicitlyGiven',
          forPersonalData: [ `${stranger.podUrl}past` ],
          isProvidedTo: consumer.webId,
        }},
      });
      const expected = [
        [ 'AccessGranted', shared.accessGrant ],
        [ 'AccessGranted', past ],
        [ 'AccessExpired', past ],
      ];
      await until(async(): Promise<boolean> => (await page(start)).events.length === expected.length);
      await forget(new Date(Date.now() - (24 * 60 * 60 * 1000)));
      expect(said((await page(start)).events)).toEqual(expected);
    });

    it('report that shared data is gone, to those who could read it.', async(): Promise<void> => {
      const citizen = await world.citizen(2);
      const [ gone, revoked ] = await world.shareAll(citizen);
      await json(await citizen.client.request('DELETE', revocationUrl(world.base, revoked)));
      const start = await end();
      for (const { podResource } of [ revoked, gone ]) {
        expect((await citizen.client.request('DELETE', podResource)).status).toBeLessThan(300);
      }
      await until(async(): Promise<boolean> => (await page(start)).events.length > 0);
      expect(said((await page(start)).events)).toEqual([[ 'ResourceRemoved', gone.podResource ]]);
    });

    it('report that a citizen is gone with all shared data.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      const start = await end();
      await json(await citizen.client.request('DELETE', `${world.base}v1/webids`));
      const { events } = await page(start);
      expect(said(events)).toEqual([
        [ 'ResourceRemoved', shared.podResource ],
        [ 'AccessRevoked', shared.accessGrant ],
      ]);
    });

    it('come without a request when a grant ends, and when its copy is due and overdue.', async(): Promise<void> => {
      const start = await end();
      const [ shared ] = await world.shareAll(await world.citizen(), 'short');
      const body = { resource: shared.podResource, accessGrant: shared.accessGrant };
      await json(await consumer.client.request('POST', `${world.base}v1/data-copies`, { body }));
      await until(async(): Promise<boolean> => (await page(start)).events.length >= 4);
      const { events } = await page(start);
      expect(said(events)).toEqual([
        [ 'AccessGranted', shared.accessGrant ],
        [ 'AccessExpired', shared.accessGrant ],
        [ 'DataCopyDue', shared.podResource ],
        [ 'DataCopyOverdue', shared.podResource ],
      ]);
      const [ , expired,, overdue ] = events;
      expect(Date.now() - Date.parse(overdue.time)).toBeLessThan(30_000);
      expect(Date.parse(overdue.time) - Date.parse(expired.time)).toBeGreaterThanOrEqual(2000);
      const receipt = await json<any>(await consumer.client.request('GET', receiptOf(shared.accessGrant)));
      await expect(validateReceipt(receipt as object)).resolves.toEqual([]);
      expect(receipt.credentialSubject['dpv:hasRecordOfActivity']['dpv:hasConsentStatus'][1].type)
        .toBe('dpv:ConsentExpired');
    });

    it('report the answer to a request, and whose request it was.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const start = await end();
      const terms = { mode: [ 'http://www.w3.org/ns/auth/acl#Read' ], forPersonalData: [ `${citizen.podUrl}notes` ]};
      const requests: string[] = [];
      for (const status of [ 'ExplicitlyGiven', 'Denied' ]) {
        const request = await state(consumer.client, {
          type: [ 'SolidAccessRequest' ],
          credentialSubject: { hasConsent: {
            ...terms,
            hasStatus: 'ConsentStatusRequested',
            isConsentForDataSubject: citizen.webId,
          }},
        });
        requests.push(request);
        await state(citizen.client, {
          type: [ status === 'Denied' ? 'SolidAccessDenial' : 'SolidAccessGrant' ],
          credentialSubject: { providedConsent: {
            ...terms,
            hasStatus: `ConsentStatus${status}`,
            isProvidedTo: consumer.webId,
            request,
          }},
        });
      }
      const { events } = await page(start);
      expect(events.map(({ data, type }): unknown[] => [ type, data.accessRequest ])).toEqual([
        [ 'AccessRequestApproved', requests[0] ],
        [ 'AccessGranted', undefined ],
        [ 'AccessRequestDenied', requests[1] ],
      ]);
      // Only a consent has a receipt.
      for (const uri of requests) {
        await expectProblem(await consumer.client.request('GET', receiptOf(uri)), 404, 'grant-not-found');
      }
      const ofApp = await json<object>(await consumer.client.request('GET', receiptOf(events[1].data.accessGrant!)));
      expect((await validateReceipt(ofApp)).filter((result): boolean => !result.startsWith('Warning'))).toEqual([]);
      expect(events[0].data.accessGrant).toBe(events[1].data.accessGrant);
      await expect(page(undefined, citizen.client)).resolves.toMatchObject({ events: []});
    });

    it('are not raised for a grant by a stranger.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      await state(stranger.client, { type: [ 'SolidAccessGrant' ], credentialSubject: { providedConsent: {
        mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
        forPersonalData: [ shared.podResource ],
        hasStatus: 'ConsentStatusExplicitlyGiven',
        isProvidedTo: citizen.webId,
      }}});
      await state(stranger.client, { type: [ 'SolidAccessGrant' ], credentialSubject: { providedConsent: {
        mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
        forPersonalData: [ citizen.podUrl ],
        hasStatus: 'ConsentStatusExplicitlyGiven',
        isProvidedTo: citizen.webId,
        inherit: true,
      }}});
      await world.writeDiploma(citizen, 1, '2');
      await world.shareAll(citizen);
      const { events } = await page(undefined, citizen.client);
      expect(events.map(({ type }): string => type)).toEqual([ 'AccessGranted', 'AccessGranted' ]);
    });

    it('are the caller\'s own.', async(): Promise<void> => {
      await world.shareAll(await world.citizen());
      await expect(page(undefined, stranger.client)).resolves.toMatchObject({ events: [], more: false });
    });

    it.each([
      [ 'another caller', async(): Promise<[string, Client]> => [ await end(stranger.client), consumer.client ] ],
      [ 'nobody', async(): Promise<[string, Client]> => [ `${world.base}v1/events?after=17`, consumer.client ] ],
      [ 'the caller, altered', async(): Promise<[string, Client]> => [
        (await end()).replace(/after=(\d+)/u, (...[ , number ]): string => `after=${Number(number) - 1}`),
        consumer.client,
      ] ],
    ])('are not listed after a cursor of %s.', async(_name, make): Promise<void> => {
      const [ url, client ] = await make();
      await expectProblem(await client.request('GET', url), 400, 'parameter-invalid');
    });

    it('are gone after a cursor that is too old; the response says where to begin.', async(): Promise<void> => {
      const { next } = await page(`${world.base}v1/events?limit=1`);
      await forget();
      const [ shared ] = await world.shareAll(await world.citizen());
      const response = await consumer.client.request('GET', next);
      expect(response.status).toBe(410);
      const { begin, type } = await response.json() as { begin: string; type: string };
      expect(type).toMatch(/\/v1\/problems\/events-gone$/u);
      for (const url of [ begin, undefined ]) {
        expect(said((await page(url)).events)).toEqual([[ 'AccessGranted', shared.accessGrant ]]);
      }
    });
  });

  describe('that are pushed', (): void => {
    let receiver: Server;
    let endpoint: string;
    let pushed: { event: Event; at: number }[];
    /** The receiver answers after this. */
    let hold: Promise<unknown> = Promise.resolve();

    beforeAll(async(): Promise<void> => {
      pushed = [];
      receiver = createServer((request, response): void => {
        request.on('data', (chunk: Buffer): void => {
          const event = JSON.parse(chunk.toString()) as Event;
          pushed.push({ event, at: Date.now() });
          hold.then((): unknown => response.end(JSON.stringify(event.data)))
            .catch((): unknown => response.destroy());
        });
      }).listen(0, '127.0.0.1');
      await once(receiver, 'listening');
      endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    });

    afterAll((): void => {
      receiver.closeAllConnections();
      receiver.close();
    });

    it('are those of the feed: a revocation arrives within seconds.', async(): Promise<void> => {
      const url = `${world.base}v1/subscriptions`;
      const made = await consumer.client.request('POST', url, { body: { endpoint }});
      const { id, secret } = await json<{ id: string; secret: string }>(made);
      const [ , bytes ] = /^whsec_(.{44})$/u.exec(secret)!;
      // A thief without the keys can sign nothing.
      const { stored } = world.server;
      const records = (await stored.records()).map((each): string => each.toString('latin1'));
      const copy = [ ...await stored.values(), ...records ].join('\n');
      for (const known of [ bytes, Buffer.from(bytes, 'base64').toString('latin1') ]) {
        expect(copy).not.toContain(known);
      }
      const start = await end();
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      await json(await citizen.client.request('DELETE', revocationUrl(world.base, shared)));
      await until(async(): Promise<boolean> => pushed.some(({ event }): boolean => event.type === 'AccessRevoked'));
      const [ challenge, ...rest ] = pushed;
      expect(challenge.event.type).toBe('SubscriptionChallenge');
      expect(rest.map(({ event }): Event => event)).toEqual((await page(start)).events);
      const last = rest.at(-1)!;
      expect(last.at - Date.parse(last.event.time)).toBeLessThan(15_000);
      await json(await consumer.client.request('DELETE', `${url}/${id}`));
      await expect(json(await consumer.client.request('GET', url))).resolves.toEqual({ subscriptions: []});
    });

    it('end with the citizen who subscribed.', async(): Promise<void> => {
      const [ citizen, giver ] = [ await world.citizen(), await world.citizen() ];
      await json(await citizen.client.request('POST', `${world.base}v1/subscriptions`, { body: { endpoint }}));
      await json(await citizen.client.request('DELETE', `${world.base}v1/webids`));
      pushed = [];
      // The consumer's event comes later, over the same endpoint.
      const made = await consumer.client.request('POST', `${world.base}v1/subscriptions`, { body: { endpoint }});
      const { id } = await json<{ id: string }>(made);
      for (const isProvidedTo of [ citizen.webId, consumer.webId ]) {
        await state(giver.client, {
          type: [ 'SolidAccessGrant' ],
          credentialSubject: { providedConsent: {
            mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
            forPersonalData: [ `${giver.podUrl}notes-${isProvidedTo === consumer.webId ? 'last' : 'first'}` ],
            hasStatus: 'ConsentStatusExplicitlyGiven',
            isProvidedTo,
          }},
        });
      }
      await until(async(): Promise<boolean> =>
        pushed.some(({ event: { data }}): boolean => data.resources?.[0].endsWith('last') ?? false));
      expect(pushed.map(({ event: { data, type }}): unknown[] => [ type, data.resources?.[0] ])).toEqual([
        [ 'SubscriptionChallenge', undefined ],
        [ 'AccessGranted', `${giver.podUrl}notes-last` ],
      ]);
      await json(await consumer.client.request('DELETE', `${world.base}v1/subscriptions/${id}`));
    });

    it('are not subscribed to by a citizen who is deleted meanwhile.', async(): Promise<void> => {
      const citizen = await world.citizen();
      pushed = [];
      hold = until(async(): Promise<boolean> => pushed.length > 0).then(async(): Promise<unknown> =>
        json(await citizen.client.request('DELETE', `${world.base}v1/webids`)));
      const made = citizen.client.request('POST', `${world.base}v1/subscriptions`, { body: { endpoint }});
      await expectProblem(await made, 403, 'access-forbidden');
    });
  });
});
