'use strict';

const { readFileSync, writeFileSync } = require('node:fs');
const { calculateJwkThumbprint, exportJWK, generateKeyPair } = require('jose');

/**
 * @typedef {{ keys: (import('jose').JWK & { kid: string, alg: string })[] }} PrivateJwks
 */

/**
 * A new key set with one private ES256 key, its `kid` being its thumbprint.
 *
 * @returns {Promise<PrivateJwks>}
 *
 * @see [RFC 7638, JSON Web Key (JWK) Thumbprint](https://www.rfc-editor.org/rfc/rfc7638)
 */
async function generateJwks() {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { keys: [{ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' }]};
}

/**
 * Reads a private key set from a file, which is made (mode 0600) when there is none yet.
 *
 * @param {string} file
 *
 * @returns {Promise<PrivateJwks>}
 */
async function readOrCreateJwks(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') {
      throw error;
    }
  }
  const jwks = await generateJwks();
  writeFileSync(file, JSON.stringify(jwks, null, 2), { mode: 0o600, flag: 'wx' });
  return jwks;
}

module.exports = { generateJwks, readOrCreateJwks };
