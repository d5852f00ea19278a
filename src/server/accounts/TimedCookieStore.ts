import { randomUUID } from 'node:crypto';
import { BaseCookieStore } from '@solid/community-server';
import type { ExpiringStorage } from '@solid/community-server';

const lifetimeSeconds = 14 * 24 * 3600;

/** Log-ins to accounts, whose cookies name the moment of the log-in: apps can ask for one that is recent. */
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
    const cookie = `${randomUUID()}_${Date.now().toString(36)}`;
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
