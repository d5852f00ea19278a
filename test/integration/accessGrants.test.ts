/* eslint-disable @typescript-eslint/no-deprecated -- the deprecated form is what most clients use */
import { randomBytes } from 'node:crypto';
import {
  approveAccessRequest,
  cancelAccessRequest,
  denyAccessRequest,
  getAccessGrant,
  getAccessGrantAll,
  getAccessModes,
  getCustomFields,
  getExpirationDate,
  getId,
  getInbox,
  getIssuer,
  getPurposes,
  getRequestor,
  getResourceOwner,
  getResources,
  getTypes,
  issueAccessGrant,
  issueAccessRequest,
  isValidAccessGrant,
  paginatedQuery,
  query,
  revokeAccessGrant,
} from '@inrupt/solid-client-access-grants';
import type { CredentialResult } from '@inrupt/solid-client-access-grants';
import { Session } from '@inrupt/solid-client-authn-node';
import { Parser } from 'n3';
import { accessRules } from '../support/accessRules';
import { presets } from '../support/presets';
import { isOnPostgres } from '../support/storage';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

/** An entry in the listing of a pod. */
interface Listed {
  id: string;
  uri: string;
  accessGrants: { id: string; status: string }[];
}

const purposes = [ 'https://purposes.example/loan', 'https://purposes.example/check' ];

async function problemOf(response: Response): Promise<[number, string]> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { type } = await response.json() as { type: string };
  return [ response.status, type.split('/').at(-1)! ];
}

function idsOf({ items }: CredentialResult): string[] {
  return items.map((item): string => getId(item as never));
}

/** Body that clients post to revoke. */
function change(credentialId: string, status = '1', type = 'RevocationList2020Status'): object {
  return { credentialId, credentialStatus: [{ type, status }]};
}

