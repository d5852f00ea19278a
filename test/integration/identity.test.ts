import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { request as rawRequest } from 'node:http';
import { stripVTControlCharacters } from 'node:util';
import { generateKeyPair } from 'jose';
import { createAccount, createPod } from '../../demo/lib/accounts';
import { operations as table } from '../../src/api/routes';
import type { TestCitizen } from '../support/callers';
import { clientOf, createCitizen, expectProblem, placesThatMention } from '../support/callers';
import { fictitiousNumber } from '../support/fictitiousNumber';
import { until } from '../support/sharingWorld';
import type { Claims, SigningOptions } from '../support/TestIssuer';
import { TestIssuer } from '../support/TestIssuer';
import type { TestServer } from '../support/world';
import { accountWithPod, Client, startServer } from '../support/world';

type Method = 'DELETE' | 'GET' | 'POST' | 'PUT';

/** Makes the headers of a request with faulty authentication. */
type BadProof = (method: Method, url: string) => Promise<Record<string, string>>;

const app = 'https://app.example/id';
/** A client of the national issuer that has nothing to do with this service. */
const shop = 'https://shop.example/id';
const json = { 'content-type': 'application/json' };

function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1000) + fromNow;
}

/** Operations that need a token. */
const withToken = table.filter(({ caller }): boolean => caller !== 'none');

/** Returns a path of an operation; its parameters are checked after the token. */
function pathOf({ path }: { path: string }): string {
  return path.slice(1).replaceAll(/\{\w+\}|\*\*/gu, 'x');
}

