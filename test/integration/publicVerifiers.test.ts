import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyCredential } from '@digitalbazaar/vc';
import { checkStatus as checkBitstring } from '@digitalbazaar/vc-bitstring-status-list';
import { checkStatus as checkRevocationList } from '@digitalbazaar/vc-revocation-list';
import type { Document } from '../support/strangersLoader';
import { fetched, load, options } from '../support/strangersLoader';
import type { Shared } from '../support/sharing';
import { citizenWithPod, revocationUrl, share } from '../support/sharing';
import type { AccountHolder, Client, World } from '../support/world';
import { accountWithPod, removeFolder, startWorld, temporaryFolder } from '../support/world';
import { validateReceipt } from '../support/validateReceipt';

const kinds = [
  {
    kind: 'an access grant',
    listOf: ({ credentialStatus }: Document): string => credentialStatus.revocationListCredential as string,
    isInForce: async(credential: Document): Promise<boolean> =>
      (await checkRevocationList(options(credential))).verified,
    checkStatus: checkRevocationList,
    tamper: (grant: Document): Document[] => [
      change(grant, ({ credentialSubject }): void => {
        credentialSubject.providedConsent.mode = [ 'http://www.w3.org/ns/auth/acl#Write' ];
      }),
      change(grant, ({ credentialSubject }): void => {
        credentialSubject.providedConsent.isProvidedTo = 'https://mallory.example/card#me';
      }),
      change(grant, ({ credentialSubject }): void => {
        credentialSubject.providedConsent.forPersonalData = [ 'http://localhost/' ];
      }),
      change(grant, (copy): void => {
        copy.expirationDate = '2099-01-01T00:00:00.000Z';
      }),
      change(grant, ({ credentialStatus }): void => {
        credentialStatus.revocationListIndex = String(Number(credentialStatus.revocationListIndex) + 1);
      }),
    ],
  },
  {
    kind: 'a credential of personal data',
    listOf: ({ credentialStatus }: Document): string => credentialStatus.statusListCredential as string,
    isInForce: async(credential: Document): Promise<boolean> => {
      const { verified, results } = await checkBitstring(options(credential));
      return verified && !results[0].status;
    },
    checkStatus: checkBitstring,
    tamper: (diploma: Document): Document[] => [
      change(diploma, ({ credentialSubject }): void => {
        credentialSubject.id = 'https://mallory.example/card#me';
      }),
      change(diploma, ({ credentialSubject }): void => {
        credentialSubject.awardDate = '1999-01-01';
      }),
      change(diploma, (copy): void => {
        copy.validFrom = '1999-01-01T00:00:00Z';
      }),
      change(diploma, ({ credentialStatus }): void => {
        credentialStatus.statusListIndex = String(Number(credentialStatus.statusListIndex) + 1);
      }),
    ],
  },
] as const;

const named = kinds.map(({ kind }, index): [string, number] => [ kind, index ]);

function change(document: Document, work: (copy: Document) => void): Document {
  const copy = structuredClone(document);
  work(copy);
  return copy;
}

