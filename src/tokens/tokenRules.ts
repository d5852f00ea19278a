import { clockSkewSeconds } from '../platform/clock';
import { Concealed } from '../platform/Concealed';
import { isRecord } from '../platform/isRecord';
import { isUuid, uuidForm } from '../platform/uuid';
import { findPlainUrl } from '../platform/plainUrl';
import { findPlainWebId } from '../platform/webId';
import type { Caller, TokenPolicy } from './Caller';
import type { IssuerStanding } from './issuers';
import type { SignatureAlgorithm } from './jws';
import { isSignatureAlgorithm } from './jws';
import { requireToken } from './Refusal';

/** The scheme of an `Authorization` header that carries an access token. */
export type TokenScheme = 'Bearer' | 'DPoP';

/** How a token was presented, and the settings for it. */
export interface TokenContext {
  scheme: TokenScheme;
  policy: TokenPolicy;
  issuer: IssuerStanding;
  audience: string;
  legacyTokens: boolean;
  /** Clients that may act for citizens; undefined for any. */
  apps?: readonly string[];
}

/** Claims of a token that satisfies the rules. */
export interface TokenClaims {
  caller: Caller;
  /** Thumbprint of the DPoP key the token is bound to. */
  jkt?: string;
  /** True when the operation needs a `webid`, and the token has none. Reported last, when nothing else is wrong. */
  lacksWebId?: boolean;
}

