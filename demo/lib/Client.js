'use strict';

const { createHash, randomUUID } = require('node:crypto');
const { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } = require('jose');

/**
 * Parts of a request.
 *
 * @typedef {object} Sent
 * @property {Record<string, string>} [headers]
 * @property {unknown} [body] - Text and bytes go as they are, anything else as JSON.
 * @property {string} [dpop] - A proof to send instead of a valid one.
 */

/**
 * Calls HTTP services with a token bound by DPoP to its own key pair, with a Bearer token, or without a token.
 */
class Client {
  /**
   * @param {import('jose').CryptoKey} [privateKey] - Of the DPoP key pair; none for Bearer tokens.
   * @param {import('jose').JWK} [publicJwk]
   * @param {string} [token]
   */
  constructor(privateKey, publicJwk, token) {
    this.privateKey = privateKey;
    this.publicJwk = publicJwk;
    this.token = token;
  }

  /**
   * A client with a new DPoP key pair, and no token yet.
   */
  static async withDpop() {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return new Client(privateKey, await exportJWK(publicKey));
  }

  /**
   * A client that sends its token as it is.
   *
   * @param {string} [token]
   */
  static withBearer(token) {
    return new Client(undefined, undefined, token);
  }

  /**
   * The same client with another token.
   *
   * @param {string} [token]
   */
  withToken(token) {
    return new Client(this.privateKey, this.publicJwk, token);
  }

  /**
   * Thumbprint of the DPoP key: the `cnf.jkt` of tokens that are bound to it.
   */
  async jkt() {
    if (!this.publicJwk) {
      throw new Error('A Bearer client has no DPoP key');
    }
    return calculateJwkThumbprint(this.publicJwk);
  }

  /**
   * Makes a DPoP proof.
   *
   * @param {string} method
   * @param {string} url
   * @param {Record<string, unknown>} [claims] - In addition to or instead of the valid ones; undefined omits one.
   *
   * @returns {Promise<string>}
   *
   * @see [RFC 9449, section 4.2](https://www.rfc-editor.org/rfc/rfc9449#section-4.2)
   */
  async proof(method, url, claims = {}) {
    const { privateKey, publicJwk: jwk } = this;
    if (!privateKey) {
      throw new Error('A Bearer client has no DPoP key');
    }
    const { origin, pathname } = new URL(url);
    const ath = this.token && createHash('sha256').update(this.token).digest('base64url');
    const iat = Math.floor(Date.now() / 1000);
    return new SignJWT({ htm: method, htu: `${origin}${pathname}`, jti: randomUUID(), iat, ath, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
      .sign(privateKey);
  }

  /**
   * Sends a request; redirects are not followed.
   *
   * @param {string} method
   * @param {string} url
   * @param {Sent} [sent]
   *
   * @returns {Promise<Response>}
   */
  async request(method, url, { headers = {}, body, dpop } = {}) {
    const asIs = body === undefined || typeof body === 'string' || body instanceof Uint8Array ||
      body instanceof URLSearchParams;
    return fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...await this.authentication(method, url, dpop),
        ...asIs ? {} : { 'content-type': 'application/json' },
        ...headers,
      },
      body: asIs ? /** @type {BodyInit} */ (body) : JSON.stringify(body),
    });
  }

  /**
   * Makes the headers that authenticate the caller.
   *
   * @param {string} method
   * @param {string} url
   * @param {string} [dpop]
   *
   * @returns {Promise<Record<string, string>>}
   */
  async authentication(method, url, dpop) {
    if (this.privateKey) {
      const proof = { dpop: dpop ?? await this.proof(method, url) };
      return this.token ? { authorization: `DPoP ${this.token}`, ...proof } : proof;
    }
    return this.token ? { authorization: `Bearer ${this.token}` } : {};
  }
}

module.exports = { Client };
