import type { NationalNumbers } from '../identity/NationalNumbers';
import { isLoopback } from '../platform/loopback';
import { readList, requireUrls } from '../platform/readSettings';
import { RefusedSetting } from '../platform/RefusedSetting';
import { isSameIssuer } from '../tokens/issuers';
import type { LimitedIssuer } from '../tokens/issuers';
import { wholeOf } from './claims';

/** Issuers trusted for national numbers. */
export interface NationalIssuers {
  /** URLs of the issuers. */
  nationalIssuers: string[];
  /** Patterns of the numbers for which an issuer is trusted, by its URL; without one, it is trusted for all. */
  nationalPatterns: ReadonlyMap<string, RegExp>;
}

/**
 * Lists the issuers trusted for every citizen, which profiles made here name.
 *
 * @param text - The setting.
 */
export function issuersOfEverybody(text: string): string[] {
  return splitIssuers(text).filter(({ pattern }): boolean => pattern === undefined).map(({ issuer }): string => issuer);
}

/** Splits entries at commas, and each entry at its first space into issuer and pattern. */
function splitIssuers(text: string): { issuer: string; pattern?: string }[] {
  return (readList(text) ?? []).map((entry): { issuer: string; pattern?: string } => {
    const [ issuer, ...pattern ] = entry.split(/\s+/u);
    return { issuer, ...pattern.length > 0 && { pattern: pattern.join(' ') }};
  });
}

/**
 * Reads the setting of national issuers.
 *
 * @param text - The setting.
 * @param allowHttp - True for issuers without TLS on other machines: whoever changes what they send can pass for any
 * citizen.
 *
 * @throws RefusedSetting that names the flag.
 */
export function readNationalIssuers(text: string, allowHttp: boolean): NationalIssuers {
  const entries = splitIssuers(text);
  const nationalIssuers = entries.map(({ issuer }): string => issuer);
  requireUrls('nationalIssuers', nationalIssuers);
  const plain = nationalIssuers.map((issuer): URL => new URL(issuer))
    .find((url): boolean => url.protocol === 'http:' && !isLoopback(url));
  if (plain && !allowHttp) {
    throw new RefusedSetting(`--nationalIssuers must be https URLs, or on this machine: ${plain.href}`);
  }
  const nationalPatterns = new Map<string, RegExp>();
  for (const { issuer, pattern } of entries) {
    if (pattern !== undefined) {
      if (nationalIssuers.filter((other): boolean => isSameIssuer(other, issuer)).length > 1) {
        throw new RefusedSetting(`--nationalIssuers must name an issuer with a pattern once: ${issuer}`);
      }
      nationalPatterns.set(issuer, readPattern('nationalIssuers', pattern));
    }
  }
  return { nationalIssuers, nationalPatterns };
}

/** Returns the issuers trusted only for some numbers, in any spelling that their tokens use. */
export function limitedIssuers(
  { nationalPatterns }: NationalIssuers,
  parse: NationalNumbers['parse'],
): LimitedIssuer[] {
  return [ ...nationalPatterns ].map(([ issuer, pattern ]): LimitedIssuer =>
    ({ issuer, has: (number): boolean => pattern.test(parse(number) ?? number) }));
}

function readPattern(flag: string, pattern: string): RegExp {
  try {
    // Compiled alone first, so that its parentheses cannot close those around it.
    new RegExp(pattern, 'u').test('');
    return wholeOf(pattern);
  } catch (cause: unknown) {
    throw new RefusedSetting(`--${flag} has a pattern that is no regular expression: ${pattern}`, { cause });
  }
}
