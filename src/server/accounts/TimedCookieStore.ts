import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { BaseCookieStore } from '@solid/community-server';
import type { ExpiringStorage } from '@solid/community-server';

const lifetimeSeconds = 14 * 24 * 3600;

/** Time of the authentication, in ms since 1970, when the person was authenticated elsewhere. */
const authentication = new AsyncLocalStorage<number>();

/**
 * Runs work that logs in a person who was authenticated elsewhere.
 *
 * @param moment - Time of the authentication, in ms since 1970; absent when unknown.
 * @param work - Performs the log-in.
 */
export async function authenticatedElsewhere<T>(moment: number | undefined, work: () => Promise<T>): Promise<T> {
  return authentication.run(moment ?? 0, work);
}

/**
 * Log-ins to accounts. Their cookies contain the time of the log-in, and that of the authentication before it if it
 * differs, so that apps can request a recent log-in.
 */
export class TimedCookieStore extends BaseCookieStore {
  private readonly values: ExpiringStorage<string, string>;

  /**
   * @param storage - Ids of accounts by cookie.
   */
  public constructor(storage: ExpiringStorage<string, string>) {
    super(storage, lifetimeSeconds);
    this.values = storage;
  }

  public override async generate(accountId: string): Promise<string> {
    const now = Date.now();
    const authenticated = authentication.getStore();
    const moments = authenticated === undefined ? [ now ] : [ Math.min(authenticated, now), now ];
    const cookie = [ randomUUID(), ...moments.map((moment): string => moment.toString(36)) ].join('_');
    await this.values.set(cookie, accountId, lifetimeSeconds * 1000);
    return cookie;
  }
}

/** Time of a log-in, in ms since 1970. Only trustworthy for a stored cookie. Cookies of earlier versions have none. */
export function loggedInAt(cookie: string | undefined): number | undefined {
  const moment = /_([\da-z]{8,9})$/u.exec(cookie ?? '')?.[1];
  return moment === undefined ? undefined : Number.parseInt(moment, 36);
}

/**
 * Time at which the person was authenticated: that of the log-in, or of an authentication elsewhere; 0 when unknown.
 */
export function authenticatedAt(cookie: string | undefined): number | undefined {
  const moment = /_(0|[\da-z]{8,9})_[\da-z]{8,9}$/u.exec(cookie ?? '')?.[1];
  return moment === undefined ? loggedInAt(cookie) : Number.parseInt(moment, 36);
}
