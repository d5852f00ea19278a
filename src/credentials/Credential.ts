/** JSON of a verifiable credential. Outside data: rely only on checked members. */
export type CredentialDocument = Record<string, unknown>;

/** One fault of a credential. */
export interface CredentialFinding {
  /** The failed check: `shape`, `issuer`, `proof`, `status` or `validity`. */
  check: 'shape' | 'issuer' | 'proof' | 'status' | 'validity';
  problem: string;
  /** When the fault began, or a moment by which it had begun, if known. */
  since?: Date;
}

/** A check could not be made, because a status list or key document could not be fetched. */
export class CheckUnavailable extends Error {
  public constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CheckUnavailable';
  }
}
