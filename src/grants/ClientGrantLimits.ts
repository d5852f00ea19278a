import { DateTime } from 'luxon';
import type { Duration } from 'luxon';
import type { Clock } from '../platform/clock';
import { siteOf } from '../platform/siteOf';
import type { WebId } from '../platform/webId';
import { TooManyGrants } from '../problems';
import type { GrantStore } from './GrantStore';
import type { GrantStatement } from './GrantStatement';

/** Dependencies and settings of {@link ClientGrantLimits}. */
export interface ClientGrantLimitsOptions {
  grants: Pick<GrantStore, 'countMade'>;
  now: Clock;
  /** Longest lifetime of a client's grant, from now; without it, grants need not expire. */
  maxGrantDuration?: Duration;
  /** Issuers that the operator vouches for: their users have a quota each, but none together. */
  knownIssuers?: readonly string[];
  /** Maximum number of requests, grants and denials per WebID and hour. */
  maxPerWebId?: number;
  /** Maximum per hour for all WebIDs together whose issuers share one site and are unknown to the operator. */
  maxPerIssuer?: number;
}

/** The person who makes a statement. */
export interface Stater {
  webId: WebId;
  /** Issuer of the token. */
  issuer: string;
}

const windowSeconds = 60 * 60;

/** Limits the number and the lifetime of clients' statements. */
export class ClientGrantLimits {
  public constructor(private readonly options: ClientGrantLimitsOptions) {}

  /** @throws TooManyGrants when the caller, or the issuer of its token, is over its quota. */
  public async check({ webId, issuer }: Stater): Promise<void> {
    const { grants, knownIssuers = [], maxPerWebId = 2000, maxPerIssuer = 20_000, now } = this.options;
    const since = new Date(now().getTime() - (windowSeconds * 1000));
    const isPast = await grants.countMade({ subject: webId }, since, maxPerWebId) >= maxPerWebId ||
      (!knownIssuers.includes(issuer) &&
        await grants.countMade({ tokenIssuer: this.quotaOf(issuer) }, since, maxPerIssuer) >= maxPerIssuer);
    if (isPast) {
      throw new TooManyGrants(undefined, { headers: { 'Retry-After': `${windowSeconds}` }});
    }
  }

  /**
   * Returns the key under which issuers share a quota: one site may have any number of issuers, at different paths,
   * ports or hosts.
   */
  public quotaOf(issuer: string): string {
    const { knownIssuers = []} = this.options;
    return knownIssuers.includes(issuer) ? issuer : siteOf(new URL(issuer).hostname);
  }

  /** Returns the end of a statement made now; of a grant, at most the longest lifetime from now. */
  public endOf({ kind, expiresAt }: Pick<GrantStatement, 'expiresAt' | 'kind'>, now: Date): Date | undefined {
    const { maxGrantDuration } = this.options;
    if (kind !== 'grant' || !maxGrantDuration) {
      return expiresAt;
    }
    const last = DateTime.fromJSDate(now, { zone: 'utc' }).plus(maxGrantDuration).toJSDate();
    return expiresAt && expiresAt < last ? expiresAt : last;
  }
}
