import type { Clock } from '../platform/clock';
import { HeavyMap } from '../platform/HeavyMap';
import { TokenInvalid, TokenMissing, TooManyProofs, WebIdMissing } from '../problems';
import { podUrlOf } from '../platform/podUrl';
import type { Caller, TokenPolicy, TokenRequest } from './Caller';
import type { CallerStanding, ReadToken } from './CallerStanding';
import { challenge } from './challenge';
import { DpopProofs } from './DpopProofs';
import type { IssuerStanding, LimitedIssuer } from './issuers';
import { standingOf } from './issuers';
import type { Jws } from './jws';
import { hasSignatureOf, parseJws, sha256 } from './jws';
import type { ProofStore } from './ProofStore';
import { Refusal, requireProof, requireToken } from './Refusal';
import { checkTimes, checkTokenHeader, issuerOf, readTokenClaims } from './tokenRules';
import type { TokenClaims, TokenScheme } from './tokenRules';
import type { TokenKeys } from './TokenKeys';

/** Settings for accepted tokens. */
export interface TokenSettings {
  /** An origin with a trailing slash. */
  baseUrl: string;
  /** Value that `aud` must contain. */
  audience: string;
  /** Issuers trusted for `citizen_national_id`. */
  nationalIssuers: string[];
  /** National issuers that are trusted for some numbers only. */
  believedFor?: readonly LimitedIssuer[];
  /** If set, only these issuers, the national ones and this server are trusted. */
  trustedIssuers?: string[];
  /** True to accept the deprecated JWS tokens of citizens. */
  legacyTokens: boolean;
  /** Clients that may act for citizens; undefined for any. */
  apps?: readonly string[];
}

/** Dependencies and settings of {@link TokenVerifier}. */
export interface TokenVerifierOptions {
  settings: TokenSettings;
  keys: TokenKeys;
  standing: CallerStanding;
  proofs: ProofStore;
  now: Clock;
}

/** A verified token, cached until its signature must be verified again. */
interface VerifiedToken extends ReadToken {
  scheme: TokenScheme;
  policy: TokenPolicy;
  /** SHA-256 in base64url. */
  hash: string;
  until: number;
}

interface Presented {
  scheme: TokenScheme;
  token: string;
}

const maxTokenLength = 16 * 1024;
/** Maximum characters of all cached tokens: those of ten thousand usual ones. */
const maxVerifiedLength = 12 * 1024 * 1024;
const signatureLifeMs = 120_000;
const retryAfterSeconds = 60;

/**
 * Verifies the access token and the DPoP proof of a request.
 *
 * The claims of a token with a valid signature are cached for 120 s after the issuer's keys were fetched. Times, the
 * state of the citizen and the profile are checked for every request.
 */
export class TokenVerifier {
  private readonly dpopProofs = new DpopProofs();
  /** Cached tokens by their text. */
  private readonly verified: HeavyMap<VerifiedToken>;

  public constructor(private readonly options: TokenVerifierOptions) {
    this.verified = new HeavyMap({ weight: maxVerifiedLength }, options.now);
  }

  /**
   * Verifies the token and proof of a request, and returns its caller.
   *
   * @throws TokenMissing without a Bearer or DPoP token, TokenInvalid when a rule is broken, WebIdMissing when nothing
   * but the `webid` is missing, TooManyProofs when the caller's proofs of the last two minutes are more than the store
   * remembers for one caller.
   *
   * @see [Solid-OIDC, section 8](https://solidproject.org/TR/oidc#resource-access), [RFC 9449, section 7](https://www.rfc-editor.org/rfc/rfc9449#section-7)
   */
  public async verify(request: TokenRequest, policy: TokenPolicy): Promise<Caller> {
    return this.callerOf(request, policy);
  }

  /**
   * Verifies the token of a request again, later in the same request: what it was issued for may have ended meanwhile.
   * Its proof has been used, and that it may have expired meanwhile does not matter.
   *
   * @throws As {@link verify}.
   */
  public async verifyAgain(request: TokenRequest, policy: TokenPolicy): Promise<Caller> {
    return this.callerOf(request, policy, true);
  }

  private async callerOf(request: TokenRequest, policy: TokenPolicy, isAgain = false): Promise<Caller> {
    const presented = readAuthorization(request.authorization);
    try {
      const { caller, jkt, lacksWebId } = await this.verifyToken(presented, policy, isAgain);
      if (jkt !== undefined && !isAgain) {
        await this.useProof(request, presented.token, caller, jkt);
      }
      if (lacksWebId) {
        throw new WebIdMissing('The token has no webid.', { headers: challenge(presented.scheme, 'invalid_token') });
      }
      return caller;
    } catch (error: unknown) {
      throw error instanceof Refusal ?
          new TokenInvalid(error.message, { cause: error.cause, headers: challenge(presented.scheme, error.about) }) :
        error;
    }
  }

