'use strict';

const { randomUUID } = require('node:crypto');
const { importJWK, SignJWT } = require('jose');

/**
 * Signs a token of a citizen, outside any OAuth flow.
 *
 * With `audience`, it is a Solid-OIDC token without `webid`, with which the issuer itself requests the citizen's WebID;
 * otherwise the deprecated JWS citizen token.
 *
 * @param {object} token
 * @param {import('./keys').PrivateJwks} token.jwks - The issuer's private keys; the first one signs.
 * @param {string} token.issuer
 * @param {string} token.nationalNumber
 * @param {string} token.clientId - The app that the token is for.
 * @param {string} [token.audience]
 * @param {number} [token.lifetimeSeconds] - 60 by default.
 *
 * @returns {Promise<string>}
 */
async function signCitizenToken({ jwks, issuer, nationalNumber, clientId, audience, lifetimeSeconds = 60 }) {
  const [ jwk ] = jwks.keys;
  const now = Math.floor(Date.now() / 1000);
  const token = new SignJWT({ citizen_national_id: nationalNumber, client_id: clientId })
    .setProtectedHeader({ alg: jwk.alg, kid: jwk.kid, typ: audience ? 'at+jwt' : 'JWT' })
    .setIssuer(issuer)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + lifetimeSeconds);
  if (audience) {
    token.setAudience(audience);
  }
  return token.sign(await importJWK(jwk, jwk.alg));
}

module.exports = { signCitizenToken };
