import { generateKeyPairSync } from 'node:crypto';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import { KeyUnavailable } from '../../../src/credentials/KeyStore';
import type { SignerKey } from '../../../src/credentials/Signer';
import { SignerKeys } from '../../../src/credentials/SignerKeys';
import { addProof, readProof, verifySignature } from '../../../src/credentials/proofs';
import { TestSigner } from '../../support/TestSigner';

const load = createDocumentLoader();

describe('Keys of a signer', (): void => {
  const bytes = Buffer.from('text');
  let now: Date;
  let lines: string[];
  let signer: TestSigner;
  let keys: SignerKeys;

  beforeEach(async(): Promise<void> => {
    now = new Date('2026-11-23T12:00:00Z');
    lines = [];
    signer = new TestSigner();
    keys = await open();
  });

  function note(line: string): void {
    lines.push(line);
  }

  async function open(): Promise<SignerKeys> {
    return SignerKeys.open({ signer, now: (): Date => now, logger: { error: note, warn: note }});
  }

  function pass(seconds: number): void {
    now = new Date(now.getTime() + (seconds * 1000));
  }

  it('sign credentials: the first one of a purpose, by its id.', async(): Promise<void> => {
    const [ key ] = keys.get('credentials');
    const signed = await addProof({
      '@context': [ 'https://www.w3.org/ns/credentials/v2' ],
      type: [ 'VerifiableCredential' ],
      issuer: 'https://pods.example/v1/issuer',
      credentialSubject: { id: 'https://pods.example/alice' },
    }, {
      form: 'eddsa-rdfc-2022',
      verificationMethod: `https://pods.example/v1/issuer#${key.id}`,
      created: now,
    }, key, load);
    expect(signer.signed).toEqual([ 'credentials-key' ]);
    await expect(verifySignature(signed, readProof(signed, now), key.publicKey, load)).resolves.toBeUndefined();
    expect(key.publicKeyMultibase).toMatch(/^z6Mk/u);
    expect(key).not.toHaveProperty('privateKey');
  });

  it('are refreshed every ten seconds, in their order.', async(): Promise<void> => {
    signer.add('grants', 'next');
    await expect(keys.refresh()).resolves.toBe(false);
    pass(10);
    await expect(keys.refresh()).resolves.toBe(true);
    expect(keys.get('grants').map(({ id }): string => id)).toEqual([ 'grants-key', 'next' ]);
    signer.keys.unshift(signer.keys.pop()!);
    pass(10);
    await expect(keys.refresh()).resolves.toBe(true);
    expect(keys.get('grants').map(({ id }): string => id)).toEqual([ 'next', 'grants-key' ]);
    pass(10);
    await expect(keys.refresh()).resolves.toBe(false);
  });

  it('are the same objects while nothing has changed.', async(): Promise<void> => {
    const before = keys.get('tokens');
    pass(10);
    await keys.refresh();
    expect(keys.get('tokens')).toBe(before);
  });

  it('stay known while the signer is unavailable, which is logged once, but cannot sign.', async(): Promise<void> => {
    const [ key ] = keys.get('grants');
    signer.failure = new Error('no connection');
    for (let round = 0; round < 3; round += 1) {
      pass(10);
      await expect(keys.refresh()).resolves.toBe(false);
      await expect(key.sign(bytes)).rejects.toThrow(KeyUnavailable);
    }
    expect(keys.get('grants')[0]).toBe(key);
    expect(lines).toEqual([ 'The signer failed: no connection. Requests that need a signature get 503' ]);
    signer.failure = undefined;
    await expect(key.sign(bytes)).resolves.toHaveLength(64);
    expect(lines.slice(1)).toEqual([ 'The signer responds again' ]);
  });

  it.each([ 0, 63, 64, 65 ])('return no signature that does not verify, of %d bytes.', async(length): Promise<void> => {
    signer.signature = new Uint8Array(length);
    await expect(keys.get('grants')[0].sign(bytes)).rejects.toThrow(KeyUnavailable);
  });

  it('have ten seconds to respond.', async(): Promise<void> => {
    jest.useFakeTimers({ doNotFake: [ 'nextTick', 'setImmediate' ]});
    signer.isSilent = true;
    const signing = keys.get('grants')[0].sign(bytes).catch((error: unknown): string => (error as Error).message);
    await jest.advanceTimersByTimeAsync(10_000);
    await expect(signing).resolves.toContain('no answer in 10 seconds');
    jest.useRealTimers();
  });

  it.each<[string, (key: SignerKey) => Partial<SignerKey>, string]>([
    [ 'another curve', (): Partial<SignerKey> => generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'Ed25519' ],
    [ 'an id that is not valid in a URL', (): Partial<SignerKey> => ({ id: 'a b' }), 'with an id of its own' ],
    [ 'an empty id', (): Partial<SignerKey> => ({ id: '' }), 'with an id of its own' ],
    [ 'its private half', (): Partial<SignerKey> => ({ publicKey: generateKeyPairSync('ed25519').privateKey }), 'id' ],
    [ 'another purpose', (): Partial<SignerKey> => ({ purpose: 'tokens' }), 'has no key of grants' ],
  ])('stop the start if they are of %s.', async(_what, change, message): Promise<void> => {
    Object.assign(signer.keys[0], change(signer.keys[0]));
    await expect(open()).rejects.toThrow(message);
  });

  it('have unique ids.', async(): Promise<void> => {
    signer.add('grants', 'grants-key');
    await expect(open()).rejects.toThrow('with an id of its own');
    signer.keys.pop();
    signer.add('tokens', 'grants-key');
    await expect(open()).resolves.toBeDefined();
  });

  it('must be available at the start.', async(): Promise<void> => {
    signer.failure = new Error('no connection');
    await expect(open()).rejects.toThrow('The signer failed: no connection');
  });
});
