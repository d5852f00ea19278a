import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SolidApp } from './SolidApp';
import type { Visited } from './UserAgent';
import { UserAgent } from './UserAgent';
import type { Client } from './world';

/** Claim of the test provider with the national number. */
export const numberClaim = 'urn:be:national-number';

/** Describes a provider for the operator's file. */
export function describeProvider(issuer: string, further: object = {}): Record<string, unknown> {
  return {
    id: 'stateid',
    issuer,
    name: { nl: 'StaatID', fr: 'ID d’État', de: 'StaatsID', en: 'StateID' },
    clientId: 'data-sharing',
    clientAuthentication: { method: 'private_key_jwt' },
    scopes: [ 'openid' ],
    nationalNumber: { from: 'id_token', claim: numberClaim },
    ...further,
  };
}

/** Writes the operator's file; returns its path. */
export async function writeProviders(folder: string, providers: object[]): Promise<string> {
  const file = join(folder, 'national-login.json');
  await writeFile(file, JSON.stringify(providers));
  return file;
}

/** A provider at which people log in. */
export interface Authorizing {
  /** Sends an authorization request back to its redirect URI with a code. */
  authorize: (location: string, claims: Record<string, unknown>) => Promise<URL> | URL;
}

/** A person at a browser who logs in with their national identity. */
export class LoggingIn {
  public constructor(
    public readonly browser: UserAgent,
    private readonly provider: Authorizing,
    private readonly claims: Record<string, unknown>,
    private readonly id = 'stateid',
  ) {}

  /** Chooses the provider; returns the authorization request. */
  public async begin(): Promise<string> {
    const { json } = await this.browser.ask<{ location: string }>('.account/login/national/', { provider: this.id });
    return json.location;
  }

  /** Logs in at the provider; returns the redirect URI with its response. */
  public async come(): Promise<URL> {
    return this.provider.authorize(await this.begin(), this.claims);
  }

  /** Follows the redirect with the provider's response. */
  public async bring(answer: URL): Promise<Visited> {
    return this.browser.ask(answer.origin + answer.pathname, { answer: answer.search.slice(1) });
  }

  /** Accepts or declines a WebID and pod. */
  public async say(ticket: unknown, answer: 'no' | 'yes'): Promise<Visited> {
    return this.browser.ask('.account/login/welcome/', { ticket, answer });
  }

  /** Logs out here. */
  public async logOut(): Promise<void> {
    const { json: { controls }} = await this.browser.ask<{ controls: { account: { logout: string }}}>('.account/');
    await this.browser.ask(controls.account.logout, {});
  }

  /** Gets the provider's log-out page after logging out here. */
  public async leave(): Promise<{ name?: string; location?: string }> {
    const { json: { location, name }} =
      await this.browser.ask<{ name?: string; location?: string }>('.account/logout/', {});
    return { location, name };
  }

  /** Does all steps, up to a logged-in person. */
  public async logIn(): Promise<Visited> {
    return this.finish(await this.come());
  }

  /** Does the steps after the provider's response. */
  public async finish(answer: URL): Promise<Visited> {
    const brought = await this.bring(answer);
    return brought.json.ticket === undefined ? brought : this.say(brought.json.ticket, 'yes');
  }
}

/**
 * Logs a person in to a Solid app, by the national provider.
 *
 * @param base - Base URL of the server.
 * @param provider - The national provider.
 * @param claims - Of the person.
 * @param id - Of the provider here.
 */
export async function logInToApp(
  base: string,
  provider: Authorizing,
  claims: Record<string, unknown> = {},
  id?: string,
): Promise<{ webIds: string[]; client: Client }> {
  const app = await SolidApp.register(base);
  const browser = new UserAgent(base);
  const request = app.request();
  await browser.follow(request.url);
  const { json: { location }} = await new LoggingIn(browser, provider, claims, id).logIn();
  const { back, webIds } = await app.consent(browser, location as string);
  return { webIds, client: await app.exchange(back, request.verifier) };
}
