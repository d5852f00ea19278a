import type { Account } from '../../demo/lib/accounts';
import { createAccount, createClientCredentials, createPod } from '../../demo/lib/accounts';
import { issueGrant } from '../support/issueGrant';
import type { CitizenWithPod, Shared } from '../support/sharing';
import { citizenWithPod, share } from '../support/sharing';
import { isOnPostgres } from '../support/storage';
import { TestIssuer } from '../support/TestIssuer';
import type { AccountHolder, World } from '../support/world';
import { accountWithPod, Client, startWorld } from '../support/world';
import { parseWebId } from '../../src/platform/webId';

const turtle = { 'content-type': 'text/turtle' };
const sparql = { 'content-type': 'application/sparql-update' };
const solid = 'http://www.w3.org/ns/solid/terms#';

/** Tries every way to other people's data that the design rules out. */
describe('Nobody takes over', (): void => {
  let world: World;
  let base: string;
  let evil: TestIssuer;
  /** A national issuer that is trusted for none of the citizens here. */
  let regional: TestIssuer;
  let emma: CitizenWithPod;
  let consumer: AccountHolder;
  let shared: Shared;

  beforeAll(async(): Promise<void> => {
    evil = await TestIssuer.start();
    regional = await TestIssuer.start();
    world = await startWorld({ nationalIssuers: [ `${regional.issuer} 9[0-9]{10}` ]});
    ({ base } = world);
    consumer = await accountWithPod(base, 'consumer', 'Bearer');
    emma = await citizenWithPod(world, 'emma');
    shared = await share(emma.client, base, 'diploma-employment');
    await put(emma.client, `${emma.podUrl}private.ttl`, '<> <urn:is> "private" .');
  });

  afterAll(async(): Promise<void> => {
    await Promise.all([ world.stop(), evil.stop(), regional.stop() ]);
  });

  /** A client with a token of an unknown issuer, bound to its key. */
  async function impostor(claims: Record<string, unknown>): Promise<Client> {
    const client = await Client.withDpop();
    return client.withToken(await evil.sign({ ...claims, cnf: { jkt: await client.jkt() }}));
  }

  describe('a citizen of another national issuer:', (): void => {
    it('an issuer with a pattern is trusted for matching numbers only, and is in no profile.', async():
    Promise<void> => {
      const { nationalNumber } = world.national.citizen('emma');
      const requests = [
        [ 'GET', `${base}v1/webids`, { citizen_national_id: nationalNumber }],
        [ 'DELETE', `${base}v1/webids`, { citizen_national_id: nationalNumber }],
        [ 'DELETE', `${base}v1/webids`, { webid: emma.webId }],
        [ 'GET', `${base}v1/contracts/diploma-employment/data`, { webid: emma.webId }],
        [ 'GET', `${emma.podUrl}private.ttl`, { webid: emma.webId }],
      ] as const;
      for (const [ method, url, claims ] of requests) {
        const client = await Client.withDpop();
        const token = await regional.sign({ ...claims, cnf: { jkt: await client.jkt() }});
        const answer = await client.withToken(token).request(method, url);
        const reason = url.startsWith(`${base}v1/`) ? 'the issuer may not speak for this' : '';
        expect([ url, answer.status ]).toEqual([ url, 401 ]);
        await expect(answer.text()).resolves.toContain(reason);
      }
      expect(status(await emma.client.request('GET', `${emma.podUrl}private.ttl`))).toBe(200);
      const own = await Client.withDpop();
      const token = await regional.sign({ citizen_national_id: '90.02.01-997.04', cnf: { jkt: await own.jkt() }});
      expect(status(await own.withToken(token).request('GET', `${base}v1/webids`))).toBe(404);
      await expect((await fetch(emma.webId)).text()).resolves.not.toContain(regional.issuer);
    });
  });

  describe('a WebID by adding an issuer to the profile:', (): void => {
    it('the profile does not list that issuer, whoever adds it.', async(): Promise<void> => {
      const body = `INSERT DATA { <${emma.webId}> <${solid}oidcIssuer> <${evil.issuer}> . }`;
      expect(status(await emma.client.request('PATCH', emma.webId, { headers: sparql, body }))).toBe(403);
      await expect((await fetch(emma.webId)).text()).resolves.not.toContain(evil.issuer);
    });

    it('tokens of that issuer are refused on every path, for reading and deletion.', async(): Promise<void> => {
      const requests = [
        [ 'GET', `${base}v1/contracts/diploma-employment/data` ],
        [ 'GET', `${base}v1/webids` ],
        [ 'DELETE', `${base}v1/webids` ],
        [ 'GET', `${base}v1/pods/${emma.podId}/resources` ],
        [ 'GET', `${emma.podUrl}private.ttl` ],
        [ 'GET', shared.podResource ],
        [ 'DELETE', `${emma.podUrl}private.ttl` ],
      ];
      for (const [ method, url ] of requests) {
        const client = await impostor({ webid: emma.webId });
        expect([ url, status(await client.request(method, url)) ]).toEqual([ url, 401 ]);
      }
    });

    it('that issuer is trusted for its own WebIDs.', async(): Promise<void> => {
      const client = await impostor({ webid: evil.profile('mallory') });
      expect(status(await client.request('GET', `${base}v1/data-copies`))).toBe(200);
    });

    it('a national number from that issuer is not accepted.', async(): Promise<void> => {
      const { nationalNumber } = world.national.citizen('emma');
      const claims = { citizen_national_id: nationalNumber };
      for (const webid of [ undefined, evil.profile('mallory') ]) {
        const client = await impostor({ ...claims, webid });
        expect([ 401, 403 ]).toContain(status(await client.request('DELETE', `${base}v1/webids`)));
      }
      expect(status(await emma.client.request('GET', `${base}v1/webids`))).toBe(200);
    });

    it('other spellings of the WebID do not help.', async(): Promise<void> => {
      const spellings = [
        emma.webId.replace('/profile', '/./profile'),
        emma.webId.replace('card', 'c%61rd'),
        emma.webId.replace('localhost', 'LOCALHOST'),
      ];
      for (const webid of spellings) {
        const client = await impostor({ webid });
        for (const url of [ `${emma.podUrl}private.ttl`, `${base}v1/data-copies` ]) {
          expect([ url, status(await client.request('GET', url)) ]).toEqual([ url, 401 ]);
        }
      }
      const other = await impostor({ webid: emma.webId.replace('card#me', 'card#other') });
      expect(status(await other.request('GET', `${emma.podUrl}private.ttl`))).toBe(401);
    });
  });

  describe('a WebID by linking it to another account:', (): void => {
    let account: Account;
    let linking: string;

    beforeAll(async(): Promise<void> => {
      account = await createAccount(base, { email: 'mallory@example.org', password: 'password of mallory' });
      linking = (await controls(account)).webId;
    });

    async function controls({ index, authorization }: Account): Promise<Record<string, string>> {
      const response = await fetch(index, { headers: { accept: 'application/json', authorization }});
      return (await response.json() as { controls: { account: Record<string, string> }}).controls.account;
    }

    async function post(url: string, body: object): Promise<{ status: number; text: string }> {
      const { authorization } = account;
      const headers = { accept: 'application/json', 'content-type': 'application/json', authorization };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    }

    it('the server\'s account API refuses it, even when the profile proves ownership.', async(): Promise<void> => {
      const first = await post(linking, { webId: emma.webId });
      const [ , token ] = /oidcIssuerRegistrationToken> \\"([^"\\]+)\\"/u.exec(first.text)!;
      const body = `INSERT DATA { <${emma.webId}> <${solid}oidcIssuerRegistrationToken> "${token}" . }`;
      expect((await emma.client.request('PATCH', emma.webId, { headers: sparql, body })).ok).toBe(true);
      expect((await post(linking, { webId: emma.webId })).status).toBe(409);
      await expect(createClientCredentials(account, emma.webId)).rejects.toThrow(/answered 4\d\d/u);
    });

    it('a pod for it cannot be created in another account.', async(): Promise<void> => {
      const { pod } = await controls(account);
      expect((await post(pod, { name: emma.podId })).status).toBe(409);
      expect((await post(pod, { name: 'mallory', settings: { webId: emma.webId }})).status).toBeLessThan(500);
      await expect(createClientCredentials(account, emma.webId)).rejects.toThrow(/answered 4\d\d/u);
      expect(status(await emma.client.request('GET', `${emma.podUrl}private.ttl`))).toBe(200);
    });
  });

  describe('the rights of a deleted WebID:', (): void => {
    let jan: CitizenWithPod;
    let grants: Shared;
    let before: string[];
    let during: string[];

    beforeAll(async(): Promise<void> => {
      jan = await citizenWithPod(world, 'jan');
      grants = await share(jan.client, base, 'study-counselling');
      before = await subscriptions();
      await subscribe(jan.client, `${jan.podUrl}profile/card`);
      during = await subscriptions();
      await jan.client.request('DELETE', `${base}v1/webids`);
    });

    it('its tokens are refused at once, even if they have not expired.', async(): Promise<void> => {
      const requests = [
        [ 'GET', `${base}v1/webids` ],
        [ 'PUT', `${base}v1/webids` ],
        [ 'GET', `${base}v1/contracts/study-counselling/data` ],
        [ 'GET', `${base}v1/data-copies` ],
        [ 'GET', consumer.podUrl ],
      ];
      for (const [ method, url ] of requests) {
        const response = await jan.client.request(method, url);
        expect([ method, url, status(response) ]).toEqual([ method, url, 401 ]);
      }
      // The pod no longer exists, whoever asks.
      for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
        const body = method === 'PUT' ? 'text' : undefined;
        expect(status(await jan.client.request(method, `${jan.podUrl}new.txt`, { body }))).toBe(404);
      }
    });

    it('no other issuer is trusted for it.', async(): Promise<void> => {
      const client = await impostor({ webid: jan.webId });
      expect(status(await client.request('GET', `${base}v1/data-copies`))).toBe(401);
    });

    it('its name is not given out again by the account API.', async(): Promise<void> => {
      const account = await createAccount(base, { email: 'squatter@example.org', password: 'password of squatter' });
      await expect(createPod(account, jan.podId)).rejects.toThrow('answered 409');
    });

    it('its place cannot be taken by LDP requests.', async(): Promise<void> => {
      for (const path of [ '', 'profile/', 'profile/card', 'credentials/00/one' ]) {
        expect([ 401, 403, 404, 405 ]).toContain(await put(consumer.client, `${jan.podUrl}${path}`, ''));
        expect([ 401, 403, 404 ]).toContain(status(await consumer.client.request('GET', `${jan.podUrl}${path}`)));
      }
      const slug = { ...turtle, slug: jan.podId, link: '<http://www.w3.org/ns/ldp#BasicContainer>; rel="type"' };
      expect([ 401, 403 ]).toContain(status(await consumer.client.request('POST', base, { headers: slug, body: '' })));
    });

    it('the citizen\'s next pod has another name, and nothing in it.', async(): Promise<void> => {
      const again = await citizenWithPod(world, 'jan');
      expect(again.podUrl).not.toBe(jan.podUrl);
      const { resources } = await (await again.client.request('GET', `${base}v1/pods/${again.podId}/resources`))
        .json() as { resources: object[] };
      expect(resources).toEqual([]);
      expect(status(await again.client.request('GET', grants.podResource))).not.toBe(200);
    });

    it('earlier grants have no effect, whatever was created since.', async(): Promise<void> => {
      const url = `${base}v1/resources?resource=${encodeURIComponent(grants.podResource)}`;
      const response = await consumer.client.request('GET', url, { headers: { 'x-access-grant': grants.accessGrant }});
      expect(status(response)).toBe(403);
    });

    it('its subscriptions are gone.', async(): Promise<void> => {
      expect(during.length).toBeGreaterThan(before.length);
      await expect(subscriptions()).resolves.toEqual(before);
    });
  });

  describe('the credential of another person:', (): void => {
    let lucas: CitizenWithPod;
    let own: Shared;
    let emmas: string;
    let lucass: string;

    beforeAll(async(): Promise<void> => {
      lucas = await citizenWithPod(world, 'lucas');
      own = await share(lucas.client, base, 'diploma-employment');
      emmas = await (await emma.client.request('GET', shared.podResource)).text();
      lucass = await (await lucas.client.request('GET', own.podResource)).text();
    });

    async function read(verified: boolean): Promise<{ status: number; text: string }> {
      const url = `${base}v1/resources?resource=${encodeURIComponent(own.podResource)}&verified=${verified}`;
      const response = await consumer.client.request('GET', url, { headers: { 'x-access-grant': own.accessGrant }});
      return { status: response.status, text: await response.text() };
    }

    it('in the place of one\'s own it fails verification, though it is valid.', async(): Promise<void> => {
      expect(emmas).toContain(emma.webId);
      const ld = { 'content-type': 'application/ld+json' };
      await expect(put(lucas.client, own.podResource, emmas, ld)).resolves.toBe(205);
      await expect(read(false)).resolves.toEqual({ status: 200, text: emmas });
      const { status: answered, text } = await read(true);
      expect(answered).toBe(404);
      expect(text).not.toContain(emma.webId);
      const place = own.podResource.split('/').at(-1);
      const inPod = `${base}v1/pods/${lucas.podId}/resources/${place}?verified=true`;
      expect(status(await consumer.client.request('GET', inPod))).toBe(404);
    });

    it('one\'s own verifies again after it is shared again, but not by being put back.', async(): Promise<void> => {
      const ld = { 'content-type': 'application/ld+json' };
      await expect(put(lucas.client, own.podResource, lucass, ld)).resolves.toBe(205);
      await expect(read(true)).resolves.toMatchObject({ status: 404 });
      await expect(share(lucas.client, base, 'diploma-employment')).resolves.toEqual(own);
      await expect(read(true)).resolves.toMatchObject({ status: 200 });
    });

    it('in a resource that was never shared it fails verification.', async(): Promise<void> => {
      const resource = `${lucas.podUrl}copy`;
      await put(lucas.client, resource, emmas, { 'content-type': 'application/ld+json' });
      const grant = await issueGrant(world.server, {
        subject: parseWebId(lucas.webId),
        recipient: parseWebId(consumer.webId),
        modes: [ 'Read' ],
        resources: [ resource ],
        inherit: false,
      });
      const url = `${base}v1/resources?verified=true&resource=${encodeURIComponent(resource)}`;
      const response = await consumer.client.request('GET', url, { headers: { 'x-access-grant': grant }});
      await expect(response.json()).resolves.toMatchObject({ status: 404, type: `${base}v1/problems/not-verifiable` });
    });

    it('a grant on somebody else\'s resource gives no access.', async(): Promise<void> => {
      const grant = await issueGrant(world.server, {
        subject: parseWebId(lucas.webId),
        recipient: parseWebId(consumer.webId),
        modes: [ 'Read', 'Write' ],
        resources: [ emma.podUrl ],
        inherit: true,
      });
      const resource = `${emma.podUrl}private.ttl`;
      expect(status(await consumer.client.request('GET', resource))).toBe(403);
      const url = `${base}v1/resources?resource=${encodeURIComponent(resource)}`;
      expect(status(await consumer.client.request('GET', url, { headers: { 'x-access-grant': grant }}))).toBe(403);
    });
  });

  describe('a pod by a grant on its container:', (): void => {
    let grantee: AccountHolder;
    let profile: string;

    beforeAll(async(): Promise<void> => {
      grantee = await accountWithPod(base, 'grantee', 'Bearer');
      await put(emma.client, `${emma.podUrl}notes/one.ttl`, '<> <urn:is> "one" .');
      await issueGrant(world.server, {
        subject: parseWebId(emma.webId),
        recipient: parseWebId(grantee.webId),
        modes: [ 'Read', 'Write', 'Append' ],
        resources: [ emma.podUrl ],
        inherit: true,
      });
      profile = await (await fetch(emma.webId)).text();
    });

    it('the grant gives access to the contents.', async(): Promise<void> => {
      const url = `${emma.podUrl}notes/two.ttl`;
      await expect(put(grantee.client, url, '<> <urn:is> "two" .')).resolves.toBe(201);
      expect(status(await grantee.client.request('GET', url))).toBe(200);
      const body = 'INSERT DATA { <> <urn:is> "more" . }';
      expect(status(await grantee.client.request('PATCH', url, { headers: sparql, body }))).toBe(205);
      expect(status(await grantee.client.request('DELETE', url))).toBe(205);
    });

    it.each([
      'profile/card',
      'profile/c%61rd',
      // The name of the profile's file; elsewhere a name like any other.
      ...isOnPostgres ? [] : [ 'profile/card$.ttl' ],
      '.acl',
      'profile/card.acl',
      'profile/.acl',
      'notes/.acl',
      'notes/one.ttl.acl',
      '.acr',
      'profile/card.acr',
      '.meta',
      'profile/.meta',
      'profile/card.meta',
      'notes/one.ttl.meta',
      'notes/one.ttl%2Eacl',
      'notes/one.ttl.acl.meta',
    ])('writing %s is refused.', async(path): Promise<void> => {
      const url = `${emma.podUrl}${path}`;
      const body = `<#evil> <http://www.w3.org/ns/auth/acl#agent> <${grantee.webId}> .`;
      const insert = `INSERT DATA { ${body} }`;
      const n3 = `@prefix solid: <${solid}>. <> a solid:InsertDeletePatch; solid:inserts { ${body} }.`;
      const refused = [
        await put(grantee.client, url, body),
        status(await grantee.client.request('PATCH', url, { headers: sparql, body: insert })),
        status(await grantee.client.request('PATCH', url, { headers: { 'content-type': 'text/n3' }, body: n3 })),
        status(await grantee.client.request('DELETE', url)),
        status(await grantee.client.request('POST', url, { headers: turtle, body })),
      ];
      expect(refused.filter((code): boolean => code < 400 || (code >= 500 && code !== 501))).toEqual([]);
      await expect((await fetch(emma.webId)).text()).resolves.toBe(profile);
    });

    it.each([
      '.acl',
      'profile/card.acl',
      '.meta',
      'notes/one.ttl.meta',
    ])('reading %s is refused.', async(path): Promise<void> => {
      expect(status(await grantee.client.request('GET', `${emma.podUrl}${path}`))).toBe(403);
    });

    it.each([
      [ '', '.acl' ],
      [ '', '.meta' ],
      [ 'notes/', 'one.ttl.acl' ],
      [ 'notes/', '.meta' ],
      [ 'profile/', 'card.acl' ],
    ])('a POST to /%s with slug %s creates nothing of that kind.', async(path, slug): Promise<void> => {
      const url = `${emma.podUrl}${path}`;
      const response = await grantee.client.request('POST', url, { headers: { ...turtle, slug }, body: '' });
      expect(response.headers.get('location') ?? '').not.toMatch(/\.(?:acl|acr|meta)$/u);
    });

    it('a profile document that the owner removed cannot be put back by the grantee.', async(): Promise<void> => {
      const holder = await accountWithPod(base, 'holder', 'Bearer');
      await issueGrant(world.server, {
        subject: parseWebId(holder.webId),
        recipient: parseWebId(grantee.webId),
        modes: [ 'Write', 'Append' ],
        resources: [ holder.podUrl ],
        inherit: true,
      });
      expect(status(await holder.client.request('DELETE', holder.webId))).toBe(205);
      const body = `<#me> <${solid}oidcIssuer> <${evil.issuer}> .`;
      await expect(put(grantee.client, `${holder.podUrl}profile/card`, body)).resolves.toBeGreaterThanOrEqual(400);
      const slug = { ...turtle, slug: 'card' };
      const posted = await grantee.client.request('POST', `${holder.podUrl}profile/`, { headers: slug, body });
      expect(status(posted)).toBe(403);
      const impersonation = await impostor({ webid: holder.webId });
      expect(status(await impersonation.request('GET', `${base}v1/data-copies`))).toBe(401);
    });

    it('the pod itself cannot be removed.', async(): Promise<void> => {
      for (const path of [ '', 'profile/' ]) {
        expect(status(await grantee.client.request('DELETE', `${emma.podUrl}${path}`))).toBeGreaterThanOrEqual(400);
      }
      expect((await fetch(emma.webId)).status).toBe(200);
    });

    it.each([
      'notes/one.ttl',
      'notes/',
      '',
    ])('a subscription to /%s is refused, so none outlives the grant.', async(path): Promise<void> => {
      const topic = `${emma.podUrl}${path}`;
      expect(status(await grantee.client.request('GET', topic))).toBe(200);
      await expect(subscribe(grantee.client, topic)).resolves.toMatchObject({ status: 403 });
      const stream = `${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(topic)}`;
      expect(status(await grantee.client.request('GET', stream))).toBeGreaterThanOrEqual(400);
      await expect(subscribe(emma.client, topic)).resolves.toMatchObject({ status: 200 });
    });
  });

  describe('anything with a stolen token:', (): void => {
    it('one of an unknown issuer has no effect without a key.', async(): Promise<void> => {
      const client = Client.withBearer(await evil.sign({ webid: evil.profile('victim') }));
      expect(status(await client.request('GET', `${base}v1/data-copies`))).toBe(401);
      expect(status(await client.request('GET', `${emma.podUrl}private.ttl`))).toBe(401);
    });

    it.each([
      'own',
      'national',
    ])('one of the %s issuer, bound to a key, has no effect without that key.', async(issuer): Promise<void> => {
      const owner = issuer === 'own' ?
          await accountWithPod(base, 'bound') :
          { client: await world.national.logIn('emma'), podUrl: emma.podUrl };
      expect(status(await owner.client.request('GET', owner.podUrl))).toBe(200);
      const { token } = owner.client;
      const thieves = [ Client.withBearer(token), (await Client.withDpop()).withToken(token) ];
      for (const thief of thieves) {
        expect(status(await thief.request('GET', owner.podUrl))).toBe(401);
        expect(status(await thief.request('GET', `${base}v1/data-copies`))).toBe(401);
      }
    });

    it('a used proof has no effect, on whichever path.', async(): Promise<void> => {
      const client = await world.national.logIn('emma');
      for (const url of [ `${base}v1/data-copies`, `${emma.podUrl}private.ttl` ]) {
        const dpop = await client.proof('GET', url);
        expect(status(await client.request('GET', url, { dpop }))).toBe(200);
        expect(status(await client.request('GET', url, { dpop }))).toBe(401);
      }
    });
  });

  async function subscribe(client: Client, topic: string): Promise<{ status: number; text: string }> {
    const response = await client.request('POST', `${base}.notifications/WebSocketChannel2023/`, {
      headers: { 'content-type': 'application/ld+json' },
      body: JSON.stringify({
        '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
        type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
        topic,
      }),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Subscriptions as the server stores them. */
  async function subscriptions(): Promise<string[]> {
    return (await world.server.stored.valueNames())
      .filter((name): boolean => /^(?:notifications|subscribers)\/.*[\da-f]{64}(?:\$\.json)?$/u.test(name) &&
        !/^subscribers\/[\da-f]{64}$/u.test(name))
      .sort();
  }
});

/** Returns the status of a response, ignoring its body. */
function status(response: Response): number {
  response.body?.cancel().catch((): void => {
    // It was read to its end.
  });
  return response.status;
}

async function put(
  client: Client,
  url: string,
  body: string,
  headers: Record<string, string> = turtle,
): Promise<number> {
  return status(await client.request('PUT', url, { headers, body }));
}
