import type { KeyObject } from 'node:crypto';
import { createHash, verify } from 'node:crypto';
import { clockSkewSeconds, hasPassed } from '../platform/clock';
import { isRecord } from '../platform/isRecord';
import { CREDENTIALS } from '../vocabulary';
import type { Statements } from './canonicalize';
import { canonicalize, NotCanonicalizable, readStatements } from './canonicalize';
import { readDate } from './credentialShape';
import type { DocumentLoader } from './documentLoader';
import { asList, without } from './json';
import type { SigningKey } from './KeyStore';
import { decodeMultibase, encodeMultibase } from './multibase';

/** The two forms of proof that this service makes and verifies; both are Ed25519 over canonical RDF. */
export type ProofForm = 'eddsa-rdfc-2022' | 'Ed25519Signature2020';

/** Members of a proof besides its value. */
export interface ProofOptions {
  form: ProofForm;
  /** URL of the public key. */
  verificationMethod: string;
  created: Date;
  domain?: string;
}

/** A proof of a document, as {@link readProof} returns it. */
export interface Proof extends Record<string, unknown> {
  verificationMethod: string;
  proofValue: string;
}

/** The canonical N-Quads to hash. */
export interface CanonicalForms {
  document: string;
  proof: string;
}

/** The statements of a signed document, and its proof. */
export interface SignedStatements {
  /** Statements of the document without its proof, in its own contexts. */
  document: Statements;
  /** Canonical N-Quads of the proof without its value; absent without a proof. */
  proof?: string;
}

/** A proof, or the document around it, is not valid. */
export class ProofInvalid extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'ProofInvalid';
  }
}

const credentialTerms = Object.fromEntries(
  [ 'issuer', 'issuanceDate', 'expirationDate', 'validFrom', 'validUntil', 'credentialStatus' ]
    .map((name): [string, string] => [ name, `${CREDENTIALS}${name}` ]),
);
const proofTerms = { expires: 'https://w3id.org/security#expiration' };

const proofNames = new Set([
  'id',
  'type',
  'cryptosuite',
  'created',
  'expires',
  'domain',
  'challenge',
  'nonce',
  'verificationMethod',
  'proofPurpose',
  'proofValue',
]);

const signatureBytes = 64;

/**
 * Signs a JSON-LD document.
 *
 * @param document - Without `proof`; its contexts define the proof's terms.
 *
 * @returns the document with `proof` as its last member.
 *
 * @throws NotCanonicalizable when a part of the document has no meaning in its contexts.
 *
 * @see [Data Integrity EdDSA Cryptosuites v1.0, section 3.2.1](https://www.w3.org/TR/vc-di-eddsa/#create-proof-eddsa-rdfc-2022)
 */
export async function addProof<T extends Record<string, unknown>>(
  document: T,
  options: ProofOptions,
  key: Pick<SigningKey, 'sign'>,
  load: DocumentLoader,
): Promise<T & { proof: Record<string, unknown> }> {
  const proof = proofMembers(options);
  const signature = await key.sign(await hashData(document, proof, load));
  return { ...document, proof: { ...proof, proofValue: encodeMultibase(signature) }};
}

function proofMembers({ form, verificationMethod, created, domain }: ProofOptions): Record<string, unknown> {
  return {
    ...form === 'Ed25519Signature2020' ? { type: form } : { type: 'DataIntegrityProof', cryptosuite: form },
    created: `${created.toISOString().slice(0, 19)}Z`,
    verificationMethod,
    proofPurpose: 'assertionMethod',
    ...domain && { domain },
  };
}

/**
 * Returns the bytes to sign: the hash of the proof's own members, then the hash of the document without its proof.
 *
 * @see [Data Integrity EdDSA Cryptosuites v1.0, section 3.2.4](https://www.w3.org/TR/vc-di-eddsa/#hashing-eddsa-rdfc-2022)
 */
export async function hashData(
  document: Record<string, unknown>,
  proof: Record<string, unknown>,
  load: DocumentLoader,
): Promise<Buffer> {
  return hashOf(await canonicalForms(document, proof, load));
}

function hashOf(forms: CanonicalForms): Buffer {
  return Buffer.concat([ sha256(forms.proof), sha256(forms.document) ]);
}

/**
 * Returns the canonical N-Quads of a document without its proof, in its own contexts, and of its proof without the
 * value.
 *
 * @throws NotCanonicalizable
 */
export async function canonicalForms(
  document: Record<string, unknown>,
  proof: Record<string, unknown>,
  load: DocumentLoader,
): Promise<CanonicalForms> {
  return formsOf(await readSigned({ ...document, proof }, load));
}

function formsOf({ document, proof }: SignedStatements): CanonicalForms {
  // Only documents with a proof are signed or verified.
  return { document: document.nquads, proof: proof! };
}

/**
 * Returns the statements of a document without its proof, and of the proof, for {@link verifySignature}.
 *
 * @throws NotCanonicalizable
 */
