import { hash } from 'node:crypto';

/** An unused invitation. */
export interface OpenInvitation {
  /** Id for withdrawing it: the beginning of its digest. */
  id: string;
  lapsesAt: Date;
}

/** Invitations to create an account. Each can be used once, until it lapses. */
export interface InvitationStore {
  /** Stores an invitation, and drops those that have lapsed. */
  add: (digest: string, lapsesAt: Date, now: Date) => Promise<void>;
  /** Returns true when one of these invitations is valid. */
  isOpen: (digests: readonly string[], now: Date) => Promise<boolean>;
  /** Uses up one of these invitations; returns false when none is valid. Of several concurrent calls, one succeeds. */
  take: (digests: readonly string[], now: Date) => Promise<boolean>;
  /** Lists the valid invitations, the first to lapse first. */
  listOpen: (now: Date) => Promise<OpenInvitation[]>;
  /** Invalidates the invitation with an id; returns false when it was not valid. */
  withdraw: (id: string, now: Date) => Promise<boolean>;
}

const idLength = 16;

/** Id of an invitation for operators. Its 256-bit code cannot be derived from it. */
export function invitationId(digest: string): string {
  return digest.slice(0, idLength);
}

/**
 * Key under which an invitation is stored. The code itself is not stored, so nobody can guess the address from the key.
 *
 * @param code - Random text of at least 128 bits.
 * @param address - E-mail address, when the invitation is valid for that address only.
 */
export function invitationDigest(code: string, address = ''): string {
  return hash('sha256', JSON.stringify([ code, address.trim().toLowerCase() ]), 'hex');
}

/** Keys under which the invitation shown by a person with this address may be stored. */
export function invitationDigests(code: string, address: string): string[] {
  return [ invitationDigest(code), invitationDigest(code, address) ];
}
