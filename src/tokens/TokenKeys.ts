import type { KeyObject } from 'node:crypto';
import type { Clock } from '../platform/clock';
import type { IssuerKeys, IssuerKeySet, LocalIssuer } from './IssuerKeys';
import { LocalIssuerKeys } from './IssuerKeys';
import type { IssuerStanding } from './issuers';
import type { Jws, SignatureAlgorithm } from './jws';
import { reached } from './reached';
import { issuerOf } from './tokenRules';

/** Keys that may have signed a token, and the time when they were fetched. */
export interface CandidateKeys {
  keys: KeyObject[];
  fetchedAt: Date;
}

/** The keys of this server and of other issuers. */
export class TokenKeys {
  private readonly ownKeys: LocalIssuerKeys;

  /**
   * @param localIssuer - This server's identity provider.
   * @param issuerKeys - Keys of all other issuers.
   * @param now - The clock.
   */
  public constructor(
    private readonly localIssuer: LocalIssuer,
    private readonly issuerKeys: IssuerKeys,
    private readonly now: Clock,
  ) {
    this.ownKeys = new LocalIssuerKeys(localIssuer);
  }

  /** Issuer identifier of this server. */
  public get ownIssuer(): string {
    return this.localIssuer.issuer;
  }

  /**
   * Finds the keys that may have signed a token; fetches the issuer's keys again when none fits.
   *
   * @throws Refusal when the issuer cannot be reached.
   */
  public async find({ header, payload }: Jws, alg: SignatureAlgorithm, issuer: IssuerStanding): Promise<CandidateKeys> {
    const iss = issuerOf(payload);
    async function choose(set: Promise<IssuerKeySet>): Promise<CandidateKeys> {
      const known = await reached(set, 'the keys of the issuer cannot be read');
      return { keys: await known.candidates(header, alg), fetchedAt: known.fetchedAt };
    }
    if (issuer.own) {
      const known = await this.ownKeys.get(this.now());
      return { keys: await known.candidates(header, alg), fetchedAt: this.now() };
    }
    const found = await choose(this.issuerKeys.get(iss));
    return found.keys.length > 0 ? found : choose(this.issuerKeys.renew(iss));
  }
}
