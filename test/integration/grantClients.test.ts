/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated form is what most clients use */
/* eslint-disable jest/no-standalone-expect -- tests of one preset only */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as solid from '@inrupt/solid-client';
import {
  approveAccessRequest,
  createContainerInContainer,
  deleteFile,
  denyAccessRequest,
  fetchWithVc,
  getAccessGrantAll,
  getFile,
  getSolidDataset,
  issueAccessGrant,
  issueAccessRequest,
  overwriteFile,
  revokeAccessGrant,
  saveFileInContainer,
  saveSolidDatasetAt,
  saveSolidDatasetInContainer,
} from '@inrupt/solid-client-access-grants';
import type { Session } from '@inrupt/solid-client-authn-node';
import * as newest from '@inrupt/solid-client-vc';
import { presets } from '../support/presets';
import { logInStockClient } from '../support/solidClient';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

type Grant = Awaited<ReturnType<typeof issueAccessGrant>>;
type Modes = { read?: boolean; write?: boolean; append?: boolean };

const root = join(__dirname, '../..');

/** The version that the client of access grants depends on. */
const older = createRequire(require.resolve('@inrupt/solid-client-access-grants'))('@inrupt/solid-client-vc') as
  typeof newest;

const contexts = [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v1.jsonld' ];
const someData = 'https://data.example/some';
const revoked = 'credentialStatus validation has failed: credential has been revoked';

describe.each(presets)('With %s,', (config, isAcp): void => {
  let server: TestServer;
  let base: string;
  let issuer: string;
  let owner: AccountHolder;
  let bank: AccountHolder;
  let sessions: Session[];
  let ownerFetch: typeof fetch;
  let bankFetch: typeof fetch;
  const [ itWithAcp, itWithWac ] = isAcp ? [ it, it.skip ] : [ it.skip, it ];

  beforeAll(async(): Promise<void> => {
    server = await startServer({ config });
    ({ base } = server);
    issuer = `${base}.access/`;
    [ owner, bank ] = await Promise.all([ 'owner', 'bank' ].map(
      async(name): Promise<AccountHolder> => accountWithPod(base, name),
    ));
    sessions = await Promise.all([
      logInStockClient(base, owner.credentials, 'Bearer'),
      logInStockClient(base, bank.credentials),
    ]);
    [ ownerFetch, bankFetch ] = sessions.map((session): typeof fetch => session.fetch);
  });

  afterAll(async(): Promise<void> => {
    await Promise.all(sessions.map(async(session): Promise<void> => session.logout()));
    await server.stop();
  });

  /** A new container of the owner with one file in it. */
  async function place(): Promise<{ container: string; file: string }> {
    const container = solid.getSourceUrl(await solid.createContainerInContainer(owner.podUrl, { fetch: ownerFetch }));
    const saved = await solid.saveFileInContainer(container, new Blob([ 'private' ]), { fetch: ownerFetch });
    return { container, file: solid.getSourceUrl(saved) };
  }

  async function textAt(url: string): Promise<string> {
    return (await solid.getFile(url, { fetch: ownerFetch })).text();
  }

  async function ask(access: Modes, resources: string[]): Promise<Grant> {
    return issueAccessRequest({
      access,
      resources,
      resourceOwner: owner.webId,
      expirationDate: new Date(Date.now() + 3_600_000),
    }, { fetch: bankFetch, accessEndpoint: issuer });
  }

  async function give(access: Modes, resources: string[], more: object = {}): Promise<Grant> {
    const overrides = { inherit: true, ...more };
    return approveAccessRequest(await ask(access, resources), overrides, {
      fetch: ownerFetch,
      accessEndpoint: issuer,
      ...isAcp ? {} : { updateAcr: false },
    });
  }

  /** As {@link give}, without a request and access control. */
  async function state(access: Modes, resources: string[], more: object = {}): Promise<Grant> {
    const grant = { access, resources, requestor: bank.webId, resourceOwner: owner.webId, ...more };
    return issueAccessGrant(grant, { fetch: ownerFetch, accessEndpoint: issuer });
  }

  describe.each([
    [ '2.0.1', newest, true ],
    [ '2.0.1', newest, false ],
    [ '1.2.0', older, true ],
    [ '1.2.0', older, false ],
  ])('the client of credentials %s', (version, client, legacy): void => {
    const form = { returnLegacyJsonld: legacy as true };
    let credential: newest.VerifiableCredential;
    let other: newest.VerifiableCredential;

    async function issue(resource: string): Promise<newest.VerifiableCredential> {
      return client.issueVerifiableCredential(`${issuer}issue`, {
        '@context': contexts,
        hasConsent: {
          mode: 'Read',
          forPersonalData: resource,
          forPurpose: 'https://purposes.example/loan',
          hasStatus: 'ConsentStatusRequested',
          isConsentForDataSubject: owner.webId,
        },
      }, { '@context': contexts, type: [ 'SolidAccessRequest' ]}, { ...form, fetch: bankFetch });
    }

    async function find(path: string, shape: object, as = bankFetch): Promise<string[]> {
      const found = await client.getVerifiableCredentialAllFromShape(`${issuer}${path}`, shape, { ...form, fetch: as });
      return found.map(({ id }): string => id);
    }

    beforeAll(async(): Promise<void> => {
      credential = await issue(`${someData}/${version}/${String(legacy)}`);
      other = await issue(`${someData}/${version}/${String(legacy)}/other`);
    });

    it(`finds the services, with returnLegacyJsonld ${legacy}.`, async(): Promise<void> => {
      for (const place of [ issuer, base, base.slice(0, -1) ]) {
        const services = await client.getVerifiableCredentialApiConfiguration(place);
        expect(services).toMatchObject({ issuerService: `${issuer}issue`, verifierService: `${issuer}verify` });
        expect(services.legacy).toEqual({
          issuerService: `${issuer}issue`,
          statusService: `${issuer}status`,
          verifierService: `${issuer}verify`,
          derivationService: `${issuer}derive`,
          queryService: `${issuer}query`,
        });
      }
    });

    it(`has a credential issued, and fetches it again, with returnLegacyJsonld ${legacy}.`, async(): Promise<void> => {
      expect(client.getCredentialSubject(credential).value).toBe(bank.webId);
      expect(client.getIssuer(credential)).toBe(issuer);
      const again = await client.getVerifiableCredential(credential.id, { ...form, fetch: ownerFetch });
      expect(JSON.stringify(again)).toBe(JSON.stringify(credential));
      expect(client.getIssuanceDate(again)).toEqual(client.getIssuanceDate(credential));
      expect(client.getExpirationDate(again)).toBeUndefined();
      await expect(client.getVerifiableCredential(credential.id, form)).rejects.toThrow('failed');
      await expect(client.issueVerifiableCredential(
        `${issuer}issue`,
        { '@context': { ldp: 'http://www.w3.org/ns/ldp#' }},
        undefined,
        { ...form, fetch: bankFetch },
      )).rejects.toThrow('could not successfully issue');
    });

    it(`finds credentials by example, with returnLegacyJsonld ${legacy}.`, async(): Promise<void> => {
      for (const path of [ 'derive', 'query' ]) {
        await expect(find(path, credential)).resolves.toEqual([ credential.id ]);
        await expect(find(path, other)).resolves.toEqual([ other.id ]);
        await expect(find(path, other, sessions[0].fetch)).resolves.toEqual([ other.id ]);
        await expect(find(path, { id: `${issuer}vc/none` })).resolves.toEqual([]);
        const shape = { '@context': contexts, type: [ 'VerifiableCredential' ], credentialSubject: { id: bank.webId }};
        await expect(find(path, shape)).resolves.toEqual(expect.arrayContaining([ credential.id, other.id ]));
        await expect(find(path, { ...shape, credentialSubject: { id: owner.webId }})).resolves.toEqual([]);
      }
    });

    it(`presents what a request for a presentation asks for, with returnLegacyJsonld ${legacy}.`, async():
    Promise<void> => {
      const forPersonalData = `${someData}/${version}/${String(legacy)}/other`;
      const example = { credentialSubject: { hasConsent: { forPersonalData }}};
      const presented = await client.query(`${issuer}query`, {
        query: [{ type: 'QueryByExample', credentialQuery: [{ example }, { example: { id: other.id }}]}],
      } as never, { ...form, fetch: bankFetch });
      expect(presented.verifiableCredential.map(({ id }): string => id)).toEqual([ other.id ]);
      await expect(client.isValidVerifiablePresentation(null, presented as never, { fetch: bankFetch }))
        .resolves.toMatchObject({ errors: []});
      for (const query of [
        [],
        { type: 'DIDAuthentication' },
        { type: 'QueryByExample' },
        { type: 'QueryByExample', credentialQuery: [ 'x' ]},
        { type: 'QueryByExample', credentialQuery: Array.from({ length: 6 }, (): object => ({ example: {}})) },
      ]) {
        await expect(client.query(`${issuer}query`, { query } as never, { ...form, fetch: bankFetch })).rejects
          .toThrow('returned an error');
      }
    });

    it(`verifies and revokes, with returnLegacyJsonld ${legacy}.`, async(): Promise<void> => {
      const plain = await (await bankFetch(credential.id)).json() as newest.VerifiableCredential;
      for (const one of [ credential, plain, credential.id, new URL(credential.id) ]) {
        await expect(client.isValidVc(one as never, { fetch: bankFetch })).resolves.toMatchObject({ errors: []});
      }
      const status = `${issuer}status`;
      await expect(client.revokeVerifiableCredential(status, credential.id, { fetch: ownerFetch })).rejects
        .toThrow('returned an error');
      await client.revokeVerifiableCredential(status, credential.id, { fetch: bankFetch });
      await expect(client.isValidVc(credential, { fetch: bankFetch })).resolves.toMatchObject({ errors: [ revoked ]});
    });
  });

  describe('the client of access grants', (): void => {
    it('finds the storage of the owner.', async(): Promise<void> => {
      await expect(solid.getPodUrlAll(owner.webId)).resolves.toEqual([ owner.podUrl ]);
    });

    itWithAcp('changes the access control resource, or not, as it is told.', async(): Promise<void> => {
      const [{ file }, { file: kept }] = [ await place(), await place() ];
      const options = { fetch: ownerFetch, accessEndpoint: issuer };
      const grant = await approveAccessRequest(await ask({ read: true }, [ file ]), {}, options);
      await approveAccessRequest(await ask({ read: true }, [ kept ]), {}, { ...options, updateAcr: false });
      for (const [ url, read ] of [[ file, true ], [ kept, false ]] as const) {
        await expect((await solid.getFile(url, { fetch: bankFetch })).text()).resolves.toBe('private');
        const resource = await solid.acp_ess_2.getFileWithAcr(url, { fetch: ownerFetch });
        expect(solid.acp_ess_2.hasAccessibleAcr(resource)).toBe(true);
        expect(solid.acp_ess_2.getVcAccess(resource as never)).toMatchObject({ read, write: false, append: false });
      }
      await revokeAccessGrant(grant, { fetch: ownerFetch });
      expect((await bankFetch(file)).status).toBe(403);
    });

    itWithWac('has no access control resource to change.', async(): Promise<void> => {
      const request = await ask({ read: true }, [ (await place()).file ]);
      await expect(approveAccessRequest(request, {}, { fetch: ownerFetch, accessEndpoint: issuer })).rejects
        .toThrow('Access Control Resource');
    });

    it('approves and denies the same request at the same time, and finds both.', async(): Promise<void> => {
      const { file } = await place();
      const request = await ask({ read: true }, [ file ]);
      const options = { fetch: ownerFetch, accessEndpoint: issuer, updateAcr: false };
      const [ grant, denial ] = await Promise.all([
        approveAccessRequest(request, {}, options),
        denyAccessRequest(request, options),
      ]);
      async function find(status: 'granted' | 'denied' | 'all'): Promise<string[]> {
        const found = await getAccessGrantAll({ resource: file, status }, options);
        return found.map(({ id }): string => id).sort();
      }
      await expect(find('granted')).resolves.toEqual([ grant.id ]);
      await expect(find('denied')).resolves.toEqual([ denial.id ]);
      await expect(find('all')).resolves.toEqual([ grant.id, denial.id ].sort());
      await expect(getFile(file, denial, { fetch: bankFetch })).rejects.toThrow('No access token');
    });

    it('uses one grant on several resources: files and datasets, old and new.', async(): Promise<void> => {
      const { container, file } = await place();
      const single = await place();
      const grant = await give({ read: true, write: true, append: true }, [ container, single.file ]);
      const options = { fetch: bankFetch };
      await expect((await getFile(single.file, grant, options)).text()).resolves.toBe('private');
      await overwriteFile(single.file, new Blob([ 'changed' ]), grant, options);
      await expect(textAt(single.file)).resolves.toBe('changed');
      await expect(getSolidDataset(single.container, grant, options)).rejects.toThrow('No access token');
      const made = await saveFileInContainer(container, new Blob([ 'made' ]), grant, options);
      await expect(textAt(solid.getSourceUrl(made))).resolves.toBe('made');
      const inner = solid.getSourceUrl(await createContainerInContainer(container, grant, options));
      const thing = solid.setBoolean(solid.createThing({ name: 'it' }), 'https://vocabulary.example/is', true);
      const dataset = solid.setThing(solid.createSolidDataset(), thing);
      const saved = solid.getSourceUrl(await saveSolidDatasetInContainer(inner, dataset, grant, options));
      const read = await getSolidDataset(saved, grant, options);
      const changed = await saveSolidDatasetAt(saved, solid.removeThing(read, `${saved}#it`), grant, options);
      expect(solid.getThingAll(changed)).toHaveLength(0);
      await overwriteFile(`${container}new.txt`, new Blob([ 'new' ]), grant, options);
      const listed = solid.getContainedResourceUrlAll(await getSolidDataset(container, grant, options));
      expect(listed.sort()).toEqual([ file, solid.getSourceUrl(made), inner, `${container}new.txt` ].sort());
      await deleteFile(file, grant, options);
      await expect(textAt(file)).rejects.toThrow('404');
      const authorized = await fetchWithVc(inner, grant, options);
      expect((await authorized(inner, { method: 'HEAD' })).status).toBe(200);
      expect((await authorized(inner, { method: 'DELETE' })).status).toBe(409);
    });

    it.each([
      [ 'é ü.txt', `${encodeURIComponent('é ü')}.txt` ],
      [ '(a)+b,c;d=e&f\'g!h~i@j.txt', '(a)+b,c;d=e&f\'g!h~i@j.txt' ],
      [ 'mixed %41%c3%a9.txt', '%41%c3%a9.txt' ],
      [ '契約.txt', '契約.txt' ],
      [ 'a%20b/', 'a%20b/' ],
    ])('reads and overwrites resources of any name: %s.', async(_, name): Promise<void> => {
      const { container } = await place();
      const resource = `${container}${name}`;
      const file = name.endsWith('/') ? `${resource}in.txt` : resource;
      await solid.overwriteFile(file, new Blob([ 'private' ]), { fetch: ownerFetch });
      const grant = await give({ read: true, write: true }, [ resource ]);
      for (const url of [ file, new URL(file).href, new URL(file).href.replaceAll('%c3%a9', '%C3%A9') ]) {
        await expect((await getFile(url, grant, { fetch: bankFetch })).text()).resolves.toBe('private');
        expect((await bankFetch(url)).status).toBe(200);
        const through = `${base}v1/resources?resource=${encodeURIComponent(url)}`;
        expect((await bankFetch(through, { headers: { 'x-access-grant': grant.id }})).status).toBe(200);
        await expect(getAccessGrantAll({ resource: url }, { fetch: bankFetch, accessEndpoint: issuer }))
          .resolves.toHaveLength(1);
      }
      await overwriteFile(file, new Blob([ 'changed' ]), grant, { fetch: bankFetch });
      await expect(textAt(file)).resolves.toBe('changed');
    });

    it('reads inside a container only with an inherited grant.', async(): Promise<void> => {
      const { container, file } = await place();
      const alone = await give({ read: true }, [ container ], { inherit: false });
      const options = { fetch: bankFetch, accessEndpoint: issuer };
      await expect(getFile(file, alone, options)).rejects.toThrow('No access token');
      await expect(getAccessGrantAll({ resource: file }, options)).resolves.toEqual([]);
      const grant = await give({ read: true }, [ container ]);
      await expect((await getFile(file, grant, options)).text()).resolves.toBe('private');
      const found = await getAccessGrantAll({ resource: file }, options);
      expect(found.map(({ id }): string => id)).toEqual([ grant.id ]);
    });

    it('changes neither WebID profile nor access control with a grant on the whole pod.', async():
    Promise<void> => {
      const { container, file } = await place();
      const grant = await state({ read: true, write: true, append: true }, [ owner.podUrl ]);
      const options = { fetch: bankFetch };
      await overwriteFile(file, new Blob([ 'changed' ]), grant, options);
      const card = owner.webId.replace('#me', '');
      const text = new Blob([ 'x' ], { type: 'text/plain' });
      expect((await bankFetch(card, { method: 'PUT', body: text })).status).toBe(403);
      for (const document of [ '.acl', '.acr', '.meta', `${file.slice(container.length)}.meta` ]) {
        // Names of auxiliary resources that this server does not support are refused.
        expect([ 400, 403 ])
          .toContain((await bankFetch(`${container}${document}`, { method: 'PUT', body: text })).status);
        expect((await bankFetch(`${container}${document}`)).status).toBe(403);
      }
      await revokeAccessGrant(grant, { fetch: ownerFetch });
    });
  });

  describe('an app without any special library', (): void => {
    it('reads and writes as granted to its WebID, and stops at revocation.', async(): Promise<void> => {
      const { container, file } = await place();
      await expect(solid.getFile(file, { fetch: bankFetch })).rejects.toThrow('403');
      const read = await state({ read: true }, [ container ]);
      await expect((await solid.getFile(file, { fetch: bankFetch })).text()).resolves.toBe('private');
      expect(solid.getContainedResourceUrlAll(await solid.getSolidDataset(container, { fetch: bankFetch })))
        .toEqual([ file ]);
      const text = new Blob([ 'changed' ]);
      await expect(solid.overwriteFile(file, text, { fetch: bankFetch })).rejects.toThrow('403');
      const write = await state({ write: true, append: true }, [ container ]);
      await solid.overwriteFile(file, text, { fetch: bankFetch });
      const made = solid.getSourceUrl(await solid.saveFileInContainer(container, text, { fetch: bankFetch }));
      await solid.deleteFile(made, { fetch: bankFetch });
      await revokeAccessGrant(write, { fetch: ownerFetch });
      await expect(solid.overwriteFile(file, text, { fetch: bankFetch })).rejects.toThrow('403');
      await expect((await solid.getFile(file, { fetch: bankFetch })).text()).resolves.toBe('changed');
      await revokeAccessGrant(read, { fetch: ownerFetch });
      await expect(solid.getFile(file, { fetch: bankFetch })).rejects.toThrow('403');
      await expect(solid.getSolidDataset(container, { fetch: bankFetch })).rejects.toThrow('403');
    });

    it('does neither after the grant has ended, nor before it begins.', async(): Promise<void> => {
      const { file } = await place();
      await state({ read: true }, [ file ], { expirationDate: new Date(Date.now() - 1000) });
      await state({ read: true }, [ file ], { issuanceDate: new Date(Date.now() + 3_600_000) });
      expect((await bankFetch(file)).status).toBe(403);
    });
  });

  it('the program in the documentation runs.', async(): Promise<void> => {
    const program = join(root, 'docs/examples/access-grants.mjs');
    const page = readFileSync(join(root, 'docs/api/access-grants.md'), 'utf8');
    expect(page).toContain('](../examples/access-grants.mjs)');
    const { file } = await place();
    const { stdout } = await promisify(execFile)(process.execPath, [ program ], { env: {
      ...process.env,
      SERVER: base,
      RESOURCE: file,
      OWNER: owner.webId,
      OWNER_CLIENT: `${owner.credentials.id}:${owner.credentials.secret}`,
      APP_CLIENT: `${bank.credentials.id}:${bank.credentials.secret}`,
    }});
    expect(stdout.trim().split('\n')).toEqual([
      'Without a grant: 403',
      'Waiting for the owner: true',
      'With the grant: private',
      'With the token alone: private',
      'After revocation: 403',
    ]);
  });
});
