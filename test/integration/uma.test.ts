/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated form is what most clients use */

import {
  buildThing,
  createSolidDataset,
  createThing,
  getContainedResourceUrlAll,
  getStringNoLocale,
  getThing,
  getThingAll,
  getUrl,
  getWellKnownSolid,
  setThing,
  universalAccess,
} from '@inrupt/solid-client';
import {
  approveAccessRequest,
  createContainerInContainer,
  deleteFile,
  deleteSolidDataset,
  denyAccessRequest,
  fetchWithVc,
  getAccessApiEndpoint,
  getAccessGrant,
  getExpirationDate,
  getFile,
  getSolidDataset,
  issueAccessGrant,
  issueAccessRequest,
  overwriteFile,
  revokeAccessGrant,
  saveFileInContainer,
  saveSolidDatasetAt,
  saveSolidDatasetInContainer,
} from '@inrupt/solid-client-access-grants';
import { Session } from '@inrupt/solid-client-authn-node';
import type { AuditEvent } from '../../src/audit/AuditLog';
import { parseWebId } from '../../src/platform/webId';
import { accessRules, sharedRules } from '../support/accessRules';
import { clientOf } from '../support/callers';
import { encodePresentation } from '../support/encodePresentation';
import { issueGrant, listEvents } from '../support/issueGrant';
import { presets } from '../support/presets';
import { until } from '../support/sharingWorld';
import { TestIssuer } from '../support/TestIssuer';
import type { AccountHolder, Client, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

type Grant = Awaited<ReturnType<typeof issueAccessGrant>>;
type Modes = { read?: boolean; write?: boolean; append?: boolean };

const grantType = 'urn:ietf:params:oauth:grant-type:uma-ticket';
const vcFormat = 'https://www.w3.org/TR/vc-data-model/#json-ld';
const idTokenFormat = 'http://openid.net/specs/openid-connect-core-1_0.html#IDToken';
const title = 'https://schema.org/name';
const inFuture = new Date(Date.now() + 3_600_000);

function ticketOf(response: Response): string {
  return /ticket="(?<ticket>[^"]+)"/u.exec(response.headers.get('www-authenticate') ?? '')!.groups!.ticket;
}

function dataset(text: string): ReturnType<typeof createSolidDataset> {
  return setThing(
    createSolidDataset(),
    buildThing(createThing({ name: 'it' })).addStringNoLocale(title, text).build(),
  );
}

/** Status and code of a refusal by the token endpoint, once its form is checked. */
async function errorOf(response: Response): Promise<[number, string]> {
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-type')).toBe('application/json');
  const text = await response.text();
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  return [ response.status, (JSON.parse(text) as { error: string }).error ];
}

