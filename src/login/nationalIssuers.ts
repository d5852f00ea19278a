import type { NationalNumbers } from '../identity/NationalNumbers';
import { readList, requireUrls } from '../platform/readSettings';
import { RefusedSetting } from '../platform/RefusedSetting';
import { isSameIssuer } from '../tokens/issuers';
import type { LimitedIssuer } from '../tokens/issuers';
import { wholeOf } from './claims';

/** The issuers that are believed for national numbers. */
export interface NationalIssuers {
  /** URLs. */
  nationalIssuers: string[];
  /** Patterns of the numbers that a national issuer is believed for, by its URL; for all, when it has none. */
  nationalPatterns: ReadonlyMap<string, RegExp>;
}

/**
 * The national issuers that are believed for every citizen: the profiles made here list them.
 *
 * @param text - The setting.
 */
export function issuersOfEverybody(text: string): string[] {
  return splitIssuers(text).filter(({ pattern }): boolean => pattern === undefined).map(({ issuer }): string => issuer);
}

/** Splits entries at commas, and each at its first space: before it the issuer, after it the pattern. */
function splitIssuers(text: string): { issuer: string; pattern?: string }[] {
  return (readList(text) ?? []).map((entry): { issuer: string; pattern?: string } => {
    const [ issuer, ...pattern ] = entry.split(/\s+/u);
    return { issuer, ...pattern.length > 0 && { pattern: pattern.join(' ') }};
  });
}

/**
 * Reads the setting of national issuers.
 *
 * @throws RefusedSetting that names the flag.
 */
export function readNationalIssuers(text: string): NationalIssuers {
  const entries = splitIssuers(text);
  const nationalIssuers = entries.map(({ issuer }): string => issuer);
  requireUrls('nationalIssuers', nationalIssuers);
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

/** National issuers that are believed for some numbers: in whichever spelling their tokens have them. */
export function limitedIssuers(
  { nationalPatterns }: NationalIssuers,
  parse: NationalNumbers['parse'],
): LimitedIssuer[] {
  return [ ...nationalPatterns ].map(([ issuer, pattern ]): LimitedIssuer =>
    ({ issuer, has: (number): boolean => pattern.test(parse(number) ?? number) }));
}

function readPattern(flag: string, pattern: string): RegExp {
  try {
    // Alone first: parentheses of its own must not end those around it.
    new RegExp(pattern, 'u').test('');
    return wholeOf(pattern);
  } catch (cause: unknown) {
    throw new RefusedSetting(`--${flag} has a pattern that is no regular expression: ${pattern}`, { cause });
  }
}
