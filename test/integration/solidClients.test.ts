import { randomUUID } from 'node:crypto';
import {
  addStringNoLocale,
  createContainerAt,
  createSolidDataset,
  createThing,
  deleteFile,
  deleteSolidDataset,
  getFile,
  getPropertyAll,
  getSolidDataset,
  getStringNoLocale,
  getThing,
  getThingAll,
  getUrl,
  getUrlAll,
  overwriteFile,
  saveFileInContainer,
  saveSolidDatasetAt,
  setThing,
} from '@inrupt/solid-client';
import type { Session } from '@inrupt/solid-client-authn-node';
import { Parser } from 'n3';
import { presets } from '../support/presets';
import type { Shared } from '../support/sharing';
import { citizenWithPod, revocationUrl, share } from '../support/sharing';
import { listTree, logInStockClient } from '../support/solidClient';
import type { AccountHolder, Client, World } from '../support/world';
import { accountWithPod, startWorld } from '../support/world';

const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const oidcIssuer = 'http://www.w3.org/ns/solid/terms#oidcIssuer';
const storage = 'http://www.w3.org/ns/pim/space#storage';
const ld = 'application/ld+json';
const name = 'http://xmlns.com/foaf/0.1/name';

/** Ways to create a pod. */
const ways = [ 'the account API', '/v1/webids' ] as const;

interface PodHolder {
  session: Session;
  webId: string;
  podUrl: string;
}

