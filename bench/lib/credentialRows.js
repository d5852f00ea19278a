'use strict';

// Compares signing and verifying credentials in this process with `@digitalbazaar/vc`, used as in its documentation, on
// the same credentials: of personal data (eddsa-rdfc-2022) and an access grant (Ed25519Signature2020).

const { generateKeyPairSync } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { base58 } = require('@scure/base');
const { addProof, readProof, verifySignature } = require('../../dist/credentials/proofs');
const { createDocumentLoader } = require('../../dist/credentials/documentLoader');
const { localKey } = require('../../dist/credentials/localKey');
const { encodeMultikey } = require('../../dist/credentials/multibase');
const { alternate } = require('./alternate');

const issuer = 'https://issuer.example/credentials';
const method = `${issuer}#key`;
const iterations = 100;

const grant = {
  '@context': [
    'https://www.w3.org/2018/credentials/v1',
    'https://schema.inrupt.com/credentials/v2.jsonld',
    'https://w3id.org/security/suites/ed25519-2020/v1',
    'https://w3id.org/vc-revocation-list-2020/v1',
  ],
  id: 'https://issuer.example/.access/vc/7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a02',
  type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
  issuer,
  issuanceDate: '2026-11-21T08:00:00.000Z',
  expirationDate: '2027-05-20T08:00:00.000Z',
  credentialStatus: {
    id: 'https://issuer.example/.access/status/list#42',
    type: 'RevocationList2020Status',
    revocationListIndex: '42',
    revocationListCredential: 'https://issuer.example/.access/status/list',
  },
  credentialSubject: {
    id: 'https://issuer.example/anna/profile/card#me',
    providedConsent: {
      mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
      hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
      isProvidedToPerson: 'https://issuer.example/bank/profile/card#me',
      forPersonalData: [ 'https://issuer.example/anna/credentials/5f/5f0a' ],
      forPurpose: [ 'https://purposes.example/loan' ],
      inherit: false,
    },
  },
};

/** A diploma of the demo as a credential. */
function diploma() {
  const file = join(__dirname, '../../demo/data/sources/diploma/2024-05-22/emma-bachelor.json');
  const { '@context': context, ...subject } = JSON.parse(readFileSync(file, 'utf8')).credentialSubject;
  return {
    '@context': [ 'https://www.w3.org/ns/credentials/v2', { ...context, '@vocab': 'https://issuer.example/v1/ns/core#' }],
    id: 'urn:uuid:7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a01',
    type: [ 'VerifiableCredential', 'https://issuer.example/v1/data-types/diploma/2024-05-22' ],
    issuer,
    validFrom: '2026-11-21T08:00:00.000Z',
    credentialStatus: {
      id: 'https://issuer.example/v1/status/list#42',
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '42',
      statusListCredential: 'https://issuer.example/v1/status/list',
    },
    credentialSubject: { id: 'https://issuer.example/emma/profile/card#me', ...subject },
  };
}

/**
 * Measures the CPU of signing and verifying, and its ratio to the public library.
 *
 * @param rounds - Rounds of each, alternating.
 *
 * @returns Rows for {@link printRatios}.
 */
async function measureCredentials(rounds) {
  const peers = await loadPeers();
  const load = createDocumentLoader();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const rows = [];
  for (const [ form, document ] of [[ 'eddsa-rdfc-2022', diploma() ], [ 'Ed25519Signature2020', grant ]]) {
    const peer = await peers(form, privateKey, publicKey, load);
    const created = new Date();
    const options = { form, verificationMethod: method, created };
    async function sign() {
      return addProof(document, options, localKey(privateKey), load);
    }
    const signed = await sign();
    const theirs = await peer.sign(document);
    // Each verifies the other's signatures: they do the same work.
    const verify = verifierWith(publicKey, load);
    await verify(theirs);
    await peer.verify(signed);
    rows.push(
      { name: `sign ${form}`, to: 0.5, ...await alternate(sign, async() => peer.sign(document), { rounds, iterations }) },
      { name: `verify ${form}`, to: 0.5, ...await alternate(async() => verify(signed), async() => peer.verify(signed), { rounds, iterations }) },
    );
  }
  return rows;
}

