import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { addProof, ProofInvalid, readProof, verifySignature } from '../../../src/credentials/proofs';
import { newKey } from './support';

const load = createDocumentLoader();
const key = newKey('k1');
const created = new Date('2026-11-21T08:00:00.900Z');
const unsigned = {
  '@context': [ 'https://www.w3.org/ns/credentials/v2' ],
  type: [ 'VerifiableCredential' ],
  issuer: 'https://data.example/v1/issuer',
  credentialSubject: { id: 'https://data.example/anna#me' },
};

async function signed(): Promise<Record<string, any>> {
  return addProof(unsigned, {
    form: 'eddsa-rdfc-2022',
    verificationMethod: 'https://data.example/v1/issuer#k1',
    created,
  }, key, load);
}

describe('Making a proof', (): void => {
  it('sets the members of its form.', async(): Promise<void> => {
    const { proof } = await signed();
    expect(proof).toEqual({
      type: 'DataIntegrityProof',
      cryptosuite: 'eddsa-rdfc-2022',
      created: '2026-11-21T08:00:00Z',
      verificationMethod: 'https://data.example/v1/issuer#k1',
      proofPurpose: 'assertionMethod',
      proofValue: expect.stringMatching(/^z[1-9A-HJ-NP-Za-km-z]{80,90}$/u),
    });
  });

  it('refuses a document with an undefined term.', async(): Promise<void> => {
    const document = { ...unsigned, credentialSubject: { ...unsigned.credentialSubject, shoeSize: 43 }};
    await expect(addProof(document, {
      form: 'eddsa-rdfc-2022',
      verificationMethod: 'https://data.example/v1/issuer#k1',
      created,
    }, key, load)).rejects.toThrow('invalid property');
  });
});

describe('Reading a proof', (): void => {
  it('accepts a list of one proof.', async(): Promise<void> => {
    const document = await signed();
    expect(readProof({ ...document, proof: [ document.proof ]}, created)).toBe(document.proof);
  });

  it('accepts one without a creation date.', async(): Promise<void> => {
    const { proof: { created: _created, ...proof }, ...document } = await signed();
    expect(readProof({ ...document, proof }, created)).toBe(proof);
  });

  it.each<[string, object]>([
    [ 'exactly one proof', { proof: undefined }],
    [ 'type of the proof', { type: 'Ed25519Signature2018' }],
    [ 'type of the proof', { type: 'Ed25519Signature2020' }],
    [ 'type of the proof', { cryptosuite: 'eddsa-jcs-2022' }],
    [ 'purpose of the proof', { proofPurpose: 'authentication' }],
    [ 'no verification method', { verificationMethod: undefined }],
    [ 'proof value', { proofValue: undefined }],
    [ 'proof value', { proofValue: 'z2222' }],
    [ 'proof value', { proofValue: 'u3237ba3b' }],
    [ 'proof value', { proofValue: `z${'2'.repeat(1_000_000)}` }],
    [ 'when it was created', { created: 'yesterday' }],
    [ 'created in the future', { created: '2026-11-21T08:01:02Z' }],
    [ 'when it was created', { created: '2026-02-30T08:00:00Z' }],
    [ 'when it was created', { created: '2026-11-21T08:00:00' }],
    [ 'end of the proof', { expires: 'tomorrow' }],
    [ 'end of the proof', { expires: '2027-02-30T08:00:00Z' }],
    [ 'has expired', { expires: '2026-11-21T07:58:59Z' }],
    [ 'unknown member', { subject: 'https://data.example/ben#me' }],
    [ 'unknown member', { nonce: { id: 'https://data.example/ben#me' }}],
    [ 'context of the proof', { '@context': 'https://w3id.org/security/data-integrity/v2' }],
  ])('finds %s wrong in %j.', async(problem, changes): Promise<void> => {
    const document = await signed();
    const proof = 'proof' in changes ? undefined : { ...document.proof, ...changes };
    expect((): unknown => readProof({ ...document, proof }, created)).toThrow(ProofInvalid);
    expect((): unknown => readProof({ ...document, proof }, created)).toThrow(problem);
  });

  it('refuses several proofs.', async(): Promise<void> => {
    const document = await signed();
    expect((): unknown => readProof({ ...document, proof: [ document.proof, document.proof ]}, created))
      .toThrow('exactly one proof');
  });

  it('tolerates a clock that is a minute behind.', async(): Promise<void> => {
    const document = await signed();
    expect(readProof(document, new Date('2026-11-21T07:59:00Z'))).toBe(document.proof);
  });
});

describe('Verifying a signature', (): void => {
  it('accepts a proof that repeats the context of the document.', async(): Promise<void> => {
    const document = await signed();
    const repeating = { ...document, proof: { ...document.proof, '@context': unsigned['@context'] }};
    const proof = readProof(repeating, created);
    await expect(verifySignature(repeating, proof, key.publicKey, load)).resolves.toBeUndefined();
  });

  it('refuses another key.', async(): Promise<void> => {
    const document = await signed();
    await expect(verifySignature(document, readProof(document, created), newKey('k1').publicKey, load))
      .rejects.toThrow(ProofInvalid);
  });

  it('refuses a document to which an undefined term was added.', async(): Promise<void> => {
    const document = { ...await signed(), shoeSize: 43 };
    await expect(verifySignature(document, readProof(document, created), key.publicKey, load))
      .rejects.toThrow('cannot be verified');
  });
});
