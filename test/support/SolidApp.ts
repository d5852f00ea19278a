import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { JWTPayload } from 'jose';
import { json } from '../../demo/lib/json';
import { UserAgent } from './UserAgent';
import { Client } from './world';

/** A Solid app that registers at an identity provider, where people log in. */
export class SolidApp {
  public readonly redirectUri = 'http://localhost:1/back';

  private constructor(private readonly issuer: string, public readonly clientId: string) {}

  /** Registers an app, with its name if it has one, and further metadata. */
  public static async register(issuer: string, name?: string, further: object = {}): Promise<SolidApp> {
    const response = await fetch(`${issuer}.oidc/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [ 'http://localhost:1/back' ],
        token_endpoint_auth_method: 'none',
        grant_types: [ 'authorization_code', 'refresh_token' ],
        client_name: name,
        ...further,
      }),
    });
    const { client_id: clientId } = await json(response, 201) as { client_id: string };
    return new SolidApp(issuer, clientId);
  }

  /** Makes an authorization request, with the values that are needed for its response. */
  public request(further: Record<string, string> = {}): { url: string; verifier: string } {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      response_type: 'code',
      scope: 'openid webid offline_access',
      prompt: 'consent',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...further,
    });
    return { url: `${this.issuer}.oidc/auth?${query.toString()}`, verifier };
  }

  /** Accepts on the consent page; returns the WebIDs to choose from, and the redirect. */
  public async consent(browser: UserAgent, location: string): Promise<{ webIds: string[]; back: URL }> {
    await browser.follow(location);
    const { json: { webIds }} = await browser.ask<{ webIds: string[] }>('.account/oidc/pick-webid/');
    const picked = await browser.ask<{ location: string }>('.account/oidc/pick-webid/', { webId: webIds[0] });
    await browser.follow(picked.json.location);
    const consented = await browser.ask<{ location: string }>('.account/oidc/consent/', { remember: true });
    return { webIds, back: new URL(await browser.follow(consented.json.location)) };
  }

  /** Logs in with a password, in a browser without a session. */
  public async logIn(login: { email: string; password: string }): ReturnType<SolidApp['redeem']> {
    const browser = new UserAgent(this.issuer);
    const { url, verifier } = this.request();
    await browser.follow(url);
    const { json: { location }} = await browser.ask<{ location: string }>('.account/login/password/', login);
    const { back } = await this.consent(browser, location);
    return this.redeem(back, verifier);
  }

  /** Exchanges the code for a token bound to a key. */
  public async exchange(back: URL, verifier: string): Promise<Client> {
    return (await this.redeem(back, verifier)).client;
  }

  /** Like `exchange`, with the ID token and its claims, the refresh token, and a function that refreshes the tokens. */
  public async redeem(back: URL, verifier: string): Promise<{
    client: Client;
    claims: JWTPayload;
    renew: () => Promise<Response>;
    refreshToken: string;
    idToken: string;
  }> {
    const client = await Client.withDpop();
    const response = await this.askForTokens(client, {
      grant_type: 'authorization_code',
      redirect_uri: this.redirectUri,
      code: back.searchParams.get('code')!,
      code_verifier: verifier,
    });
    const { access_token: token, id_token: idToken, refresh_token: refreshToken } =
      await json(response, 200) as { access_token: string; id_token: string; refresh_token: string };
    return {
      client: client.withToken(token),
      claims: decodeJwt(idToken),
      refreshToken,
      idToken,
      renew: async(): Promise<Response> =>
        this.askForTokens(client, { grant_type: 'refresh_token', refresh_token: refreshToken }),
    };
  }

  private async askForTokens(client: Client, parameters: Record<string, string>): Promise<Response> {
    return client.request('POST', `${this.issuer}.oidc/token`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: this.clientId, ...parameters }).toString(),
    });
  }
}
