import { NationalNumber } from '../identity/NationalNumber';
import type { NationalNumbers } from '../identity/NationalNumbers';
import { clockSkewSeconds } from '../platform/clock';
import { cleanName } from '../platform/cleanName';
import { isRecord } from '../platform/isRecord';
import { isList } from '../platform/lists';
import { ClaimMissing, IdentityInvalid, LoginRefused, LoginTooWeak } from '../problems';
import type { LoginProvider, NumberClaim } from './LoginProvider';

/**
 * Checks claims of a valid ID token that the library leaves alone: whom it was issued to, also when this server is its
 * only audience, and that it was not issued in the future.
 *
 * @throws LoginRefused
 *
 * @see [OpenID Connect Core 1.0, section 3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation)
 */
export function assertForUs(
  { azp, iat }: Record<string, unknown>,
  { clientId }: Pick<LoginProvider, 'clientId'>,
  now: Date,
): void {
  if (azp !== undefined && azp !== clientId) {
    throw new LoginRefused(undefined, { cause: new Error('The ID token was issued to another client.') });
  }
  if (typeof iat !== 'number' || iat * 1000 > now.getTime() + clockSkewSeconds * 1000) {
    throw new LoginRefused(undefined, { cause: new Error('The ID token was issued in the future.') });
  }
}

/**
 * Reads the national number from the claims of a provider.
 *
 * @throws ClaimMissing, IdentityInvalid
 */
export function readNationalNumber(
  claims: Record<string, unknown>,
  { claim, pattern, prefix = '' }: NumberClaim,
  numbers: Pick<NationalNumbers, 'parse'>,
): NationalNumber {
  const value = findClaim(claims, claim);
  if (value === undefined || value === null || value === '') {
    throw new ClaimMissing('The log-in provider did not return the national number.');
  }
  const number = typeof value === 'string' && value.length <= 200 && value.startsWith(prefix) ?
      NationalNumber.read(value.slice(prefix.length), numbers) :
    undefined;
  if (number === undefined) {
    throw new IdentityInvalid('What the log-in provider returned is not a national number.');
  }
  if (pattern !== undefined && !wholeOf(pattern).test(number.reveal())) {
    throw new IdentityInvalid('The log-in provider is not trusted for this citizen.');
  }
  return number;
}

/**
 * Compiles the pattern of the numbers that a provider may state.
 *
 * @throws SyntaxError when it is not a regular expression.
 */
export function wholeOf(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'u');
}

/**
 * Reads the level of assurance of a log-in.
 *
 * @throws LoginTooWeak when it is not accepted.
 *
 * @see [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
 */
export function readAcr(
  { acr }: Record<string, unknown>,
  { acceptedAcr }: Pick<LoginProvider, 'acceptedAcr'>,
): string | undefined {
  const level = typeof acr === 'string' && acr.length <= 200 ? acr : undefined;
  if (acceptedAcr && (level === undefined || !acceptedAcr.includes(level))) {
    throw new LoginTooWeak();
  }
  return level;
}

/**
 * Reads when a provider authenticated a person, in ms since 1970. With an existing session there, that can be long
 * before the log-in.
 *
 * @returns `undefined` when the provider does not state it.
 *
 * @see [OpenID Connect Core 1.0, section 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)
 */
export function readAuthenticationTime({ auth_time: seconds }: Record<string, unknown>): number | undefined {
  return typeof seconds === 'number' && seconds > 1e9 && seconds < 1e11 ? Math.floor(seconds * 1000) : undefined;
}

/**
 * Reads the citizen's name, cleaned for display.
 *
 * @returns `undefined` when the provider does not state it, or the settings name no claim.
 */
export function readName(
  claims: Record<string, unknown>,
  { nameClaim }: Pick<LoginProvider, 'nameClaim'>,
): string | undefined {
  return nameClaim === undefined ? undefined : cleanName(findClaim(claims, nameClaim));
}

function findClaim(claims: Record<string, unknown>, claim: string): unknown {
  return claim.startsWith('/') ? findByPointer(claims, claim) : ownMember(claims, claim);
}

/** @see [RFC 6901, section 4](https://www.rfc-editor.org/rfc/rfc6901#section-4) */
function findByPointer(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.slice(1).split('/')) {
    value = ownMember(value, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}

function ownMember(value: unknown, name: string): unknown {
  if (isList(value)) {
    return /^(?:0|[1-9]\d{0,3})$/u.test(name) ? value[Number(name)] : undefined;
  }
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