export async function readSigned(document: Record<string, unknown>, load: DocumentLoader): Promise<SignedStatements> {
  const { proof: proofs, ...unsigned } = document;
  const [ proof ] = asList(proofs);
  const statements = await readStatements(unsigned, load);
  if (!isRecord(proof)) {
    return { document: statements };
  }
  const context = proof['@context'] ?? document['@context'];
  return {
    document: statements,
    proof: await canonicalize({ ...without(proof, 'proofValue'), '@context': context }, load),
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Reads the proof of a document, and makes all checks that need no key. Refuses a document with several proofs.
 *
 * @throws ProofInvalid when it is missing, of another form or purpose, not in force now, or not well-formed.
 */
export function readProof(document: Record<string, unknown>, now: Date): Proof {
  const proofs = asList(document.proof);
  const [ proof ] = proofs;
  if (proofs.length !== 1 || !isRecord(proof)) {
    throw new ProofInvalid('there must be exactly one proof');
  }
  checkForm(proof);
  checkMembers(proof);
  checkTimes(proof, now);
  checkContext(proof, document);
  // Checked above.
  return proof as Proof;
}

function checkForm(proof: Record<string, unknown>): void {
  const dataIntegrity = proof.type === 'DataIntegrityProof' && proof.cryptosuite === 'eddsa-rdfc-2022';
  if (!dataIntegrity && (proof.type !== 'Ed25519Signature2020' || 'cryptosuite' in proof)) {
    throw new ProofInvalid('the type of the proof is not supported');
  }
  if (proof.proofPurpose !== 'assertionMethod') {
    throw new ProofInvalid('the purpose of the proof is not assertionMethod');
  }
  if (typeof proof.verificationMethod !== 'string') {
    throw new ProofInvalid('the proof names no verification method');
  }
  if (decodeMultibase(proof.proofValue)?.length !== signatureBytes) {
    throw new ProofInvalid('the proof value is not an Ed25519 signature in base58');
  }
}

/** Refuses unknown members of a proof, because users are not shown the proof. */
function checkMembers(proof: Record<string, unknown>): void {
  for (const [ member, value ] of Object.entries(proof)) {
    const texts = member === 'domain' ? asList(value) : [ value ];
    const isKnown = member === '@context' || (proofNames.has(member) &&
      texts.every((text): boolean => text === undefined || typeof text === 'string'));
    if (!isKnown) {
      throw new ProofInvalid('the proof has an unknown member');
    }
  }
}

function checkTimes({ type, created, expires }: Record<string, unknown>, now: Date): void {
  if (created === undefined ? type === 'Ed25519Signature2020' : !isDateTime(created)) {
    throw new ProofInvalid('the proof does not say when it was created');
  }
  if (isDateTime(created) && Date.parse(created) > now.getTime() + clockSkewSeconds * 1000) {
    throw new ProofInvalid('the proof was created in the future');
  }
  if (expires !== undefined && !isDateTime(expires)) {
    throw new ProofInvalid('the end of the proof is not a date');
  }
  if (isDateTime(expires) && hasPassed(new Date(expires), now)) {
    throw new ProofInvalid('the proof has expired');
  }
}

/** Checks for an `xsd:dateTimeStamp`: a time with its zone. */
function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && /(?:Z|[+-]\d\d:\d\d)$/u.test(value) && !Number.isNaN(readDate(value));
}

/** Checks the contexts of a proof: it may repeat the document's contexts, or the first of them, and no others. */
function checkContext(proof: Record<string, unknown>, document: Record<string, unknown>): void {
  const contexts = asList(document['@context']);
  for (const [ place, context ] of asList(proof['@context']).entries()) {
    if (JSON.stringify(context) !== JSON.stringify(contexts[place])) {
      throw new ProofInvalid('the context of the proof is not that of the document');
    }
  }
}

/**
 * Verifies the signature of a proof from {@link readProof}.
 *
 * The document is read in its own contexts: a proof that repeats fewer of them is valid only if the others change
 * nothing.
 *
 * @param statements - Result of {@link readSigned}, if it was read before.
 *
 * @throws ProofInvalid when the signature is not valid, or the document cannot be canonicalized.
 *
 * @see [Data Integrity EdDSA Cryptosuites v1.0, section 3.2.2](https://www.w3.org/TR/vc-di-eddsa/#verify-proof-eddsa-rdfc-2022)
 */
export async function verifySignature(
  document: Record<string, unknown>,
  proof: Proof,
  key: KeyObject,
  load: DocumentLoader,
  statements?: SignedStatements,
): Promise<void> {
  const forms = await canonicalFormsOf(document, load, statements);
  // Decoded once by readProof.
  if (!verify(null, hashOf(forms), key, decodeMultibase(proof.proofValue)!)) {
    throw new ProofInvalid('the signature does not match the document');
  }
  checkNames(document, forms.document, credentialTerms);
  checkNames(proof, forms.proof, proofTerms);
}

async function canonicalFormsOf(
  signed: Record<string, unknown>,
  load: DocumentLoader,
  known?: SignedStatements,
): Promise<CanonicalForms> {
  try {
    return formsOf(known ?? await readSigned(signed, load));
  } catch (error: unknown) {
    if (error instanceof NotCanonicalizable) {
      throw new ProofInvalid(`the document cannot be verified: ${error.message}`);
    }
    throw error;
  }
}

/**
 * Checks that members have their usual names. Checks read the JSON of a credential, but the signature covers its RDF:
 * an added context could rename a member without changing the RDF, and hide an end date or a status.
 */
function checkNames(json: Record<string, unknown>, nquads: string, terms: Record<string, string>): void {
  for (const [ name, iri ] of Object.entries(terms)) {
    const statements = nquads.split('\n').filter((line): boolean => line.split(' ', 2)[1] === `<${iri}>`);
    if (statements.length > asList(json[name]).length) {
      throw new ProofInvalid(`the document says its ${name} under another name`);
    }
  }
}