describe.each(presets)('With %s, access grants', (config, isAcp): void => {
  let server: TestServer;
  let base: string;
  let issuer: TestIssuer;
  let owner: AccountHolder;
  let bank: AccountHolder;
  let stranger: AccountHolder;
  let ownerFetch: typeof fetch;
  let bankFetch: typeof fetch;
  const sessions: Session[] = [];
  let places = 0;

  beforeAll(async(): Promise<void> => {
    [ server, issuer ] = await Promise.all([ startServer({ config }), TestIssuer.start() ]);
    ({ base } = server);
    [ owner, bank, stranger ] = await Promise.all([ 'owner', 'bank', 'stranger' ].map(
      async(name): Promise<AccountHolder> => accountWithPod(base, name),
    ));
    [ ownerFetch, bankFetch ] = await Promise.all([ owner, bank ].map(
      async(holder): Promise<typeof fetch> => logIn(holder),
    ));
  });

  afterAll(async(): Promise<void> => {
    // Each has a timer that would keep the process alive.
    await Promise.all(sessions.map(async(session): Promise<void> => session.logout()));
    await Promise.all([ server.stop(), issuer.stop() ]);
  });

  async function logIn({ credentials: { id, secret }}: AccountHolder, tokenType?: 'Bearer'): Promise<typeof fetch> {
    const session = new Session({ keepAlive: false });
    sessions.push(session);
    await session.login({ clientId: id, clientSecret: secret, oidcIssuer: base, tokenType });
    return session.fetch;
  }

  /** A new container in the pod of the owner. */
  function place(): string {
    places += 1;
    return `${owner.podUrl}place-${places}/`;
  }

  async function put(url: string, text = 'private'): Promise<string> {
    const headers = { 'content-type': 'text/plain' };
    expect((await owner.client.request('PUT', url, { body: text, headers })).status).toBe(201);
    return url;
  }

  async function textAt(url: string): Promise<string> {
    return (await owner.client.request('GET', url)).text();
  }

  /** Requests access and grants it, as the clients do by default: with ACP, that writes access control resources. */
  async function give(access: Modes, resources: string[], more: object = {}): Promise<Grant> {
    const request = await issueAccessRequest({
      access,
      resources,
      resourceOwner: owner.webId,
      purpose: [ 'https://purposes.example/loan' ],
      expirationDate: inFuture,
      ...more,
    } as never, { fetch: bankFetch, accessEndpoint: `${base}.access/` });
    return approveAccessRequest(request, {}, { fetch: ownerFetch, ...isAcp ? {} : { updateAcr: false }});
  }

  async function state(recipient: string, resources: string[], more: object = {}): Promise<Grant> {
    return issueAccessGrant({
      access: { read: true },
      resources,
      requestor: recipient,
      resourceOwner: owner.webId,
      ...more,
    } as never, { fetch: ownerFetch, accessEndpoint: `${base}.access/` });
  }

  /** Answer of the token endpoint for a ticket of a resource. */
  async function exchange(
    resource: string,
    credential: unknown,
    client: Client = bank.client,
    changes: Record<string, string> = {},
  ): Promise<Response> {
    return client.request('POST', `${base}.uma/token`, {
      body: new URLSearchParams({
        grant_type: grantType,
        ticket: ticketOf(await fetch(resource)),
        claim_token: encodePresentation(credential),
        claim_token_format: vcFormat,
        ...changes,
      }),
    });
  }

  async function tokenFor(resource: string, grant: unknown): Promise<string> {
    const response = await exchange(resource, grant);
    expect(response.status).toBe(200);
    return (await response.json() as { access_token: string }).access_token;
  }

  async function withToken(token: string, url: string, method = 'GET', body?: string): Promise<Response> {
    return fetch(url, {
      method,
      body,
      headers: { authorization: `Bearer ${token}`, ...body !== undefined && { 'content-type': 'text/plain' }},
    });
  }

  async function exchangeIdToken(resource: string, client: Client, token: string): Promise<Response> {
    const endpoint = `${base}.uma/token`;
    const dpop = await client.withToken().proof('POST', endpoint);
    return fetch(endpoint, {
      method: 'POST',
      headers: { dpop },
      body: new URLSearchParams({
        grant_type: grantType,
        ticket: ticketOf(await fetch(resource)),
        claim_token: token,
        claim_token_format: idTokenFormat,
      }),
    });
  }

  describe('challenge', (): void => {
    const first = /^UMA realm="[^"]+", as_uri="http:\/\/localhost:\d+", ticket="[\w.-]+", /u;

    it('every refused caller, also where nothing exists.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const refused = [
        await fetch(file),
        await fetch(file, { method: 'HEAD' }),
        await fetch(`${owner.podUrl}nothing/there`),
        await fetch(`${owner.podUrl}nothing/there`, { method: 'PUT', body: 'x' }),
        await fetch(file, { headers: { authorization: 'Bearer nonsense' }}),
        await stranger.client.request('GET', file),
        await stranger.client.request('DELETE', file),
      ];
      for (const response of refused) {
        const header = response.headers.get('www-authenticate');
        expect(header).toMatch(first);
        expect(header).toContain('Bearer scope="openid webid"');
        expect(header).toContain('DPoP algs=');
      }
      expect(refused.map(({ status }): number => status)).toEqual([ 401, 401, 401, 401, 401, 403, 403 ]);
    });

    it('with the error of a token that was refused, on its scheme.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const invalid = /^UMA .*, DPoP algs="[^"]+", Bearer scope="openid webid", error="invalid_token"$/u;
      const used = await bank.client.authentication('GET', `${file}-other`);
      const subscriptions = `${base}.notifications/WebSocketChannel2023/`;
      const topic = JSON.stringify({
        '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
        type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
        topic: file,
      });
      const tried: [RegExp, Response][] = [
        [ /^UMA .*, DPoP algs="[^"]+", Bearer scope="openid webid"$/u, await fetch(file) ],
        [ invalid, await withToken('nonsense', file) ],
        [ invalid, await withToken(`${await tokenFor(file, await state(bank.webId, [ file ]))}x`, file) ],
        [ /^UMA .*, DPoP algs="[^"]+", error="invalid_dpop_proof", Bearer/u, await fetch(file, { headers: used }) ],
        [
          /^DPoP algs="[^"]+", Bearer scope="openid webid", error="invalid_token"$/u,
          await fetch(subscriptions, {
            method: 'POST',
            headers: { 'content-type': 'application/ld+json', authorization: 'Bearer nonsense' },
            body: topic,
          }),
        ],
      ];
      for (const [ form, response ] of tried) {
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toMatch(form);
      }
    });

    it('so that browsers can read it, and only if access is refused.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const refused = await fetch(file, { headers: { origin: 'https://app.example' }});
      expect(refused.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('www-authenticate');
      expect((await owner.client.request('GET', file)).headers.has('www-authenticate')).toBe(false);
      expect((await fetch(owner.webId)).headers.has('www-authenticate')).toBe(false);
    });

    it('and lead a client to the access-grant service.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      await expect(getAccessApiEndpoint(file)).resolves.toBe(`${base}.access/`);
    });

    it('and lead a client there that knows only the address of the server.', async(): Promise<void> => {
      await expect(getAccessApiEndpoint(base)).resolves.toBe(`${base}.access/`);
      const [ service ] = getThingAll(await getWellKnownSolid(base));
      expect(service.url).toBe(base);
      expect(getUrl(service, 'http://inrupt.com/ns/ess#consentIssuer')).toBe(`${base}.access/`);
      expect(getUrl(service, 'http://inrupt.com/ns/ess#ConsentManagementUI')).toBe(`${base}.app/requests`);
      expect(getUrl(service, 'http://www.w3.org/ns/solid/terms#oidcIssuer')).toBe(base);
      const json = await fetch(`${base}.well-known/solid`, { headers: { accept: 'application/ld+json' }});
      await expect(json.json()).resolves.toMatchObject({ '@id': base });
      const image = await fetch(`${base}.well-known/solid`, { headers: { accept: 'image/png' }});
      expect(image.status).toBe(406);
    });

    it('without saying what exists.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const tickets = [ file, `${file.slice(0, -5)}b.txt` ]
        .map(async(url): Promise<string> => ticketOf(await fetch(url, { method: 'PUT', body: 'x' })));
      const [ there, absent ] = (await Promise.all(tickets))
        .map((ticket): unknown[] => JSON.parse(Buffer.from(ticket.split('.')[0], 'base64url').toString()));
      expect(there).toHaveLength(absent.length);
      expect(JSON.stringify(there)).toHaveLength(JSON.stringify(absent).length);
    });
  });

  describe('let the published client', (): void => {
    it.each([ true, false ])('read and overwrite a file, with returnLegacyJsonld %s.', async(legacy): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const { id } = await give({ read: true, write: true }, [ file ]);
      const grant = await getAccessGrant(id, { fetch: bankFetch, returnLegacyJsonld: legacy as true });
      await expect((await getFile(file, grant, { fetch: bankFetch })).text()).resolves.toBe('private');
      const text = new File([ 'new text' ], 'a.txt', { type: 'text/plain' });
      await overwriteFile(file, text, grant, { fetch: bankFetch });
      await expect(textAt(file)).resolves.toBe('new text');
    });

    it('do so with a Bearer session.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const grant = await give({ read: true }, [ file ]);
      const bearerFetch = await logIn(bank, 'Bearer');
      await expect((await getFile(file, grant, { fetch: bearerFetch })).text()).resolves.toBe('private');
    });

    it('only read with a grant to read, and only write with one to write.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const text = new File([ 'new text' ], 'a.txt', { type: 'text/plain' });
      const read = await give({ read: true }, [ file ]);
      await expect(overwriteFile(file, text, read, { fetch: bankFetch })).rejects.toThrow('403');
      await expect(deleteFile(file, read, { fetch: bankFetch })).rejects.toThrow('403');
      const write = await give({ write: true }, [ file ]);
      await expect(getFile(file, write, { fetch: bankFetch })).rejects.toThrow('403');
      await overwriteFile(file, text, write, { fetch: bankFetch });
      await expect(textAt(file)).resolves.toBe('new text');
    });

    it('append to a container: files, datasets, containers.', async(): Promise<void> => {
      const container = place();
      await put(`${container}there.txt`);
      const grant = await give({ append: true }, [ container ]);
      const file = new File([ 'appended' ], 'new.txt', { type: 'text/plain' });
      await saveFileInContainer(container, file, grant, { fetch: bankFetch, slug: 'new.txt' });
      await expect(textAt(`${container}new.txt`)).resolves.toBe('appended');
      await saveSolidDatasetInContainer(container, dataset('x'), grant, { fetch: bankFetch, slugSuggestion: 'set' });
      await createContainerInContainer(container, grant, { fetch: bankFetch, slugSuggestion: 'inner' });
      const listed = await (await owner.client.request('GET', container, { headers: { accept: 'text/turtle' }})).text();
      expect(listed).toContain('inner/');
      expect(listed).toContain('set');
      await expect(getFile(`${container}new.txt`, grant, { fetch: bankFetch })).rejects.toThrow('403');
    });

    it('list a container, make, change and delete a dataset deep in it.', async(): Promise<void> => {
      const container = place();
      await put(`${container}there.txt`);
      const grant = await give({ read: true, write: true, append: true }, [ container ]);
      const options = { fetch: bankFetch };
      expect(getContainedResourceUrlAll(await getSolidDataset(container, grant, options)))
        .toEqual([ `${container}there.txt` ]);
      const url = `${container}deep/er/set.ttl`;
      const saved = await saveSolidDatasetAt(url, dataset('first'), grant, options);
      const thing = buildThing(getThing(saved, `${url}#it`)!).setStringNoLocale(title, 'second').build();
      await saveSolidDatasetAt(url, setThing(saved, thing), grant, options);
      const read = await getSolidDataset(url, grant, options);
      expect(getStringNoLocale(getThing(read, `${url}#it`)!, title)).toBe('second');
      await deleteSolidDataset(url, grant, options);
      expect((await owner.client.request('GET', url)).status).toBe(404);
      await deleteFile(`${container}there.txt`, grant, options);
      expect((await owner.client.request('GET', `${container}there.txt`)).status).toBe(404);
    });

    it('use a container alone when the grant does not inherit.', async(): Promise<void> => {
      const container = place();
      await put(`${container}a.txt`);
      const grant = await state(bank.webId, [ container ], { inherit: false });
      expect(getContainedResourceUrlAll(await getSolidDataset(container, grant, { fetch: bankFetch })))
        .toEqual([ `${container}a.txt` ]);
      await expect(getFile(`${container}a.txt`, grant, { fetch: bankFetch })).rejects.toThrow('No access token');
    });

    it('do nothing once the grant is revoked: with its token, a new one, or none.', async():
    Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const grant = await give({ read: true }, [ file ]);
      const granted = await fetchWithVc(file, grant, { fetch: bankFetch });
      expect((await granted(file)).status).toBe(200);
      expect((await bankFetch(file)).status).toBe(200);
      await revokeAccessGrant(grant, { fetch: ownerFetch });
      const refused = await granted(file);
      expect(refused.status).toBe(403);
      expect(refused.headers.get('www-authenticate')).toMatch(/^UMA /u);
      await expect(fetchWithVc(file, grant, { fetch: bankFetch })).rejects.toThrow('No access token');
      expect((await bankFetch(file)).status).toBe(403);
    });
  });

  describe('exchanged for a token', (): void => {
    it('give only their own rights on one resource, and none of the WebID\'s.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      const sibling = await put(`${container}a.txt0`);
      const own = `${bank.podUrl}secret.txt`;
      await bank.client.request('PUT', own, { body: 'x', headers: { 'content-type': 'text/plain' }});
      await give({ write: true }, [ file ]);
      const token = await tokenFor(file, await give({ read: true }, [ container ]));
      expect((await withToken(token, file)).status).toBe(200);
      expect((await withToken(token, file, 'PUT', 'x')).status).toBe(403);
      for (const url of [ sibling, container, own, `${file}.meta`, `${file}.acl`, `${file}.acr`, owner.podUrl ]) {
        expect((await withToken(token, url)).status).toBe(403);
      }
      const authorization = { authorization: `DPoP ${token}` };
      expect((await fetch(file, { headers: authorization })).status).toBe(401);
      expect((await withToken(token, owner.webId)).status).toBe(200);
    });

    it('give a token that has no effect anywhere else.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const grant = await give({ read: true }, [ file ]);
      const token = await tokenFor(file, grant);
      const read = await fetch(`${base}v1/resources?resource=${encodeURIComponent(file)}`, {
        headers: { authorization: `Bearer ${token}`, 'x-access-grant': grant.id },
      });
      expect(read.status).toBe(401);
      expect((await withToken(token, grant.id)).status).toBe(401);
      const again = await fetch(`${base}.uma/token`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({
          grant_type: grantType,
          ticket: ticketOf(await fetch(file)),
          claim_token: encodePresentation(grant),
          claim_token_format: vcFormat,
        }),
      });
      await expect(errorOf(again)).resolves.toEqual([ 401, 'invalid_token' ]);
      const subscription = await fetch(`${base}.notifications/WebSocketChannel2023/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/ld+json' },
        body: JSON.stringify({
          '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
          type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
          topic: file,
        }),
      });
      expect(subscription.status).toBe(401);
    });

    it('give a token that lasts five minutes, and a WAC-Allow of its own.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const answer = await exchange(file, await give({ read: true, write: true }, [ file ]));
      const { access_token: token, ...rest } = await answer.json() as { access_token: string };
      expect(rest).toEqual({ token_type: 'Bearer', expires_in: 300 });
      const header = (await withToken(token, file)).headers.get('wac-allow');
      expect(header).toBe(isAcp ? null : 'user="append read write"');
      expect((await withToken(`${token.slice(0, -8)}AAAAAAAA`, file)).status).toBe(401);
    });

    it('are accepted once for each ticket, among many at the same time.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const grant = await give({ read: true }, [ file ]);
      const ticket = ticketOf(await fetch(file));
      const answers = await Promise.all(Array.from({ length: 10 }, async(): Promise<Response> =>
        exchange(file, grant, bank.client, { ticket })));
      expect(answers.filter(({ status }): boolean => status === 200)).toHaveLength(1);
      await expect(errorOf(await exchange(file, grant, bank.client, { ticket }))).resolves
        .toEqual([ 400, 'invalid_grant' ]);
    });

    it('are refused to others, altered, denied, ended, not ours, and for other resources.', async(): Promise<void> => {
      const container = place();
      const [ one, ten ] = [ await put(`${container}1`), await put(`${container}10`) ];
      const issued = await bank.client.request('GET', (await give({ read: true }, [ one ])).id);
      const grant = await issued.json() as Record<string, unknown>;
      const request = await issueAccessRequest({
        access: { read: true },
        resources: [ one ],
        resourceOwner: owner.webId,
        expirationDate: inFuture,
      }, { fetch: bankFetch, accessEndpoint: `${base}.access/` });
      const expired = await state(bank.webId, [ one ], { expirationDate: new Date(Date.now() + 1500) });
      const foreign = await put(`${container}x`);
      const stated = await issueAccessGrant({
        access: { read: true },
        resources: [ foreign ],
        requestor: bank.webId,
        resourceOwner: stranger.webId,
      } as never, { fetch: await logIn(stranger), accessEndpoint: `${base}.access/` });
      const refused = [
        await exchange(one, grant, stranger.client),
        await exchange(one, grant, owner.client),
        await exchange(one, { ...grant, expirationDate: '2099-01-01T00:00:00.000Z' }),
        await exchange(one, { ...grant, issuer: 'https://vc.example/' }),
        await exchange(one, { ...grant, id: 'https://vc.example/vc/1' }),
        await exchange(one, request),
        await exchange(one, await denyAccessRequest(request, { fetch: ownerFetch })),
        await exchange(ten, grant),
        await exchange(foreign, stated),
      ];
      await expect(Promise.all(refused.map(errorOf)))
        .resolves.toEqual(refused.map((): unknown => [ 403, 'request_denied' ]));
      while (new Date() <= getExpirationDate(expired)!) {
        await fetch(`${base}.uma/keys`);
      }
      await expect(errorOf(await exchange(one, expired))).resolves.toEqual([ 403, 'request_denied' ]);
      expect((await exchange(one, grant)).status).toBe(200);
    });

    it('are refused in malformed token requests.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const grant = await give({ read: true }, [ file ]);
      const endpoint = `${base}.uma/token`;
      const two = encodePresentation(grant, grant);
      const many = encodePresentation(...Array.from({ length: 10_000 }, (): unknown => grant));
      const answers: [Response, number, string][] = [
        [ await bank.client.request('POST', endpoint, { body: { grant_type: grantType }}), 400, 'invalid_request' ],
        [ await exchange(file, grant, bank.client, { grant_type: 'password' }), 400, 'unsupported_grant_type' ],
        [ await exchange(file, grant, bank.client, { ticket: 'nonsense' }), 400, 'invalid_grant' ],
        [ await exchange(file, grant, bank.client, { ticket: '' }), 400, 'invalid_request' ],
        [ await exchange(file, grant, bank.client, { claim_token: '', claim_token_format: '' }), 403, 'need_info' ],
        [ await exchange(file, grant, bank.client, { claim_token: 'nonsense' }), 400, 'invalid_request' ],
        [ await exchange(file, grant, bank.client, { claim_token: two }), 400, 'invalid_request' ],
        [ await exchange(file, grant, bank.client, { claim_token_format: 'urn:other' }), 403, 'need_info' ],
        [ await exchange(file, grant, bank.client.withToken('nonsense')), 401, 'invalid_token' ],
        [ await exchange(file, grant, bank.client.withToken()), 401, 'invalid_token' ],
      ];
      for (const [ response, status, error ] of answers) {
        await expect(errorOf(response)).resolves.toEqual([ status, error ]);
      }
      const huge = await exchange(file, grant, bank.client, { claim_token: many })
        .then(errorOf, (): [number, string] => [ 413, 'invalid_request' ]);
      expect(huge).toEqual([ 413, 'invalid_request' ]);
    });

    it('with text in other languages work.', async(): Promise<void> => {
      const file = await put(`${place()}${encodeURIComponent('é ü')}.txt`);
      const grant = await state(bank.webId, [ file ], { customFields: new Set([
        { key: new URL('https://bank.example/ns#note'), value: 'prêt hypothécaire — 契約' },
      ]) });
      await expect((await getFile(file, grant, { fetch: bankFetch })).text()).resolves.toBe('private');
    });
  });

  describe('and an ID token', (): void => {
    it('give the rights granted to its WebID, with a proof of its key.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const webid = issuer.profile('carol');
      const client = await clientOf(issuer, { webid, aud: [ 'https://app.example/id', 'solid' ]}, 'DPoP', {
        header: { typ: 'JWT' },
      });
      await expect(errorOf(await exchangeIdToken(file, client, client.token!)))
        .resolves.toEqual([ 403, 'request_denied' ]);
      const grant = await state(webid, [ file ]);
      const answer = await exchangeIdToken(file, client, client.token!);
      expect(answer.status).toBe(200);
      const { access_token: token } = await answer.json() as { access_token: string };
      expect((await withToken(token, file)).status).toBe(200);
      await revokeAccessGrant(grant, { fetch: ownerFetch });
      expect((await withToken(token, file)).status).toBe(403);
      const thief = await clientOf(issuer, { webid }, 'DPoP');
      await expect(errorOf(await exchangeIdToken(file, thief, client.token!))).resolves.toEqual([ 403, 'need_info' ]);
      const app = await clientOf(issuer, { webid, aud: 'https://app.example/id' }, 'DPoP');
      await expect(errorOf(await exchangeIdToken(file, app, app.token!))).resolves.toEqual([ 403, 'need_info' ]);
    });
  });

  describe('and access control', (): void => {
    const acr = 'http://www.w3.org/ns/solid/acp#AccessControlResource';

    it('documents are never reached by a grant.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      const suffix = isAcp ? '.acr' : '.acl';
      const grant = await state(bank.webId, [ container, file, `${file}${suffix}`, `${container}${suffix}` ], {
        access: { read: true, write: true, append: true },
      });
      for (const url of [ `${file}${suffix}`, `${container}${suffix}` ]) {
        await expect(errorOf(await exchange(url, grant))).resolves.toEqual([ 403, 'request_denied' ]);
        for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
          const body = method === 'PUT' ? 'x' : undefined;
          expect((await bank.client.request(method, url, { body })).status).toBe(403);
        }
      }
    });

    it('resources exist before they are written, for controllers and with ACP.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      for (const url of [ `${file}.acr`, `${container}.acr` ]) {
        const [ read, head ] = await Promise.all([ 'GET', 'HEAD' ].map(async(method): Promise<Response> =>
          owner.client.request(method, url)));
        expect([ read.status, head.status ]).toEqual(isAcp ? [ 200, 200 ] : [ 404, 404 ]);
        const found = [ read, head ].map(({ headers }): boolean => headers.get('content-type') === 'text/turtle' &&
          headers.get('link')!.includes(`<${acr}>; rel="type"`));
        expect(found).toEqual([ isAcp, isAcp ]);
        for (const { headers } of isAcp ? [ read, head ] : []) {
          expect(headers.get('allow')!.split(', ')).toEqual(expect.arrayContaining([ 'GET', 'PATCH', 'PUT' ]));
          expect(headers.get('etag')).toBe('"unwritten-text/turtle"');
          const conditional = { headers: { 'if-none-match': headers.get('etag')! }};
          expect((await owner.client.request('GET', url, conditional)).status).toBe(304);
          const other = { headers: { 'if-match': '"other"' }};
          expect((await owner.client.request('GET', url, other)).status).toBe(412);
        }
        expect((await read.text()).includes(`<> a <${acr}>`)).toBe(isAcp);
        expect((await stranger.client.request('GET', url)).status).toBe(403);
        expect((await fetch(url)).status).toBe(401);
      }
      expect((await owner.client.request('GET', `${container}none.acr`)).status).toBe(404);
    });

    it('resources can be written on condition that they do not exist yet.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      async function write(conditions: Record<string, string>): Promise<number> {
        const headers = { 'content-type': 'text/turtle', ...conditions };
        const sent = { headers, body: `<> a <${acr}> .` };
        return (await owner.client.request('PUT', `${file}.acr`, sent)).status;
      }
      for (const [ name, value ] of isAcp ? [[ 'if-none-match', '*' ], [ 'if-match', '"other"' ]] : []) {
        await expect(write({ [name]: value })).resolves.toBe(412);
      }
      for (const status of isAcp ? [ 201, 412 ] : []) {
        await expect(write({ 'if-match': '"unwritten-text/turtle"' })).resolves.toBe(status);
      }
      await expect(textAt(file)).resolves.toBe('private');
    });

    it('resources that do not exist yet can be begun by Inrupt\'s client.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const access = { read: true, append: false, write: false, controlRead: false, controlWrite: false };
      await expect(universalAccess.setAgentAccess(file, bank.webId, { read: true }, { fetch: ownerFetch }))
        .resolves.toEqual(access);
      await expect(statusOf('GET', file)).resolves.toBe(200);
      await expect(statusOf('PUT', file)).resolves.toBe(403);
      await expect(universalAccess.setAgentAccess(file, bank.webId, { read: false }, { fetch: ownerFetch }))
        .resolves.toEqual({ ...access, read: false });
      await expect(statusOf('GET', file)).resolves.toBe(403);
      await expect(textAt(file)).resolves.toBe('private');
    });

    it('resources are written by an approval if ACP is used, and keep their controllers.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      await give({ read: true }, [ file ]);
      const written = await owner.client.request('GET', `${file}.acr`, { headers: { accept: 'application/n-triples' }});
      expect((await written.text()).includes('<http://www.w3.org/ns/solid/vc#SolidAccessGrant>')).toBe(isAcp);
      await expect(textAt(file)).resolves.toBe('private');
      expect((await bank.client.request('GET', `${file}.acr`)).status).toBe(403);
    });
  });

  /** Returns the status of a request by the bank. */
  async function statusOf(method: string, url: string, headers: object = {}): Promise<number> {
    const body = method === 'PUT' ? 'by the bank' : undefined;
    const sent = { body, headers: { 'content-type': 'text/plain', ...headers }};
    return (await bank.client.request(method, url, sent)).status;
  }

  describe('apply to content:', (): void => {
    const turtle = { 'content-type': 'text/turtle' };
    const writing = { access: { read: true, write: true }};

    /** Gives a resource its own access rules. */
    async function guard(url: string, modes = ''): Promise<string> {
      const body = accessRules(isAcp, url, owner.webId, modes);
      const rules = `${url}${isAcp ? '.acr' : '.acl'}`;
      expect((await owner.client.request('PUT', rules, { headers: turtle, body })).status).toBe(201);
      return rules;
    }

    it('for others, too, when access rules share their parts.', async(): Promise<void> => {
      for (const url of isAcp ? [ await put(`${place()}a.txt`) ] : []) {
        const body = sharedRules(url, 50);
        expect((await owner.client.request('PUT', `${url}.acr`, { headers: turtle, body })).status).toBe(201);
        expect((await fetch(url)).status).toBe(200);
      }
    }, 20_000);

    it('one to write a document neither removes nor creates it.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      const grant = await state(bank.webId, [ file, `${container}new.txt` ], writing);
      await expect(statusOf('PUT', file)).resolves.toBe(205);
      await expect(statusOf('DELETE', file)).resolves.toBe(403);
      await expect(statusOf('PUT', `${container}new.txt`)).resolves.toBe(403);
      const token = await tokenFor(file, grant);
      expect((await withToken(token, file, 'DELETE')).status).toBe(403);
      expect((await withToken(token, file, 'PUT', 'by token')).status).toBe(205);
      await expect(textAt(file)).resolves.toBe('by token');
      // With another grant on the container, which does not cover the contents.
      await state(bank.webId, [ container ], { ...writing, inherit: false });
      await expect(statusOf('PUT', `${container}new.txt`)).resolves.toBe(201);
      await expect(statusOf('DELETE', file)).resolves.toBe(205);
    });

    it('one to write a container removes nothing that has access rules of its own.', async(): Promise<void> => {
      const container = place();
      const [ guarded, plain, below ] = await Promise.all([ 'guarded.txt', 'plain.txt', 'rules/ghost/x' ]
        .map(async(name): Promise<string> => put(`${container}${name}`)));
      // With ACP, rules of the container would apply to its contents, whatever rules those have.
      await guard(container, isAcp ? '' : 'acl:Read');
      const kept = await Promise.all([ guarded, `${container}rules/`, `${container}rules/ghost/y` ]
        .map(async(url): Promise<string> => guard(url)));
      const grant = await state(bank.webId, [ container ], writing);
      const token = await tokenFor(guarded, grant);
      await expect(statusOf('PUT', guarded)).resolves.toBe(205);
      await expect(statusOf('DELETE', guarded)).resolves.toBe(403);
      expect((await withToken(token, guarded, 'DELETE')).status).toBe(403);
      await expect(statusOf('DELETE', below)).resolves.toBe(205);
      await expect(statusOf('DELETE', `${container}rules/ghost/`)).resolves.toBe(403);
      await expect(owner.client.request('GET', kept[2])).resolves.toHaveProperty('status', 200);
      expect((await owner.client.request('DELETE', `${container}rules/ghost/`)).status).toBe(205);
      await expect(statusOf('DELETE', `${container}rules/`)).resolves.toBe(403);
      expect((await fetch(guarded)).status).toBe(401);
      expect((await owner.client.request('GET', kept[0])).status).toBe(200);
      await expect(statusOf('DELETE', plain)).resolves.toBe(205);
      await expect(statusOf('PUT', plain)).resolves.toBe(201);
    });

    it('one to write a document does not change its description.', async(): Promise<void> => {
      const file = await put(`${place()}a.txt`);
      const body = `INSERT DATA { <${file}> <https://schema.org/name> "by the owner" . }`;
      const patch = { headers: { 'content-type': 'application/sparql-update' }, body };
      expect((await owner.client.request('PATCH', `${file}.meta`, patch)).status).toBe(205);
      await state(bank.webId, [ file ], writing);
      const link = '<https://bank.example/inbox>; rel="http://www.w3.org/ns/ldp#inbox"';
      await expect(statusOf('PUT', file, { link })).resolves.toBe(205);
      const description = await textAt(`${file}.meta`);
      expect(description).toContain('by the owner');
      expect(description).not.toContain('bank.example');
      await expect(textAt(file)).resolves.toBe('by the bank');
    });

    it('one to read a container shows its index page only with the right to read that.', async(): Promise<void> => {
      const container = place();
      const page = `${container}index.html`;
      const html = { headers: { accept: 'text/html' }};
      const written = { headers: { 'content-type': 'text/html' }, body: 'secret page' };
      expect((await owner.client.request('PUT', page, written)).status).toBe(201);
      await state(bank.webId, [ container ], { inherit: false });
      await expect((await owner.client.request('GET', container, html)).text()).resolves.toContain('secret page');
      const listed = await bank.client.request('GET', container, html);
      expect(listed.status).toBe(200);
      await expect(listed.text()).resolves.not.toContain('secret page');
      await guard(container, 'acl:Read');
      await guard(page);
      expect((await fetch(container, html)).status).toBe(200);
      // With ACP, rules of the container apply to its contents, too.
      expect((await (await fetch(container, html)).text()).includes('secret page')).toBe(isAcp);
      await state(bank.webId, [ page ]);
      await expect((await bank.client.request('GET', container, html)).text()).resolves.toContain('secret page');
    });
  });

  describe('leave rows in the audit record', (): void => {
    interface Row {
      type: string;
      by?: string;
      grant?: string;
    }

    /** Events about the resources of a container, once there are so many rows. */
    async function rows(container: string, count: number): Promise<Record<string, Row[]>> {
      let events: AuditEvent[] = [];
      await until(async(): Promise<boolean> => {
        events = (await listEvents(server)).filter(({ personal, type }): boolean =>
          type.startsWith('resource.') && personal!.resource.startsWith(container));
        return events.length >= count;
      });
      const found: Record<string, Row[]> = {};
      for (const { correlationId, personal, type } of events) {
        expect(correlationId).toMatch(/^[\da-f-]{36}$/u);
        const name = personal!.resource.slice(container.length);
        found[name] ??= [];
        found[name].push({ type, by: personal!.webId, grant: personal!.grant });
      }
      return found;
    }

    it('for all requests made with them on pod resources.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      const grant = await issueGrant(server, {
        subject: parseWebId(owner.webId),
        recipient: parseWebId(bank.webId),
        modes: [ 'Append', 'Read', 'Write' ],
        resources: [ container ],
        inherit: true,
      });
      const headers = { 'content-type': 'text/plain' };
      const etag = (await bank.client.request('GET', file)).headers.get('etag')!;
      const conditional = { headers: { 'if-none-match': etag }};
      expect((await bank.client.request('GET', file, conditional)).status).toBe(304);
      expect((await bank.client.request('PUT', file, { body: 'x', headers })).status).toBe(205);
      expect((await bank.client.request('PUT', `${container}b.txt`, { body: 'x', headers })).status).toBe(201);
      expect((await bank.client.request('DELETE', `${container}b.txt`)).status).toBe(205);
      const post = await bank.client.request('POST', container, { body: 'x', headers });
      const posted = post.headers.get('location')!.slice(container.length);
      // None of these uses a grant, or has an effect.
      expect((await owner.client.request('GET', file)).status).toBe(200);
      expect((await bank.client.request('GET', `${container}c.txt`)).status).toBe(404);
      expect((await stranger.client.request('GET', file)).status).toBe(403);
      expect((await bank.client.request('GET', container)).status).toBe(200);
      const by = { by: bank.webId, grant };
      await expect(rows(container, 7)).resolves.toEqual({
        'a.txt': [
          { type: 'resource.read', ...by },
          { type: 'resource.read', ...by },
          { type: 'resource.written', ...by },
        ],
        'b.txt': [{ type: 'resource.created', ...by }, { type: 'resource.deleted', ...by }],
        [posted]: [{ type: 'resource.created', ...by }],
        '': [{ type: 'resource.read', ...by }],
      });
    });

    it('also with a requesting party token.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      const grant = await state(bank.webId, [ file ]);
      expect((await withToken(await tokenFor(file, grant), file)).status).toBe(200);
      await expect(rows(container, 1)).resolves
        .toEqual({ 'a.txt': [{ type: 'resource.read', by: bank.webId, grant: grant.id }]});
    });

    it('but not for requests that access control allows anyway.', async(): Promise<void> => {
      const container = place();
      const file = await put(`${container}a.txt`);
      const [ subject, recipient ] = [ parseWebId(bank.webId), parseWebId(owner.webId) ];
      const grant = { subject, recipient, resources: [ bank.podUrl ], inherit: true };
      await issueGrant(server, { ...grant, modes: [ 'Read' ]});
      await issueGrant(server, { ...grant, subject: recipient, resources: [ container ], modes: [ 'Read' ]});
      expect((await owner.client.request('GET', file)).status).toBe(200);
      expect((await owner.client.request('GET', bank.podUrl)).status).toBe(200);
      await expect(rows(bank.podUrl, 1)).resolves.toMatchObject({ '': [{ by: owner.webId }]});
      await expect(rows(container, 0)).resolves.toEqual({});
    });
  });
});