describe.each(presets)('With %s, clients of access grants', (config, isAcp): void => {
  let server: TestServer;
  let base: string;
  let accessEndpoint: string;
  let queryEndpoint: URL;
  let owner: AccountHolder;
  let bank: AccountHolder;
  let stranger: AccountHolder;
  let ownerFetch: typeof fetch;
  let bankFetch: typeof fetch;
  let strangerFetch: typeof fetch;
  let files = 0;
  const sessions: Session[] = [];

  beforeAll(async(): Promise<void> => {
    server = await startServer({ config });
    ({ base } = server);
    accessEndpoint = `${base}.access/`;
    queryEndpoint = new URL('query', accessEndpoint);
    [ owner, bank, stranger ] = await Promise.all([ 'owner', 'bank', 'stranger' ].map(
      async(name): Promise<AccountHolder> => accountWithPod(base, name),
    ));
    [ ownerFetch, bankFetch, strangerFetch ] = await Promise.all([ owner, bank, stranger ].map(logIn));
  });

  afterAll(async(): Promise<void> => {
    await Promise.all(sessions.map(async(session): Promise<void> => session.logout()));
    await server.stop();
  });

  async function logIn({ credentials: { id, secret }}: AccountHolder): Promise<typeof fetch> {
    const session = new Session({ keepAlive: false });
    sessions.push(session);
    await session.login({ clientId: id, clientSecret: secret, oidcIssuer: base });
    return session.fetch;
  }

  async function errorsOf(verifiableCredential: unknown): Promise<number> {
    const response = await post('verify', { verifiableCredential }, fetch);
    expect(response.status).toBe(200);
    const result = await response.json() as { errors: string[]; checks: string[]; warnings: string[] };
    expect(result.checks).toEqual(expect.arrayContaining([ 'proof', 'credentialStatus' ]));
    return result.errors.length;
  }

  /** A new file in the pod of the owner. */
  async function file(text = 'private', folder = 'files'): Promise<string> {
    files += 1;
    const url = `${owner.podUrl}${folder}/${files}.txt`;
    const response = await ownerFetch(url, { method: 'PUT', body: text, headers: { 'content-type': 'text/plain' }});
    expect(response.status).toBe(201);
    return url;
  }

  async function grantTo(recipient: string, resources: string[], more: object = {}): Promise<{ id: string }> {
    return issueAccessGrant(
      { access: { read: true }, resources, requestor: recipient, resourceOwner: owner.webId, ...more } as never,
      { fetch: ownerFetch, accessEndpoint },
    );
  }

  async function post(path: string, body: unknown, as: typeof fetch = ownerFetch): Promise<Response> {
    return as(`${accessEndpoint}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** A grant as clients post it, with some members changed; `undefined` removes one. */
  function grantBody(resource: string, consent: object = {}, members: object = {}): object {
    return {
      credential: {
        '@context': [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v2.jsonld' ],
        type: [ 'VerifiableCredential', 'SolidAccessGrant' ],
        credentialSubject: {
          providedConsent: {
            mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
            hasStatus: 'https://w3id.org/GConsent#ConsentStatusExplicitlyGiven',
            forPersonalData: [ resource ],
            isProvidedTo: bank.webId,
            ...consent,
          },
        },
        ...members,
      },
    };
  }

  /** On /v1, in the pod of the owner. */
  function podPath(place: string): string {
    return `${base}v1/pods/owner/resources${place}`;
  }

  function idIn(resource: string): string {
    return `~${Buffer.from(resource.slice(owner.podUrl.length)).toString('base64url')}`;
  }

  /** Ids and statuses of the grants that a list has on some resources. */
  async function listed(as: typeof fetch, resources: string[]): Promise<[ string, string ][][]> {
    const response = await as(podPath('?all=true&limit=200'));
    expect(response.status).toBe(200);
    const { resources: found } = await response.json() as { resources: Listed[] };
    return resources.map((resource): [ string, string ][] => found
      .filter(({ id, uri }): boolean => id === idIn(resource) && uri === resource)
      .flatMap(({ accessGrants }): [ string, string ][] =>
        accessGrants.map(({ id, status }): [ string, string ] => [ id, status ])));
  }

  async function statuses(resource: string, as: (typeof fetch)[]): Promise<number[]> {
    const url = podPath(`/${idIn(resource)}`);
    return Promise.all(as.map(async(one): Promise<number> => (await one(url)).status));
  }

  async function takeBack(resource: string, grant: string, as: typeof fetch): Promise<[ number, string ]> {
    const place = `/${idIn(resource)}/access-grants/${grant.split('/').at(-1)!}`;
    const response = await as(podPath(place), { method: 'DELETE' });
    const { status, type = '' } = await response.json() as { status: string; type?: string };
    return [ response.status, response.ok ? status : type.split('/').at(-1)! ];
  }

  describe.each([ true, false ])('with returnLegacyJsonld %s', (legacy): void => {
    // By default an approval changes an access control resource, which there is with ACP only.
    const approval = isAcp ? {} : { updateAcr: false };
    const form = { returnLegacyJsonld: legacy as true };

    it('ask for access, are given it, and use it on /v1/resources and on the resource itself.', async():
    Promise<void> => {
      const resource = await file('for the bank');
      const expirationDate = new Date(Date.now() + 3_600_000);
      const request = await issueAccessRequest({
        access: { read: true },
        resourceOwner: owner.webId,
        resources: [ resource ],
        purpose: purposes,
        expirationDate,
        requestorInboxUrl: `${bank.podUrl}inbox/`,
      }, { ...form, fetch: bankFetch, accessEndpoint });
      expect(getIssuer(request)).toBe(accessEndpoint);
      expect(getRequestor(request)).toBe(bank.webId);
      expect(getResourceOwner(request)).toBe(owner.webId);
      await expect(statusesOf(bankFetch, getId(request), 'SolidAccessRequest')).resolves.toEqual([ 'Pending' ]);

      const grant = await approveAccessRequest(
        getId(request),
        undefined,
        { ...form, fetch: ownerFetch, accessEndpoint, ...approval },
      );
      expect(getResourceOwner(grant)).toBe(owner.webId);
      expect(getRequestor(grant)).toBe(bank.webId);
      expect(getResources(grant)).toEqual([ resource ]);
      expect(getPurposes(grant).sort()).toEqual([ ...purposes ].sort());
      expect(getAccessModes(grant)).toMatchObject({ read: true, write: false, append: false });
      expect(getExpirationDate(grant)).toEqual(expirationDate);
      expect(getInbox(grant)).toBe(`${bank.podUrl}inbox/`);
      await expect(statusesOf(bankFetch, getId(request), 'SolidAccessRequest')).resolves.toEqual([ 'Granted' ]);
      await expect(statusesOf(bankFetch, getId(grant), 'SolidAccessGrant')).resolves.toEqual([ 'Active' ]);

      for (const fetch of [ ownerFetch, bankFetch ]) {
        const fetched = await getAccessGrant(getId(grant), { ...form, fetch });
        expect(JSON.stringify(fetched)).toBe(JSON.stringify(grant));
        await expect(isValidAccessGrant(grant, { fetch })).resolves.toMatchObject({ errors: []});
      }
      await expect(getAccessGrant(getId(grant), { ...form, fetch: strangerFetch })).rejects
        .toThrow('Fetching the Verifiable Credential');

      await expect(readThrough(resource, getId(grant), bankFetch)).resolves.toEqual([ 200, 'for the bank' ]);
      await expect(readThrough(resource, getId(grant), strangerFetch)).resolves.toEqual([ 403, 'grant-not-usable' ]);
      await expect((await bankFetch(resource)).text()).resolves.toBe('for the bank');
      expect((await strangerFetch(resource)).status).toBe(403);

      await revokeAccessGrant(getId(grant), { ...form, fetch: ownerFetch });
      await expect(readThrough(resource, getId(grant), bankFetch)).resolves.toEqual([ 403, 'grant-revoked' ]);
      expect((await bankFetch(resource)).status).toBe(403);
      const { errors } = await isValidAccessGrant(grant, { fetch: bankFetch });
      expect(errors).toHaveLength(1);
      await expect(statusesOf(bankFetch, getId(grant), 'SolidAccessGrant')).resolves.toEqual([ 'Revoked' ]);
    });

    it('are denied access.', async(): Promise<void> => {
      const resource = await file();
      const request = await issueAccessRequest(
        { access: { read: true, append: true }, resourceOwner: owner.webId, resources: [ resource ]},
        { ...form, fetch: bankFetch, accessEndpoint },
      );
      const denial = await denyAccessRequest(getId(request), { ...form, fetch: ownerFetch, accessEndpoint });
      expect(getTypes(denial).join(' ')).toContain('SolidAccessDenial');
      expect(getExpirationDate(denial)).toBeUndefined();
      await expect(isValidAccessGrant(denial, { fetch: bankFetch })).resolves.toMatchObject({ errors: []});
      await expect(statusesOf(bankFetch, getId(request), 'SolidAccessRequest')).resolves.toEqual([ 'Denied' ]);
      await expect(readThrough(resource, getId(denial), bankFetch)).resolves.toEqual([ 403, 'grant-not-usable' ]);
      expect((await bankFetch(resource)).status).toBe(403);
    });

    it('cancel a request.', async(): Promise<void> => {
      const request = await issueAccessRequest(
        { access: { read: true }, resourceOwner: owner.webId, resources: [ await file() ]},
        { ...form, fetch: bankFetch, accessEndpoint },
      );
      await expect(cancelAccessRequest(getId(request), { ...form, fetch: ownerFetch })).rejects
        .toThrow('returned an error');
      await cancelAccessRequest(getId(request), { ...form, fetch: bankFetch });
      await expect(statusesOf(bankFetch, getId(request), 'SolidAccessRequest')).resolves.toEqual([ 'Canceled' ]);
    });

    it('get back custom fields with their datatypes.', async(): Promise<void> => {
      const customFields = new Set([
        { key: new URL('https://fields.example/string'), value: 'naïve “text”', name: 'aString' },
        { key: new URL('https://fields.example/integer'), value: 42, name: 'anInteger' },
        { key: new URL('https://fields.example/double'), value: 0.125, name: 'aDouble' },
        { key: new URL('https://fields.example/boolean'), value: false, name: 'aBoolean' },
      ]);
      const given = {
        'https://fields.example/string': 'naïve “text”',
        'https://fields.example/integer': 42,
        'https://fields.example/double': 0.125,
        'https://fields.example/boolean': false,
      };
      const request = await issueAccessRequest(
        { access: { read: true }, resourceOwner: owner.webId, resources: [ await file() ]},
        { ...form, fetch: bankFetch, accessEndpoint, customFields },
      );
      expect(getCustomFields(request)).toEqual(given);
      const grant = await approveAccessRequest(
        request,
        undefined,
        { ...form, fetch: ownerFetch, accessEndpoint, updateAcr: false },
      );
      expect(getCustomFields(grant)).toEqual(given);
      expect(getCustomFields(await getAccessGrant(getId(grant), { ...form, fetch: bankFetch }))).toEqual(given);
    });

    it('find the grants on a resource, including those on its containers.', async(): Promise<void> => {
      const folder = `found-${String(legacy)}`;
      const resource = await file('found', folder);
      const container = `${owner.podUrl}${folder}/`;
      const direct = await grantTo(bank.webId, [ resource ], { purpose: purposes });
      const inherited = await grantTo(bank.webId, [ container ]);
      await grantTo(bank.webId, [ container ], { inherit: false });
      const revoked = await grantTo(bank.webId, [ resource ], { access: { write: true }});
      await revokeAccessGrant(revoked.id, { fetch: ownerFetch });
      async function find(params: object, more: object = {}): Promise<string[]> {
        const options = { ...form, fetch: bankFetch, accessEndpoint, ...more };
        const found = await getAccessGrantAll({ resource, ...params }, options as never) as unknown[];
        return found.map((grant): string => getId(grant as never)).sort();
      }
      const all = [ direct.id, inherited.id, revoked.id ].sort();
      await expect(find({})).resolves.toEqual(all);
      await expect(find({}, { fetch: ownerFetch })).resolves.toEqual(all);
      await expect(find({}, { fetch: strangerFetch })).resolves.toEqual([]);
      await expect(find({ purpose: [ purposes[1] ]})).resolves.toEqual([ direct.id ]);
      await expect(find({ purpose: [ ...purposes, 'https://purposes.example/none' ]})).resolves.toEqual([]);
      await expect(find({ access: { write: true }})).resolves.toEqual([ revoked.id ]);
      await expect(find({ requestor: stranger.webId })).resolves.toEqual([]);
      await expect(find({ status: 'denied' })).resolves.toEqual([]);
      await expect(find({ status: 'all' })).resolves.toEqual(all);
    });
  });

  describe('use /v1 for grants made without a contract:', (): void => {
    it('a resource is listed, read by pod and id, and the grant revoked.', async(): Promise<void> => {
      const single = await file('single', 'places');
      const within = await file('within', 'places/inherited');
      const container = new URL('.', within).href;
      const { id } = await grantTo(bank.webId, [ single ]);
      const { id: inherited } = await grantTo(bank.webId, [ container ]);
      for (const as of [ ownerFetch, bankFetch ]) {
        await expect(listed(as, [ single, container, within ]))
          .resolves.toEqual([[[ id, 'ACTIVE' ]], [[ inherited, 'ACTIVE' ]], []]);
      }
      expect((await strangerFetch(podPath('?all=true'))).status).toBe(403);
      for (const resource of [ single, within ]) {
        await expect(statuses(resource, [ ownerFetch, bankFetch, strangerFetch ])).resolves.toEqual([ 200, 200, 403 ]);
      }
      const url = podPath(`/${idIn(single)}`);
      await expect((await bankFetch(url)).text()).resolves.toBe('single');
      expect((await bankFetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe('6');
      expect((await bankFetch(`${url}?verified=true`)).status).toBe(404);
      expect((await bankFetch(podPath(`/${idIn(`${single}.none`)}`))).status).toBe(403);
      expect((await ownerFetch(podPath(`/${idIn(`${single}.none`)}`))).status).toBe(404);

      await expect(takeBack(single, id, strangerFetch)).resolves.toEqual([ 404, 'grant-not-found' ]);
      await expect(takeBack(single, id, bankFetch)).resolves.toEqual([ 403, 'access-forbidden' ]);
      await expect(takeBack(within, id, ownerFetch)).resolves.toEqual([ 404, 'grant-not-found' ]);
      await expect(takeBack(single, id, ownerFetch)).resolves.toEqual([ 200, 'REVOKED' ]);
      await expect(takeBack(single, id, ownerFetch)).resolves.toEqual([ 200, 'REVOKED' ]);
      await expect(statuses(single, [ ownerFetch, bankFetch ])).resolves.toEqual([ 200, 403 ]);
      await expect(readThrough(single, id, bankFetch)).resolves.toEqual([ 403, 'grant-revoked' ]);
      await expect(statuses(within, [ bankFetch ])).resolves.toEqual([ 200 ]);
      await expect(takeBack(container, inherited, ownerFetch)).resolves.toEqual([ 200, 'REVOKED' ]);
      await expect(statuses(within, [ bankFetch ])).resolves.toEqual([ 403 ]);
      await expect(listed(ownerFetch, [ single, container ]))
        .resolves.toEqual([[[ id, 'REVOKED' ]], [[ inherited, 'REVOKED' ]]]);
    });

    it('access control documents and descriptions are neither listed nor read.', async():
    Promise<void> => {
      const resource = await file('plain', 'rules');
      await grantTo(bank.webId, [ new URL('.', resource).href ]);
      for (const name of [ '.acl', '.acr', '.meta' ]) {
        const url = podPath(`/${idIn(resource + name)}`);
        for (const as of [ bankFetch, strangerFetch ]) {
          const { status } = await as(url);
          expect([ name, status >= 400 ]).toEqual([ name, true ]);
        }
      }
    });

    it('a person with control by the access rules can grant and revoke, too.', async(): Promise<void> => {
      const resource = await file('controlled', 'controlled');
      const rules = accessRules(isAcp, resource, owner.webId, '') + (isAcp ?
        `<#r> acp:accessControl <#s>. <#s> acp:apply [ acp:allow acl:Read, acl:Control;
          acp:anyOf [ acp:agent <${stranger.webId}> ] ].` :
        `<#s> a acl:Authorization; acl:agent <${stranger.webId}>; acl:accessTo <${resource}>;
          acl:mode acl:Read, acl:Control.`);
      const put = await ownerFetch(`${resource}${isAcp ? '.acr' : '.acl'}`, {
        method: 'PUT',
        headers: { 'content-type': 'text/turtle' },
        body: rules,
      });
      expect(put.ok).toBe(true);
      const terms = { access: { read: true }, resources: [ resource ], requestor: bank.webId };
      const { id } = await issueAccessGrant(
        { ...terms, resourceOwner: stranger.webId } as never,
        { fetch: strangerFetch, accessEndpoint },
      ) as { id: string };
      await expect(statuses(resource, [ bankFetch ])).resolves.toEqual([ 200 ]);
      await expect(listed(bankFetch, [ resource ])).resolves.toEqual([[[ id, 'ACTIVE' ]]]);
      await expect(takeBack(resource, id, ownerFetch)).resolves.toEqual([ 404, 'grant-not-found' ]);
      await expect(takeBack(resource, id, strangerFetch)).resolves.toEqual([ 200, 'REVOKED' ]);
      await expect(statuses(resource, [ bankFetch ])).resolves.toEqual([ 403 ]);
    });
  });

  describe('find where to go', (): void => {
    it('at the root and under the issuer, in a self-contained document.', async(): Promise<void> => {
      for (const url of [ `${base}.well-known/vc-configuration`, `${accessEndpoint}.well-known/vc-configuration` ]) {
        const response = await fetch(url);
        expect(response.headers.get('content-type')).toBe('application/ld+json');
        const text = await response.text();
        expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
        const { '@context': context, ...services } = JSON.parse(text) as { '@context': unknown[] };
        expect(context).toEqual([ expect.objectContaining({ vc: 'http://www.w3.org/ns/solid/vc#' }) ]);
        expect(services).toEqual({
          issuerService: `${accessEndpoint}issue`,
          statusService: `${accessEndpoint}status`,
          verifierService: `${accessEndpoint}verify`,
          derivationService: `${accessEndpoint}derive`,
          queryService: `${accessEndpoint}query`,
        });
      }
      expect((await fetch(`${base}.well-known/vc-configuration`, { method: 'POST' })).status).toBe(405);
    });
  });

  describe('find the service', (): void => {
    it('from the WebID, through the description of its storage.', async(): Promise<void> => {
      const link = (await ownerFetch(owner.podUrl, { method: 'HEAD' })).headers.get('link')!;
      const [ , description ] = /<([^>]+)>; rel="[^"]+#storageDescription"/u.exec(link)!;
      const turtle = await (await fetch(description)).text();
      const statements = new Parser({ baseIRI: description }).parse(turtle);
      for (const [ predicate, path ] of [
        [ 'http://inrupt.com/ns/ess#consentIssuer', '' ],
        [ 'http://inrupt.com/ns/ess#ConsentManagementUI', '../.app/requests' ],
        [ 'http://www.w3.org/ns/solid/vc#issuerService', 'issue' ],
        [ 'http://www.w3.org/ns/solid/vc#queryService', 'query' ],
      ]) {
        const found = statements.find((quad): boolean => quad.predicate.value === predicate);
        expect(found?.object.value).toBe(new URL(path, accessEndpoint).href);
      }
    });
  });

  describe('page through grants they made and received', (): void => {
    const purpose = 'https://purposes.example/paging';
    const made: string[] = [];

    beforeAll(async(): Promise<void> => {
      for (let count = 0; count < 5; count += 1) {
        made.unshift((await grantTo(bank.webId, [ await file() ], { purpose: [ purpose ]})).id);
      }
    });

    it('forwards and backwards, newest first, without an empty page.', async(): Promise<void> => {
      const first = await list(bankFetch, { purpose: new URL(purpose), pageSize: 2 });
      expect(idsOf(first)).toEqual(made.slice(0, 2));
      expect(first).not.toHaveProperty('prev');
      const second = await list(bankFetch, first.next!);
      expect(idsOf(second)).toEqual(made.slice(2, 4));
      const third = await list(bankFetch, second.next!);
      expect(idsOf(third)).toEqual(made.slice(4));
      expect(third).not.toHaveProperty('next');
      expect(idsOf(await list(bankFetch, third.prev!))).toEqual(made.slice(2, 4));
      expect(idsOf(await list(bankFetch, third.first!))).toEqual(made.slice(0, 2));
      const last = await list(bankFetch, first.last!);
      expect(idsOf(last)).toEqual(made.slice(3));
      expect(last).not.toHaveProperty('next');
      const exact = await list(bankFetch, { purpose: new URL(purpose), pageSize: 5 });
      expect(idsOf(exact)).toEqual(made);
      expect(exact).not.toHaveProperty('next');
    });

    it('with the library\'s own iterator.', async(): Promise<void> => {
      const found: string[] = [];
      const filter = { purpose: new URL(purpose), pageSize: 2, fromAgent: new URL(owner.webId) };
      for await (const page of paginatedQuery(filter, { fetch: bankFetch, queryEndpoint })) {
        expect(page.items).not.toHaveLength(0);
        found.push(...idsOf(page));
      }
      expect(found).toEqual(made);
    });

    it('by every filter.', async(): Promise<void> => {
      const [ newest ] = made;
      const [ resource ] = getResources(await getAccessGrant(newest, { fetch: bankFetch }));
      async function matches(filter: object, as = bankFetch): Promise<boolean> {
        return idsOf(await list(as, { ...filter, pageSize: 100 })).includes(newest);
      }
      for (const filter of [
        {},
        { type: 'SolidAccessGrant' },
        { status: 'Active' },
        { fromAgent: owner.webId },
        { toAgent: bank.webId },
        { fromAgent: owner.webId, toAgent: bank.webId, type: 'SolidAccessGrant', status: 'Active' },
        { resource },
        { resource, purpose, issuedWithin: 'P1D' },
        { purpose },
        { issuedWithin: 'P3M' },
      ]) {
        await expect(matches(filter)).resolves.toBe(true);
        await expect(matches(filter, ownerFetch)).resolves.toBe(true);
        await expect(matches(filter, strangerFetch)).resolves.toBe(false);
      }
      for (const filter of [
        { type: 'SolidAccessRequest' },
        { type: 'SolidAccessDenial' },
        { type: 'SolidAccessRequest', status: 'Active' },
        { status: 'Revoked' },
        { status: 'Expired' },
        { fromAgent: bank.webId },
        { toAgent: owner.webId },
        { resource: `${resource}1` },
        { resource: resource.slice(0, resource.lastIndexOf('/') + 1) },
        { purpose: `${purpose}s` },
        { revokedWithin: 'P3M' },
      ]) {
        await expect(matches(filter)).resolves.toBe(false);
      }
      await revokeAccessGrant(newest, { fetch: ownerFetch });
      await expect(matches({ revokedWithin: 'P1D' })).resolves.toBe(true);
      await expect(matches({ revokedWithin: 'P1D', purpose, status: 'Revoked' })).resolves.toBe(true);
      await expect(matches({ status: 'Active' })).resolves.toBe(false);
    });

    it('and see expired grants.', async(): Promise<void> => {
      const { id } = await grantTo(bank.webId, [ await file() ], { expirationDate: new Date(Date.now() - 1000) });
      await expect(statusesOf(bankFetch, id, 'SolidAccessGrant')).resolves.toEqual([ 'Expired' ]);
      const { errors } = await isValidAccessGrant(id, { fetch: bankFetch });
      expect(errors).toHaveLength(1);
    });

    it.each([
      'type=AccessGrant',
      'status=active',
      'issuedWithin=P1W',
      'pageSize=0',
      'pageSize=x',
      'page=x',
      `page=${Buffer.from('["after",1]').toString('base64url')}`,
      'status=Active&status=Revoked',
      'resource=a%00b',
    ])('and are refused %s.', async(parameters): Promise<void> => {
      const response = await bankFetch(`${queryEndpoint.href}?${parameters}`);
      await expect(problemOf(response)).resolves.toEqual([ 400, 'parameter-invalid' ]);
    });
  });

  describe('issue grants', (): void => {
    const consented = 'https://fields.example/ns#';

    it('in their own name only, and get the same document each time.', async(): Promise<void> => {
      const resource = await file();
      const response = await post('issue', grantBody(resource, {}, {
        id: 'https://other.example/vc/1',
        issuer: 'https://other.example/',
        proof: { type: 'Ed25519Signature2020', proofValue: 'z1' },
        credentialSubject: {
          id: owner.webId,
          providedConsent: {
            mode: 'acl:Read',
            hasStatus: 'ConsentStatusExplicitlyGiven',
            forPersonalData: resource,
            isProvidedTo: bank.webId,
          },
        },
      }), strangerFetch);
      expect(response.status).toBe(201);
      const text = await response.text();
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      const grant = JSON.parse(text);
      expect(response.headers.get('location')).toBe(grant.id);
      expect(grant.credentialSubject.id).toBe(stranger.webId);
      expect(grant.issuer).toBe(accessEndpoint);
      const again = await bankFetch(grant.id as string);
      expect(again.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      await expect(again.text()).resolves.toBe(text);
      // A grant for somebody else's resource has no effect.
      await expect(readThrough(resource, grant.id as string, bankFetch))
        .resolves.toEqual([ 403, 'grant-not-covering' ]);
      expect((await bankFetch(resource)).status).toBe(403);
    });

    it('that cover by path segments, and never access control.', async(): Promise<void> => {
      const one = await file('one', 'prefix');
      const other = `${one.replace(/\.txt$/u, '')}0.txt`;
      await ownerFetch(other, { method: 'PUT', body: 'other', headers: { 'content-type': 'text/plain' }});
      const documents = [ `${one}.acl`, `${one}.acr`, `${one}.meta` ];
      const { id } = await grantTo(bank.webId, [ one, one.replace(/\.txt$/u, ''), ...documents ]);
      await expect(readThrough(one, id, bankFetch)).resolves.toEqual([ 200, 'one' ]);
      await expect(readThrough(other, id, bankFetch)).resolves.toEqual([ 403, 'grant-not-covering' ]);
      expect((await bankFetch(other)).status).toBe(403);
      for (const document of documents) {
        expect((await bankFetch(document)).status).toBe(403);
      }
    });

    it('of resources elsewhere, of no purpose and without end.', async(): Promise<void> => {
      const response = await post('issue', grantBody('https://example.org/resource'));
      expect(response.status).toBe(201);
      const grant = await response.json() as Record<string, unknown>;
      expect(grant).not.toHaveProperty('expirationDate');
    });

    it('of long URIs, as far as the storage can index them.', async(): Promise<void> => {
      // Texts that do not get shorter by compression.
      const [ resource, purpose ] = [ 'resource', 'purpose' ]
        .map((name): string => `https://example.org/${name}/${randomBytes(1400).toString('base64url')}`);
      expect((await post('issue', grantBody(resource))).status).toBe(201);
      const long = `https://example.org/${randomBytes(1000).toString('base64url')}#me`;
      const response = await post('issue', grantBody(resource, { isProvidedTo: long, forPurpose: [ purpose ]}));
      expect(response.status).toBe(isOnPostgres ? 400 : 201);
      const { type = '' } = await response.json() as { type?: string | string[] };
      expect(String(type)).toMatch(isOnPostgres ? /\/body-invalid$/u : /SolidAccessGrant/u);
    });

    it('that answer a template, which stays open for others.', async(): Promise<void> => {
      const response = await post('issue', {
        credential: {
          '@context': [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v2.jsonld' ],
          type: [ 'VerifiableCredential', 'SolidAccessRequest' ],
          credentialSubject: {
            hasConsent: {
              mode: [ 'http://www.w3.org/ns/auth/acl#Read' ],
              hasStatus: 'https://w3id.org/GConsent#ConsentStatusRequested',
              template: [ `${base}{pod}/files/{+path}`, `${base}{pod}/other/` ],
            },
          },
        },
      }, bankFetch);
      expect(response.status).toBe(201);
      const request = await response.json() as { id: string; credentialSubject: { hasConsent: object }};
      expect(request.credentialSubject.hasConsent).not.toHaveProperty('isConsentForDataSubject');
      expect((await ownerFetch(request.id)).status).toBe(200);
      expect((await fetch(request.id)).status).toBe(401);
      const link = { verifiedRequest: request.id };
      const answered = await post('issue', grantBody(await file(), link));
      expect(answered.status).toBe(201);
      const grant = await answered.json() as { credentialSubject: { providedConsent: object }; id: string };
      expect(grant.credentialSubject.providedConsent).toMatchObject({ ...link, request: request.id });
      await expect(getAccessGrant(grant.id, { fetch: bankFetch, returnLegacyJsonld: false })).resolves.toBeDefined();
      await expect(statusesOf(bankFetch, request.id, 'SolidAccessRequest')).resolves.toEqual([ 'Pending' ]);
      await expect(problemOf(await post('issue', grantBody(await file('x', 'elsewhere'), link))))
        .resolves.toEqual([ 409, 'request-mismatch' ]);
    });

    it('that give exactly what was requested, if they ask for that check.', async(): Promise<void> => {
      const resource = await file();
      const request = await issueAccessRequest(
        { access: { read: true, append: true }, resourceOwner: owner.webId, resources: [ resource ]},
        { fetch: bankFetch, accessEndpoint },
      );
      const link = { verifiedRequest: request.id };
      const { base: mismatched, ...wrong } = {
        base: [ 409, 'request-mismatch' ],
        mode: { mode: [ 'http://www.w3.org/ns/auth/acl#Write' ]},
        resource: { forPersonalData: [ resource, `${resource}1` ]},
        container: { forPersonalData: [ `${owner.podUrl}files/` ]},
        recipient: { isProvidedTo: stranger.webId },
        unknown: { verifiedRequest: `${accessEndpoint}vc/6f1b0c1e-0000-4000-8000-000000000000` },
        foreign: { verifiedRequest: 'https://other.example/vc/1' },
      };
      for (const consent of Object.values(wrong)) {
        const response = await post('issue', grantBody(resource, { ...link, ...consent }));
        await expect(problemOf(response)).resolves.toEqual(mismatched);
      }
      await expect(problemOf(await post('issue', grantBody(resource, link), strangerFetch)))
        .resolves.toEqual(mismatched);
      await expect(statusesOf(bankFetch, request.id, 'SolidAccessRequest')).resolves.toEqual([ 'Pending' ]);
      // A link that is not verified is kept, but does not close anybody else's request.
      expect((await post('issue', grantBody(resource, { request: request.id }), strangerFetch)).status).toBe(201);
      await expect(statusesOf(bankFetch, request.id, 'SolidAccessRequest')).resolves.toEqual([ 'Pending' ]);
      const granted = await approveAccessRequest(
        request,
        { access: { read: true }},
        { fetch: ownerFetch, accessEndpoint, updateAcr: false, verifyLinkedRequest: true } as never,
      );
      expect(getResources(granted as never)).toEqual([ resource ]);
      await expect(statusesOf(bankFetch, request.id, 'SolidAccessRequest')).resolves.toEqual([ 'Granted' ]);
    });

    it('but not from malformed statements.', async(): Promise<void> => {
      const resource = `${owner.podUrl}files/any.txt`;
      const contexts = [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v2.jsonld' ];
      const fields = Object.fromEntries(Array.from({ length: 21 }, (_, index): [string, number] =>
        [ `${consented}${index}`, index ]));
      const many = Array.from({ length: 51 }, (_, index): string => `${resource}${index}`);
      const refused = [
        {},
        { credential: 'text' },
        { credential: {}},
        grantBody(resource, {}, { '@context': undefined }),
        grantBody(resource, {}, { '@context': contexts.toReversed() }),
        grantBody(resource, {}, { '@context': [ ...contexts, 'https://other.example/context' ]}),
        grantBody(resource, {}, { '@context': [ ...contexts, { mode: 'https://other.example/mode' }]}),
        grantBody(resource, {}, { type: [ 'VerifiableCredential' ]}),
        grantBody(resource, {}, { type: [ 'VerifiableCredential', 'SolidAccessGrant', 'SolidAccessDenial' ]}),
        grantBody(resource, {}, { type: [ 'VerifiableCredential', 'SolidAccessRequest' ]}),
        grantBody(resource, {}, { credentialSubject: []}),
        grantBody(resource, {}, { expirationDate: 'tomorrow' }),
        grantBody(resource, {}, { issuanceDate: 17 }),
        grantBody(resource, { mode: undefined }),
        grantBody(resource, { mode: [ 'http://www.w3.org/ns/auth/acl#Control' ]}),
        grantBody(resource, { hasStatus: 'https://w3id.org/GConsent#ConsentStatusDenied' }),
        grantBody(resource, { hasStatus: undefined }),
        grantBody(resource, { isProvidedTo: undefined }),
        grantBody(resource, { isProvidedTo: [ bank.webId, stranger.webId ]}),
        grantBody(resource, { isProvidedTo: 'bank' }),
        grantBody(resource, { forPersonalData: []}),
        grantBody(resource, { forPersonalData: [ 'files/any.txt' ]}),
        grantBody(resource, { forPersonalData: [{ id: resource }]}),
        grantBody(resource, { forPersonalData: many }),
        grantBody(resource, { forPurpose: [ 'a purpose' ]}),
        grantBody(resource, { inherit: 'perhaps' }),
        grantBody(resource, { request: 'request' }),
        grantBody(resource, { request: `${accessEndpoint}vc/1`, verifiedRequest: `${accessEndpoint}vc/2` }),
        grantBody(resource, { member: 'of no context' }),
        grantBody(resource, { 'acl:mode': 'x' }),
        grantBody(resource, { 'urn:uuid:71ab2f68-a68b-4452-b968-dd23e0570227': false }),
        grantBody(resource, { '@type': consented }),
        grantBody(resource, { 'http://www.w3.org/ns/auth/acl#mode': 'x' }),
        grantBody(resource, { 'HTTPS://W3ID.org/GConsent#isProvidedTo': 'x' }),
        grantBody(resource, { 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type': 'x' }),
        grantBody(resource, { 'https://w3id.org/security#proof': 'x' }),
        grantBody(resource, { [`${consented}list`]: [ 1, 2 ]}),
        grantBody(resource, { [`${consented}object`]: {}}),
        grantBody(resource, { [`${consented}large`]: 'x'.repeat(1025) }),
        grantBody(resource, { [`${consented}unsafe`]: 2 ** 60 }),
        grantBody(resource, fields),
      ];
      for (const body of refused) {
        const response = await post('issue', body);
        await expect(problemOf(response)).resolves.toEqual([ 400, 'body-invalid' ]);
      }
      for (const path of [ 'a/../b', 'a/%2e%2e/b', 'a%2Fb', 'a//b', 'a?b', 'a#b', '%5Cb', '%' ]) {
        const response = await post('issue', grantBody(`${owner.podUrl}${path}`));
        await expect(problemOf(response)).resolves.toEqual([ 400, 'resource-uri-invalid' ]);
      }
    });

    it('only in a body of limited size and depth, with a token.', async(): Promise<void> => {
      const deep = `{"credential":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`;
      await expect(problemOf(await post('issue', deep))).resolves.toEqual([ 400, 'body-invalid' ]);
      await expect(problemOf(await post('issue', { credential: {}, more: 'x'.repeat(70_000) })))
        .resolves.toEqual([ 413, 'body-too-large' ]);
      await expect(problemOf(await post('issue', grantBody(base), fetch))).resolves.toEqual([ 401, 'token-missing' ]);
    });
  });

  describe('revoke', (): void => {
    it('their own grants only, by the documented request only.', async(): Promise<void> => {
      const { id } = await grantTo(bank.webId, [ await file() ]);
      const unknown = `${accessEndpoint}vc/6f1b0c1e-0000-4000-8000-000000000000`;
      for (const [ credentialId, as, problem ] of [
        [ id, strangerFetch, [ 404, 'grant-not-found' ]],
        [ unknown, strangerFetch, [ 404, 'grant-not-found' ]],
        [ 'https://other.example/vc/1', ownerFetch, [ 404, 'grant-not-found' ]],
        [ `${id}/`, ownerFetch, [ 404, 'grant-not-found' ]],
        [ id, bankFetch, [ 403, 'access-forbidden' ]],
      ] as const) {
        await expect(problemOf(await post('status', change(credentialId), as))).resolves.toEqual(problem);
      }
      for (const body of [
        change(id, '0'),
        change(id, '1', 'SuspensionList'),
        { credentialId: id },
        { credentialId: id, credentialStatus: []},
        { credentialId: [ id ], credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }]},
      ]) {
        await expect(problemOf(await post('status', body))).resolves.toEqual([ 400, 'body-invalid' ]);
      }
      await expect(problemOf(await post('status', change(id), fetch))).resolves.toEqual([ 401, 'token-missing' ]);
      await expect(statusesOf(bankFetch, id, 'SolidAccessGrant')).resolves.toEqual([ 'Active' ]);
      for (let again = 0; again < 2; again += 1) {
        expect((await post('status', change(id))).status).toBe(200);
      }
      await expect(problemOf(await post('status', change(id, '0')))).resolves.toEqual([ 400, 'body-invalid' ]);
      await expect(statusesOf(bankFetch, id, 'SolidAccessGrant')).resolves.toEqual([ 'Revoked' ]);
    });
  });

  describe('verify', (): void => {
    let grant: Record<string, any>;

    beforeAll(async(): Promise<void> => {
      const { id } = await grantTo(bank.webId, [ await file() ]);
      grant = await (await bankFetch(id)).json();
    });

    it('credentials issued here, with lists of one as list or value.', async(): Promise<void> => {
      await expect(errorsOf(grant)).resolves.toBe(0);
      const { credentialSubject: { providedConsent, ...subject }} = grant;
      const [ mode ] = providedConsent.mode as string[];
      const normalised = { ...subject, providedConsent: { ...providedConsent, mode }};
      await expect(errorsOf({ ...grant, credentialSubject: normalised })).resolves.toBe(0);
    });

    it('that others\' or altered credentials are invalid.', async(): Promise<void> => {
      const { credentialSubject: subject } = grant;
      for (const other of [
        {},
        { ...grant, id: undefined },
        { ...grant, id: `${accessEndpoint}vc/6f1b0c1e-0000-4000-8000-000000000000` },
        { ...grant, id: grant.id.replace('/vc/', '/other/') },
        { ...grant, issuer: 'https://other.example/' },
        { ...grant, expirationDate: '2999-01-01T00:00:00Z' },
        { ...grant, proof: { ...grant.proof, proofValue: `z${'1'.repeat(80)}` }},
        { ...grant, '@context': [ ...grant['@context'], 'https://other.example/context' ]},
        { ...grant, credentialSubject: { ...subject, id: stranger.webId }},
        { ...grant, credentialSubject: {
          ...subject,
          providedConsent: { ...subject.providedConsent, isProvidedTo: stranger.webId },
        }},
        ...[
          { mode: [ subject.providedConsent.mode ]},
          { mode: { mode: subject.providedConsent.mode }},
          { isProvidedTo: [[ subject.providedConsent.isProvidedTo ]]},
          { isProvidedTo: { id: subject.providedConsent.isProvidedTo }},
        ].map((nested): object =>
          ({ ...grant, credentialSubject: { ...subject, providedConsent: { ...subject.providedConsent, ...nested }}})),
        { ...grant, issuer: { id: grant.issuer }},
        { ...grant, credentialSubject: { credentialSubject: subject }},
      ]) {
        await expect(errorsOf(other)).resolves.toBe(1);
      }
    });

    it('a presentation of a few credentials.', async(): Promise<void> => {
      const presentation = { type: [ 'VerifiablePresentation' ], verifiableCredential: [ grant, grant ]};
      async function verify(verifiablePresentation: unknown, options?: object): Promise<Response> {
        return post('verify', { verifiablePresentation, options }, fetch);
      }
      await expect((await verify(presentation)).json()).resolves.toMatchObject({ errors: []});
      await expect((await verify({ ...presentation, verifiableCredential: [ grant, {}]})).json())
        .resolves.toMatchObject({ errors: [ expect.stringContaining('proof') ]});
      await expect((await verify(presentation, { challenge: 'x' })).json())
        .resolves.toMatchObject({ errors: [ expect.stringContaining('proof') ]});
      for (const other of [
        { ...presentation, type: 'Presentation' },
        { ...presentation, verifiableCredential: []},
        { ...presentation, verifiableCredential: Array.from({ length: 10_000 }, (): object => ({})) },
      ]) {
        await expect(problemOf(await verify(other))).resolves.toEqual([ 400, 'body-invalid' ]);
      }
      const large = { ...presentation, verifiableCredential: Array.from({ length: 10_000 }, (): object => grant) };
      await expect(problemOf(await verify(large))).resolves.toEqual([ 413, 'body-too-large' ]);
      await expect(problemOf(await post('verify', {}, fetch))).resolves.toEqual([ 400, 'body-invalid' ]);
    });
  });

  describe('derive', (): void => {
    it('a presentation, empty if nothing matches the example.', async(): Promise<void> => {
      const response = await post('derive', {
        verifiableCredential: {
          '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
          type: [ 'VerifiableCredential' ],
          credentialSubject: { providedConsent: { forPersonalData: [ `${base}none` ]}},
        },
        options: {},
      });
      const text = await response.text();
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      expect(JSON.parse(text)).toMatchObject({ type: [ 'VerifiablePresentation' ], verifiableCredential: []});
    });

    it('nothing expired, unless they ask for it.', async(): Promise<void> => {
      const resource = await file();
      await grantTo(bank.webId, [ resource ], { expirationDate: new Date(Date.now() - 1000) });
      const options = { fetch: bankFetch, accessEndpoint };
      await expect(getAccessGrantAll({ resource }, options)).resolves.toHaveLength(0);
      await expect(getAccessGrantAll({ resource }, { ...options, includeExpired: true })).resolves.toHaveLength(1);
    });

    it.each([
      [{ verifiableCredential: { credentialSubject: 'x' }}],
      [{ verifiableCredential: { credentialSubject: { providedConsent: 'x' }}}],
      [{ verifiableCredential: []}],
      [{}],
    ])('nothing from %j.', async(body): Promise<void> => {
      await expect(problemOf(await post('derive', body))).resolves.toEqual([ 400, 'body-invalid' ]);
    });
  });

  async function readThrough(resource: string, grant: string, as: typeof fetch): Promise<[number, string]> {
    const response = await as(`${base}v1/resources?resource=${encodeURIComponent(resource)}`, {
      headers: { 'x-access-grant': grant, accept: 'application/problem+json, */*' },
    });
    const text = await response.text();
    return [ response.status, response.ok ? text : (JSON.parse(text) as { type: string }).type.split('/').at(-1)! ];
  }

  /** The statuses that a credential is listed under. */
  async function statusesOf(as: typeof fetch, id: string, type: string): Promise<string[]> {
    const found: string[] = [];
    for (const status of [ 'Pending', 'Granted', 'Denied', 'Canceled', 'Expired', 'Active', 'Revoked' ]) {
      const { items } = await list(as, { type, status, pageSize: 100 });
      found.push(...items.some((item): boolean => getId(item) === id) ? [ status ] : []);
    }
    return found;
  }

  async function list(as: typeof fetch, filter: object): Promise<CredentialResult> {
    return query(filter, { fetch: as, queryEndpoint });
  }
});
