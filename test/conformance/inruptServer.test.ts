/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated form is what most clients use */
import * as solid from '@inrupt/solid-client';
import {
  approveAccessRequest,
  cancelAccessRequest,
  createContainerInContainer,
  deleteFile,
  deleteSolidDataset,
  denyAccessRequest,
  fetchWithVc,
  getAccessApiEndpoint,
  getAccessGrant,
  getAccessGrantAll,
  getAccessModes,
  getCustomFields,
  getFile,
  getResources,
  getSolidDataset,
  issueAccessGrant,
  issueAccessRequest,
  isValidAccessGrant,
  overwriteFile,
  paginatedQuery,
  query,
  revokeAccessGrant,
  saveFileInContainer,
  saveSolidDatasetAt,
  saveSolidDatasetInContainer,
} from '@inrupt/solid-client-access-grants';
import type { Session } from '@inrupt/solid-client-authn-node';
import { logInStockClient } from '../support/solidClient';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

type Grant = Awaited<ReturnType<typeof issueAccessGrant>>;
type Modes = { read?: boolean; write?: boolean; append?: boolean };

/**
 * The Node.js tests of Inrupt's client, on this server in place of Inrupt's: with ACP, Bearer tokens, access
 * control resources that the client writes, and grants that apply through UMA only.
 */
