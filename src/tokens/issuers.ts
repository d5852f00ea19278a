/** Standing of the issuer of a token, by the settings. */
export interface IssuerStanding {
  /** This server's own identity provider. */
  own: boolean;
  /** Believed for `citizen_national_id`. */
  national: boolean;
  /** Checks whether it is believed for a number; absent when it is for all. */
  believedFor?: (nationalNumber: string) => boolean;
  /** Named in the settings in any way: its tokens may come without a DPoP key. */
  listed: boolean;
  /** Its tokens are taken at all. */
  trusted: boolean;
}

/** A national issuer that is believed for some numbers only. */
export interface LimitedIssuer {
  issuer: string;
  has: (nationalNumber: string) => boolean;
}

/** The issuers that the settings name. */
export interface IssuerLists {
  own: string;
  nationalIssuers: string[];
  /** Those of the national ones that are believed for some numbers only. */
  believedFor?: readonly LimitedIssuer[];
  trustedIssuers?: string[];
}

/**
 * Checks whether two issuer identifiers are the same: equal, or equal but for one trailing slash.
 *
 * Profiles, settings and tokens disagree about that slash in practice, and both forms have the same discovery URL.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return withoutSlash(one) === withoutSlash(other);
}

/** An issuer identifier without one trailing slash. */
export function withoutSlash(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

/** Checks whether a list names an issuer. */
export function isAmong(issuers: string[], issuer: string): boolean {
  return issuers.some((entry): boolean => isSameIssuer(entry, issuer));
}

/** Finds the standing of an issuer: any is trusted, or with `trustedIssuers` own, national and listed ones. */
export function standingOf(issuer: string, lists: IssuerLists): IssuerStanding {
  const own = isSameIssuer(lists.own, issuer);
  const national = isAmong(lists.nationalIssuers, issuer);
  const listed = own || national || isAmong(lists.trustedIssuers ?? [], issuer);
  const limited = lists.believedFor?.find((one): boolean => isSameIssuer(one.issuer, issuer));
  return { own, national, believedFor: limited?.has, listed, trusted: listed || lists.trustedIssuers === undefined };
}
