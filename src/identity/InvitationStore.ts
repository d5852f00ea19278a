import { hash } from 'node:crypto';

/** An invitation that nobody has used yet. */
export interface OpenInvitation {
  /** By which it can be withdrawn: the beginning of its digest. */
  id: string;
  lapsesAt: Date;
}

/** Invitations to make an account: each is good once, until it lapses. */
export interface InvitationStore {
  /** Keeps an invitation, and drops those that have lapsed. */
  add: (digest: string, lapsesAt: Date, now: Date) => Promise<void>;
  /** Returns true when one of these is good. */
  isOpen: (digests: readonly string[], now: Date) => Promise<boolean>;
  /** Uses one of these up; returns false when none is good. Of several calls at once, one gets it. */
  take: (digests: readonly string[], now: Date) => Promise<boolean>;
  /** Those that are good, the first to lapse first. */
  listOpen: (now: Date) => Promise<OpenInvitation[]>;
  /** Makes the one with an id good for nothing; returns false when it was not good. */
  withdraw: (id: string, now: Date) => Promise<boolean>;
}

const idLength = 16;

/** Id of an invitation for operators, from which its code of 256 bits cannot be found. */
export function invitationId(digest: string): string {
  return digest.slice(0, idLength);
}

/**
 * The one name under which an invitation is kept. The code is not kept, so that nobody can guess the address from it.
 *
 * @param code - Random text of 128 bits or more.
 * @param address - The e-mail address that it is for, with which alone it is good.
 */
export function invitationDigest(code: string, address = ''): string {
  return hash('sha256', JSON.stringify([ code, address.trim().toLowerCase() ]), 'hex');
}

/** The names under which the invitation may be kept that somebody with this address shows. */
export function invitationDigests(code: string, address: string): string[] {
  return [ invitationDigest(code), invitationDigest(code, address) ];
}
