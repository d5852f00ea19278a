import { replacePart, wrapMethod } from '../replacePart';

type Payload = Record<string, unknown>;

/** An ID token before it is signed. */
interface IdToken {
  /** The request; an ID token issued without one is no response to a log-in. */
  ctx?: { oidc: { entities: { AccessToken?: { jkt?: string }}}};
  issue: Issue;
  /** Collects the claims. */
  payload: () => Promise<Payload>;
}

type Issue = (this: IdToken, options?: { use?: string }) => Promise<string>;

/** The part of the library's provider that makes ID tokens. */
export interface IdTokenMaker {
  IdToken: { prototype: IdToken };
}

/**
 * Binds the ID tokens of Solid-OIDC to the key of the DPoP proof, and has them name every Solid server as their
 * audience. Those of requests without proof stay for the client alone.
 *
 * @see [Solid-OIDC, section 7.1](https://solidproject.org/TR/oidc#tokens-id)
 */
export function completeIdTokens({ IdToken: { prototype }}: IdTokenMaker): void {
  const { issue } = prototype;
  async function complete(this: IdToken, options?: { use?: string }): Promise<string> {
    const jkt = this.ctx?.oidc.entities.AccessToken?.jkt;
    if (options?.use === 'idtoken' && jkt !== undefined) {
      wrapMethod(this, 'payload', (own: IdToken['payload']): IdToken['payload'] => async(): Promise<Payload> =>
        bind(await own(), jkt));
    }
    return issue.call(this, options);
  }
  replacePart(prototype, 'issue', complete);
}

/** Adds to the claims of somebody whose WebID the client requested. */
function bind(payload: Payload, jkt: string): Payload {
  if (payload.webid === undefined) {
    return payload;
  }
  return Object.defineProperty({ ...payload, cnf: { jkt }}, 'toJSON', { value: withSolidAudience });
}

/** Returns the claims as they are signed. The library itself sets the audience, to the client, just before. */
function withSolidAudience(this: Payload): Payload {
  return { ...this, aud: [ this.aud, 'solid' ]};
}
