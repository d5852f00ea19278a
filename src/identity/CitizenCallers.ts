import { AppNotAllowed, ClaimMissing, IdentityInvalid, IdentityMismatch, IssuerNotNational } from '../problems';
import type { Caller } from '../tokens/Caller';
import { isSameIssuer } from '../tokens/issuers';
import type { WebId } from '../platform/webId';
import type { Citizen, CitizenStore } from './CitizenStore';
import { NationalNumber } from './NationalNumber';
import type { NationalNumbers } from './NationalNumbers';

/** A caller whose national number is known, or who is on record by the WebID. */
export type Identified =
  { citizen: Citizen; nationalNumber?: undefined } |
  { citizen?: Citizen; nationalNumber: NationalNumber };

/** Finds the citizen of a caller, by the token and nothing else. */
export class CitizenCallers {
  private readonly citizens: Pick<CitizenStore, 'findByNationalNumber' | 'findByWebId'>;
  private readonly numbers: Pick<NationalNumbers, 'parse'>;
  private readonly apps?: ReadonlySet<string>;
  private readonly ownIssuer?: string;

  /**
   * @param citizens - On record.
   * @param numbers - National numbers that they may have.
   * @param apps - `client_id`s that may act for citizens; none given: any.
   * @param ownIssuer - This server's identity provider: citizens on record need no more than its tokens.
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
   * By national number. When the token has a WebID beside it, that must be theirs, or not on record as the number.
   * A token of this server's own identity provider never has a number: there, the WebID of a citizen on record is
   * enough.
   *
   * @returns The number as it is on record, and the citizen when there is one, in whichever state; or the citizen
   * alone.
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
   * The citizen on record who calls with their WebID. A national number that the token has beside it must be theirs.
   *
   * @throws ClaimMissing when the caller's WebID is that of no citizen on record; IdentityInvalid, IdentityMismatch,
   * AppNotAllowed.
   */
  public async getByWebId(caller: Caller): Promise<Citizen> {
    const citizen = await this.findCaller(caller);
    if (citizen?.state !== 'ACTIVE') {
      throw new ClaimMissing('The webid of the token is not that of a citizen of this service.');
    }
    return citizen;
  }

  /**
   * By national number or WebID, in whichever state: who wants to be forgotten needs no more than either.
   *
   * @throws ClaimMissing when the token has neither; else as {@link identify}.
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
   * The citizen with a number. A WebID and a number that are both on nobody's record can be linked; a WebID that is on
   * record may have come there with this number just now.
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
