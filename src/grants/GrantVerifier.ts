import type { Clock } from '../platform/clock';
import { asList } from '../credentials/json';
import { BodyInvalid } from '../problems';
import { isRecord } from '../platform/isRecord';
import { findPresentedGrant } from './findPresentedGrant';
import type { GrantStore } from './GrantStore';

/** Result of verifying a credential. */
export interface VerificationResult {
  /** The checks made. */
  checks: string[];
  warnings: string[];
  /** Empty when the credential is valid. */
  errors: string[];
}

/** A request to verify something: outside data. */
export interface VerificationRequest {
  verifiableCredential?: unknown;
  verifiablePresentation?: unknown;
  options?: { domain?: unknown; challenge?: unknown };
}

const checks = [ 'proof', 'credentialStatus', 'issuanceDate', 'expirationDate' ];
const maxCredentials = 100;

/**
 * Verifies for any holder that an access request, grant or denial was issued by this service and is still valid.
 * Reports an invalid one instead of throwing.
 *
 * @see [Verifiable Credentials API v0.3, verifying](https://w3c-ccg.github.io/vc-api/#verifying)
 */
export class GrantVerifier {
  /**
   * @param grants - Issued credentials.
   * @param issuer - Issuer URL of access grants, with a trailing slash.
   * @param now - Returns the current time.
   */
  public constructor(
    private readonly grants: Pick<GrantStore, 'findById'>,
    private readonly issuer: string,
    private readonly now: Clock,
  ) {}

  /**
   * Verifies a credential, or every credential of a presentation.
   *
   * @throws BodyInvalid when it is neither, or a presentation has more than 100 credentials.
   */
  public async verify({ verifiableCredential, verifiablePresentation, options }: VerificationRequest):
  Promise<VerificationResult> {
    if (verifiablePresentation !== undefined) {
      return this.verifyPresentation(verifiablePresentation, options);
    }
    const error = await this.problemOf(verifiableCredential);
    return { checks, warnings: [], errors: error === undefined ? [] : [ error ]};
  }

  private async verifyPresentation(
    presentation: unknown,
    options: VerificationRequest['options'],
  ): Promise<VerificationResult> {
    if (!isRecord(presentation) || !asList(presentation.type).includes('VerifiablePresentation')) {
      throw new BodyInvalid('verifiablePresentation is not a presentation.');
    }
    const credentials = asList(presentation.verifiableCredential);
    if (credentials.length === 0 || credentials.length > maxCredentials) {
      throw new BodyInvalid(`A presentation must have 1 to ${maxCredentials} credentials.`);
    }
    const found = await Promise.all(credentials.map(async(one): Promise<string | undefined> => this.problemOf(one)));
    const errors = found.filter((error): error is string => error !== undefined);
    const isBound = options?.challenge !== undefined || options?.domain !== undefined;
    if (isBound || presentation.proof !== undefined) {
      errors.push(problem('proof', 'a proof of the presentation itself is not verified here'));
    }
    return { checks, warnings: [], errors };
  }

  /** Returns the first fault only. */
  private async problemOf(credential: unknown): Promise<string | undefined> {
    const grant = isRecord(credential) ? await findPresentedGrant(credential, this.grants, this.issuer) : undefined;
    const now = this.now();
    if (!grant) {
      return problem('proof', 'credential was not issued here, or was altered');
    }
    if (grant.revokedAt) {
      return problem('credentialStatus', 'credential has been revoked');
    }
    if (grant.invalidAt) {
      return problem('credentialStatus', 'a party to the credential no longer exists');
    }
    if (grant.issuedAt > now) {
      return problem('issuanceDate', 'credential is not valid yet');
    }
    return grant.expiresAt && grant.expiresAt <= now ? problem('expirationDate', 'credential has expired') : undefined;
  }
}

/** Uses the wording of the server that clients of access grants were made for, which some of them match. */
function problem(check: string, what: string): string {
  return `${check} validation has failed: ${what}`;
}
