'use strict';

const { createHash, createPrivateKey, randomBytes, sign } = require('node:crypto');
const { makePrivateJwk } = require('../../dist/platform/makePrivateJwk');

let serial = 0;
const run = randomBytes(9).toString('base64url');

/** Makes a client's key pair that can be sent to another process. */
function newKey() {
  return makePrivateJwk('P-256');
}

/** Prepares a key for signing: the private key and the header of its proofs, made once. */
function prepareKey(jwk) {
  const { crv, kty, x, y } = jwk;
  return {
    key: createPrivateKey({ key: jwk, format: 'jwk' }),
    proofHeader: encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y }}),
  };
}

/**
 * Computes the RFC 7638 thumbprint of an EC key.
 *
 * @see [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638)
 */
function thumbprint({ crv, kty, x, y }) {
  return hashOf(JSON.stringify({ crv, kty, x, y }));
}

/** Makes an access token as the server's own identity provider does, bound to the key, if any. */
function accessToken({ issuerKey, kid, issuer, webId, key, claims = {}}) {
  const now = Math.floor(Date.now() / 1000);
  return signed(issuerKey, encode({ alg: 'ES256', typ: 'at+jwt', kid }), {
    iss: issuer,
    aud: 'solid',
    webid: webId,
    client_id: 'https://app.example/id',
    sub: webId,
    iat: now,
    exp: now + 3600,
    jti: newJti(),
    ...key && { cnf: { jkt: thumbprint(key) }},
    ...claims,
  });
}

/**
 * Makes a unique DPoP proof for one request.
 *
 * @see [RFC 9449, section 4](https://www.rfc-editor.org/rfc/rfc9449#section-4)
 */
function proof({ key, proofHeader }, method, url, ath) {
  return signed(key, proofHeader, { jti: newJti(), htm: method, htu: url, iat: Math.floor(Date.now() / 1000), ath });
}

function newJti() {
  serial += 1;
  return `${run}${serial.toString(36)}`;
}

function signed(key, header, payload) {
  const text = `${header}.${encode(payload)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function encode(part) {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Computes the `ath` of a token. */
function hashOf(text) {
  return createHash('sha256').update(text).digest('base64url');
}

module.exports = { accessToken, hashOf, newKey, prepareKey, proof, thumbprint };