describe('A server with a list of apps', (): void => {
  let server: TestServer;
  let base: string;
  let webids: string;
  let national: TestIssuer;
  let stranger: TestIssuer;
  let nora: TestCitizen;
  const numbers: string[] = [];

  beforeAll(async(): Promise<void> => {
    national = await TestIssuer.start();
    stranger = await TestIssuer.start();
    server = await startServer({
      nationalIssuers: [ national.issuer ],
      loggingLevel: 'debug',
      flags: { apps: `${app}, https://another-app.example/id` },
    });
    base = server.base;
    webids = `${base}v1/webids`;
    nora = await createCitizen(base, national, newNumber());
  });

  afterAll(async(): Promise<void> => {
    await server?.stop();
    await Promise.all([ national.stop(), stranger.stop() ]);
  });

  function newNumber(): string {
    const number = fictitiousNumber(numbers.length + 1);
    numbers.push(number);
    return number;
  }

  async function pods(): Promise<string[]> {
    return (await server.stored.podNames()).filter((name): boolean => /^[\da-f-]{36}$/u.test(name));
  }

  async function expectNora(): Promise<void> {
    const response = await nora.client.request('GET', webids);
    await expect(response.json()).resolves.toEqual({ uri: nora.webId });
    expect(response.status).toBe(200);
  }

  /** Lists the calls that accept a token, on Nora's data. */
  function operations(): [Method, string, object?][] {
    const pod = `${base}v1/pods/${nora.podId}/resources`;
    const resource = `${nora.podUrl}credentials/ab/${randomUUID()}`;
    const copy = { resource, accessGrant: `${base}.access/vc/${randomUUID()}` };
    const key = { businessKey: { type: 'NATIONAL_NUMBER_BE', value: nora.nationalNumber }, accessGrantVc: '{}' };
    return [
      [ 'GET', webids ],
      [ 'PUT', webids ],
      [ 'DELETE', webids ],
      [ 'GET', `${base}v1/contracts/diploma-employment/data` ],
      [ 'POST', `${base}v1/contracts/diploma-employment/data`, [ 'some id' ]],
      [ 'GET', `${base}v1/resources?resource=${encodeURIComponent(resource)}` ],
      [ 'GET', pod ],
      [ 'GET', `${pod}/${randomUUID()}` ],
      [ 'DELETE', `${pod}/${randomUUID()}/access-grants/${randomUUID()}` ],
      [ 'POST', `${base}v1/verifications/business-key`, key ],
      [ 'POST', `${base}v1/data-copies`, copy ],
      [ 'DELETE', `${base}v1/data-copies`, { resource }],
      [ 'GET', `${base}v1/data-copies` ],
      [ 'GET', copy.accessGrant ],
    ];
  }

  function claims(changed: Claims = {}): Claims {
    return { webid: nora.webId, citizen_national_id: nora.nationalNumber, ...changed };
  }

  describe('refuses', (): void => {
    function bearer(changed: Claims, signing?: SigningOptions): BadProof {
      return async(): Promise<Record<string, string>> =>
        ({ authorization: `Bearer ${await national.sign(claims(changed), signing)}` });
    }

    /** A valid proof except for some claims. */
    function proof(changed: Claims): BadProof {
      return async(method, url): Promise<Record<string, string>> =>
        ({ authorization: `DPoP ${nora.client.token}`, dpop: await nora.client.proof(method, url, changed) });
    }

    function boundBy(issuer: () => TestIssuer, changed: () => Claims): BadProof {
      return async(method, url): Promise<Record<string, string>> => {
        const client = await clientOf(issuer(), claims(changed()), 'DPoP');
        return { ...await client.authentication(method, url) };
      };
    }

    const missing: [string, BadProof][] = [
      [ 'no token', async(): Promise<Record<string, string>> => ({}) ],
      [ 'the Basic scheme', async(): Promise<Record<string, string>> => ({ authorization: `Basic ${btoa('me:me')}` }) ],
      [ 'a scheme without token', async(): Promise<Record<string, string>> => ({ authorization: 'Bearer ' }) ],
      [ 'a token without scheme', async(): Promise<Record<string, string>> =>
        ({ authorization: await national.sign(claims()) }) ],
    ];

    const invalid: [string, BadProof][] = [
      [ 'what is no JWT', async(): Promise<Record<string, string>> => ({ authorization: 'Bearer abc.def' }) ],
      [ 'alg none', async(): Promise<Record<string, string>> =>
        ({ authorization: `Bearer ${national.unsigned(claims())}` }) ],
      [ 'alg HS256', bearer({}, { header: { alg: 'HS256' }, key: Buffer.alloc(32, 'k') }) ],
      [ 'a token of another key', async(method, url): Promise<Record<string, string>> =>
        bearer({}, { key: (await generateKeyPair('ES256')).privateKey })(method, url) ],
      [ 'claims changed after signing', async(): Promise<Record<string, string>> => {
        const [ header, , signature ] = (await national.sign(claims())).split('.');
        const [ , payload ] = (await national.sign(claims({ exp: seconds(9999) }))).split('.');
        return { authorization: `Bearer ${header}.${payload}.${signature}` };
      } ],
      [ 'a wrong typ', bearer({}, { header: { typ: 'id_token+jwt' }}) ],
      [ 'no typ', bearer({}, { header: { typ: undefined }}) ],
      [ 'a wrong aud', bearer({ aud: 'https://elsewhere.example/' }) ],
      [ 'a wrong list of aud', bearer({ aud: [ 'https://elsewhere.example/', 'solidarity' ]}) ],
      [ 'no aud', bearer({ aud: undefined }) ],
      [ 'no iss', bearer({ iss: undefined }) ],
      [ 'an iss that is not a URL', bearer({ iss: 'national' }) ],
      [ 'no exp', bearer({ exp: undefined }) ],
      [ 'an expired token', bearer({ iat: seconds(-900), exp: seconds(-600) }) ],
      [ 'no iat', bearer({ iat: undefined }) ],
      [ 'iat in the future', bearer({ iat: seconds(3600), exp: seconds(7200) }) ],
      [ 'a webid that is not a URL', bearer({ webid: 'nora' }) ],
      [ 'a client_id that is not text', bearer({ client_id: 7 }) ],
      [ 'a client_id that is neither a URI nor a UUID', bearer({ client_id: 'cca' }) ],
      [ 'an azp that is neither a URI nor a UUID', bearer({ azp: 'cca' }) ],
      [ 'a log-out token', bearer({ events: { 'http://schemas.openid.net/event/backchannel-logout': {}}}) ],

      [ 'the unbound token of a stranger\'s issuer', async(): Promise<Record<string, string>> =>
        ({ authorization: `Bearer ${await stranger.sign(claims())}` }) ],
      [ 'a citizen\'s WebID from an issuer that may not speak for it', boundBy(
        (): TestIssuer => stranger,
        (): Claims => ({}),
      ) ],
      [ 'an issuer that the profile does not list', boundBy(
        (): TestIssuer => stranger,
        (): Claims => ({
          webid: stranger.profile('mallory', [ 'https://elsewhere.example/' ]),
          citizen_national_id: undefined,
        }),
      ) ],
      [ 'a WebID without profile', boundBy(
        (): TestIssuer => stranger,
        (): Claims => ({ webid: `${stranger.issuer}nobody#me`, citizen_national_id: undefined }),
      ) ],
      [ 'a WebID that this server never made', boundBy(
        (): TestIssuer => national,
        (): Claims => ({ webid: `${base}${randomUUID()}/profile/card#me`, citizen_national_id: undefined }),
      ) ],
      [ 'an issuer at a private address', boundBy(
        (): TestIssuer => stranger,
        (): Claims => ({ iss: 'https://169.254.169.254/', webid: 'https://169.254.169.254/me' }),
      ) ],

      [ 'a bound token sent as Bearer', async(): Promise<Record<string, string>> =>
        ({ authorization: `Bearer ${nora.client.token}` }) ],
      [ 'an unbound token sent by DPoP', async(method, url): Promise<Record<string, string>> =>
        ({ ...await nora.client.withToken(await national.sign(claims())).authentication(method, url) }) ],
      [ 'a missing DPoP proof', async(): Promise<Record<string, string>> =>
        ({ authorization: `DPoP ${nora.client.token}` }) ],
      [ 'a malformed DPoP proof', async(): Promise<Record<string, string>> =>
        ({ authorization: `DPoP ${nora.client.token}`, dpop: 'none' }) ],
      [ 'a replayed DPoP proof', async(method, url): Promise<Record<string, string>> => {
        // The jti is used twice, not the proof: a proof for DELETE would already have deleted something.
        const jti = randomUUID();
        const dpop = await nora.client.proof('GET', webids, { jti });
        expect((await nora.client.request('GET', webids, { dpop })).status).toBe(200);
        return proof({ jti })(method, url);
      } ],
      [ 'a DPoP proof for another URL', proof({ htu: 'https://elsewhere.example/v1/webids' }) ],
      [ 'a DPoP proof for another method', proof({ htm: 'PATCH' }) ],
      [ 'a DPoP proof for another token', proof({ ath: 'fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo' }) ],
      [ 'an old DPoP proof', proof({ iat: seconds(-600) }) ],
      [ 'a DPoP proof of tomorrow', proof({ iat: seconds(86_400) }) ],
      // Counted from its request: a minute later, it is one of a clock that is a minute ahead.
      [ 'a DPoP proof of two minutes ahead', async(method, url): Promise<Record<string, string>> =>
        proof({ iat: seconds(120) })(method, url) ],
      [ 'a DPoP proof without jti', proof({ jti: undefined }) ],
      [ 'a DPoP proof of another key', async(method, url): Promise<Record<string, string>> => {
        const other = (await Client.withDpop()).withToken(nora.client.token);
        return { ...await other.authentication(method, url) };
      } ],
    ];

    async function tryEverywhere(makeHeaders: BadProof, type: string): Promise<void> {
      const before = await pods();
      for (const [ method, url, body ] of operations()) {
        const response = await fetch(url, {
          method,
          headers: { ...body && { 'content-type': 'application/json' }, ...await makeHeaders(method, url) },
          body: body && JSON.stringify(body),
        });
        const isVerification = url.endsWith('business-key');
        expect([ method, url, response.status ]).toEqual([ method, url, isVerification ? 403 : 401 ]);
        if (!isVerification) {
          expect(response.headers.get('www-authenticate')).toMatch(/DPoP algs=.*Bearer/u);
        }
        await expectProblem(response, isVerification ? 403 : 401, isVerification ? 'token-invalid' : type);
      }
      await expect(pods()).resolves.toEqual(before);
      await expectNora();
    }

    it.each(missing)('%s, on every operation.', async(_name, makeHeaders): Promise<void> => {
      await tryEverywhere(makeHeaders, 'token-missing');
    });

    it.each(invalid)('%s, on every operation.', async(_name, makeHeaders): Promise<void> => {
      await tryEverywhere(makeHeaders, 'token-invalid');
    });

    it('a replayed request.', async(): Promise<void> => {
      const headers = await nora.client.authentication('GET', webids);
      expect((await fetch(webids, { headers })).status).toBe(200);
      await expectProblem(await fetch(webids, { headers }), 401, 'token-invalid');
    });

    describe('by its table of operations,', (): void => {
      it.each(withToken)('a token without webid: $method $path.', async(row): Promise<void> => {
        const { caller, method, tokenRefusedAs403 } = row;
        const number = caller === 'citizen' ? {} : { citizen_national_id: nora.nationalNumber };
        const client = await clientOf(national, number);
        const response = await client.request(method, base + pathOf(row));
        await expectProblem(response, tokenRefusedAs403 ? 403 : 401, 'claim-missing');
      });

      it.each(withToken)('clients that are neither a URI nor a UUID: $method $path.', async(row): Promise<void> => {
        const { caller, method, tokenRefusedAs403 } = row;
        const uuid = '0f8e4a52-7b61-4f0c-9d3e-5a2b1c7d8e90';
        const ids = [ 'cca', 'a b', uuid.replaceAll('-', ''), uuid.slice(0, -1), ':x', '' ];
        const tokens = ids.flatMap((id): Claims[] => [{ client_id: id }, { azp: id }, { client_id: app, azp: id }]);
        const legacy = { citizen_national_id: nora.nationalNumber, aud: undefined, client_id: undefined };
        const changes = [
          ...tokens.map((clients): Claims => claims(clients)),
          ...caller === 'citizen' ? ids.map((azp): Claims => ({ ...legacy, azp })) : [],
        ];
        for (const changed of changes) {
          const response = await (await clientOf(national, changed)).request(method, base + pathOf(row));
          await expectProblem(response, tokenRefusedAs403 ? 403 : 401, 'token-invalid');
        }
      });
    });

    it('a WebID that is not a citizen\'s on operations on citizens\' data.', async(): Promise<void> => {
      const client = await clientOf(stranger, { webid: stranger.profile('visitor') }, 'DPoP');
      const url = `${base}v1/contracts/diploma-employment/data`;
      await expectProblem(await client.request('GET', url), 403, 'claim-missing');
      await expectProblem(await client.request('POST', url, { body: [ 'id' ]}), 403, 'claim-missing');
    });

    it('citizen_national_id from an untrusted issuer.', async(): Promise<void> => {
      const number = newNumber();
      const client = await clientOf(
        stranger,
        { webid: stranger.profile('pretender'), citizen_national_id: number },
        'DPoP',
      );
      for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
        await expectProblem(await client.request(method, webids), 403, 'issuer-not-national');
      }
      const citizen = await clientOf(national, { citizen_national_id: number });
      await expectProblem(await citizen.request('GET', webids), 404, 'webid-not-found');
    });

    it.each([
      [ 'with a wrong checksum', '85073000113' ],
      [ 'too short', '8507300012' ],
      [ 'with letters', '85.07.30-0O1.12' ],
      [ 'of a day that does not exist', '85023000197' ],
      [ 'that is empty', '' ],
      [ 'that is a number in JSON', 85_073_000_112 ],
    ])('a national number %s.', async(_name, number): Promise<void> => {
      const before = await pods();
      const client = await clientOf(national, { citizen_national_id: number });
      for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
        await expectProblem(await client.request(method, webids), 403, 'identity-invalid');
      }
      await expect(pods()).resolves.toEqual(before);
    });

    it('a WebID and a national number of different citizens.', async(): Promise<void> => {
      const other = await createCitizen(base, national, newNumber());
      const clients = await Promise.all([
        clientOf(national, { webid: nora.webId, citizen_national_id: other.nationalNumber }),
        clientOf(national, { webid: nora.webId, citizen_national_id: newNumber() }),
      ]);
      for (const client of clients) {
        for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
          await expectProblem(await client.request(method, webids), 403, 'identity-mismatch');
        }
        const data = `${base}v1/contracts/diploma-employment/data`;
        await expectProblem(await client.request('GET', data), 403, 'identity-mismatch');
      }
      await expectNora();
    });

    it.each([
      [ 'GET' ],
      [ 'PUT' ],
    ])('%s of a WebID without national number.', async(method): Promise<void> => {
      const client = await clientOf(national, { webid: nora.webId });
      await expectProblem(await client.request(method, webids), 403, 'claim-missing');
    });

    it('apps that are not on the list, and tokens that name none.', async(): Promise<void> => {
      const before = await pods();
      const claimed = { webid: nora.webId, citizen_national_id: nora.nationalNumber };
      const clients = await Promise.all([
        clientOf(national, { ...claimed, client_id: 'https://other.example/id' }),
        clientOf(national, { ...claimed, client_id: 'https://other.example/id', azp: app }),
        clientOf(national, { ...claimed, client_id: undefined }),
      ]);
      for (const client of clients) {
        for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
          await expectProblem(await client.request(method, webids), 403, 'app-not-allowed');
        }
        const data = `${base}v1/contracts/diploma-employment/data`;
        await expectProblem(await client.request('GET', data), 403, 'app-not-allowed');
        await expectProblem(await client.request('POST', data, { body: [ 'id' ]}), 403, 'app-not-allowed');
        await expectProblem(await client.request('GET', `${base}v1/apps`), 403, 'app-not-allowed');
        await expectProblem(await client.request('DELETE', `${base}v1/apps/of-nobody`), 403, 'app-not-allowed');
      }
      await expect(pods()).resolves.toEqual(before);
      await expectNora();
    });

    it('no apps of data users: the list is of apps that act for citizens.', async(): Promise<void> => {
      const { client } = await accountWithPod(base, 'data-user');
      for (const path of [ 'v1/data-copies', 'v1/apps' ]) {
        expect((await client.request('GET', base + path)).status).toBe(200);
      }
    });
  });

  describe('takes', (): void => {
    it.each([
      [ 'a list of audiences', { aud: [ 'https://elsewhere.example/', 'solid' ]}],
      [ 'azp in place of client_id', { client_id: undefined, azp: app }],
      [ 'another app of the list', { client_id: 'https://another-app.example/id' }],
      [ 'iat within the skew', { iat: seconds(20) }],
    ])('%s.', async(_name, changed): Promise<void> => {
      const client = await clientOf(national, { citizen_national_id: nora.nationalNumber, ...changed });
      const response = await client.request('GET', webids);
      expect(response.status).toBe(200);
      expect(response.headers.get('deprecation')).toBeNull();
    });

    it('a DPoP proof by a clock that is a minute ahead.', async(): Promise<void> => {
      const dpop = await nora.client.proof('GET', webids, { iat: seconds(55) });
      expect((await nora.client.request('GET', webids, { dpop })).status).toBe(200);
      await expectProblem(await nora.client.request('GET', webids, { dpop }), 401, 'token-invalid');
    });

    it.each([ 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt' ])('the type %s.', async(typ): Promise<void> => {
      const client = await clientOf(national, { citizen_national_id: nora.nationalNumber }, 'DPoP', { header: { typ }});
      expect((await client.request('GET', webids)).status).toBe(200);
    });

    it('a national number with separators.', async(): Promise<void> => {
      const dotted = nora.nationalNumber.replace(/^(..)(..)(..)(...)(..)$/u, '$1.$2.$3-$4.$5');
      const client = await clientOf(national, { citizen_national_id: dotted });
      await expect((await client.request('GET', webids)).json()).resolves.toEqual({ uri: nora.webId });
    });

    describe('the deprecated token of a citizen', (): void => {
      const legacy = { aud: undefined, client_id: undefined, azp: app };

      it('on every operation on WebIDs, and marks the response as deprecated.', async(): Promise<void> => {
        const client = await clientOf(national, { ...legacy, citizen_national_id: newNumber() });
        const statuses = [ 404, 201, 200, 200, 200, 404 ];
        for (const method of [ 'GET', 'PUT', 'PUT', 'GET', 'DELETE', 'DELETE' ]) {
          const response = await client.request(method, webids);
          expect(response.status).toBe(statuses.shift());
          expect(response.headers.get('deprecation')).toMatch(/^@\d+$/u);
        }
      });

      it('with client_id instead of azp.', async(): Promise<void> => {
        const claims = { aud: undefined, citizen_national_id: nora.nationalNumber };
        expect((await (await clientOf(national, claims)).request('GET', webids)).status).toBe(200);
      });

      it.each([
        [ 'without azp and client_id', { azp: undefined }],
        [ 'without national number', { citizen_national_id: undefined }],
        [ 'without exp', { exp: undefined }],
        [ 'without iat', { iat: undefined }],
        [ 'expired', { exp: 1_700_000_000 }],
      ])('but not %s.', async(_name, changed): Promise<void> => {
        const client = await clientOf(national, { ...legacy, citizen_national_id: nora.nationalNumber, ...changed });
        await expectProblem(await client.request('GET', webids), 401, 'token-invalid');
      });

      it('with its own client for aud, also as an ID token.', async(): Promise<void> => {
        for (const changed of [{ aud: app }, { aud: [ app ], nonce: 'n', at_hash: 'h' }]) {
          const client = await clientOf(national, { ...legacy, citizen_national_id: nora.nationalNumber, ...changed });
          expect((await client.request('GET', webids)).status).toBe(200);
        }
      });

      it.each([
        [ 'to a web shop', { aud: shop, azp: shop }],
        [ 'to a web shop, as ID token', { aud: [ shop ], azp: shop, nonce: 'n', at_hash: 'h' }],
        [ 'to a web shop that names a listed app', { aud: shop }],
        [ 'to a web shop, without aud, as ID token', { azp: shop, c_hash: 'h' }],
        [ 'to a web shop, as ID token that names us too', { aud: [ shop, 'solid' ], azp: shop, nonce: 'n' }],
      ])('but not with %s.', async(_name, changed): Promise<void> => {
        const client = await clientOf(national, { ...legacy, citizen_national_id: nora.nationalNumber, ...changed });
        for (const method of [ 'GET', 'PUT', 'DELETE' ]) {
          await expectProblem(await client.request(method, webids), 401, 'token-invalid');
        }
        await expectNora();
      });

      it('but not from an untrusted issuer.', async(): Promise<void> => {
        const client = await clientOf(stranger, { ...legacy, citizen_national_id: nora.nationalNumber });
        await expectProblem(await client.request('GET', webids), 401, 'token-invalid');
      });

      it('but not on other operations.', async(): Promise<void> => {
        const client = await clientOf(national, { ...legacy, citizen_national_id: nora.nationalNumber });
        const data = `${base}v1/contracts/diploma-employment/data`;
        await expectProblem(await client.request('GET', data), 401, 'token-invalid');
        await expectProblem(await client.request('GET', `${base}v1/data-copies`), 401, 'token-invalid');
      });
    });
  });

  describe('creates and removes WebIDs:', (): void => {
    it('there is none before one is created.', async(): Promise<void> => {
      const client = await clientOf(national, { citizen_national_id: newNumber() });
      await expectProblem(await client.request('GET', webids), 404, 'webid-not-found');
      await expectProblem(await client.request('DELETE', webids), 404, 'webid-not-found');
    });

    it('fifty calls at once create one WebID and one pod.', async(): Promise<void> => {
      const before = await pods();
      const client = await clientOf(national, { citizen_national_id: newNumber() });
      const responses = await Promise.all(Array.from(
        { length: 50 },
        async(): Promise<Response> => client.request('PUT', webids),
      ));
      const uris = await Promise.all(responses.map(async(response): Promise<unknown> => response.json()));
      const statuses = responses.map(({ status }): number => status).sort((one, other): number => one - other);
      expect(statuses).toEqual([ ...Array.from({ length: 49 }).fill(200), 201 ]);
      expect(new Set(uris.map((uri): string => JSON.stringify(uri))).size).toBe(1);
      await expect(pods()).resolves.toHaveLength(before.length + 1);
    });

    it('the pod is the citizen\'s, and only the profile is public.', async(): Promise<void> => {
      const profile = await fetch(nora.webId, { headers: { accept: 'text/turtle' }});
      const turtle = await profile.text();
      expect(profile.status).toBe(200);
      expect(turtle).toContain(national.issuer);
      expect(turtle).toContain(nora.podUrl);
      expect((await fetch(nora.podUrl)).status).toBe(401);
      expect((await nora.client.request('GET', nora.podUrl)).status).toBe(200);
      const note = { headers: { 'content-type': 'text/plain' }, body: 'a note' };
      expect((await nora.client.request('PUT', `${nora.podUrl}note`, note)).status).toBe(201);
    });

    it('after DELETE the token is refused, the name is never reused, PUT makes a new pod.', async(): Promise<void> => {
      const citizen = await createCitizen(base, national, newNumber());
      const { client, webId, podUrl, podId, nationalNumber } = citizen;
      const deletion = await client.request('DELETE', webids);
      await expect(deletion.json()).resolves.toEqual({ uri: webId });
      expect(deletion.status).toBe(200);

      await expectProblem(await client.request('GET', `${base}v1/data-copies`), 401, 'token-invalid');
      await expectProblem(await client.request('PUT', webids), 401, 'token-invalid');
      expect((await client.request('GET', podUrl)).status).toBeGreaterThanOrEqual(400);
      expect((await fetch(webId)).status).toBeGreaterThanOrEqual(400);
      await expect(pods()).resolves.not.toContain(podId);

      const account = await createAccount(base, { email: 'squatter@example.org', password: 'squatter of a name' });
      await expect(createPod(account, podId)).rejects.toThrow('409');
      expect((await client.request('PUT', `${podUrl}note`, {
        headers: { 'content-type': 'text/plain' },
        body: 'a note',
      })).status).toBeGreaterThanOrEqual(400);

      const again = await createCitizen(base, national, nationalNumber);
      expect(again.webId).not.toBe(webId);
      await expectProblem(await client.request('GET', `${base}v1/data-copies`), 401, 'token-invalid');
      const response = await again.client.request('GET', webids);
      await expect(response.json()).resolves.toEqual({ uri: again.webId });
    });

    it('a WebID alone is enough to delete it.', async(): Promise<void> => {
      const { webId, nationalNumber } = await createCitizen(base, national, newNumber());
      const client = await clientOf(national, { webid: webId });
      const response = await client.request('DELETE', webids);
      await expect(response.json()).resolves.toEqual({ uri: webId });
      expect(response.status).toBe(200);
      const citizen = await clientOf(national, { citizen_national_id: nationalNumber });
      await expectProblem(await citizen.request('GET', webids), 404, 'webid-not-found');
    });

    it('simultaneous deletions and creations leave one pod or none.', async(): Promise<void> => {
      const before = await pods();
      const client = await clientOf(national, { citizen_national_id: newNumber() });
      const methods = Array.from({ length: 20 }, (_, index): Method => index % 4 === 3 ? 'DELETE' : 'PUT');
      const responses = await Promise.all(methods.map(async(method): Promise<Response> =>
        client.request(method, webids)));
      for (const { status } of responses) {
        expect([ 200, 201, 404 ]).toContain(status);
      }
      const { status } = await client.request('GET', webids);
      await expect(pods()).resolves.toHaveLength(before.length + (status === 200 ? 1 : 0));
    });

    it('ids reveal nothing: neither the national number nor other ids.', async(): Promise<void> => {
      const one = await createCitizen(base, national, newNumber());
      const next = await createCitizen(base, national, newNumber());
      await one.client.request('DELETE', webids);
      const again = await createCitizen(base, national, one.nationalNumber);
      const ids = [ one, next, again ].map(({ podId }): string => podId.replaceAll('-', ''));
      for (const [ id, other ] of [[ ids[0], ids[1] ], [ ids[0], ids[2] ], [ ids[1], ids[2] ]]) {
        // Of 32 digits, random ones differ 15 times in 16.
        const differ = Array.from({ length: 32 }, (_digit, index): boolean => id[index] !== other[index]);
        expect(differ.filter(Boolean).length).toBeGreaterThan(15);
      }
    });

    it('no pod gets a name that the service uses.', async(): Promise<void> => {
      const account = await createAccount(base, { email: 'taker@example.org', password: 'taker of a name' });
      await expect(createPod(account, 'v1')).rejects.toThrow('409');
      // The server itself makes names of letters, digits and hyphens.
      for (const name of [ '.access', '.uma' ]) {
        const { podUrl } = await createPod(account, name);
        expect(podUrl).not.toBe(`${base}${name}/`);
      }
    });
  });

  describe('answers requests for unknown operations', (): void => {
    it.each([
      'v1/',
      'v1/nothing',
      'v1/webids/',
      'v1/webids/more',
      'v1/contracts/diploma-employment/data/more',
      'v1/pods/x/resources/y/access-grants',
      'V1/../v1/nothing',
      '.access/nothing',
      '.uma/nothing',
    ])('with 404 for the path %s.', async(path): Promise<void> => {
      await expectProblem(await nora.client.request('GET', `${base}${path}`), 404, 'path-unknown');
    });

    it.each([
      [ 'POST', 'v1/webids', 'GET, PUT, DELETE' ],
      [ 'PATCH', 'v1/webids', 'GET, PUT, DELETE' ],
      [ 'PUT', 'v1/contracts/diploma-employment', 'GET' ],
      [ 'DELETE', 'v1/contracts/diploma-employment/data', 'GET, POST' ],
      [ 'POST', 'v1/resources', 'GET' ],
      [ 'GET', 'v1/verifications/business-key', 'POST' ],
      [ 'PUT', 'v1/data-copies', 'POST, DELETE, GET' ],
      [ 'POST', 'v1/gebouwen/90000001', 'GET' ],
      [ 'POST', '.health/live', 'GET' ],
      [ 'DELETE', '.health/ready', 'GET' ],
    ])('with 405 and the allowed methods: %s %s.', async(method, path, allowed): Promise<void> => {
      const response = await nora.client.request(method, `${base}${path}`, method === 'GET' ? {} : { body: {}});
      const allow = response.headers.get('allow')!.split(', ').filter((name): boolean =>
        ![ 'HEAD', 'OPTIONS' ].includes(name));
      expect(allow).toEqual(allowed.split(', '));
      await expectProblem(response, 405, 'method-not-allowed');
    });

    it.each([
      '/v1/contracts/..%2Fwebids',
      '/v1/contracts/a%5Cb',
      '/v1/contracts/%00',
      '/v1/contracts/%E0%A4%A',
      '/v1/contracts/%2e%2e/webids',
    ])('with 400 for the path %s as it was sent.', async(path): Promise<void> => {
      const response = await new Promise<IncomingMessage>((resolve, reject): void => {
        rawRequest({ host: 'localhost', port: new URL(base).port, path }, resolve).on('error', reject).end();
      });
      response.resume();
      expect(response.statusCode).toBe(400);
    });

    it.each([ 'not-a-uuid', '00000000-0000-0000-0000-00000000000g', '' ])(
      'with 400 for the correlation id "%s".',
      async(id): Promise<void> => {
        const response = await nora.client.request('PUT', webids, { headers: { 'x-correlation-id': id }});
        expect(response.headers.get('x-correlation-id')).not.toBe(id);
        await expectProblem(response, 400, 'correlation-id-invalid');
      },
    );

    it('and returns the correlation id of the request.', async(): Promise<void> => {
      const id = randomUUID();
      const response = await nora.client.request('GET', webids, { headers: { 'x-correlation-id': id }});
      expect(response.headers.get('x-correlation-id')).toBe(id);
    });
  });

  describe('refuses, on every operation with a body,', (): void => {
    const paths: [Method, string][] = [
      [ 'POST', 'v1/contracts/diploma-employment/data' ],
      [ 'POST', 'v1/verifications/business-key' ],
      [ 'POST', 'v1/data-copies' ],
      [ 'DELETE', 'v1/data-copies' ],
    ];

    async function tryBody(
      status: number,
      type: string,
      body: string | Uint8Array<ArrayBuffer> | (() => ReadableStream),
      headers: Record<string, string> = json,
      detail = '',
    ): Promise<void> {
      for (const [ method, path ] of paths) {
        const url = `${base}${path}`;
        const stream = typeof body === 'function';
        const response = await fetch(url, {
          method,
          headers: { ...await nora.client.authentication(method, url), ...headers },
          body: stream ? body() : body,
          ...stream && { duplex: 'half' },
        });
        await expect(response.clone().text()).resolves.toContain(detail);
        await expectProblem(response, status, type);
      }
    }

    it.each([
      [ 'text', { 'content-type': 'text/plain' }],
      [ 'a form', { 'content-type': 'application/x-www-form-urlencoded' }],
      [ 'another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
      [ 'a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    ])('%s.', async(_name, headers): Promise<void> => {
      await tryBody(415, 'media-type-unsupported', '{}', headers);
    });

    it('a body without type.', async(): Promise<void> => {
      await tryBody(415, 'media-type-unsupported', new Uint8Array([ 123, 125 ]), {});
    });

    it.each([
      [ 'what is no JSON', '{"dataValues":', 'is not JSON' ],
      [ 'invalid UTF-8', new Uint8Array([ 34, 255, 254, 34 ]), 'is not JSON' ],
      [ 'a member named twice', '{"resource":"a","resource":"b"}', 'names a member twice' ],
      [ '__proto__', '{"__proto__":{}}', 'has a member that is not allowed' ],
      [ 'deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, 'is nested' ],
      [ 'null', 'null', '' ],
      [ 'a number', '42', '' ],
      [ 'an object without members', '{}', '' ],
    ])('%s.', async(_name, body, detail): Promise<void> => {
      await tryBody(400, 'body-invalid', body, json, detail);
    });

    it('a body that declares too large a size.', async(): Promise<void> => {
      await tryBody(413, 'body-too-large', JSON.stringify([ 'x'.repeat(70_000) ]));
    });

    it('a body without a declared size that is too large.', async(): Promise<void> => {
      await tryBody(413, 'body-too-large', (): ReadableStream => new ReadableStream({
        start(controller): void {
          controller.enqueue(Buffer.from('['.repeat(70_000)));
        },
      }));
    });
  });

  it('logs which check a token failed, and nothing about the person concerned.', async(): Promise<void> => {
    const number = nora.nationalNumber;
    const names = [ nora.webId, nora.podId, number ].map(encodeURIComponent);
    const queries = names.flatMap((name): string[] =>
      [ `${name}=1`, `resource=${name}`, `limit=${name}`, `q=${name}` ]);
    for (const { method, path } of table) {
      for (const query of queries) {
        const url = `${base}${pathOf({ path }).replaceAll('x', names[1])}?${query}`;
        const answer = await fetch(url, { method, headers: await nora.client.authentication(method, url) });
        await answer.body?.cancel();
      }
    }
    const pod = await fetch(nora.podUrl, { headers: { authorization: 'Bearer no.jw.t' }});
    const podLine = 'GET left to the Solid server 401';
    await until(async(): Promise<boolean> =>
      server.log().includes(`${pod.headers.get('x-correlation-id')} ${podLine}`));
    const own = stripVTControlCharacters(server.log()).split('\n')
      .filter((line): boolean => / \[DataSharing\w*\] .* info: [\da-f-]{36} /u.test(line));
    const request = /[\da-f-]{36} [A-Z_]+ (?:\/\S*|unknown path|left to the Solid server) \d{3} in [\d.]+ ms/u;
    expect(own.filter((line): boolean => !request.test(line))).toEqual([]);
    const about = own.join('\n');
    expect(placesThatMention({ log: [ about ]}, numbers)).toEqual([]);
    expect(about).not.toContain(nora.podId);
    expect(about).not.toContain('https:');
    expect(about).toContain('PUT /v1/webids 401');
    // Requests on pods without a token are not logged.
    const refused = about.split('\n')
      .filter((line): boolean => / 40[13] in /u.test(line) && !line.includes('left to the Solid server'));
    expect(refused.filter((line): boolean => !/: [a-z_-]+(?:, .+)?$/u.test(line))).toEqual([]);
    expect(about).toMatch(/401 in [\d.]+ ms: token-invalid, aud does not contain the audience of this server$/mu);
    expect(about).toMatch(/401 in [\d.]+ ms: token-invalid, the signature is not of a key of the issuer$/mu);
    expect(about).toMatch(new RegExp(`${podLine} in [\\d.]+ ms: token-invalid, the token is not a JWT$`, 'mu'));
  });

  it('has served all this without internal errors, and logged no number and no token.', async(): Promise<void> => {
    await expectNora();
    const log = server.log();
    expect(log).not.toMatch(/Internal Server Error|UnhandledPromise/u);
    expect(log).not.toMatch(/eyJ[\w-]+\.eyJ/u);
    const { stored } = server;
    const places = { log: [ log ], names: [ (await stored.podPaths()).join('\n') ], records: await stored.records() };
    expect(placesThatMention(places, numbers)).toEqual([]);
  });
});
