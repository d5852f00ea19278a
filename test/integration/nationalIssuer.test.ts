import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Session } from '@inrupt/solid-client-authn-node';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { logInByCode } from '../../demo/lib/tokens';
import type { TestNational } from '../support/world';
import { Client, logInByClientCredentials, startNationalIssuer } from '../support/world';

const webIds = new Map<string, string>();
const questions: { header: Record<string, unknown>; payload: Record<string, unknown> }[] = [];
let status = 200;

/** Stand-in for the data-sharing service, with the WebIDs of some national numbers. */
async function answerWebId(national: TestNational, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const keys = createRemoteJWKSet(new URL('jwks', national.issuer));
  const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
  const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer: national.issuer, audience: 'solid' });
  questions.push({ header: { ...protectedHeader }, payload });
  const uri = webIds.get(String(payload.citizen_national_id));
  if (status === 200 && request.url === '/v1/webids' && uri) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ uri }));
  } else {
    response.writeHead(status === 200 ? 404 : status).end();
  }
}

describe('The example national issuer', (): void => {
  let service: Server;
  let national: TestNational;

  beforeAll(async(): Promise<void> => {
    service = createServer((request, response): void => {
      answerWebId(national, request, response).catch((): void => {
        response.writeHead(401).end();
      });
    }).listen(0, 'localhost');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    national = await startNationalIssuer({ service: `http://localhost:${port}/` });
  });

  beforeEach((): void => {
    status = 200;
    questions.length = 0;
    webIds.clear();
  });

  afterAll(async(): Promise<void> => {
    await national.stop();
    service.close();
    service.closeAllConnections();
  });

  async function verify(token: string | undefined): Promise<Record<string, unknown>> {
    const keys = createRemoteJWKSet(new URL('jwks', national.issuer));
    const { payload } = await jwtVerify(token!, keys, { issuer: national.issuer, audience: 'solid', typ: 'at+jwt' });
    return payload;
  }

  it('identifies the citizen in a token bound to the DPoP key.', async(): Promise<void> => {
    const { client } = await logInByCode(await Client.withDpop(), national.issuer, 'emma');
    const claims = await verify(client.token);
    expect(claims).toMatchObject({
      sub: `${national.issuer}citizens/emma`,
      citizen_national_id: national.citizen('emma').nationalNumber,
      client_id: expect.stringMatching(/^[\da-f-]{36}$/u),
      cnf: { jkt: await client.jkt() },
    });
    expect(claims).not.toHaveProperty('webid');
  });

  it('adds the WebID to both tokens as soon as the citizen has one.', async(): Promise<void> => {
    webIds.set(national.citizen('emma').nationalNumber, 'https://pods.example/emma/profile/card#me');
    const { client, tokens } = await logInByCode(await Client.withDpop(), national.issuer, 'emma');
    await expect(verify(client.token)).resolves.toMatchObject({ webid: 'https://pods.example/emma/profile/card#me' });
    const idToken = decodeJwt(tokens.id_token!);
    expect(idToken).toMatchObject({ sub: `${national.issuer}citizens/emma`, webid: 'https://pods.example/emma/profile/card#me' });
    expect(idToken.azp).toBe(idToken.aud);
    expect(JSON.stringify(idToken)).not.toContain(national.citizen('emma').nationalNumber);
    expect(tokens.refresh_token).toBeDefined();
  });

  it('forgets a WebID that is gone.', async(): Promise<void> => {
    const { nationalNumber } = national.citizen('emma');
    webIds.set(nationalNumber, 'https://pods.example/emma/profile/card#me');
    await expect(verify((await national.logIn('emma')).token)).resolves.toHaveProperty('webid');
    webIds.delete(nationalNumber);
    await expect(verify((await national.logIn('emma')).token)).resolves.not.toHaveProperty('webid');
  });

  it('asks the service with a token of its own for that citizen, which lasts a minute.', async(): Promise<void> => {
    await national.logIn('lucas');
    expect(questions).toHaveLength(1);
    const [{ header, payload }] = questions;
    expect(header).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(payload).toMatchObject({ citizen_national_id: national.citizen('lucas').nationalNumber });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(60);
  });

  it('issues no token when the service does not say whether there is a WebID.', async(): Promise<void> => {
    status = 500;
    await expect(national.logIn('emma')).rejects.toThrow('temporarily_unavailable');
  });

  it('issues Bearer tokens to clients without a DPoP key.', async(): Promise<void> => {
    const claims = await verify((await national.logIn('noor', 'Bearer')).token);
    expect(claims).toMatchObject({ citizen_national_id: national.citizen('noor').nationalNumber });
    expect(claims).not.toHaveProperty('cnf');
  });

  it('names no citizen in the tokens of an app that acts for itself.', async(): Promise<void> => {
    const app = await logInByClientCredentials(Client.withBearer(), national.issuer, national.credentials());
    const claims = await verify(app.token);
    expect(claims).not.toHaveProperty('citizen_national_id');
    expect(claims).not.toHaveProperty('webid');
    expect(questions).toHaveLength(0);
  });

  it('refuses a wrong client secret.', async(): Promise<void> => {
    const { id } = national.credentials('emma');
    await expect(logInByClientCredentials(Client.withBearer(), national.issuer, { id, secret: 'wrong' }))
      .rejects.toThrow('invalid_client');
  });

  it('refuses to log in somebody it does not know.', async(): Promise<void> => {
    await expect(logInByCode(await Client.withDpop(), national.issuer, 'mallory'))
      .rejects.toThrow('The login was refused');
  });

  it.each([ 'DPoP', 'Bearer' ] as const)('logs in the stock Solid client, %s.', async(tokenType): Promise<void> => {
    webIds.set(national.citizen('emma').nationalNumber, 'https://pods.example/emma/profile/card#me');
    const { id, secret } = national.credentials('emma');
    const session = new Session({ keepAlive: false });
    await session.login({ clientId: id, clientSecret: secret, oidcIssuer: national.issuer, tokenType });
    expect(session.info).toMatchObject({ isLoggedIn: true, webId: 'https://pods.example/emma/profile/card#me' });
    await session.logout();
  });

  it.each([
    [ 'GET', '.well-known/openid-configuration' ],
    [ 'GET', 'jwks' ],
    [ 'POST', 'reg' ],
    [ 'POST', 'token' ],
    [ 'POST', 'token/revocation' ],
  ])('lets scripts of any origin %s %s, and read errors.', async(method, path): Promise<void> => {
    const url = new URL(path, national.issuer);
    const origin = 'https://app.example';
    const preflight = await fetch(url, { method: 'OPTIONS', headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type,dpop',
    }});
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toContain(method);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type.*dpop/iu);
    for (const body of method === 'GET' ? [ undefined ] : [ '{', 'grant_type=none&token=none&client_id=none' ]) {
      const response = await fetch(url, { method, body, headers: { origin }});
      expect(response.status).toBe(method === 'GET' ? 200 : response.status);
      expect(response.headers.get('access-control-allow-origin')).toMatch(/^\*$|^https:\/\/app\.example$/u);
      await response.body?.cancel();
    }
  });

  it('gives scripts no access to anything else.', async(): Promise<void> => {
    for (const path of [ 'auth', 'interaction/none', 'session/end', 'citizens/emma' ]) {
      const response = await fetch(new URL(path, national.issuer), { headers: { origin: 'https://app.example' }});
      expect([ path, response.headers.get('access-control-allow-origin') ]).toEqual([ path, null ]);
      await response.body?.cancel();
    }
  });

  it('sets no cookie that another server on this host would receive.', async(): Promise<void> => {
    const answers = [ 'auth?client_id=none', 'session/end', 'interaction/none' ].map(async(path): Promise<string[]> => {
      const response = await fetch(new URL(path, national.issuer));
      await response.text();
      return response.headers.getSetCookie();
    });
    const cookies = (await Promise.all(answers)).flat();
    expect(cookies.length).toBeGreaterThan(0);
    expect(cookies.filter((cookie): boolean => !cookie.startsWith('national_'))).toEqual([]);
  });

  it('has pages that load nothing from elsewhere and run no script.', async(): Promise<void> => {
    for (const path of [ 'auth?client_id=none', 'interaction/none', 'session/end/success' ]) {
      const response = await fetch(new URL(path, national.issuer), { headers: { accept: 'text/html' }});
      const html = await response.text();
      expect([ path, html ]).toEqual([ path, expect.stringContaining('<h1>') ]);
      expect([ path, html ]).toEqual([ path, expect.not.stringMatching(/(?:src|href|url|@import)[^>]*\/\//u) ]);
      expect([ path, html ]).toEqual([ path, expect.not.stringContaining('<script') ]);
      expect([ path, response.headers.get('content-security-policy') ])
        .toEqual([ path, expect.stringContaining('default-src \'none\'') ]);
    }
  });

  it('keeps national numbers out of its log.', async(): Promise<void> => {
    await national.logIn('emma');
    expect(national.log()).not.toMatch(/\d{11}/u);
  });
});
