/** Trust in the issuer of a token, according to the settings. */
export interface IssuerStanding {
  /** True for this server's own identity provider. */
  own: boolean;
  /** True when trusted for `citizen_national_id`. */
  national: boolean;
  /** Checks whether it is trusted for a number; absent when trusted for all. */
  believedFor?: (nationalNumber: string) => boolean;
  /** True when the settings name it: its tokens need no DPoP key. */
  listed: boolean;
  /** True when its tokens are accepted at all. */
  trusted: boolean;
}

/** A national issuer that is trusted for some numbers only. */
export interface LimitedIssuer {
  issuer: string;
  has: (nationalNumber: string) => boolean;
}

/** Issuers in the settings. */
export interface IssuerLists {
  own: string;
  nationalIssuers: string[];
  /** National issuers that are trusted for some numbers only. */
  believedFor?: readonly LimitedIssuer[];
  trustedIssuers?: string[];
}

/**
 * Checks whether two issuer identifiers are equal, except for one trailing slash.
 *
 * Profiles, settings and tokens differ in that slash in practice, and both forms have the same discovery URL.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return withoutSlash(one) === withoutSlash(other);
}

/** Removes one trailing slash from an issuer identifier. */
export function withoutSlash(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

/** Checks whether a list contains an issuer. */
export function isAmong(issuers: string[], issuer: string): boolean {
  return issuers.some((entry): boolean => isSameIssuer(entry, issuer));
}

/** Determines the trust in an issuer: any is trusted, or with `trustedIssuers` only own, national and listed ones. */
export function standingOf(issuer: string, lists: IssuerLists): IssuerStanding {
  const own = isSameIssuer(lists.own, issuer);
  const national = isAmong(lists.nationalIssuers, issuer);
  const listed = own || national || isAmong(lists.trustedIssuers ?? [], issuer);
  const limited = lists.believedFor?.find((one): boolean => isSameIssuer(one.issuer, issuer));
  return { own, national, believedFor: limited?.has, listed, trusted: listed || lists.trustedIssuers === undefined };
}
