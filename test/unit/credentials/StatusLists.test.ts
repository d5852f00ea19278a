import { gunzipSync } from 'node:zlib';
import {
  credentialStatus,
  isAnyBitSet,
  ownListId,
  packBits,
  readIndex,
  unpackBits,
} from '../../../src/credentials/statusEntries';
import { ownIris } from '../../../src/vocabulary';
import { TestIssuer } from './support';

const base = 'https://data.example/';
const iris = ownIris(base);

describe('StatusLists', (): void => {
  let issuer: TestIssuer;

  beforeEach((): void => {
    issuer = new TestIssuer(base);
  });

  it('finds only its own lists, each of one kind.', async(): Promise<void> => {
    await expect(issuer.lists.find('grants', 'other')).resolves.toBeUndefined();
    await expect(issuer.lists.find('grants', 'credentials')).resolves.toBeUndefined();
  });

  it('makes a RevocationList2020Credential of grants.', async(): Promise<void> => {
    await issuer.store.revoke({ listId: 'grants', index: 9 }, issuer.now);
    const { text, modified } = (await issuer.lists.find('grants', 'grants'))!;
    expect(modified).toEqual(issuer.now);
    const { credentialSubject, ...document } = JSON.parse(text) as Record<string, any>;
    expect(document).toMatchObject({
      id: 'https://data.example/.access/status/grants',
      type: [ 'VerifiableCredential', 'RevocationList2020Credential' ],
      issuer: 'https://data.example/.access/',
      issuanceDate: '2026-11-21T08:00:00.500Z',
      proof: { type: 'Ed25519Signature2020', verificationMethod: 'https://data.example/.access/#k1' },
    });
    expect(credentialSubject).toMatchObject({ type: 'RevocationList2020' });
    const bits = gunzipSync(Buffer.from(credentialSubject.encodedList as string, 'base64'));
    expect(bits).toHaveLength(16384);
    expect(bits.subarray(0, 3)).toEqual(Buffer.from([ 0, 0b0100_0000, 0 ]));
  });

  it('makes a BitstringStatusListCredential of personal data.', async(): Promise<void> => {
    const { text } = (await issuer.lists.find('credentials', 'credentials'))!;
    expect(JSON.parse(text)).toMatchObject({
      id: 'https://data.example/v1/status/credentials',
      type: [ 'VerifiableCredential', 'BitstringStatusListCredential' ],
      issuer: 'https://data.example/v1/issuer',
      credentialSubject: {
        id: 'https://data.example/v1/status/credentials#list',
        type: 'BitstringStatusList',
        statusPurpose: 'revocation',
        encodedList: expect.stringMatching(/^uH4sI[\w-]+$/u),
      },
      proof: { type: 'DataIntegrityProof', verificationMethod: 'https://data.example/v1/issuer#k2' },
    });
  });

  it('signs a list again only when it has changed.', async(): Promise<void> => {
    const first = await issuer.lists.find('grants', 'grants');
    await expect(issuer.lists.find('grants', 'grants')).resolves.toBe(first);
    await issuer.store.revoke({ listId: 'grants', index: 9 }, issuer.now);
    const second = await issuer.lists.find('grants', 'grants');
    expect(second!.text).not.toBe(first!.text);
  });

  it('shows both of two revocations at the same moment.', async(): Promise<void> => {
    const seen = new Set<string>();
    for (const index of [ 9, 10 ]) {
      await issuer.store.revoke({ listId: 'grants', index }, issuer.now);
      seen.add((await issuer.lists.find('grants', 'grants'))!.text);
    }
    expect(seen.size).toBe(2);
  });
});

describe('A status entry', (): void => {
  it('names its list and its place in it.', (): void => {
    expect(credentialStatus('grants', { listId: '1', index: 42 }, iris)).toEqual({
      id: 'https://data.example/.access/status/1#42',
      type: 'RevocationList2020Status',
      revocationListIndex: '42',
      revocationListCredential: 'https://data.example/.access/status/1',
    });
  });

  it('is recognised as this server\'s by its list.', (): void => {
    expect(ownListId('credentials', 'https://data.example/v1/status/a1', iris)).toBe('a1');
    expect(ownListId('credentials', 'https://data.example/v1/status/', iris)).toBeUndefined();
    expect(ownListId('credentials', 'https://data.example/.access/status/a1', iris)).toBeUndefined();
    expect(ownListId('credentials', 'https://elsewhere.example/v1/status/a1', iris)).toBeUndefined();
  });

  it('has a decimal index.', (): void => {
    expect(readIndex('131071')).toBe(131071);
    for (const index of [ 7, '', '-1', '1.5', '1e3', '12345678901', undefined ]) {
      expect(readIndex(index)).toBeUndefined();
    }
  });

  it('reads packed bits from the left.', (): void => {
    const bits = unpackBits(`u${packBits([ 0, 7, 131071 ]).toString('base64url')}`)!;
    expect(bits[0]).toBe(0b1000_0001);
    expect([ 0, 1, 6, 7, 8, 131070, 131071, 131072 ].map((index): unknown => isAnyBitSet(bits, index, 1)))
      .toEqual([ true, false, false, true, false, false, true, undefined ]);
  });

  it('does not unpack anything but a list.', (): void => {
    expect(unpackBits(7)).toBeUndefined();
    expect(unpackBits('uAAAA')).toBeUndefined();
  });
});