describe.each(presets)('With %s, the stock Solid client', (config, isAcp): void => {
  let world: World;
  let holders: Record<typeof ways[number], PodHolder>;
  let emma: Client;
  let consumer: AccountHolder;
  let grantee: Session;

  beforeAll(async(): Promise<void> => {
    world = await startWorld({ config });
    const { base, national } = world;
    const alice = await accountWithPod(base, 'alice');
    const citizen = await citizenWithPod(world, 'emma');
    emma = citizen.client;
    holders = {
      'the account API': { ...alice, session: await logInStockClient(base, alice.credentials) },
      '/v1/webids': {
        ...citizen,
        session: await logInStockClient(national.issuer, national.credentials('emma')),
      },
    };
    consumer = await accountWithPod(base, 'consumer');
    grantee = await logInStockClient(base, consumer.credentials);
  });

  afterAll(async(): Promise<void> => {
    await Promise.all([ ...Object.values(holders).map(({ session }): Session => session), grantee ]
      .map(async(session): Promise<void> => session.logout()));
    await world.stop();
  });

  describe.each(ways)('and a pod made by %s:', (way): void => {
    let session: Session;
    let fetch: typeof globalThis.fetch;
    let webId: string;
    let podUrl: string;

    beforeAll((): void => {
      ({ session, webId, podUrl } = holders[way]);
      ({ fetch } = session);
    });

    it('logs in as its WebID.', (): void => {
      expect(session.info.webId).toBe(webId);
    });

    it('finds issuers and storage in the profile, without a token.', async(): Promise<void> => {
      const profile = getThing(await getSolidDataset(webId, { fetch: globalThis.fetch }), webId)!;
      const issuers = way === '/v1/webids' ? [ world.base, world.national.issuer ] : [ world.base ];
      expect(getUrlAll(profile, oidcIssuer).sort()).toEqual(issuers.sort());
      expect(getUrl(profile, storage)).toBe(podUrl);
    });

    it('finds nothing else public in a new pod.', async(): Promise<void> => {
      const resources = await listTree(podUrl, session);
      const card = webId.replace('#me', '');
      expect(resources).toContain(card);
      const statuses = await Promise.all(resources.map(async(url): Promise<[string, number]> =>
        [ url, (await globalThis.fetch(url)).status ]));
      expect(statuses.filter(([ , status ]): boolean => status !== 401)).toEqual([[ card, 200 ]]);
    });

    it('finds no public access rules or descriptions.', async(): Promise<void> => {
      const paths = [ '.acl', '.acr', '.meta', 'profile/.acl', 'profile/card.acl', 'profile/card.acr', 'profile/' ];
      const statuses = await Promise.all(paths.map(async(path): Promise<number> =>
        (await globalThis.fetch(`${podUrl}${path}`)).status));
      expect(statuses.filter((status): boolean => status !== 401 && status !== 404)).toEqual([]);
    });

    it('writes, reads, changes and deletes a dataset.', async(): Promise<void> => {
      const url = `${podUrl}notes/people.ttl`;
      const thing = addStringNoLocale(createThing({ url: `${url}#one` }), name, 'One');
      await saveSolidDatasetAt(url, setThing(createSolidDataset(), thing), { fetch });
      const saved = await getSolidDataset(url, { fetch });
      expect(getStringNoLocale(getThing(saved, `${url}#one`)!, name)).toBe('One');

      const second = addStringNoLocale(createThing({ url: `${url}#two` }), name, 'Two');
      await saveSolidDatasetAt(url, setThing(saved, second), { fetch });
      const changed = await getSolidDataset(url, { fetch });
      expect(getStringNoLocale(getThing(changed, `${url}#two`)!, name)).toBe('Two');

      await deleteSolidDataset(changed, { fetch });
      await expect(refusal(getSolidDataset(url, { fetch }))).resolves.toBe(404);
    });

    it('saves, replaces and deletes files.', async(): Promise<void> => {
      const container = `${podUrl}files/`;
      await createContainerAt(container, { fetch });
      const made = await saveFileInContainer(container, new Blob([ 'one' ]), {
        slug: 'a.txt',
        contentType: 'text/plain',
        fetch,
      });
      const url = made.internal_resourceInfo.sourceIri;
      await overwriteFile(url, new Blob([ 'two' ]), { contentType: 'text/plain', fetch });
      await expect((await getFile(url, { fetch })).text()).resolves.toBe('two');
      await deleteFile(url, { fetch });
      await expect(refusal(getFile(url, { fetch }))).resolves.toBe(404);
    });

    it('learns what the owner and others may do.', async(): Promise<void> => {
      const { headers } = await fetch(podUrl, { method: 'HEAD' });
      // Permissions by ACP have no `WAC-Allow` header.
      const owner = isAcp ? {} : { user: 'append control read write' };
      expect(wacAllow(headers)).toEqual(owner);
      const ofProfile = await globalThis.fetch(webId, { method: 'HEAD' });
      expect(wacAllow(ofProfile.headers)).toEqual(isAcp ? {} : { user: 'read', public: 'read' });
    });

    it('keeps others out.', async(): Promise<void> => {
      const url = `${podUrl}own.txt`;
      await overwriteFile(url, new Blob([ 'own' ]), { contentType: 'text/plain', fetch });
      await expect(refusal(getFile(url, { fetch: globalThis.fetch }))).resolves.toBe(401);
      for (const other of Object.values(holders).filter((holder): boolean => holder.webId !== webId)) {
        await expect(refusal(getFile(url, { fetch: other.session.fetch }))).resolves.toBe(403);
        await expect(refusal(deleteFile(url, { fetch: other.session.fetch }))).resolves.toBe(403);
      }
    });
  });

  it.each([
    [ 'JSON-LD with a context that nobody can fetch', ld, '{"@context":"https://nowhere.invalid/context"}' ],
    [ 'JSON-LD with a context on this machine', ld, '{"@context":"http://127.0.0.1:9/context"}' ],
    [ 'JSON-LD with a malformed context', ld, '{"@context":"urn:none","a":"b"}' ],
    [ 'JSON-LD that ends early', ld, '{"@id":"urn:a","urn:b":' ],
    [ 'JSON-LD that is not JSON', ld, 'no JSON' ],
    [ 'JSON-LD that is nested without end', ld, `${'{"urn:a":'.repeat(5000)}1${'}'.repeat(5000)}` ],
    [ 'JSON-LD that goes wrong at its end', ld, `[${'{"@id":"urn:a","urn:b":"c"},'.repeat(200)}{"@id":5]` ],
    [ 'Turtle that goes wrong at its end', 'text/turtle', `${'<urn:a> <urn:b> <urn:c> .\n'.repeat(500)} <urn:a>` ],
    [ 'Turtle of an unknown prefix', 'text/turtle', 'a:b a:c a:d .' ],
    [ 'malformed N-Quads', 'application/n-quads', 'this is not RDF' ],
    [ 'an image', 'image/png', 'no image' ],
  ])('gets 406 when it asks for %s in another format.', async(_, type, body): Promise<void> => {
    const { podUrl, session: { fetch }} = holders['the account API'];
    const url = `${podUrl}${randomUUID()}`;
    const stored = await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body });
    expect(stored.status).toBe(201);
    const accept = type === 'text/turtle' ? 'application/n-triples' : 'text/turtle';
    for (const method of [ 'GET', 'HEAD' ]) {
      const response = await fetch(url, { method, headers: { accept }});
      const text = await response.text();
      expect([ response.status, text === '' ]).toEqual([ 406, method === 'HEAD' ]);
      expect(response.headers.has('etag')).toBe(false);
    }
    await expect((await fetch(url)).text()).resolves.toBe(body);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(205);
  });

  it.each([
    '*/*;q=0',
    'text/*;q=0, application/*;q=0',
    'text/turtle;q=0',
    'image/*',
  ])('gets 406 when Accept excludes everything: %s.', async(accept): Promise<void> => {
    const { podUrl, session: { fetch }} = holders['the account API'];
    for (const url of [ podUrl, `${podUrl}profile/card` ]) {
      const response = await fetch(url, { headers: { accept }});
      expect([ url, response.status, await response.text() === '' ]).toEqual([ url, 406, false ]);
    }
  });

  describe('of a data user:', (): void => {
    let shared: Shared;
    let writable: Shared;

    beforeAll(async(): Promise<void> => {
      shared = await share(emma, world.base, 'diploma-employment');
      writable = await share(emma, world.base, 'diploma-equivalence');
    });

    it('reads what was shared with it.', async(): Promise<void> => {
      const file = await getFile(shared.podResource, { fetch: grantee.fetch });
      const credential = JSON.parse(await file.text()) as { credentialSubject: { id: string }};
      expect(credential.credentialSubject.id).toBe(holders['/v1/webids'].webId);
    });

    it('reads its claims as a dataset.', async(): Promise<void> => {
      const citizen = holders['/v1/webids'].webId;
      const dataset = await getSolidDataset(shared.podResource, { fetch: grantee.fetch });
      const subject = getThing(dataset, citizen)!;
      const claims = getPropertyAll(subject);
      expect(claims.length).toBeGreaterThan(1);
      const credential = getThingAll(dataset).find((thing): boolean =>
        getUrlAll(thing, 'https://www.w3.org/2018/credentials#credentialSubject').includes(citizen))!;
      expect(getUrlAll(credential, `${rdf}type`)).toContain('https://www.w3.org/2018/credentials#VerifiableCredential');
    });

    it.each([
      [ 'text/turtle', false ],
      [ 'application/n-triples', false ],
      [ 'text/n3', false ],
      [ 'application/trig', true ],
      [ 'application/n-quads', true ],
      [ 'application/ld+json', true ],
    ])('reads its claims as %s, with the proof where there are graphs: %s.', async(accept, hasProof): Promise<void> => {
      const response = await grantee.fetch(shared.podResource, { headers: { accept }});
      expect(response.headers.get('content-type')).toMatch(new RegExp(`^${accept.replace('+', '\\+')}`, 'u'));
      const text = await response.text();
      expect(text.includes('proofValue')).toBe(hasProof);
      const found = accept === 'application/ld+json' ?
        text :
          JSON.stringify(new Parser({ format: accept, baseIRI: shared.podResource }).parse(text));
      expect(found).toContain(holders['/v1/webids'].webId);
    });

    it('learns that it may read, and nothing else.', async(): Promise<void> => {
      const { headers } = await grantee.fetch(shared.podResource, { method: 'HEAD' });
      expect(wacAllow(headers)).toEqual(isAcp ? {} : { user: 'read' });
    });

    it('may only read it.', async(): Promise<void> => {
      await expect(refusal(write(shared.podResource, grantee))).resolves.toBe(403);
      await expect(refusal(deleteFile(shared.podResource, { fetch: grantee.fetch }))).resolves.toBe(403);
    });

    it('may not list containers.', async(): Promise<void> => {
      const { podUrl } = holders['/v1/webids'];
      const containers = [ podUrl, `${podUrl}credentials/`, shared.podResource.replace(/[^/]+$/u, '') ];
      for (const url of containers) {
        await expect(refusal(getSolidDataset(url, { fetch: grantee.fetch }))).resolves.toBe(403);
      }
    });

    it('is the only one that can read it.', async(): Promise<void> => {
      const { session } = holders['the account API'];
      await expect(refusal(getFile(shared.podResource, { fetch: session.fetch }))).resolves.toBe(403);
      await expect(refusal(getFile(shared.podResource, { fetch: globalThis.fetch }))).resolves.toBe(401);
    });

    it('reads and writes under a contract for writing.', async(): Promise<void> => {
      await expect((await getFile(writable.podResource, { fetch: grantee.fetch })).text()).resolves.toContain('proof');
      await write(writable.podResource, grantee);
      const { session } = holders['/v1/webids'];
      await expect((await getFile(writable.podResource, { fetch: session.fetch })).text()).resolves.toBe('{}');
    });

    it('is refused at once when the grant is revoked.', async(): Promise<void> => {
      for (const each of [ shared, writable ]) {
        expect((await emma.request('DELETE', revocationUrl(world.base, each))).status).toBe(200);
      }
      await expect(refusal(getFile(shared.podResource, { fetch: grantee.fetch }))).resolves.toBe(403);
      await expect(refusal(write(writable.podResource, grantee))).resolves.toBe(403);
    });
  });
});

async function write(url: string, { fetch }: Session): Promise<unknown> {
  return overwriteFile(url, new Blob([ '{}' ]), { contentType: 'application/ld+json', fetch });
}

/** The status with which the stock client's call is refused. */
async function refusal(call: Promise<unknown>): Promise<number> {
  try {
    await call;
  } catch (error: unknown) {
    return (error as { statusCode: number }).statusCode;
  }
  throw new Error('It was not refused');
}

/** The modes in a `WAC-Allow` header by whom they are for. */
function wacAllow(headers: Headers): Record<string, string> {
  const found = (headers.get('wac-allow') ?? '').matchAll(/(?<who>\w+)="(?<modes>[^"]*)"/gu);
  return Object.fromEntries([ ...found ].map(({ groups }): [string, string] => [ groups!.who, groups!.modes ]));
}
