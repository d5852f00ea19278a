import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { BaseCookieStore } from '@solid/community-server';
import type { ExpiringStorage } from '@solid/community-server';

const lifetimeSeconds = 14 * 24 * 3600;

/** When the person who logs in was authenticated, in ms since 1970, if that was not here and now. */
const authentication = new AsyncLocalStorage<number>();

/**
 * Does work that logs somebody in who was authenticated elsewhere.
 *
 * @param moment - Of the authentication, in ms since 1970; when absent, nobody knows how long ago it was.
 * @param work - Makes the log-in.
 */
export async function authenticatedElsewhere<T>(moment: number | undefined, work: () => Promise<T>): Promise<T> {
  return authentication.run(moment ?? 0, work);
}

/**
 * Log-ins to accounts. Their cookies have the time of the log-in, after that of the authentication if it differs, so
 * that apps can request a recent log-in.
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

/**
 * The moment of a log-in, in ms since 1970: to be believed of a cookie that is stored. Those of earlier versions name
 * none.
 */
export function loggedInAt(cookie: string | undefined): number | undefined {
  const moment = /_([\da-z]{8,9})$/u.exec(cookie ?? '')?.[1];
  return moment === undefined ? undefined : Number.parseInt(moment, 36);
}

/**
 * The moment at which the person of a log-in was authenticated: that of the log-in, unless it was elsewhere; 0 when
 * nobody knows.
 */
export function authenticatedAt(cookie: string | undefined): number | undefined {
  const moment = /_(0|[\da-z]{8,9})_[\da-z]{8,9}$/u.exec(cookie ?? '')?.[1];
  return moment === undefined ? loggedInAt(cookie) : Number.parseInt(moment, 36);
}
