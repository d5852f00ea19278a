/**
 * A token or a DPoP proof breaks a rule. The verifier turns it into the problem for the caller.
 *
 * The message names the rule and never quotes the token.
 */
export class Refusal extends Error {
  public override readonly name = 'Refusal';

  public constructor(
    message: string,
    public readonly about: 'invalid_token' | 'invalid_dpop_proof',
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** Throws a refusal of the token unless the rule holds. */
export function requireToken(holds: boolean, message: string): asserts holds {
  if (!holds) {
    throw new Refusal(message, 'invalid_token');
  }
}

/** Throws a refusal of the DPoP proof unless the rule holds. */
export function requireProof(holds: boolean, message: string): asserts holds {
  if (!holds) {
    throw new Refusal(message, 'invalid_dpop_proof');
  }
}
