/** JSON of a verifiable credential. Outside data: rely only on checked members. */
export type CredentialDocument = Record<string, unknown>;

/** One thing that is wrong with a credential. */
export interface CredentialFinding {
  /** The check that failed: `shape`, `issuer`, `proof`, `status` or `validity`. */
  check: 'shape' | 'issuer' | 'proof' | 'status' | 'validity';
  problem: string;
  /** Since when it is so, or a moment by which it was, where that is known. */
  since?: Date;
}

/** A check could not be made: a status list or key document could not be fetched. */
export class CheckUnavailable extends Error {
  public constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CheckUnavailable';
  }
}