function verifierWith(publicKey, load) {
  return async credential => verifySignature(credential, readProof(credential, new Date()), publicKey, load);
}

/** Skips fetching the status, as on the other side. */
async function checkStatus() {
  return { verified: true };
}

/** Imports the library, which consists of ES modules. */
async function loadPeers() {
  const vc = await import('@digitalbazaar/vc');
  const { DataIntegrityProof } = await import('@digitalbazaar/data-integrity');
  const { cryptosuite } = await import('@digitalbazaar/eddsa-rdfc-2022-cryptosuite');
  const { Ed25519Signature2020 } = await import('@digitalbazaar/ed25519-signature-2020');
  const { Ed25519VerificationKey2020 } = await import('@digitalbazaar/ed25519-verification-key-2020');
  const multikey = await import('@digitalbazaar/ed25519-multikey');
  return async(form, privateKey, publicKey, load) => {
    const publicKeyMultibase = encodeMultikey(publicKey);
    const pair = { id: method, controller: issuer, publicKeyMultibase, ...secrets(privateKey) };
    const isDataIntegrity = form === 'eddsa-rdfc-2022';
    const key = isDataIntegrity ?
        await multikey.from({ type: 'Multikey', '@context': 'https://w3id.org/security/multikey/v1', ...pair }) :
        await Ed25519VerificationKey2020.from({ type: 'Ed25519VerificationKey2020', ...toPrivateKey(pair) });
    const documentLoader = withKey(load, form, publicKeyMultibase);
    return {
      async sign(document) {
        const suite = isDataIntegrity ?
            new DataIntegrityProof({ signer: key.signer(), cryptosuite }) :
            new Ed25519Signature2020({ key });
        return vc.issue({ credential: { ...document }, suite, documentLoader });
      },
      async verify(credential) {
        const suite = isDataIntegrity ? new DataIntegrityProof({ cryptosuite }) : new Ed25519Signature2020();
        const { verified, error } = await vc.verifyCredential({ credential, suite, documentLoader, checkStatus });
        if (!verified) {
          throw error;
        }
      },
    };
  };
}

function secrets(privateKey) {
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d, 'base64url');
  return { secretKeyMultibase: `z${base58.encode(Buffer.concat([ Buffer.from([ 0x80, 0x26 ]), seed ]))}`, seed };
}

function toPrivateKey({ seed, publicKeyMultibase, id, controller }) {
  const publicBytes = base58.decode(publicKeyMultibase.slice(1)).slice(2);
  const privateKeyMultibase = `z${base58.encode(Buffer.concat([ Buffer.from([ 0x80, 0x26 ]), seed, publicBytes ]))}`;
  return { id, controller, publicKeyMultibase, privateKeyMultibase };
}

/** Loads the shipped contexts and the issuer's public documents. */
function withKey(load, form, publicKeyMultibase) {
  const isDataIntegrity = form === 'eddsa-rdfc-2022';
  const type = isDataIntegrity ? 'Multikey' : 'Ed25519VerificationKey2020';
  const context = isDataIntegrity ? 'https://w3id.org/security/multikey/v1' : 'https://w3id.org/security/suites/ed25519-2020/v1';
  const key = { '@context': context, id: method, type, controller: issuer, publicKeyMultibase };
  const controller = {
    '@context': [ 'https://www.w3.org/ns/cid/v1', 'https://w3id.org/security/suites/ed25519-2020/v1' ],
    id: issuer,
    assertionMethod: [ method ],
  };
  const documents = new Map([[ method, key ], [ issuer, controller ]]);
  return async url => documents.has(url) ? { documentUrl: url, document: documents.get(url) } : load(url);
}

module.exports = { measureCredentials };
