/** Outcome of offering a DPoP proof to the store. */
export type ProofOutcome = 'fresh' | 'replayed' | 'too-many';

/**
 * Remembers DPoP proofs so that each works once.
 *
 * @see [RFC 9449, section 11.1](https://www.rfc-editor.org/rfc/rfc9449#section-11.1)
 */
export interface ProofStore {
  /**
   * Remembers a proof that has verified. Atomic: of two calls with the same caller and `jti`, one is `fresh`.
   *
   * @param caller - Owner of the proof, for the limit per caller.
   * @param jti - Id of the proof.
   * @param expiresAt - Time until which the proof could be replayed if forgotten.
   */
  remember: (caller: string, jti: string, expiresAt: Date, now: Date) => Promise<ProofOutcome>;
}
