import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SolidApp } from './SolidApp';
import type { Visited } from './UserAgent';
import { UserAgent } from './UserAgent';
import type { Client } from './world';

/** Claim in which the test provider tells the national number. */
export const numberClaim = 'urn:be:national-number';

/** Describes a provider as the file of the operator does. */
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

/** Writes the file of the operator; returns its path. */
export async function writeProviders(folder: string, providers: object[]): Promise<string> {
  const file = join(folder, 'national-login.json');
  await writeFile(file, JSON.stringify(providers));
  return file;
}

/** Where a person logs in. */
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

  /** Logs in at the provider; returns the redirect URI with its answer. */
  public async come(): Promise<URL> {
    return this.provider.authorize(await this.begin(), this.claims);
  }

  /** Brings the answer of the provider. */
  public async bring(answer: URL): Promise<Visited> {
    return this.browser.ask(answer.origin + answer.pathname, { answer: answer.search.slice(1) });
  }

  /** Accepts or declines a WebID and pod. */
  public async say(ticket: unknown, answer: 'no' | 'yes'): Promise<Visited> {
    return this.browser.ask('.account/login/welcome/', { ticket, answer });
  }

  /** Asks where to log out, too, after logging out here. */
  public async leave(): Promise<{ name?: string; location?: string }> {
    const { json: { location, name }} =
      await this.browser.ask<{ name?: string; location?: string }>('.account/logout/', {});
    return { location, name };
  }

  /** All of it, to a person who is logged in. */
  public async logIn(): Promise<Visited> {
    return this.finish(await this.come());
  }

  /** All that follows after the provider has answered. */
  public async finish(answer: URL): Promise<Visited> {
    const brought = await this.bring(answer);
    return brought.json.ticket === undefined ? brought : this.say(brought.json.ticket, 'yes');
  }
}

/**
 * Logs a person in to a Solid app, which goes through the national provider.
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