const tokenTypes = /^(?:jwt|at\+jwt|application\/at\+jwt)$/iu;
const maxClaimLength = 2048;
const maxDateSeconds = 8.64e12;
const uri = /^[a-z][a-z\d+.-]*:[^\s\p{Cc}<>"{}|\\^`]+$/iu;
/** Ids assigned at registration: 21 characters of oidc-provider, 32 hexadecimal digits, a label and a UUID (CSS). */
const registeredId = new RegExp(`^(?:[\\w-]{21}|[\\da-f]{32}|[\\w.-]{0,200}_${uuidForm})$`, 'iu');
const idTokenClaims = [ 'nonce', 'at_hash', 'c_hash', 's_hash' ];
/** Values of the claims `typ` (Keycloak) and `token_use` (Cognito) in ID tokens. */
const idTokenKinds = new Set([ 'id', 'id_token' ]);
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
 * Returns the issuer of a token: an http(s) URL without query, fragment and credentials.
 *
 * Plain http is refused later, by the fetch of its keys, which knows the allowed hosts.
 */
export function issuerOf({ iss }: Payload): string {
  const problem = 'iss is missing or not an issuer URL';
  requireToken(typeof iss === 'string' && iss.length <= maxClaimLength, problem);
  const url = findPlainUrl(iss);
  requireToken(url?.search === '' && url.hash === '', problem);
  return iss;
}

/**
 * Checks every claim of a token from a trusted issuer except its times, and reads the caller.
 *
 * @see [Solid-OIDC, section 8](https://solidproject.org/TR/oidc#resource-access)
 */
export function readTokenClaims(payload: Payload, context: TokenContext): TokenClaims & { webIdUrl?: URL } {
  requireToken(payload.events === undefined, 'a log-out token or security event is no access token');
  const jkt = readBinding(payload, context);
  const clients = readClients(payload, context);
  const kind = kindOf(payload, clients, context);
  const [ app ] = clients;
  const stated = readWebId(payload);
  return {
    jkt,
    webIdUrl: stated?.url,
    ...payload.webid === undefined && !isByNumber(payload, context) && !isByClient(clients, context) &&
    { lacksWebId: true },
    caller: {
      kind,
      ...stated && { webId: stated.webId },
      ...nationalNumber(payload, context.issuer),
      issuer: String(payload.iss),
      ...context.policy.byClient && { issuerListed: context.issuer.listed },
      ...context.policy.claims && { claims: pick(payload, context.policy.claims) },
      ...app !== undefined && { app },
      expiresAt: new Date(Number(payload.exp) * 1000),
    },
  };
}

/** Checks the times of a token, whose validity changes by the second. */
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
 * Reads the key that a token is bound to. A token with `cnf` needs the DPoP scheme. One without it needs the Bearer
 * scheme and an issuer in the settings: otherwise any server that has seen somebody's unbound token could use it here.
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
 * Distinguishes a Solid-OIDC token from the deprecated JWS token of a citizen, which has neither `webid` nor our
 * audience.
 *
 * A token that a citizen gave to another client of the national issuer must not act for that citizen: with an audience
 * other than ours, or as an ID token, it is accepted only for clients that the operator lists.
 */
function kindOf(payload: Payload, clients: string[], context: TokenContext): Caller['kind'] {
  const forUs = hasAudience(payload, context);
  const byNumber = isByNumber(payload, context);
  if (context.policy.citizen && isIdToken(payload) && (byNumber || context.scheme === 'Bearer')) {
    requireToken(areListed(clients, context), 'an ID token is taken only for clients that the operator lists');
  }
  if (byNumber && !forUs && context.legacyTokens && context.scheme === 'Bearer') {
    requireToken(clients.length > 0, 'azp or client_id is required');
    const taken = payload.aud === undefined || (isForItsClient(payload, clients) && areListed(clients, context));
    requireToken(taken, 'aud contains neither the audience of this server nor a client that the operator lists');
    return 'citizen-jws';
  }
  requireToken(forUs, 'aud does not contain the audience of this server');
  return 'solid-oidc';
}

/** Checks for a token without `webid` on an operation that accepts the national number instead. */
function isByNumber({ webid, citizen_national_id: number }: Payload, { policy, issuer }: TokenContext): boolean {
  return webid === undefined && policy.citizen && issuer.national && number !== undefined;
}

/** Checks whether the operation accepts the client alone, and the issuer is trusted for it. */
function isByClient(clients: string[], { issuer, policy }: TokenContext): boolean {
  return policy.byClient === true && issuer.listed && clients.length > 0;
}

function pick(payload: Payload, names: readonly string[]): Payload {
  return Object.fromEntries(names.map((name): [string, unknown] => [ name, payload[name] ]));
}

/**
 * Checks for an ID token, which identifies a person to a client and gives no permissions. Issuers mark it by the hashes
 * of tokens sent with it, by the client's `nonce`, or by a claim of their own.
 *
 * @see [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
 */
function isIdToken(payload: Payload): boolean {
  return idTokenClaims.some((name): boolean => payload[name] !== undefined) ||
    idTokenKinds.has(String(payload.typ).toLowerCase()) || idTokenKinds.has(String(payload.token_use).toLowerCase());
}

/** Checks whether every client in a token is on the operator's list; without a list none is. */
function areListed(clients: string[], { apps }: TokenContext): boolean {
  return clients.length > 0 && clients.every((client): boolean => apps?.includes(client) === true);
}

/** Checks whether the only audience of a token is its own client. */
function isForItsClient(payload: Payload, clients: string[]): boolean {
  const audiences = audiencesOf(payload);
  return audiences.length > 0 &&
    audiences.every((audience): boolean => typeof audience === 'string' && clients.includes(audience));
}

function hasAudience(payload: Payload, { audience, issuer }: TokenContext): boolean {
  const audiences = audiencesOf(payload);
  return audiences.includes(audience) || (issuer.own && audiences.includes(solidAudience));
}

function audiencesOf({ aud }: Payload): unknown[] {
  return Array.isArray(aud) ? aud : [ aud ];
}

function readWebId({ webid }: Payload): ReturnType<typeof findPlainWebId> {
  if (webid === undefined) {
    return;
  }
  const stated = typeof webid === 'string' && webid.length <= maxClaimLength ? findPlainWebId(webid) : undefined;
  requireToken(stated !== undefined, 'webid is not an absolute http(s) URL');
  return stated;
}

/** Returns the clients in a token: `client_id`, and `azp` if it differs. */
function readClients({ client_id: clientId, azp }: Payload, context: TokenContext): string[] {
  const clients = new Set<string>();
  for (const client of [ clientId, azp ].filter((each): boolean => each !== undefined && each !== null)) {
    const isText = typeof client === 'string' && client.length > 0 && client.length <= maxClaimLength;
    requireToken(isText, 'client_id or azp is not text');
    requireToken(isClientId(client, context), 'client_id or azp is neither a URI nor a UUID');
    clients.add(client);
  }
  return [ ...clients ];
}

/**
 * Checks whether an issuer may have assigned a client id. The interface requires a URI or a UUID.
 *
 * Solid identity providers assign other ids at registration, and name them in tokens: these are accepted too, except
 * from national issuers, whose tokens the interface describes. Any id is accepted from this server itself, and on pods.
 */
function isClientId(client: string, { issuer, policy }: TokenContext): boolean {
  return policy.anyClient === true || issuer.own || uri.test(client) || isUuid(client) ||
    (!issuer.national && registeredId.test(client));
}

/** Returns '' for a number that is not text, which the operation then refuses as malformed. */
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
  const number = typeof claim === 'string' ? claim : '';
  requireToken(issuer.believedFor?.(number) !== false, 'the issuer may not speak for this national number');
  return { nationalNumber: new Concealed(number, 'citizen_national_id') };
}
