import { clientOf, expectProblem } from '../support/callers';
import type { TestCitizen } from '../support/callers';
import { accessRules } from '../support/accessRules';
import { revocationUrl } from '../support/sharing';
import type { Shared } from '../support/sharing';
import { json, SharingWorld } from '../support/sharingWorld';
import type { AccountHolder, Client } from '../support/world';
import { accountWithPod } from '../support/world';

const solid = 'http://www.w3.org/ns/solid/terms#';
const storage = 'http://www.w3.org/ns/pim/space#storage';
const turtle = { 'content-type': 'text/turtle' };

async function send(
  client: Client,
  method: string,
  url: string,
  body?: string,
  headers: Record<string, string> = turtle,
): Promise<Response> {
  return fetch(url, { method, headers: { ...headers, ...await client.authentication(method, url) }, body });
}

/** Expects that a WebID is that of the citizen. Answers the URL of the pod. */
async function expectLinked(response: Response, status: number, webId: string): Promise<string> {
  expect([ response.status, await response.json() ]).toEqual([ status, { uri: webId }]);
  const [ , podUrl, rel ] = /^<([^>]+)>; rel="([^"]+)"$/u.exec(response.headers.get('link') ?? '') ?? [];
  expect(rel).toBe(storage);
  return podUrl;
}

