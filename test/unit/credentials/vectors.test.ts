import { createHash, createPrivateKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { localKey } from '../../../src/credentials/localKey';
import { decodeMultibase, decodeMultikey, encodeMultikey } from '../../../src/credentials/multibase';
import type { ProofForm } from '../../../src/credentials/proofs';
import { addProof, canonicalForms, hashData, readProof, verifySignature } from '../../../src/credentials/proofs';

const folder = join(__dirname, '../../fixtures/credentials/w3c');
function text(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function json(path: string): Record<string, any> {
  return JSON.parse(text(path)) as Record<string, any>;
}

const load = createDocumentLoader(new Map([
  [ 'https://www.w3.org/ns/credentials/examples/v2', json('contexts/credentials-examples-v2.json') ],
  [ 'https://w3id.org/citizenship/v4rc1', json('contexts/citizenship-v4rc1-stand-in.json') ],
]));

interface Vector {
  form: ProofForm;
  signed: string;
  combinedHash: string;
  canonicalDocument?: string;
  canonicalProof?: string;
  signature: string;
}

const vectors: Record<string, Vector> = {
  'eddsa-rdfc-2022': {
    form: 'eddsa-rdfc-2022',
    signed: 'eddsa-rdfc-2022/signedDataInt.json',
    combinedHash: 'eddsa-rdfc-2022/combinedHashDataInt.txt',
    canonicalProof: 'eddsa-rdfc-2022/proofCanonDataInt.txt',
    signature: 'eddsa-rdfc-2022/sigHexDataInt.txt',
  },
  'eddsa-rdfc-2022, employment document': {
    form: 'eddsa-rdfc-2022',
    signed: 'eddsa-rdfc-2022/employ/signedDataInt.json',
    combinedHash: 'eddsa-rdfc-2022/employ/combinedHashDataInt.txt',
    canonicalDocument: 'eddsa-rdfc-2022/employ/canonDocDataInt.txt',
    canonicalProof: 'eddsa-rdfc-2022/employ/proofCanonDataInt.txt',
    signature: 'eddsa-rdfc-2022/employ/sigHexDataInt.txt',
  },
  Ed25519Signature2020: {
    form: 'Ed25519Signature2020',
    signed: 'Ed25519Signature2020/signedEdSig.json',
    combinedHash: 'Ed25519Signature2020/combinedHashEdSig.txt',
    canonicalDocument: 'Ed25519Signature2020/canonDocEdSig.txt',
    signature: 'Ed25519Signature2020/sigHexEdSig.txt',
  },
};

const keyPair = json('keyPair.json');
const publicKey = decodeMultikey(keyPair.publicKeyMultibase)!;

function vectorPrivateKey(): KeyObject {
  const d = decodeMultibase(keyPair.privateKeyMultibase)!.subarray(2).toString('base64url');
  return createPrivateKey({ key: { ...publicKey.export({ format: 'jwk' }), d }, format: 'jwk' });
}

describe.each(Object.entries(vectors))('The W3C vector %s', (_name, vector): void => {
  const signed = json(vector.signed);
  const { proof, ...unsigned } = signed;
  const now = new Date('2024-01-01T00:00:00Z');

  it('has the published canonical forms.', async(): Promise<void> => {
    const forms = await canonicalForms(signed, proof, load);
    const published = {
      document: vector.canonicalDocument ? text(vector.canonicalDocument) : forms.document,
      proof: vector.canonicalProof ? text(vector.canonicalProof) : forms.proof,
    };
    expect(forms).toEqual(published);
  });

  it('has the published hashes.', async(): Promise<void> => {
    expect((await hashData(signed, proof, load)).toString('hex')).toBe(text(vector.combinedHash));
  });

  it('is signed to the published bytes.', async(): Promise<void> => {
    const again = await addProof(unsigned, {
      form: vector.form,
      verificationMethod: proof.verificationMethod,
      created: new Date(proof.created),
    }, localKey(vectorPrivateKey()), load);
    expect(again).toEqual(signed);
    const signature = decodeMultibase(again.proof.proofValue)!.toString('hex');
    expect(signature).toBe(text(vector.signature));
  });

  it('verifies.', async(): Promise<void> => {
    await expect(verifySignature(signed, readProof(signed, now), publicKey, load)).resolves.toBeUndefined();
  });

  it('does not verify when a member of the document or its proof is changed.', async(): Promise<void> => {
    const tampered = [
      { ...signed, name: 'Another name' },
      { ...signed, validFrom: '2020-12-03T00:00:00Z' },
      { ...signed, credentialSubject: { ...signed.credentialSubject, id: 'did:example:somebody-else' }},
      { ...signed, proof: { ...proof, created: '2023-02-24T23:36:39Z' }},
      { ...signed, proof: { ...proof, verificationMethod: 'https://vc.example/issuers/5678#another' }},
    ];
    for (const document of tampered) {
      await expect(verifySignature(document, readProof(document, now), publicKey, load))
        .rejects.toThrow('the signature does not match the document');
    }
  });
});

describe('The W3C key pair', (): void => {
  it('keeps its Multikey form.', (): void => {
    expect(encodeMultikey(publicKey)).toBe(keyPair.publicKeyMultibase);
  });

  it('matches its published hash.', (): void => {
    const document = text('Ed25519Signature2020/canonDocEdSig.txt');
    expect(createHash('sha256').update(document).digest('hex')).toBe(text('Ed25519Signature2020/docHashEdSig.txt'));
  });
});
