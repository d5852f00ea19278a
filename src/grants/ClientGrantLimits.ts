import { DateTime } from 'luxon';
import type { Duration } from 'luxon';
import type { Clock } from '../platform/clock';
import { siteOf } from '../platform/siteOf';
import type { WebId } from '../platform/webId';
import { TooManyGrants } from '../problems';
import type { GrantStore } from './GrantStore';
import type { GrantStatement } from './GrantStatement';

/** Parts and settings of {@link ClientGrantLimits}. */
export interface ClientGrantLimitsOptions {
  grants: Pick<GrantStore, 'countMade'>;
  now: Clock;
  /** How long a client's grant lasts at most, from now; without it grants need not end. */
  maxGrantDuration?: Duration;
  /** Issuers whose users have no quota together, each of them still having one: those the operator answers for. */
  knownIssuers?: readonly string[];
  /** How many requests, grants and denials a WebID may have made in an hour. */
  maxPerWebId?: number;
  /** The same for all WebIDs together that issuers of one site vouch for which are unknown to the operator. */
  maxPerIssuer?: number;
}

/** The person for whom a statement is made. */
export interface Stater {
  webId: WebId;
  /** Issuer of the token. */
  issuer: string;
}

const windowSeconds = 60 * 60;

/** Limits the number and the duration of what clients state. */
export class ClientGrantLimits {
  public constructor(private readonly options: ClientGrantLimitsOptions) {}

  /** @throws TooManyGrants when the caller, or the issuer of its token, had too many made. */
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

  /** The key by which issuers share a quota: of one site there may be any number, each at a path, port or host. */
  public quotaOf(issuer: string): string {
    const { knownIssuers = []} = this.options;
    return knownIssuers.includes(issuer) ? issuer : siteOf(new URL(issuer).hostname);
  }

  /** The end of a statement that is made now: of a grant, at most the longest duration later. */
  public endOf({ kind, expiresAt }: Pick<GrantStatement, 'expiresAt' | 'kind'>, now: Date): Date | undefined {
    const { maxGrantDuration } = this.options;
    if (kind !== 'grant' || !maxGrantDuration) {
      return expiresAt;
    }
    const last = DateTime.fromJSDate(now, { zone: 'utc' }).plus(maxGrantDuration).toJSDate();
    return expiresAt && expiresAt < last ? expiresAt : last;
  }
}