/** DESIGN.md, section 4: a WebID that one already has. */
describe.each([
  [ 'file.json', false ],
  [ 'file-acp.json', true ],
])('With %s, a WebID that a citizen has already', (config, isAcp): void => {
  let world: SharingWorld;
  let consumer: AccountHolder;
  let webids: string;
  let names = 0;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({ usual: {}}, undefined, {}, config);
    consumer = await world.dataUser();
    webids = `${world.base}v1/webids`;
  });

  afterAll(async(): Promise<void> => {
    await world?.stop();
    await world?.remove();
  });

  function newName(): string {
    names += 1;
    return `holder-${names}`;
  }

  /** Has a profile list the national issuer. */
  async function listIssuer({ client, webId }: AccountHolder): Promise<void> {
    const body = `@prefix solid: <${solid}>. <> a solid:InsertDeletePatch;
      solid:inserts { <${webId}> solid:oidcIssuer <${world.issuer.issuer}> . }.`;
    const response = await send(client, 'PATCH', webId.replace('#me', ''), body, { 'content-type': 'text/n3' });
    expect(response.status).toBeLessThan(300);
  }

  /** Somebody with an ordinary account and pod, whose profile lists the national issuer. */
  async function holder(name = newName()): Promise<AccountHolder> {
    const found = await accountWithPod(world.base, name);
    await listIssuer(found);
    return found;
  }

  async function national(webid: string | undefined, number = world.newNumber()): Promise<TestCitizen> {
    const claims = { ...webid !== undefined && { webid }, citizen_national_id: number };
    const client = await clientOf(world.issuer, claims, 'DPoP');
    return { client, nationalNumber: number, webId: webid ?? '', podUrl: '', podId: '' };
  }

  /** Links a WebID, and gives its citizen a diploma. */
  async function link(webId: string, status: number): Promise<TestCitizen> {
    const citizen = await national(webId);
    const podUrl = await expectLinked(await citizen.client.request('PUT', webids), status, webId);
    const linked = { ...citizen, podUrl, podId: podUrl.slice(world.base.length, -1) };
    await world.writeDiploma(linked, 1);
    return linked;
  }

  async function expectPrivate(shared: Shared): Promise<void> {
    const hh = new URL('.', shared.podResource).href;
    for (const url of [ shared.podResource, hh, new URL('..', hh).href ]) {
      expect((await fetch(url)).status).toBe(401);
      const stranger = await clientOf(world.issuer, { webid: world.issuer.profile('stranger') }, 'DPoP');
      expect((await send(stranger, 'GET', url)).status).toBe(403);
    }
  }

  async function expectReadable(shared: Shared): Promise<void> {
    expect((await world.read(consumer.client, shared)).status).toBe(200);
  }

  it('and a pod here is linked: data goes there, and all of the interface works on it.', async(): Promise<void> => {
    const alice = await holder();
    const citizen = await link(alice.webId, 200);
    expect(citizen.podUrl).toBe(alice.podUrl);
    await expectLinked(await citizen.client.request('PUT', webids), 200, alice.webId);
    await expectLinked(await citizen.client.request('GET', webids), 200, alice.webId);

    const [ shared ] = await world.shareAll(citizen);
    expect(shared.podResource.startsWith(alice.podUrl)).toBe(true);
    await expectReadable(shared);
    await expectPrivate(shared);
    expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(200);
    const listing = `${world.base}v1/pods/${citizen.podId}/resources`;
    const { podId, resources } = await json<{ podId: string; resources: { uri: string; id: string }[] }>(
      await citizen.client.request('GET', listing),
    );
    expect([ podId, resources.map(({ uri }): string => uri) ]).toEqual([ citizen.podId, [ shared.podResource ]]);
    expect((await consumer.client.request('GET', `${listing}/${resources[0].id}`)).status).toBe(200);
    expect((await consumer.client.request('GET', `${listing}/${resources[0].id}?verified=true`)).status).toBe(200);
    const revoked = await citizen.client.request('DELETE', revocationUrl(world.base, shared));
    await expect(json(revoked)).resolves.toMatchObject({ status: 'REVOKED' });
    await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
  });

  it('is given back: what was there before stays, and it can be linked again.', async(): Promise<void> => {
    const alice = await holder();
    const own = `${alice.podUrl}notes/own.txt`;
    await send(alice.client, 'PUT', own, 'mine', { 'content-type': 'text/plain' });
    const profile = await (await fetch(alice.webId)).text();
    const citizen = await link(alice.webId, 200);
    const [ shared ] = await world.shareAll(citizen);
    const copy = { resource: shared.podResource, accessGrant: shared.accessGrant };
    expect((await consumer.client.request('POST', `${world.base}v1/data-copies`, { body: copy })).status).toBe(201);

    await expect(json(await citizen.client.request('DELETE', webids))).resolves.toEqual({ uri: alice.webId });
    await expectProblem(await world.read(consumer.client, shared), 403, 'grant-revoked');
    expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(404);
    expect((await send(alice.client, 'GET', new URL('..', new URL('.', shared.podResource)).href)).status).toBe(404);
    const { dataCopies } = await json<{ dataCopies: { resource: string; status: string }[] }>(
      await consumer.client.request('GET', `${world.base}v1/data-copies?limit=200`),
    );
    expect(dataCopies.find(({ resource }): boolean => resource === shared.podResource))
      .toMatchObject({ status: 'DELETION_DUE', deletionReason: 'GRANT_REVOKED' });
    await expectProblem(await citizen.client.request('GET', webids), 404, 'webid-not-found');
    await expectProblem(await citizen.client.request('DELETE', webids), 404, 'webid-not-found');
    await expect((await send(alice.client, 'GET', own)).text()).resolves.toBe('mine');
    await expect((await fetch(alice.webId)).text()).resolves.toBe(profile);
    expect((await alice.client.request('GET', `${world.base}v1/data-copies`)).status).toBe(200);

    const again = await link(alice.webId, 200);
    const [ sharedAgain ] = await world.shareAll(again);
    await expectReadable(sharedAgain);
    expect((await again.client.request('DELETE', webids)).status).toBe(200);
  });

  it('elsewhere gets a pod here, which goes with the link.', async(): Promise<void> => {
    const webId = world.issuer.profile(newName());
    const citizen = await link(webId, 201);
    await expectLinked(await citizen.client.request('PUT', webids), 200, webId);
    const { client: byNumber } = await national(undefined, citizen.nationalNumber);
    await expectLinked(await byNumber.request('GET', webids), 200, webId);
    const [ shared ] = await world.shareAll(citizen);
    await expectReadable(shared);
    await expectPrivate(shared);
    expect((await send(citizen.client, 'GET', shared.podResource)).status).toBe(200);
    expect((await send(citizen.client, 'PUT', `${citizen.podUrl}mine`, 'x')).status).toBeLessThan(400);
    expect((await fetch(`${citizen.podUrl}profile/card`)).status).toBe(401);

    expect((await citizen.client.request('DELETE', webids)).status).toBe(200);
    expect((await send(citizen.client, 'GET', shared.podResource)).status).toBe(404);
    expect((await send(citizen.client, 'PUT', `${citizen.podUrl}mine`, 'x')).status).toBe(404);
    const again = await link(webId, 201);
    expect(again.podUrl).not.toBe(citizen.podUrl);
  });

  it('is linked once, however many calls run at once.', async(): Promise<void> => {
    const webId = world.issuer.profile(newName());
    const number = world.newNumber();
    const callers = await Promise.all(Array.from({ length: 50 }, async(): Promise<TestCitizen> =>
      national(webId, number)));
    const answers = await Promise.all(callers.map(async({ client }): Promise<Response> =>
      client.request('PUT', webids)));
    expect(answers.map(({ status }): number => status).sort((one, other): number => other - one))
      .toEqual([ 201, ...Array.from({ length: 49 }, (): number => 200) ]);
    const places = new Set(answers.map(({ headers }): string | null => headers.get('link')));
    expect(places.size).toBe(1);
  });

  it('and one that is made at the same time come down to one WebID.', async(): Promise<void> => {
    for (let round = 0; round < 5; round += 1) {
      const webId = world.issuer.profile(newName());
      const number = world.newNumber();
      const [ withIt, without ] = await Promise.all([ national(webId, number), national(undefined, number) ]);
      const [ linked, made ] = await Promise.all([ withIt, without ].map(async({ client }): Promise<Response> =>
        client.request('PUT', webids)));
      const { uri } = await json<{ uri: string }>(made);
      expect(linked.status).toBe(uri === webId ? linked.status : 403);
      await expect(json(await without.client.request('GET', webids))).resolves.toEqual({ uri });
    }
  });

  describe('is not linked', (): void => {
    it('when it is on record for somebody else, or the number with another one.', async(): Promise<void> => {
      const webId = world.issuer.profile(newName());
      const first = await link(webId, 201);
      const made = await world.citizen();
      const other = world.issuer.profile(newName());
      const refused = await Promise.all([
        national(webId),
        national(other, first.nationalNumber),
        national(other, made.nationalNumber),
        national(made.webId),
      ]);
      for (const { client } of refused) {
        await expectProblem(await client.request('PUT', webids), 403, 'identity-mismatch');
      }
      await expectProblem(await (await national(other)).client.request('GET', webids), 404, 'webid-not-found');
    });

    it('for an issuer that is not a national one, or that the profile does not list.', async(): Promise<void> => {
      const alice = await accountWithPod(world.base, newName());
      await expectProblem(await (await national(alice.webId)).client.request('PUT', webids), 401, 'token-invalid');
      const elsewhere = world.issuer.profile(newName(), [ 'https://elsewhere.example/' ]);
      await expectProblem(await (await national(elsewhere)).client.request('PUT', webids), 401, 'token-invalid');
      await listIssuer(alice);
      expect((await (await national(alice.webId)).client.request('PUT', webids)).status).toBe(200);
    });
  });

  it('is private, whatever the rules of the pod say.', async(): Promise<void> => {
    const alice = await holder();
    const rules = accessRules(isAcp, alice.podUrl, alice.webId, 'acl:Read, acl:Append, acl:Write');
    const document = `${alice.podUrl}${isAcp ? '.acr' : '.acl'}`;
    expect((await send(alice.client, 'PUT', document, rules)).status).toBeLessThan(300);
    await send(alice.client, 'PUT', `${alice.podUrl}open`, 'x', { 'content-type': 'text/plain' });
    expect((await fetch(`${alice.podUrl}open`)).status).toBe(200);
    const citizen = await link(alice.webId, 200);
    const [ shared ] = await world.shareAll(citizen);
    await expectPrivate(shared);
    await expectReadable(shared);
    expect((await send(alice.client, 'GET', shared.podResource)).status).toBe(200);
    expect((await fetch(shared.podResource, { method: 'PUT', headers: turtle, body: '' })).status).toBe(401);
  });
});
