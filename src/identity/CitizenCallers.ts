import { AppNotAllowed, ClaimMissing, IdentityInvalid, IdentityMismatch, IssuerNotNational } from '../problems';
import type { Caller } from '../tokens/Caller';
import { isSameIssuer } from '../tokens/issuers';
import type { WebId } from '../platform/webId';
import type { Citizen, CitizenStore } from './CitizenStore';
import { NationalNumber } from './NationalNumber';
import type { NationalNumbers } from './NationalNumbers';

/** A caller with a known national number, or a recorded citizen known by WebID. */
export type Identified =
  { citizen: Citizen; nationalNumber?: undefined } |
  { citizen?: Citizen; nationalNumber: NationalNumber };

/** Finds the citizen of a caller from the token alone. */
export class CitizenCallers {
  private readonly citizens: Pick<CitizenStore, 'findByNationalNumber' | 'findByWebId'>;
  private readonly numbers: Pick<NationalNumbers, 'parse'>;
  private readonly apps?: ReadonlySet<string>;
  private readonly ownIssuer?: string;

  /**
   * @param citizens - Recorded citizens.
   * @param numbers - National numbers that citizens may have.
   * @param apps - `client_id`s that may act for citizens; any app when empty.
   * @param ownIssuer - This server's identity provider, whose tokens need no national number for recorded citizens.
   */
  public constructor(
    citizens: CitizenCallers['citizens'],
    numbers: Pick<NationalNumbers, 'parse'>,
    apps?: readonly string[],
    ownIssuer?: string,
  ) {
    this.citizens = citizens;
    this.numbers = numbers;
    this.apps = apps && new Set(apps);
    this.ownIssuer = ownIssuer;
  }

  /**
   * Identifies a caller by national number. If the token also has a WebID, it must be the citizen's, or be linked to
   * nobody. Tokens of this server's own identity provider never have a number: there, the WebID of a recorded citizen
   * is enough.
   *
   * @returns The number and, if recorded, the citizen in any state; or the citizen alone.
   *
   * @throws ClaimMissing, IssuerNotNational, IdentityInvalid, IdentityMismatch, AppNotAllowed
   */
  public async identify(caller: Caller): Promise<Identified> {
    this.requireApp(caller);
    if (caller.nationalNumberNotBelieved) {
      throw new IssuerNotNational();
    }
    if (caller.nationalNumber === undefined && this.isOwn(caller)) {
      return { citizen: await this.getByWebId(caller) };
    }
    if (caller.nationalNumber === undefined) {
      throw new ClaimMissing('The token has no citizen_national_id.');
    }
    const nationalNumber = NationalNumber.read(caller.nationalNumber.reveal(), this.numbers);
    if (!nationalNumber) {
      throw new IdentityInvalid();
    }
    const citizen = await this.findByNumber(nationalNumber, caller.webId);
    if (citizen && caller.webId !== undefined && caller.webId !== citizen.webId) {
      throw new IdentityMismatch();
    }
    return { citizen, nationalNumber };
  }

  /**
   * Returns the recorded citizen who calls with their WebID. If the token also has a national number, it must be
   * theirs.
   *
   * @throws ClaimMissing when no citizen has the caller's WebID; IdentityInvalid, IdentityMismatch, AppNotAllowed.
   */
  public async getByWebId(caller: Caller): Promise<Citizen> {
    const citizen = await this.findCaller(caller);
    if (citizen?.state !== 'ACTIVE') {
      throw new ClaimMissing('The webid of the token is not that of a citizen of this service.');
    }
    return citizen;
  }

  /**
   * Finds the citizen, in any state, who has the caller's WebID. Other people may call too, with any app.
   *
   * @throws AppNotAllowed when there is one, for whom the caller's app may not act.
   */
  public async findByWebId(caller: Caller): Promise<Citizen | undefined> {
    const citizen = caller.webId && await this.citizens.findByWebId(caller.webId);
    if (!citizen) {
      return undefined;
    }
    this.requireApp(caller);
    return citizen;
  }

  /**
   * Finds the citizen by national number or WebID, in any state: either is enough to ask for erasure.
   *
   * @throws ClaimMissing when the token has neither; otherwise as {@link identify}.
   */
  public async findForDeletion(caller: Caller): Promise<Citizen | undefined> {
    if (caller.nationalNumber !== undefined || caller.nationalNumberNotBelieved) {
      return (await this.identify(caller)).citizen;
    }
    this.requireApp(caller);
    if (!caller.webId) {
      throw new ClaimMissing('The token has neither citizen_national_id nor webid.');
    }
    return this.citizens.findByWebId(caller.webId);
  }

  /**
   * Finds the citizen with a number. If neither the number nor the WebID is recorded, they can be linked. If the WebID
   * is recorded, a concurrent call may just have linked it to this number.
   */
  private async findByNumber(nationalNumber: NationalNumber, webId: WebId | undefined): Promise<Citizen | undefined> {
    const citizen = await this.citizens.findByNationalNumber(nationalNumber);
    if (citizen || webId === undefined || !await this.citizens.findByWebId(webId)) {
      return citizen;
    }
    const linked = await this.citizens.findByNationalNumber(nationalNumber);
    if (!linked) {
      throw new IdentityMismatch();
    }
    return linked;
  }

  private async findCaller(caller: Caller): Promise<Citizen | undefined> {
    if (caller.nationalNumber !== undefined) {
      return (await this.identify(caller)).citizen;
    }
    this.requireApp(caller);
    return caller.webId ? this.citizens.findByWebId(caller.webId) : undefined;
  }

  private isOwn({ issuer, webId }: Caller): boolean {
    return webId !== undefined && this.ownIssuer !== undefined && isSameIssuer(issuer, this.ownIssuer);
  }

  private requireApp(caller: Caller): void {
    if (this.apps && !(caller.app !== undefined && this.apps.has(caller.app))) {
      throw new AppNotAllowed();
    }
  }
}
