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
  payload: Jws['payload'];
  issuer: IssuerStanding;
  claims: TokenClaims;
  /** Of the WebID, when that is one of this server. */
  podUrl?: string;
}

/** The part of the citizen store that is asked for every request, or for those of some issuers. */
export interface CitizensOnRecord {
  /** The state of the citizen with a WebID; `ERASED` when there is none, but the pod once belonged to one. */
  standingOf: (webId: WebId, podUrl: string) => Promise<CitizenStanding>;
  /** The number of the citizen with a WebID, made here or linked. Asked for issuers that are believed for some only. */
  nationalNumberOf: (webId: WebId) => Promise<Concealed | undefined>;
}

/** The state of a citizen; `undefined` when there is none. */
type CitizenStanding = 'ACTIVE' | 'CREATING' | 'DELETING' | 'ERASED' | undefined;

/** How often a profile on another server is read when it lacks an issuer. */
const minProfileAgeMs = 10_000;

/** Checks that the caller of a token is still who it says: looked at for every request. */
export class CallerStanding {
  /**
   * @param endedTokens - Asked for tokens of this server only.
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
    // Asked for at the same time: by one statement, where the records are on a server.
    const [ endedAt, standing ] = await Promise.all([ this.endedAt(token), this.standingOf(token) ]);
    checkNotEnded(token, endedAt);
    await this.checkWebId(token, standing);
    await this.checkNationalNumber(token);
  }

  /** When tokens such as this one ended: only those of this server do. */
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
   * Checks that the issuer may speak for the WebID. For citizens on record the settings say so, because any app that
   * may write their profile could otherwise hand the identity away; for all others the profile does.
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

  /** An issuer that is believed for some numbers speaks for no citizen on record who has another one. */
  private async checkNationalNumber({ claims: { caller: { webId }}, issuer }: ReadToken): Promise<void> {
    if (webId !== undefined && issuer.believedFor) {
      const number = await this.citizens.nationalNumberOf(webId);
      requireToken(!number || issuer.believedFor(number.reveal()), 'the issuer may not speak for this WebID');
    }
  }

  /** Checks whether a profile lists an issuer. It is read anew when it does not: one just added counts at once. */
  private async isListed(iss: string, webId: WebId, isHere: boolean): Promise<boolean> {
    const unread = 'the profile of the WebID cannot be read';
    return isAmong(await reached(this.profiles.issuers(webId), unread), iss) ||
      isAmong(await reached(this.profiles.renew(webId, isHere ? 0 : minProfileAgeMs), unread), iss);
  }
}

/** Refuses tokens of this server whose password, credentials or link has ended. */
function checkNotEnded({ payload }: ReadToken, endedAt: Date | undefined): void {
  requireToken(
    endedAt === undefined || Number(payload.iat) > Math.floor(endedAt.getTime() / 1000),
    'what the token was issued for has ended',
  );
}