describe('Unmodified public libraries, with public documents of the running server only,', (): void => {
  let world: World;
  let emma: Client;
  let consumer: AccountHolder;
  let shared: Shared;
  let credentials: Document[];
  let sources: string;

  beforeAll(async(): Promise<void> => {
    sources = await temporaryFolder();
    await cp(join(__dirname, '../../demo/data/sources'), sources, { recursive: true });
    world = await startWorld({ flags: { sources }});
    consumer = await accountWithPod(world.base, 'consumer', 'Bearer');
    emma = (await citizenWithPod(world, 'emma')).client;
    shared = await share(emma, world.base, 'diploma-employment');
    credentials = [ await get(shared.accessGrant), await get(shared.podResource) ];
  });

  afterAll(async(): Promise<void> => {
    await world.stop();
    await removeFolder(sources);
  });

  /** Only the parties get the credential itself: they can pass it on. */
  async function get(url: string): Promise<Document> {
    return await (await consumer.client.request('GET', url)).json() as Document;
  }

  async function verify(credential: Document, kind: typeof kinds[number]): Promise<boolean> {
    const { verified } = await verifyCredential({ ...options(credential), checkStatus: kind.checkStatus });
    return verified;
  }

  it.each(named)('verify %s, status included.', async(_kind, index): Promise<void> => {
    fetched.clear();
    await expect(verify(credentials[index], kinds[index])).resolves.toBe(true);
    // The issuer with its key, and the list: the cache has nothing of this server.
    expect(fetched).toContain(kinds[index].listOf(credentials[index]));
    expect([ ...fetched ].every((url): boolean => url.startsWith(world.base))).toBe(true);
    expect(fetched.size).toBeGreaterThan(1);
  });

  it.each(named)('verify the status list of %s.', async(_kind, index): Promise<void> => {
    const { document } = await load(kinds[index].listOf(credentials[index])) as { document: Document };
    const { verified } = await verifyCredential(options(document));
    expect(verified).toBe(true);
  });

  it.each(named)('reject each tampered copy of %s.', async(_kind, index): Promise<void> => {
    for (const copy of kinds[index].tamper(credentials[index])) {
      await expect(verify(copy, kinds[index])).resolves.toBe(false);
    }
  });

  it('reject one credential under the proof of another.', async(): Promise<void> => {
    const other = await get((await share(emma, world.base, 'diploma-employment', 1)).podResource);
    await expect(verify(other, kinds[1])).resolves.toBe(true);
    await expect(verify({ ...other, proof: credentials[1].proof }, kinds[1])).resolves.toBe(false);
  });

  /** Receipts of the same consent, for the citizen and for the data user. */
  async function receipts(): Promise<Document[]> {
    const url = `${world.base}v1/access-grants/${shared.accessGrant.split('/').at(-1)!}/receipt`;
    return Promise.all([ emma, consumer.client ].map(async(client): Promise<Document> => {
      const response = await client.request('GET', url);
      expect([ response.status, response.headers.get('content-type') ]).toEqual([ 200, 'application/ld+json' ]);
      return await response.json() as Document;
    }));
  }

  function consentStatuses({ credentialSubject }: Document): unknown[] {
    return (credentialSubject['dpv:hasRecordOfActivity']['dpv:hasConsentStatus'] as Document[])
      .map(({ type }): unknown => [ type ].flat()[0]);
  }

  it('validate the receipts of both parties against the shape of ISO/IEC TS 27560.', async(): Promise<void> => {
    for (const receipt of await receipts()) {
      expect((await verifyCredential(options(receipt))).verified).toBe(true);
      await expect(validateReceipt(receipt)).resolves.toEqual([]);
      expect(consentStatuses(receipt)).toEqual([ 'dpv:ConsentGiven' ]);
      for (const tampered of [
        change(receipt, ({ credentialSubject }): void => {
          credentialSubject['dpv:hasRecordOfActivity']['dpv:hasConsentStatus'] = [];
        }),
        change(receipt, ({ credentialSubject }): void => {
          credentialSubject['dct:created'] = '2026-01-01T00:00:00.000Z';
        }),
        change(receipt, ({ '@context': [ , terms ] }): void => {
          terms['dpv:hasRecipient']['@id'] = 'https://w3id.org/dpv#hasThirdParty';
        }),
      ]) {
        expect((await verifyCredential(options(tampered))).verified).toBe(false);
      }
    }
  });

  it('see that a grant was revoked and the data was not.', async(): Promise<void> => {
    await expect(kinds[0].isInForce(credentials[0])).resolves.toBe(true);
    const revocation = await emma.request('DELETE', revocationUrl(world.base, shared));
    expect(revocation.status).toBe(200);
    await expect(kinds[0].isInForce(credentials[0])).resolves.toBe(false);
    for (const receipt of await receipts()) {
      expect((await verifyCredential(options(receipt))).verified).toBe(true);
      await expect(validateReceipt(receipt)).resolves.toEqual([]);
      expect(consentStatuses(receipt)).toEqual([ 'dpv:ConsentGiven', 'dpv:ConsentWithdrawn' ]);
    }
    await expect(verify(credentials[0], kinds[0])).resolves.toBe(false);
    await expect(kinds[1].isInForce(credentials[1])).resolves.toBe(true);
  });

  it('see that a credential was revoked when a new version replaced it.', async(): Promise<void> => {
    for (const name of [ 'emma-bachelor', 'emma-master' ]) {
      const file = join(sources, `diploma/2024-05-22/${name}.json`);
      const record = JSON.parse(await readFile(file, 'utf8')) as Document;
      await writeFile(file, JSON.stringify({ ...record, version: 'another' }));
    }
    const again = await share(emma, world.base, 'diploma-employment');
    expect(again.podResource).toBe(shared.podResource);
    await expect(kinds[1].isInForce(credentials[1])).resolves.toBe(false);
    await expect(kinds[1].isInForce(await get(again.podResource))).resolves.toBe(true);
  });
});