describe('In place of Inrupt\'s server,', (): void => {
  const purposes = [ 'https://purposes.example/one', 'https://purposes.example/two' ];
  let server: TestServer;
  let endpoint: string;
  let owner: AccountHolder;
  let requestor: AccountHolder;
  let sessions: Session[];
  let ownerFetch: typeof fetch;
  let requestorFetch: typeof fetch;
  let file: string;

  beforeAll(async(): Promise<void> => {
    server = await startServer({ config: '../test/fixtures/config/inrupt-server.json' });
    [ owner, requestor ] = await Promise.all([ 'owner', 'requestor' ].map(
      async(name): Promise<AccountHolder> => accountWithPod(server.base, name),
    ));
    sessions = await Promise.all([ owner, requestor ].map(
      async({ credentials }): Promise<Session> => logInStockClient(server.base, credentials, 'Bearer'),
    ));
    [ ownerFetch, requestorFetch ] = sessions.map((session): typeof fetch => session.fetch);
    file = await newFile();
    endpoint = await getAccessApiEndpoint(file);
  });

  afterAll(async(): Promise<void> => {
    await Promise.all(sessions.map(async(session): Promise<void> => session.logout()));
    await server.stop();
  });

  async function newFile(container = owner.podUrl): Promise<string> {
    const saved = await solid.saveFileInContainer(container, new Blob([ 'Content.\n' ]), { fetch: ownerFetch });
    return solid.getSourceUrl(saved);
  }

  async function ask(access: Modes, resources: string[]): Promise<Grant> {
    return issueAccessRequest({
      access,
      resources,
      resourceOwner: owner.webId,
      purpose: purposes,
      expirationDate: new Date(Date.now() + 3_600_000),
    }, { fetch: requestorFetch, accessEndpoint: endpoint });
  }

  async function approve(request: Grant, more: object = {}): Promise<Grant> {
    return approveAccessRequest(request, {}, { fetch: ownerFetch, accessEndpoint: endpoint, ...more });
  }

  async function give(access: Modes, resource: string): Promise<Grant> {
    return approve(await ask(access, [ resource ]));
  }

  async function errorsOf(grant: Grant): Promise<string[]> {
    return (await isValidAccessGrant(grant, { fetch: ownerFetch })).errors;
  }

  async function plainStatus(url: string): Promise<number> {
    return (await requestorFetch(url)).status;
  }

  it('a request is approved, used and revoked; plain requests without a grant get nothing.', async(): Promise<void> => {
    const other = await give({ read: true }, file);
    const grant = await give({ read: true }, file);
    await expect(errorsOf(grant)).resolves.toEqual([]);
    expect(getResources(grant)).toEqual([ file ]);
    const found = await getAccessGrantAll({ resource: file }, { fetch: ownerFetch, accessEndpoint: endpoint });
    expect(found.map(({ id }): string => id)).toEqual(expect.arrayContaining([ grant.id, other.id ]));
    await expect((await getFile(file, grant, { fetch: requestorFetch })).text()).resolves.toBe('Content.\n');
    await expect(plainStatus(file)).resolves.toBe(403);

    await revokeAccessGrant(grant, { fetch: ownerFetch });
    await expect(errorsOf(grant)).resolves.toHaveLength(1);
    await expect(getFile(file, grant, { fetch: requestorFetch })).rejects.toThrow('No access token was returned');
    await expect(plainStatus(file)).resolves.toBe(403);
    await expect((await getFile(file, other, { fetch: requestorFetch })).text()).resolves.toBe('Content.\n');
    const url = `${server.base}v1/resources?resource=${encodeURIComponent(file)}`;
    expect((await requestorFetch(url, { headers: { 'x-access-grant': other.id }})).status).toBe(200);
  });

  it('the access control resource follows a grant, unless this is switched off.', async(): Promise<void> => {
    const left = await newFile();
    await approve(await ask({ read: true }, [ left ]), { updateAcr: false });
    const followed = await newFile();
    await approve(await ask({ read: true }, [ followed ]), { updateAcr: true });
    for (const [ url, read ] of [[ left, false ], [ followed, true ]] as const) {
      const found = await solid.acp_ess_2.getFileWithAcr(url, { fetch: ownerFetch });
      expect(solid.acp_ess_2.getVcAccess(found as Parameters<typeof solid.acp_ess_2.getVcAccess>[0]))
        .toEqual(expect.objectContaining({ read, write: false, append: false }));
    }
  });

  it('a denial is valid and gives no access.', async(): Promise<void> => {
    const denied = await newFile();
    const denial = await denyAccessRequest(await ask({ read: true }, [ denied ]), {
      fetch: ownerFetch,
      accessEndpoint: endpoint,
    });
    await expect(errorsOf(denial)).resolves.toEqual([]);
    await expect(getFile(denied, denial, { fetch: requestorFetch })).rejects.toThrow('No access token was returned');
    await expect(plainStatus(denied)).resolves.toBe(403);
    await expect(getAccessGrant(denial.id, { fetch: ownerFetch })).resolves.toHaveProperty('id', denial.id);
  });

  it('a request can be cancelled only by the party that made it.', async(): Promise<void> => {
    const resource = await newFile();
    for (const how of [ 'the request', 'its id' ]) {
      const request = await ask({ read: true }, [ resource ]);
      const named = how === 'its id' ? request.id : request;
      await expect(errorsOf(request)).resolves.toEqual([]);
      await expect(cancelAccessRequest(named, { fetch: ownerFetch })).rejects.toThrow('returned an error');
      await expect(errorsOf(request)).resolves.toEqual([]);
      await cancelAccessRequest(named, { fetch: requestorFetch });
      await expect(errorsOf(request)).resolves.toHaveLength(1);
    }
  });

  it('a fetch with a grant does what the grant allows, until it is revoked.', async(): Promise<void> => {
    const container = solid.getSourceUrl(await solid.createContainerInContainer(owner.podUrl, { fetch: ownerFetch }));
    const [ inside, beside ] = [ await newFile(container), await newFile() ];
    const grant = await give({ read: true, append: true }, container);
    const fetchContainer = await fetchWithVc(container, grant, { fetch: requestorFetch });
    expect((await fetchContainer(container)).status).toBe(200);
    expect((await fetchContainer(container, { method: 'POST', body: 'More.' })).status).toBe(201);
    expect((await fetchContainer(beside)).status).toBe(403);
    const fetchInside = await fetchWithVc(inside, grant, { fetch: requestorFetch });
    await expect((await fetchInside(inside)).text()).resolves.toBe('Content.\n');
    expect((await fetchInside(inside, { method: 'HEAD' })).status).toBe(200);
    expect((await fetchInside(inside, { method: 'DELETE' })).status).toBe(403);
    expect((await fetchInside(inside, { method: 'PUT', body: 'Mine.' })).status).toBe(403);
    await expect(fetchWithVc(beside, grant, { fetch: requestorFetch })).rejects.toThrow('No access token');
    await revokeAccessGrant(grant, { fetch: ownerFetch });
    expect((await fetchInside(inside)).status).toBe(403);
    await expect(fetchWithVc(inside, grant, { fetch: requestorFetch })).rejects.toThrow('No access token');
  });

  it('a grant is issued without a request, with custom fields, and found by query.', async(): Promise<void> => {
    const stated = await newFile();
    const grant = await issueAccessGrant({
      access: { read: true, append: true },
      requestor: requestor.webId,
      resources: [ stated ],
      customFields: new Set([{ key: new URL('https://data.example/some'), value: 1 }]),
    }, { fetch: ownerFetch, accessEndpoint: endpoint });
    await expect(errorsOf(grant)).resolves.toEqual([]);
    expect(getAccessModes(grant)).toEqual({ read: true, append: true, write: false });
    expect(getCustomFields(grant)).toEqual({ 'https://data.example/some': 1 });
    const queryEndpoint = new URL('query', endpoint);
    const { items } = await query({ resource: new URL(stated) }, { fetch: ownerFetch, queryEndpoint });
    expect(items.map(({ id }): string => id)).toEqual([ grant.id ]);
    for await (const page of paginatedQuery({ pageSize: 20 }, { fetch: ownerFetch, queryEndpoint })) {
      expect(page.items.length).toBeLessThanOrEqual(20);
    }
  });

  it('files and datasets are read, written, created and removed with a grant.', async(): Promise<void> => {
    const container = solid.getSourceUrl(await solid.createContainerInContainer(owner.podUrl, { fetch: ownerFetch }));
    const inside = await newFile(container);
    const grant = await give({ read: true, write: true, append: true }, container);
    const fetch = requestorFetch;
    await overwriteFile(inside, new Blob([ 'New.' ]), grant, { fetch });
    await expect((await getFile(inside, grant, { fetch })).text()).resolves.toBe('New.');
    const saved = solid.getSourceUrl(await saveFileInContainer(container, new Blob([ 'More.' ]), grant, { fetch }));
    expect(saved).toContain(container);
    const made = await createContainerInContainer(container, grant, { fetch });
    expect(solid.getSourceUrl(made)).toContain(container);
    const thing = solid.setThing(
      solid.createSolidDataset(),
      solid.buildThing({ name: 'it' }).addStringNoLocale('https://schema.org/name', 'It').build(),
    );
    const dataset = solid.getSourceUrl(await saveSolidDatasetInContainer(container, thing, grant, { fetch }));
    const known = await getSolidDataset(dataset, grant, { fetch });
    expect(solid.getThingAll(known)).toHaveLength(1);
    await saveSolidDatasetAt(dataset, known, grant, { fetch });
    await deleteSolidDataset(dataset, grant, { fetch });
    await deleteFile(saved, grant, { fetch });
    await expect(plainStatus(inside)).resolves.toBe(403);
  });

  it('removing a missing resource returns 204 to those who control the container.', async(): Promise<void> => {
    const container = solid.getSourceUrl(await solid.createContainerInContainer(owner.podUrl, { fetch: ownerFetch }));
    const gone = await newFile(container);
    await solid.deleteFile(gone, { fetch: ownerFetch });
    await expect(solid.deleteFile(gone, { fetch: ownerFetch })).resolves.toBeUndefined();
    expect((await ownerFetch(`${container}never/was`, { method: 'DELETE' })).status).toBe(204);
    expect((await ownerFetch(gone)).status).toBe(404);
    expect((await requestorFetch(gone, { method: 'DELETE' })).status).toBe(403);
    expect((await fetch(gone, { method: 'DELETE' })).status).toBe(401);
    const grant = await give({ write: true, append: true, read: true }, container);
    await expect(deleteFile(gone, grant, { fetch: requestorFetch })).rejects.toThrow('404');
  });
});
