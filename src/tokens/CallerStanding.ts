import type { Concealed } from '../platform/Concealed';
import type { WebId } from '../platform/webId';
import type { EndedTokens } from './EndedTokens';
import { appSubject } from './EndedTokens';
import type { IssuerStanding } from './issuers';
import { isAmong } from './issuers';
import type { Jws } from './jws';
import { reached } from './reached';
import { requireToken } from './Refusal';
import type { TokenClaims } from './tokenRules';
import type { RememberedProfiles } from './WebIdProfiles';

/** Facts of a token that are the same whenever it is presented in this way. */
export interface ReadToken {
  times: Pick<Jws['payload'], 'exp' | 'iat' | 'nbf'>;
  issuer: IssuerStanding;
  claims: TokenClaims;
  /** Pod of the WebID, when it is one of this server. */
  podUrl?: string;
}

/** The part of the citizen store that is read for every request, or for requests of some issuers. */
export interface CitizensOnRecord {
  /**
   * Returns the state of the citizen with a WebID; `ERASED` when there is none, but the pod once belonged to a citizen.
   */
  standingOf: (webId: WebId, podUrl: string) => Promise<CitizenStanding>;
  /**
   * Finds the number of the citizen with a WebID of this server or a linked one. Only for issuers with limited trust.
   */
  nationalNumberOf: (webId: WebId) => Promise<Concealed | undefined>;
}

/** The state of a citizen; `undefined` when there is none. */
type CitizenStanding = 'ACTIVE' | 'CREATING' | 'DELETING' | 'ERASED' | undefined;

/** Minimum interval of reading a remote profile again because it lacks an issuer. */
const minProfileAgeMs = 10_000;

/** Checks for every request that the token has not ended, and that its issuer may speak for the caller. */
export class CallerStanding {
  /**
   * @param endedTokens - Ends of tokens of this server.
   * @param citizens - Citizens on record.
   * @param profiles - Profiles of everybody else.
   */
  public constructor(
    private readonly endedTokens: Pick<EndedTokens, 'endedAt'>,
    private readonly citizens: CitizensOnRecord,
    private readonly profiles: RememberedProfiles,
  ) {}

  /** @throws Refusal when the token has ended, or its issuer may not speak for the WebID. */
  public async check(token: ReadToken): Promise<void> {
    // Concurrently: a database server reads both in one statement.
    const [ endedAt, standing ] = await Promise.all([ this.endedAt(token), this.standingOf(token) ]);
    checkNotEnded(token, endedAt);
    await this.checkWebId(token, standing);
    await this.checkNationalNumber(token);
  }

  /** Returns when tokens like this one ended; only those of this server do. */
  private async endedAt({ claims: { caller }, issuer }: ReadToken): Promise<Date | undefined> {
    const { app, webId } = caller;
    const both = webId === undefined || app === undefined ? undefined : appSubject(webId, app);
    const subjects = [ webId, app, both ].filter((subject): subject is string => subject !== undefined);
    return issuer.own ? this.endedTokens.endedAt(subjects) : undefined;
  }

  private async standingOf({ claims: { caller: { webId }}, podUrl }: ReadToken): Promise<CitizenStanding> {
    return webId === undefined || podUrl === undefined ? undefined : this.citizens.standingOf(webId, podUrl);
  }

  /**
   * Checks that the issuer may speak for the WebID. For citizens on record the settings decide, because any app that
   * may write their profile could otherwise give the identity away; for others the profile decides.
   */
  private async checkWebId({ claims, issuer, podUrl }: ReadToken, standing: CitizenStanding): Promise<void> {
    const { webId, issuer: iss } = claims.caller;
    if (webId === undefined) {
      return;
    }
    requireToken(standing !== 'ERASED', 'the WebID no longer exists');
    if (standing !== undefined) {
      requireToken(standing !== 'DELETING', 'the WebID is being deleted');
      requireToken(issuer.own || issuer.national, 'the issuer may not speak for this WebID');
      return;
    }
    const isListed = await this.isListed(iss, webId, podUrl !== undefined);
    requireToken(isListed, 'the profile of the WebID does not list the issuer');
  }

  /** Checks that an issuer with limited trust does not speak for a citizen with a number outside its limits. */
  private async checkNationalNumber({ claims: { caller: { webId }}, issuer }: ReadToken): Promise<void> {
    if (webId !== undefined && issuer.believedFor) {
      const number = await this.citizens.nationalNumberOf(webId);
      requireToken(!number || issuer.believedFor(number.reveal()), 'the issuer may not speak for this WebID');
    }
  }

  /**
   * Checks whether a profile lists an issuer. If not, reads it again, so that an issuer just added is accepted at once.
   */
  private async isListed(iss: string, webId: WebId, isHere: boolean): Promise<boolean> {
    const unread = 'the profile of the WebID cannot be read';
    return isAmong(await reached(this.profiles.issuers(webId), unread), iss) ||
      isAmong(await reached(this.profiles.renew(webId, isHere ? 0 : minProfileAgeMs), unread), iss);
  }
}

/** Refuses tokens of this server whose password, credentials or link has ended. */
function checkNotEnded({ times }: ReadToken, endedAt: Date | undefined): void {
  requireToken(
    endedAt === undefined || Number(times.iat) > Math.floor(endedAt.getTime() / 1000),
    'what the token was issued for has ended',
  );
}
