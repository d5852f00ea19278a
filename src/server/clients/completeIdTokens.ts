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

/** An ID token that a client sends back, by which it and the person are recognised. */
interface IdTokenHint {
  payload: Payload;
}

/** The request, which keeps what is known of it. */
interface OidcContext {
  entity: (this: OidcContext, name: string, value: unknown) => void;
}

/** The parts of the library's provider that make ID tokens and read them again. */
export interface IdTokenMaker {
  IdToken: { prototype: IdToken };
  OIDCContext: { prototype: OidcContext };
}

/**
 * Binds the ID tokens of Solid-OIDC to the key of the DPoP proof, and has them name every Solid server as their
 * audience. Those of requests without proof stay for the client alone.
 *
 * @see [Solid-OIDC, section 7.1](https://solidproject.org/TR/oidc#tokens-id)
 */
export function completeIdTokens({ IdToken: { prototype: tokens }, OIDCContext: { prototype: contexts }}: IdTokenMaker):
void {
  const { issue } = tokens;
  async function complete(this: IdToken, options?: { use?: string }): Promise<string> {
    const jkt = this.ctx?.oidc.entities.AccessToken?.jkt;
    if (options?.use === 'idtoken' && jkt !== undefined) {
      wrapMethod(this, 'payload', (own: IdToken['payload']): IdToken['payload'] => async(): Promise<Payload> =>
        bind(await own(), jkt));
    }
    return issue.call(this, options);
  }
  replacePart(tokens, 'issue', complete);

  const { entity } = contexts;
  function keep(this: OidcContext, name: string, value: unknown): void {
    entity.call(this, name, name === 'IdTokenHint' ? forClient(value as IdTokenHint) : value);
  }
  replacePart(contexts, 'entity', keep);
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

/**
 * Returns an ID token with its client as its audience, as the library expects when somebody logs out. It then verifies
 * that the token was issued to this client.
 */
function forClient(hint: IdTokenHint): IdTokenHint {
  const { aud, azp } = hint.payload;
  return Array.isArray(aud) ? { ...hint, payload: { ...hint.payload, aud: azp }} : hint;
}
