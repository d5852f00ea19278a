import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { createAccount, createPod } from '../../demo/lib/accounts';
import { json } from '../support/sharingWorld';
import { SolidApp } from '../support/SolidApp';
import type { TestServer } from '../support/world';
import { startServer } from '../support/world';

/** Demands of Solid-OIDC and OpenID Connect that the stock server does not meet. */
describe('The identity provider', (): void => {
  const login = { email: 'ann@example.org', password: 'the long sentence of Ann' };
  let server: TestServer;
  let base: string;
  let ann: { webId: string; podUrl: string };

  beforeAll(async(): Promise<void> => {
    server = await startServer();
    ({ base } = server);
    ann = await createPod(await createAccount(base, login), 'ann');
  });

  afterAll(async(): Promise<void> => server?.stop());

  it.each([
    [ 'PUT', '.well-known/openid-configuration', 'HEAD, GET, OPTIONS' ],
    [ 'POST', '.oidc/jwks', 'HEAD, GET, OPTIONS' ],
    [ 'GET', '.oidc/token', 'POST, OPTIONS' ],
    [ 'GET', '.oidc/reg', 'POST, OPTIONS' ],
    [ 'DELETE', '.oidc/auth', 'HEAD, GET, POST, OPTIONS' ],
    [ 'PATCH', '.oidc/session/end', 'POST, HEAD, GET, OPTIONS' ],
  ])('names the methods that a path has: %s %s.', async(method, path, allowed): Promise<void> => {
    const response = await fetch(base + path, { method });
    expect([ response.status, response.headers.get('allow') ]).toEqual([ 405, allowed ]);
    await expect(response.json()).resolves.toMatchObject({ error: 'invalid_request' });
  });

  it('has nothing at other paths.', async(): Promise<void> => {
    expect((await fetch(`${base}.oidc/nothing`)).status).toBe(404);
  });

  it('challenges clients by the scheme that they use.', async(): Promise<void> => {
    const response = await fetch(`${base}.oidc/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('nobody:secret')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(`Basic realm="${base}"`);
    await expect(response.json()).resolves.toMatchObject({ error: 'invalid_client' });
  });

  it('signs ID tokens by RS256 for apps that want it.', async(): Promise<void> => {
    const metadata = await json<{ id_token_signing_alg_values_supported: string[]; jwks_uri: string }>(
      await fetch(`${base}.well-known/openid-configuration`),
    );
    expect(metadata.id_token_signing_alg_values_supported.sort()).toEqual([ 'ES256', 'RS256' ]);
    const app = await SolidApp.register(base, undefined, { id_token_signed_response_alg: 'RS256' });
    const { client, idToken } = await app.logIn(login);
    const keys = createLocalJWKSet(await json<JSONWebKeySet>(await fetch(metadata.jwks_uri)));
    const { protectedHeader } = await jwtVerify(idToken, keys, { issuer: base, audience: app.clientId });
    expect(protectedHeader.alg).toBe('RS256');
    expect(decodeProtectedHeader(client.token!).alg).toBe('ES256');
    expect((await client.withToken(idToken).request('GET', ann.podUrl)).status).toBe(200);
  });

  it('takes its ID tokens back when somebody logs out.', async(): Promise<void> => {
    const [ app, other ] = [
      await SolidApp.register(base, 'Reader', { post_logout_redirect_uris: [ 'http://localhost:1/bye' ]}),
      await SolidApp.register(base),
    ];
    const { idToken } = await app.logIn(login);
    async function logOut(parameters: Record<string, string>): Promise<number> {
      const query = new URLSearchParams({ id_token_hint: idToken, ...parameters });
      return (await fetch(`${base}.oidc/session/end?${query.toString()}`)).status;
    }
    await expect(logOut({ post_logout_redirect_uri: 'http://localhost:1/bye' })).resolves.toBe(200);
    await expect(logOut({ client_id: app.clientId })).resolves.toBe(200);
    await expect(logOut({ client_id: other.clientId })).resolves.toBe(400);
    await expect(logOut({ post_logout_redirect_uri: 'http://localhost:1/elsewhere' })).resolves.toBe(400);
    const [ header, payload, signature ] = idToken.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const changed = Buffer.from(JSON.stringify({ ...claims, azp: other.clientId })).toString('base64url');
    await expect(logOut({ id_token_hint: `${header}.${changed}.${signature}` })).resolves.toBe(400);
  });

  it('binds ID tokens to the key of the app, for every Solid server, and renewed ones too.', async(): Promise<void> => {
    const app = await SolidApp.register(base);
    const { client, claims, idToken, renew } = await app.logIn(login);
    const { id_token: renewed } = await json<{ id_token: string }>(await renew());
    const expected = {
      webid: ann.webId,
      azp: app.clientId,
      aud: [ app.clientId, 'solid' ],
      cnf: { jkt: await client.jkt() },
    };
    expect(claims).toMatchObject(expected);
    expect(JSON.parse(Buffer.from(renewed.split('.')[1], 'base64url').toString())).toMatchObject(expected);

    // As any other token for Solid servers, they end with the log-in.
    const byIdToken = client.withToken(idToken);
    expect((await byIdToken.request('GET', ann.podUrl)).status).toBe(200);
    const listed = await client.request('GET', `${base}v1/apps`);
    const { apps } = await json<{ apps: { id: string; clientId: string }[] }>(listed);
    const { id } = apps.find(({ clientId }): boolean => clientId === app.clientId)!;
    expect((await client.request('DELETE', `${base}v1/apps/${id}`)).status).toBe(200);
    expect((await byIdToken.request('GET', ann.podUrl)).status).toBe(401);
  });
});
