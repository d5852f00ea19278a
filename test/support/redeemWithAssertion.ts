import type { KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';

/**
 * Redeems a code that does not exist, as a client with `private_key_jwt`.
 *
 * @param base - Base URL of the server.
 * @param clientId - Id of the client, which has registered `https://app.example/` for its codes.
 * @param alg - Algorithm of the assertion.
 * @param key - Private key that signs it.
 *
 * @see [RFC 7523, section 2.2](https://www.rfc-editor.org/rfc/rfc7523#section-2.2)
 */
export async function redeemWithAssertion(
  base: string,
  clientId: string,
  alg: string,
  key: CryptoKey | KeyObject,
): Promise<Response> {
  const url = `${base}.oidc/token`;
  const assertion = await new SignJWT({ jti: 'only' })
    .setProtectedHeader({ alg })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(url)
    .setExpirationTime('1 minute')
    .sign(key);
  return fetch(url, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'any',
      redirect_uri: 'https://app.example/',
      client_id: clientId,
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    }),
  });
}
