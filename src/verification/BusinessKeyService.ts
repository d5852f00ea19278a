import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import { contractFacts } from '../contracts/contractFacts';
import type { AccessGrant } from '../grants/AccessGrant';
import { findPresentedGrant } from '../grants/findPresentedGrant';
import type { GrantStore } from '../grants/GrantStore';
import { parseAccessGrantVc } from '../grants/parseAccessGrantVc';
import type { CitizenStore } from '../identity/CitizenStore';
import { NationalNumber } from '../identity/NationalNumber';
import type { NationalNumbers } from '../identity/NationalNumbers';
import {
  BusinessKeyInvalid,
  CredentialExpired,
  CredentialNotEffective,
  CredentialNotGranted,
  CredentialNotOurs,
  CredentialNotYours,
  CredentialRevoked,
  TooManyBusinessKeys,
} from '../problems';
import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import { ownIris } from '../vocabulary';
import type { GuessStore } from './GuessStore';

/** Stores that verifying a business key reads and changes. */
export interface VerificationStores {
  citizens: CitizenStore;
  grants: GrantStore;
  guesses: GuessStore;
  audit: AuditLog;
}

/** Dependencies and settings of {@link BusinessKeyService}. */
export interface BusinessKeyServiceOptions {
  records: Records<VerificationStores>;
  /** National numbers that citizens may have. */
  numbers: NationalNumbers;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  /** Checks whether this caller can use the grant now, on any of its resources. */
  isEffective: (grant: AccessGrant, caller: WebId) => Promise<boolean>;
  now: Clock;
  /** Maximum number of different wrong numbers tried on one subject in 24 hours. */
  maxWrongKeys?: WrongKeyLimits;
}

/** Limits on different wrong keys: a caller within both gets an answer. */
export interface WrongKeyLimits {
  byCaller: number;
  byAll: number;
}

/** A question whether the subject of a grant is the citizen with a key. */
export interface BusinessKeyQuestion {
  businessKey: { type: string; value: string };
  /** The access grant as text, see {@link parseAccessGrantVc}. */
  accessGrantVc: string;
}

type Outcome = 'valid' | 'invalid' | 'limited';

const windowSeconds = 24 * 60 * 60;

/**
 * Verifies for data users whether the citizen who gave them access has a certain national number.
 *
 * Shared data may contain the birth date, so the number could be guessed. Therefore different wrong numbers are counted
 * per subject, for each caller and for all together, across restarts. Beyond either limit, every number is refused,
 * even the right one. The limit per caller is lower, so that its mistakes do not block others.
 */
export class BusinessKeyService {
  private readonly options: BusinessKeyServiceOptions;
  private readonly maxWrongKeys: WrongKeyLimits;

  public constructor(options: BusinessKeyServiceOptions) {
    this.options = options;
    this.maxWrongKeys = options.maxWrongKeys ?? { byCaller: 5, byAll: 20 };
  }

  /**
   * Checks whether the subject of an access grant that the caller holds is the citizen with a business key.
   *
   * @param question - Key and grant.
   * @param caller - WebID of the data user.
   * @param context - Context of the request.
   *
   * @throws CredentialMalformed, CredentialNotOurs, CredentialExpired, CredentialRevoked, CredentialNotGranted,
   *   CredentialNotYours, CredentialNotEffective in this order, then BusinessKeyInvalid, TooManyBusinessKeys.
   */
  public async verify(
    question: BusinessKeyQuestion,
    caller: WebId,
    context: CallContext,
  ): Promise<boolean> {
    const grant = await this.getGrant(question.accessGrantVc);
    await this.assertUsable(grant, caller);
    const outcome = await this.answer(grant.subject, caller, readNumber(question.businessKey, this.options.numbers));
    const final = await this.conclude(outcome, grant, caller, context);
    if (final === 'limited') {
      throw new TooManyBusinessKeys(undefined, { headers: { 'Retry-After': `${windowSeconds}` }});
    }
    return final === 'valid';
  }

  private async getGrant(text: string): Promise<AccessGrant> {
    const presented = parseAccessGrantVc(text);
    const { accessIssuer } = ownIris(this.options.baseUrl);
    const grant = await findPresentedGrant(presented, this.options.records.grants, accessIssuer);
    if (!grant) {
      throw new CredentialNotOurs();
    }
    return grant;
  }

  private async assertUsable(grant: AccessGrant, caller: WebId): Promise<void> {
    if (grant.expiresAt && grant.expiresAt <= this.options.now()) {
      throw new CredentialExpired();
    }
    if (grant.revokedAt) {
      throw new CredentialRevoked();
    }
    if (grant.kind !== 'grant') {
      throw new CredentialNotGranted();
    }
    if (grant.recipient !== caller) {
      throw new CredentialNotYours();
    }
    if (!await this.options.isEffective(grant, caller)) {
      throw new CredentialNotEffective();
    }
  }

  /** Always looks up both citizens, whatever the first look-up returned. */
  private async answer(subject: WebId, caller: WebId, nationalNumber: NationalNumber): Promise<Outcome> {
    return this.options.records.transaction(async({ citizens, guesses }): Promise<Outcome> => {
      const bySubject = await citizens.findByWebId(subject);
      const byNumber = await citizens.findByNationalNumber(nationalNumber);
      const { byCaller, byAll } = await guesses.count(subject, caller, this.windowStart());
      if (byCaller >= this.maxWrongKeys.byCaller || byAll >= this.maxWrongKeys.byAll) {
        return 'limited';
      }
      if (bySubject?.state === 'ACTIVE' && bySubject.id === byNumber?.id) {
        return 'valid';
      }
      await guesses.record(subject, caller, nationalNumber, this.options.now(), this.windowStart());
      return 'invalid';
    });
  }

  /**
   * Counts wrong numbers again, in a transaction after the one that recorded this number: of many concurrent calls,
   * none beyond the limit gets an answer, not even with the right number, whatever the transactions saw of each other.
   */
  private async conclude(outcome: Outcome, grant: AccessGrant, caller: WebId, context: CallContext): Promise<Outcome> {
    return this.options.records.transaction(async(stores): Promise<Outcome> => {
      const { byCaller, byAll } = await stores.guesses.count(grant.subject, caller, this.windowStart());
      const isPast = byCaller > this.maxWrongKeys.byCaller || byAll > this.maxWrongKeys.byAll;
      const final = isPast ? 'limited' : outcome;
      await this.audit(stores, final, grant, caller, context);
      return final;
    });
  }

  private async audit(
    { audit, citizens }: Pick<VerificationStores, 'audit' | 'citizens'>,
    outcome: Outcome,
    grant: AccessGrant,
    caller: WebId,
    context: CallContext,
  ): Promise<void> {
    await audit.append({
      type: 'businesskey.verified',
      at: this.options.now(),
      ...ofCall(context, { outcome, ...grant.contract && contractFacts(grant.contract) }),
      personal: { webId: caller, subject: grant.subject, accessGrant: grant.uri },
      citizenId: (await citizens.findByWebId(grant.subject))?.id,
    });
  }

  private windowStart(): Date {
    return new Date(this.options.now().getTime() - windowSeconds * 1000);
  }
}

function readNumber({ type, value }: BusinessKeyQuestion['businessKey'], numbers: NationalNumbers): NationalNumber {
  if (type !== numbers.businessKeyType) {
    throw new BusinessKeyInvalid(`The type must be ${numbers.businessKeyType}.`);
  }
  const nationalNumber = NationalNumber.read(value, numbers);
  if (nationalNumber === undefined) {
    throw new BusinessKeyInvalid('The value is not a national number.');
  }
  return nationalNumber;
}