  private async verifyToken(
    { scheme, token }: Presented,
    policy: TokenPolicy,
    isAgain: boolean,
  ): Promise<TokenClaims> {
    requireToken(token.length <= maxTokenLength, 'the token is too long');
    const now = this.options.now();
    const validAt = isAgain ? undefined : now;
    let known = this.findVerified(token, now);
    if (known?.scheme === scheme && isSamePolicy(known.policy, policy)) {
      checkTimesAt(known.times, validAt);
    } else {
      known = await this.verifyAnew({ scheme, token }, policy, validAt);
    }
    await this.options.standing.check(known);
    return known.claims;
  }

  /** Checks all claims first, so that no keys are fetched for a token that is useless anyway. */
  private async verifyAnew({ scheme, token }: Presented, policy: TokenPolicy, validAt?: Date): Promise<VerifiedToken> {
    const jws = parseJws(token);
    requireToken(jws !== undefined, 'the token is not a JWT');
    const alg = checkTokenHeader(jws.header);
    const read = this.read(jws.payload, { scheme, policy, validAt });
    const { keys, fetchedAt } = await this.options.keys.find(jws, alg, read.issuer);
    const isSigned = keys.some((key): boolean => hasSignatureOf(jws, alg, key));
    requireToken(isSigned, 'the signature is not of a key of the issuer');
    const until = fetchedAt.getTime() + signatureLifeMs;
    const verified = { ...read, scheme, policy, hash: sha256(token), until };
    this.verified.set(token, verified, token.length);
    return verified;
  }

  private read(
    payload: Jws['payload'],
    { scheme, policy, validAt }: { scheme: TokenScheme; policy: TokenPolicy; validAt?: Date },
  ): ReadToken {
    const issuer = this.standing(issuerOf(payload));
    requireToken(issuer.trusted, 'the issuer is not trusted');
    checkTimesAt(payload, validAt);
    const { audience, legacyTokens, apps } = this.options.settings;
    const context = { scheme, policy, issuer, audience, legacyTokens, apps };
    const { webIdUrl, ...claims } = readTokenClaims(payload, context);
    const podUrl = webIdUrl && this.isLocal(webIdUrl, claims.caller) ? podUrlOf(webIdUrl) : undefined;
    // Without other claims, which may take ten times as much memory as the token.
    const { exp, iat, nbf } = payload;
    return { times: { exp, iat, nbf }, issuer, claims, podUrl };
  }

  private standing(issuer: string): IssuerStanding {
    const { believedFor, nationalIssuers, trustedIssuers } = this.options.settings;
    return standingOf(issuer, { own: this.options.keys.ownIssuer, nationalIssuers, believedFor, trustedIssuers });
  }

  private findVerified(token: string, now: Date): VerifiedToken | undefined {
    const verified = this.verified.get(token);
    return verified && verified.until > now.getTime() ? verified : undefined;
  }

  private isLocal({ href }: URL, { webId }: Caller): boolean {
    const local = href.startsWith(this.options.settings.baseUrl);
    requireToken(!local || href === webId, 'the WebID is not in its normal form');
    return local;
  }

  /** Verifies the proof and uses it up. Last, so that only a caller's own proofs count against its limit. */
  private async useProof(request: TokenRequest, accessToken: string, caller: Caller, jkt: string): Promise<void> {
    const now = this.options.now();
    const tokenHash = this.verified.get(accessToken)?.hash ?? sha256(accessToken);
    const proof = this.dpopProofs.verify(
      request.dpop,
      { method: request.method, url: request.url, tokenHash, jkt, now },
    );
    // Not `sub`, which may be a national number.
    const owner = caller.webId ?? `${caller.issuer} ${jkt}`;
    const outcome = await this.options.proofs.remember(owner, `${jkt} ${proof.jti}`, proof.expiresAt, now);
    requireProof(outcome !== 'replayed', 'the DPoP proof was used before');
    if (outcome === 'too-many') {
      throw new TooManyProofs(undefined, { headers: { 'Retry-After': String(retryAfterSeconds) }});
    }
  }
}

function isSamePolicy(one: TokenPolicy, other: TokenPolicy): boolean {
  return one.citizen === other.citizen && one.anyClient === other.anyClient && one.byClient === other.byClient &&
    one.claims === other.claims;
}

function readAuthorization(header: string | undefined): Presented {
  const [ , name, token ] = /^(bearer|dpop) +(\S.*)$/iu.exec(header ?? '') ?? [];
  if (token === undefined) {
    throw new TokenMissing(undefined, { headers: challenge() });
  }
  return { scheme: name.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token: token.trimEnd() };
}

/** Checks the times of a token, unless they were checked at the beginning of the same request. */
function checkTimesAt(times: Jws['payload'], at: Date | undefined): void {
  if (at) {
    checkTimes(times, at);
  }
}
