import { clockSkewSeconds } from '../clock';
import { isRecord } from '../isRecord';
import type { Caller, TokenPolicy } from './Caller';
import type { IssuerStanding } from './issuers';
import type { SignatureAlgorithm } from './jws';
import { isSignatureAlgorithm } from './jws';
import { requireToken } from './Refusal';

/** The scheme of an `Authorization` header that carries an access token. */
export type TokenScheme = 'Bearer' | 'DPoP';

/** How a token was presented, and what the settings say about it. */
export interface TokenContext {
  scheme: TokenScheme;
  policy: TokenPolicy;
  issuer: IssuerStanding;
  audience: string;
  legacyTokens: boolean;
}

/** What a token says, once its claims keep the rules. */
export interface TokenClaims {
  caller: Caller;
  /** Thumbprint of the DPoP key the token is bound to. */
  jkt?: string;
}

const tokenTypes = /^(?:jwt|at\+jwt|application\/at\+jwt)$/iu;
const maxClaimLength = 2048;
const maxDateSeconds = 8.64e12;
/** The audience of tokens made for Solid resource servers. */
const solidAudience = 'solid';

type Payload = Record<string, unknown>;

/**
 * Checks the header of an access token: type, algorithm, no critical extensions.
 *
 * @returns The algorithm.
 */
export function checkTokenHeader(header: Record<string, unknown>): SignatureAlgorithm {
  requireToken(typeof header.typ === 'string' && tokenTypes.test(header.typ), 'typ is neither JWT nor at+jwt');
  requireToken(isSignatureAlgorithm(header.alg), 'alg is not an accepted asymmetric algorithm');
  requireToken(header.crit === undefined, 'critical header extensions are not supported');
  requireToken(header.kid === undefined || typeof header.kid === 'string', 'kid is not text');
  return header.alg;
}

/**
 * The issuer that a token names: an http(s) URL without query, fragment and credentials.
 *
 * Plain http is left to the fetch of its keys: that knows who may be asked so.
 */
export function issuerOf({ iss }: Payload): string {
  const url = typeof iss === 'string' && iss.length <= maxClaimLength ? parseHttpUrl(iss) : undefined;
  requireToken(url?.search === '' && url.hash === '', 'iss is missing or not an issuer URL');
  return iss as string;
}

/**
 * Checks every claim of a token whose issuer is trusted but its times, and reads who calls.
 *
 * @see [Solid-OIDC, section 8](https://solidproject.org/TR/oidc#resource-access)
 */
export function readClaims(payload: Payload, context: TokenContext): TokenClaims {
  const jkt = readBinding(payload, context);
  const kind = kindOf(payload, context);
  const app = readApp(payload);
  requireToken(kind === 'solid-oidc' || app !== undefined, 'azp or client_id is required');
  return { jkt, caller: {
    kind,
    ...payload.webid !== undefined && { webId: readWebId(payload) },
    ...nationalNumber(payload, context.issuer),
    issuer: payload.iss as string,
    ...app !== undefined && { app },
    expiresAt: new Date(Number(payload.exp) * 1000),
  }};
}

/** Checks the times of a token: what they mean changes by the second. */
export function checkTimes({ exp, iat, nbf }: Payload, at: Date): void {
  const now = at.getTime() / 1000;
  requireToken(isTime(exp), 'exp is missing or not a time');
  requireToken(isTime(iat), 'iat is missing or not a time');
  requireToken(nbf === undefined || isTime(nbf), 'nbf is not a time');
  requireToken(exp > now - clockSkewSeconds, 'the token has expired');
  requireToken(iat <= now + clockSkewSeconds, 'iat is in the future');
  requireToken(nbf === undefined || nbf <= now + clockSkewSeconds, 'the token is not valid yet');
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= maxDateSeconds;
}

/**
 * A token with `cnf` needs the DPoP scheme, one without it the Bearer scheme and an issuer that the settings name:
 * any server that has seen a stranger's unbound token could use it here.
 */
function readBinding({ cnf }: Payload, { scheme, issuer }: TokenContext): string | undefined {
  if (scheme === 'Bearer') {
    requireToken(cnf === undefined, 'a token that is bound to a key cannot be used as Bearer');
    requireToken(issuer.listed, 'Bearer tokens of this issuer are not accepted: use DPoP');
    return;
  }
  requireToken(isRecord(cnf) && typeof cnf.jkt === 'string', 'the token is not bound to a DPoP key');
  return cnf.jkt;
}

/**
 * Tells a Solid-OIDC token from the deprecated JWS token of a citizen: that one has neither `webid` nor our audience.
 */
function kindOf(payload: Payload, context: TokenContext): Caller['kind'] {
  const forUs = hasAudience(payload, context);
  if (payload.webid === undefined) {
    const national = context.policy.citizen && context.issuer.national && payload.citizen_national_id !== undefined;
    requireToken(national, 'webid is missing');
    if (!forUs && context.legacyTokens && context.scheme === 'Bearer') {
      return 'citizen-jws';
    }
  }
  requireToken(forUs, 'aud does not contain the audience of this server');
  return 'solid-oidc';
}

function hasAudience({ aud }: Payload, { audience, issuer }: TokenContext): boolean {
  const audiences: unknown[] = Array.isArray(aud) ? aud : [ aud ];
  return audiences.includes(audience) || (issuer.own && audiences.includes(solidAudience));
}

function readWebId({ webid }: Payload): string {
  const valid = typeof webid === 'string' && webid.length <= maxClaimLength && parseHttpUrl(webid) !== undefined;
  requireToken(valid, 'webid is not an absolute http(s) URL');
  return webid;
}

function readApp({ client_id: clientId, azp }: Payload): string | undefined {
  const app = clientId ?? azp ?? undefined;
  const valid = app === undefined || (typeof app === 'string' && app.length > 0 && app.length <= maxClaimLength);
  requireToken(valid, 'client_id or azp is not text');
  return app;
}

/** A number that is not text becomes '': malformed, which is for the operation to say. */
function nationalNumber(
  { citizen_national_id: claim }: Payload,
  issuer: IssuerStanding,
): Pick<Caller, 'nationalNumber' | 'nationalNumberNotBelieved'> {
  if (claim === undefined) {
    return {};
  }
  if (!issuer.national) {
    return { nationalNumberNotBelieved: true };
  }
  return { nationalNumber: typeof claim === 'string' ? claim : '' };
}

/** An absolute http(s) URL without credentials, and without characters that parsing would replace or drop. */
function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(text) || !URL.canParse(text)) {
    return;
  }
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
