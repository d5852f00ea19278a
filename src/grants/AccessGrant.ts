import type { StatusEntry } from '../credentials/StatusListStore';
import type { WebId } from '../platform/webId';

/** Kind of an access credential: access is requested, given, or refused. */
export type GrantKind = 'request' | 'grant' | 'denial';

/** A mode of access, as its IRI in the `acl` namespace. */
export type AccessMode = 'Read' | 'Write' | 'Append';

/**
 * An access request, grant or denial that this service issued, with the members that decide access beside the
 * credential itself.
 */
export interface AccessGrant {
  /** UUID; the credential's id is `{base}/.access/vc/{id}`. */
  id: string;
  uri: string;
  kind: GrantKind;
  /** `credentialSubject.id`: the resource owner who gave it (for a request: the requestor). */
  subject: WebId;
  /**
   * `isProvidedTo`: the grantee (for a request: `isConsentForDataSubject`). Empty for a request template that is
   * addressed to everybody who has its URI.
   */
  recipient: WebId | '';
  modes: AccessMode[];
  /** `forPersonalData`: resource URIs, canonical when they are of this server. None in a request template. */
  resources: string[];
  /** `forPurpose`: purpose IRIs. */
  purposes: string[];
  /** True when containers among the resources cover what they contain. */
  inherit: boolean;
  /** The contract under which it was issued, with the digest of its text; absent for a client's grant. */
  contract?: { id: string; digest: string };
  /** URI of the access request it answers. */
  request?: string;
  status: StatusEntry;
  issuedAt: Date;
  /** When a client had it made, and the issuer of its token. Absent: made by this service itself, at `issuedAt`. */
  made?: { at: Date; tokenIssuer: string };
  /** Absent: no end. */
  expiresAt?: Date;
  revokedAt?: Date;
  /** When it lost its meaning without being revoked by its subject: a party was erased. */
  invalidAt?: Date;
  /** Since when it has no effect because its recipient or contract is suspended; its status stays what it is. */
  suspendedAt?: Date;
  /** The signed credential, byte for byte as it was issued. */
  document: string;
}

/** All of an access grant except the credential. */
export type GrantTerms = Omit<AccessGrant, 'document'>;

/** Checks whether a WebID is one of the two parties of a request, grant or denial: nobody else learns of it. */
export function isParty({ subject, recipient }: Pick<AccessGrant, 'subject' | 'recipient'>, webId: WebId): boolean {
  return webId === subject || webId === recipient;
}

/** Status of an access grant, computed when it is read. */
export type GrantStatus = 'ACTIVE' | 'REVOKED' | 'EXPIRED' | 'INVALID';

/**
 * The status of a grant at a moment.
 * Whichever of revocation, expiry and invalidity came first decides; at the same moment in that order.
 */
export function grantStatus(grant: Pick<AccessGrant, 'revokedAt' | 'invalidAt' | 'expiresAt'>, now: Date): GrantStatus {
  const ends: [GrantStatus, Date | undefined][] = [
    [ 'REVOKED', grant.revokedAt ],
    [ 'EXPIRED', grant.expiresAt ],
    [ 'INVALID', grant.invalidAt ],
  ];
  let first: { status: GrantStatus; at: Date } | undefined;
  for (const [ status, at ] of ends) {
    if (at && at <= now && (!first || at < first.at)) {
      first = { status, at };
    }
  }
  return first?.status ?? 'ACTIVE';
}
