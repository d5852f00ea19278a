import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../../client';
import { createAccount, createPod } from '../../demo/lib/accounts';
import type { OperationCall } from '../support/ApiContract';
import { ApiContract } from '../support/ApiContract';
import type { CitizenWithPod, Shared } from '../support/sharing';
import { citizenWithPod, lastPart, share } from '../support/sharing';
import { SolidApp } from '../support/SolidApp';
import type { AccountHolder, World } from '../support/world';
import { accountWithPod, Client, startWorld } from '../support/world';

/** A data type of the operator's, with an IRI elsewhere. */
const libraryCard = 'https://library.example/types/library-card/2025-02-01';
const root = join(__dirname, '../..');
const nobody = Client.withBearer();
/** Time limit that no operation reaches. */
const tooLong = `"${'x'.repeat(300_000)}"`;
const json = { 'content-type': 'application/json' };

/** Declared by the interface, and never answered by this server. */
const neverAnswered = [ 'deleteWebId 201' ];

/**
 * True for a status whose every declaration is driven here. The others need a time-out, a limit or a failure behind the
 * server, or depend on the operator's settings.
 */
function isDriven(status: number): boolean {
  return status < 400 || [ 401, 404, 406, 412, 413, 414, 415, 416 ].includes(status);
}

describe('The OpenAPI document', (): void => {
  let world: World;
  let base: string;
  let contract: ApiContract;
  let emma: CitizenWithPod;
  let consumer: AccountHolder;
  let shared: Shared;
  let grantDocument: string;
  let vcList: string;
  let grantList: string;
  /** A call that succeeds, by the id of an operation that only reads. */
  let reads: Record<string, OperationCall>;
  /** A call whose token is accepted, by the id of an operation that needs one. */
  let withToken: Record<string, OperationCall>;

  beforeAll(async(): Promise<void> => {
    world = await startWorld({ flags: { dataTypes: join(__dirname, '../fixtures/data-types') }});
    ({ base } = world);
    contract = await ApiContract.of(base);
    consumer = await accountWithPod(base, 'consumer', 'Bearer');
    emma = await citizenWithPod(world, 'emma');
    shared = await share(emma.client, base, 'diploma-employment');
    const vc = await (await emma.client.request('GET', shared.podResource)).json() as Status<'statusListCredential'>;
    vcList = lastPart(vc.credentialStatus.statusListCredential);
    grantDocument = await (await consumer.client.request('GET', shared.accessGrant)).text();
    const grant = JSON.parse(grantDocument) as Status<'revocationListCredential'>;
    grantList = lastPart(grant.credentialStatus.revocationListCredential);
    reads = readingCalls();
    withToken = tokenCalls();
  });

  afterAll(async(): Promise<void> => {
    await world.stop();
  });

  function readingCalls(): Record<string, OperationCall> {
    const { client } = consumer;
    const pod = { podId: emma.podId };
    const resource = { ...pod, resourceId: lastPart(shared.podResource) };
    return {
      getWebId: { client: emma.client },
      listContracts: { client: nobody, query: { limit: '1' }},
      getContract: { client: nobody, params: { contractId: 'diploma-employment' }},
      listPersonalData: { client: emma.client, params: { contractId: 'study-counselling' }},
      readResource: {
        client,
        query: { resource: shared.podResource, verified: 'true' },
        headers: { 'x-access-grant': shared.accessGrant },
      },
      listPodResources: { client: emma.client, params: pod, query: { limit: '1' }},
      readPodResource: { client, params: resource },
      summarisePodResource: { client: emma.client, params: resource },
      getBuilding: { client: nobody, params: { path: '90000001/1' }},
      getConsentReceipt: { client, params: { id: lastPart(shared.accessGrant) }},
      listActivity: { client: emma.client, query: { limit: '5' }},
      listAccessGrants: { client, query: { status: 'ACTIVE', limit: '1' }},
      listDataCopies: { client, query: { status: 'STORED', limit: '10' }},
      listEvents: { client, query: { limit: '10' }},
      listSubscriptions: { client },
      listApps: { client: emma.client },
      getEventKeys: { client: nobody },
      getCoreVocabulary: { client: nobody },
      getContractContext: { client: nobody },
      listDataTypes: { client: nobody, query: { limit: '2' }},
      getDataType: { client: nobody, params: { path: 'diploma/2024-05-22' }},
      getPurpose: { client: nobody, params: { name: 'employment' }, headers: { accept: 'application/ld+json' }},
      getCredentialIssuer: { client: nobody },
      getCredentialStatusList: { client: nobody, params: { list: vcList }},
      getAccessIssuer: { client: nobody },
      getAccessKeys: { client: nobody },
      getAccessCredential: { client, params: { id: lastPart(shared.accessGrant) }},
      getAccessStatusList: { client: nobody, params: { list: grantList }},
      getUmaConfiguration: { client: nobody },
      getUmaKeys: { client: nobody },
      getServerDescription: { client: nobody },
      getVcConfiguration: { client: nobody },
      getIssuerVcConfiguration: { client: nobody },
      queryAccessCredentials: { client, query: { type: 'SolidAccessGrant', pageSize: '5' }},
      getIndex: { client: nobody },
      getOpenApi: { client: nobody },
      getDocs: { client: nobody },
      getDocsAsset: { client: nobody, params: { asset: 'swagger-ui.css' }},
      getProblem: { client: nobody, params: { name: 'grant-revoked' }},
      getCitizenPage: { client: nobody, params: { path: 'share' }},
      findDataUsers: { client: nobody, query: { webid: consumer.webId }},
      getDataUser: { client: nobody, params: { name: 'consumer' }},
      getDataUserLogo: { client: nobody, params: { name: 'consumer' }},
    };
  }

  function tokenCalls(): Record<string, OperationCall> {
    const { client } = consumer;
    const params = {
      contractId: 'diploma-employment',
      podId: emma.podId,
      resourceId: lastPart(shared.podResource),
      accessGrantId: lastPart(shared.accessGrant),
    };
    return {
      ...reads,
      createWebId: { client: emma.client },
      deleteWebId: { client: emma.client },
      sharePersonalData: { client: emma.client, params },
      logOutApp: { client: emma.client, params: { appId: 'none' }},
      revokeAccessGrant: { client: emma.client, params },
      verifyBusinessKey: { client },
      reportDataCopy: { client },
      removeDataCopy: { client },
      createSubscription: { client },
      getSubscription: { client, params: { subscriptionId: randomUUID() }},
      removeSubscription: { client, params: { subscriptionId: randomUUID() }},
      replaySubscription: { client, params: { subscriptionId: randomUUID() }},
      issueAccessCredential: { client },
      revokeAccessCredential: { client },
      verifyAccessCredential: { client: nobody },
      deriveAccessCredentials: { client },
      presentAccessCredentials: { client },
      exchangeTicket: { client },
    };
  }

  /** The reading call of a GET, or of the HEAD that comes with it. */
  function readingCall(operationId: string): OperationCall {
    return reads[operationId] ?? Object.entries(reads)
      .find(([ id ]): boolean => id.replace(/^(?:find|get|list|read)/u, 'head') === operationId)![1];
  }

  function representations(): string[] {
    return [ ...contract.operations.values() ]
      .filter(({ responses }): boolean => '304' in responses)
      .map(({ operationId }): string => operationId);
  }

  async function call(operationId: string, status: number, changes: Partial<OperationCall> = {}): Promise<any> {
    const known = withToken[operationId] ?? readingCall(operationId);
    const answer = await contract.call(operationId, status, {
      ...known,
      ...changes,
      headers: { ...known.headers, ...changes.headers },
    });
    return answer.json as unknown;
  }

  describe('has a client', (): void => {
    it('that sends token, proof and body through its caller\'s fetch.', async(): Promise<void> => {
      const { client } = emma;
      const signed = createClient({
        baseUrl: base,
        fetch: async(url, { body, headers, method }): Promise<Response> => client.request(method!, url, {
          headers: headers as Record<string, string>,
          body: body ? new Uint8Array(body as ArrayBuffer) : undefined,
        }),
      });
      const listed = await signed.GET('/v1/data-copies', { params: { query: { limit: 1 }}});
      expect(listed.response.status).toBe(200);
      expect(Array.isArray(listed.data!.dataCopies)).toBe(true);
      const refused = await signed.POST('/v1/verifications/business-key', {
        body: { businessKey: { type: 'NATIONAL_NUMBER_BE', value: '85073003328' }, accessGrantVc: 'none' },
      });
      expect(refused.error).toMatchObject({ status: 400, type: expect.stringContaining('/v1/problems/') });
    });

    it('that needs no credentials for public operations.', async(): Promise<void> => {
      const { data } = await createClient({ baseUrl: base }).GET('/v1/contracts/{contractId}', {
        params: { path: { contractId: 'diploma-employment' }},
      });
      expect((data as { '@id'?: string })['@id']).toBe(`${base}v1/contracts/diploma-employment`);
    });

    it('whose documented example runs.', async(): Promise<void> => {
      const program = join(root, 'docs/examples/client.mjs');
      const page = readFileSync(join(root, 'docs/api/client.md'), 'utf8');
      const [ , excerpt ] = /```js\n([\s\S]+?)\n```/u.exec(page)!;
      const lines = readFileSync(program, 'utf8').split('\n');
      expect(lines).toEqual(expect.arrayContaining(excerpt.split('\n')));
      const { id, secret } = consumer.credentials;
      const env = { ...process.env, SERVER: base, CLIENT: `${id}:${secret}`, CONTRACT: 'diploma-employment' };
      const { stdout } = await promisify(execFile)(process.execPath, [ program ], { env });
      const [ contracts, answer ] = stdout.trim().split('\n');
      expect(contracts.split(', ')).toContain('diploma-employment');
      expect(answer).toMatch(/^40\d /u);
    });
  });

  it('lists the operations of the interface.', async(): Promise<void> => {
    const listed = [ ...contract.operations.values() ].map(({ method, path }): string => `${method} ${path}`);
    expect(listed).toEqual(expect.arrayContaining([
      'GET /v1/webids',
      'PUT /v1/webids',
      'DELETE /v1/webids',
      'GET /v1/contracts/{contractId}',
      'GET /v1/contracts/{contractId}/data',
      'POST /v1/contracts/{contractId}/data',
      'GET /v1/resources',
      'GET /v1/pods/{podId}/resources/{resourceId}',
      'GET /v1/pods/{podId}/resources',
      'GET /v1/gebouwen/{path}',
      'DELETE /v1/pods/{podId}/resources/{resourceId}/access-grants/{accessGrantId}',
      'POST /v1/verifications/business-key',
      'POST /v1/data-copies',
      'DELETE /v1/data-copies',
      'GET /v1/data-copies',
    ]));
  });

  it('comes with the linked data of the interface, including the operator\'s data types.', async(): Promise<void> => {
    const types = [ 'diploma/2024-05-22', 'student-certificate/2024-06-01', 'library-card/2025-02-01' ];
    for (const path of [ 'ns/core', 'data-types/base', ...types.map((type): string => `data-types/${type}`) ]) {
      for (const accept of [ 'text/turtle', 'application/ld+json' ]) {
        const response = await fetch(`${base}v1/${path}`, { headers: { accept }});
        expect([ path, response.status, response.headers.get('content-type') ]).toEqual([ path, 200, accept ]);
      }
    }
    const context = await fetch(`${base}v1/contexts/contract/2024-10-08`);
    expect(context.headers.get('content-type')).toBe('application/ld+json');
    const scheme = await (await fetch(`${base}v1/data-types/base`, { headers: { accept: 'text/turtle' }})).text();
    for (const iri of [ ...types.slice(0, 2).map((type): string => `${base}v1/data-types/${type}`), libraryCard ]) {
      expect(scheme).toContain(`<${iri}>`);
    }
  });

  it('describes the response of every reading operation.', async(): Promise<void> => {
    await expect(findings(Object.keys(reads), async(id): Promise<unknown> => call(id, 200))).resolves.toEqual([]);
  });

  it('describes conditional and partial answers.', async(): Promise<void> => {
    await expect(findings(representations(), async(id): Promise<void> => {
      const known = readingCall(id);
      const { headers } = await contract.call(id, 200, known);
      await call(id, 304, { headers: { 'if-none-match': headers.get('etag')! }});
      await call(id, 412, { headers: { 'if-match': '"another"' }});
      if (!id.startsWith('head')) {
        await call(id, 206, { headers: { range: 'bytes=0-0' }});
        await call(id, 416, { headers: { range: 'bytes=99999999-' }});
      }
    })).resolves.toEqual([]);
  });

  it('describes how calls without a token are refused.', async(): Promise<void> => {
    const ids = [ ...contract.operations.values() ].filter(({ needsToken }): boolean => needsToken)
      .map(({ operationId }): string => operationId);
    await expect(findings(ids, async(id): Promise<unknown> =>
      call(id, id === 'verifyBusinessKey' ? 403 : 401, { client: nobody }))).resolves.toEqual([]);
  });

  it('describes how a malformed correlation id is refused.', async(): Promise<void> => {
    const ids = [ ...contract.operations.values() ].filter(({ path }): boolean => path.startsWith('/v1/'))
      .map(({ operationId }): string => operationId);
    await expect(findings(ids, async(id): Promise<unknown> =>
      call(id, 400, { headers: { 'x-correlation-id': 'no uuid' }}))).resolves.toEqual([]);
  });

  it('describes how wrong bodies are refused.', async(): Promise<void> => {
    const ids = [ ...contract.operations.values() ].filter(({ takesJson }): boolean => takesJson)
      .map(({ operationId }): string => operationId);
    expect(ids).toContain('sharePersonalData');
    await expect(findings(ids, async(id): Promise<void> => {
      await call(id, 400, { headers: json, body: '{' });
      await call(id, 400, { body: { unknown: true }});
      await call(id, 413, { headers: json, body: tooLong });
      await call(id, 415, { headers: { 'content-type': 'text/plain' }, body: '{}' });
    })).resolves.toEqual([]);
  });

  it('describes how long paths are refused.', async(): Promise<void> => {
    const ids = [ ...contract.operations.values() ].filter(({ path }): boolean => path.includes('{'))
      .map(({ operationId }): string => operationId);
    const long = 'x'.repeat(3000);
    await expect(findings(ids, async(id): Promise<unknown> => {
      const names = contract.operations.get(id)!.path.match(/(?<=\{)\w+(?=\})/gu)!;
      const params = Object.fromEntries(names.map((name): [string, string] => [ name, long ]));
      return contract.call(id, 414, { client: nobody, params });
    })).resolves.toEqual([]);
  });

  it('describes how unsupported media types are refused.', async(): Promise<void> => {
    const ids = [ ...contract.operations.values() ].filter(({ responses }): boolean => '406' in responses)
      .map(({ operationId }): string => operationId);
    await expect(findings(ids, async(id): Promise<unknown> => call(id, 406, { headers: { accept: 'image/png' }})))
      .resolves.toEqual([]);
  });

  it('describes how conditions of requests that change something are refused.', async(): Promise<void> => {
    const { accessGrant, podResource: resource } = shared;
    const credential = accessRequest(emma.webId, resource);
    const bodies: Record<string, object | undefined> = {
      createWebId: undefined,
      deleteWebId: undefined,
      logOutApp: undefined,
      sharePersonalData: { dataValues: [ 'one' ]},
      revokeAccessGrant: undefined,
      verifyBusinessKey: {
        businessKey: { type: 'NATIONAL_NUMBER_BE', value: world.national.citizen('emma').nationalNumber },
        accessGrantVc: grantDocument,
      },
      reportDataCopy: { resource, accessGrant },
      removeDataCopy: { resource },
      createSubscription: { endpoint: 'https://receiver.example/' },
      removeSubscription: undefined,
      replaySubscription: {},
      issueAccessCredential: { credential },
      revokeAccessCredential: {
        credentialId: accessGrant,
        credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }],
      },
      verifyAccessCredential: { verifiableCredential: credential },
      presentAccessCredentials: { query: { type: 'QueryByExample', credentialQuery: { example: credential }}},
      deriveAccessCredentials: { verifiableCredential: credential },
    };
    await expect(findings(Object.keys(bodies), async(id): Promise<unknown> =>
      call(id, 412, { body: bodies[id], headers: { 'if-match': '"another"' }}))).resolves.toEqual([]);
  });

  it('describes missing resources.', async(): Promise<void> => {
    const params = {
      contractId: 'unknown',
      podId: emma.podId,
      resourceId: randomUUID(),
      accessGrantId: randomUUID(),
      name: 'unknown',
      path: 'unknown',
      asset: 'unknown.js',
      list: randomUUID(),
      id: randomUUID(),
    };
    const byParameter = [
      'Contract',
      'Building',
      'DataType',
      'Purpose',
      'DataUser',
      'DataUserLogo',
      'DocsAsset',
      'Problem',
      'CredentialStatusList',
      'AccessStatusList',
    ].flatMap((name): string[] => [ `get${name}`, `head${name}` ]);
    byParameter.push('getAccessCredential', 'getConsentReceipt', 'listPersonalData', 'revokeAccessGrant');
    await expect(findings(byParameter, async(id): Promise<unknown> => call(id, 404, { params }))).resolves.toEqual([]);
    for (const id of [ 'getCitizenPage', 'headCitizenPage' ]) {
      await call(id, 404, { params: { path: 'assets/unknown.js' }});
    }
    await call('sharePersonalData', 404, { params, body: { dataValues: [ 'one' ]}});
    await call('readPodResource', 404, { client: emma.client, params });
    await call('headPodResource', 404, { client: emma.client, params });
    await call('summarisePodResource', 404, { client: emma.client, params });
    await call('removeDataCopy', 404, { body: { resource: `${base}nowhere` }});
  });

  it('describes problem documents.', async(): Promise<void> => {
    const accept = 'application/problem+json';
    const { headers } = await contract.call('getWebId', 401, { client: nobody, headers: { accept }});
    expect(headers.get('content-type')).toBe(accept);
  });

  it('describes forbidden requests.', async(): Promise<void> => {
    const stranger = await accountWithPod(base, 'stranger', 'Bearer');
    const byCitizens = [ 'getWebId', 'createWebId', 'listPersonalData' ];
    await expect(findings(byCitizens, async(id): Promise<unknown> => call(id, 403, { client: stranger.client })))
      .resolves.toEqual([]);
    await call('sharePersonalData', 403, { client: stranger.client, body: { dataValues: [ 'one' ]}});
    await expect(findings(
      [
        'readResource',
        'headResource',
        'listPodResources',
        'readPodResource',
        'headPodResource',
        'summarisePodResource',
      ],
      async(id): Promise<unknown> => call(id, 403, { client: stranger.client }),
    )).resolves.toEqual([]);
    await call('revokeAccessGrant', 403, { client: consumer.client });
    await call('reportDataCopy', 403, {
      client: stranger.client,
      body: { resource: shared.podResource, accessGrant: shared.accessGrant },
    });
  });

  it('describes the creation of a WebID.', async(): Promise<void> => {
    const mila = await world.national.logIn('mila', 'Bearer');
    await call('getWebId', 404, { client: mila });
    const { uri } = await call('createWebId', 201, { client: mila }) as { uri: string };
    await expect(call('createWebId', 200, { client: mila })).resolves.toEqual({ uri });
  });

  it('describes the responses to deprecated tokens.', async(): Promise<void> => {
    const client = await world.national.withCitizenToken('emma');
    const { headers } = await contract.call('getWebId', 200, { client });
    expect(headers.get('deprecation')).toMatch(/^@\d+$/u);
  });

  it('describes every form of summary, errors and sharing.', async(): Promise<void> => {
    const jan = await citizenWithPod(world, 'jan');
    const params = { contractId: 'study-counselling' };
    const { dataValues } = await call('listPersonalData', 200, { client: jan.client, params }) as Listed;
    const invalid = dataValues.find(({ error }): boolean => error !== undefined)!;
    const { id } = dataValues.find(({ error }): boolean => error === undefined)!;
    await call('sharePersonalData', 400, { client: jan.client, params, body: { dataValues: [ invalid.id ]}});
    await call('sharePersonalData', 200, { client: jan.client, params, body: { dataValues: [ id ]}});
    await call('sharePersonalData', 200, { client: jan.client, params, body: [ id ]});
  });

  it('describes the check of a business key.', async(): Promise<void> => {
    const businessKey = { type: 'NATIONAL_NUMBER_BE', value: world.national.citizen('emma').nationalNumber };
    await expect(call('verifyBusinessKey', 200, { body: { businessKey, accessGrantVc: grantDocument }}))
      .resolves.toEqual({ valid: true });
    await call('verifyBusinessKey', 400, { body: { businessKey, accessGrantVc: '{}' }});
  });

  it('describes the apps that a person is logged in to.', async(): Promise<void> => {
    const login = { email: 'ann@example.org', password: 'the long sentence of Ann' };
    await createPod(await createAccount(base, login), 'ann');
    const { client } = await (await SolidApp.register(base, 'Reader')).logIn(login);
    const { apps: [{ id }] } = await call('listApps', 200, { client }) as { apps: { id: string }[] };
    await call('logOutApp', 404, { client, params: { appId: 'none' }});
    await call('logOutApp', 200, { client, params: { appId: id }});
  });

  it('describes data copies.', async(): Promise<void> => {
    const body = { resource: shared.podResource, accessGrant: shared.accessGrant, system: 'files' };
    await call('reportDataCopy', 201, { body });
    await call('reportDataCopy', 200, { body });
    await expect(call('listDataCopies', 200)).resolves.toMatchObject({ dataCopies: [{ status: 'STORED' }]});
    await call('removeDataCopy', 200, { query: { resource: shared.podResource, reason: 'NO_LONGER_NEEDED' }});
    await expect(call('listDataCopies', 200, { query: {}, client: emma.client }))
      .resolves.toMatchObject({ dataCopies: [{ status: 'DELETED' }]});
  });

  it('describes subscriptions.', async(): Promise<void> => {
    const receiver = createServer((request, response): void => {
      request.on('data', (chunk: Buffer): void => {
        const { data } = JSON.parse(chunk.toString()) as { data: object };
        response.end(JSON.stringify(data));
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
    const { id } = await call('createSubscription', 201, { body: { endpoint }}) as { id: string };
    await call('createSubscription', 409, { body: { endpoint }});
    await expect(call('listSubscriptions', 200)).resolves.toMatchObject({ subscriptions: [{ id, endpoint }]});
    const params = { subscriptionId: id };
    await expect(call('getSubscription', 200, { params })).resolves.toMatchObject({ id, endpoint });
    await call('replaySubscription', 200, { params, body: {}});
    await call('replaySubscription', 404, { params: { subscriptionId: randomUUID() }, body: {}});
    await call('removeSubscription', 200, { params });
    await call('removeSubscription', 404, { params });
    await call('getSubscription', 404, { params });
    await call('createSubscription', 400, { body: { endpoint: 'http://10.0.0.1/' }});
    receiver.close();
  });

  it('describes responses after a resource is gone.', async(): Promise<void> => {
    const other = await share(emma.client, base, 'diploma-employment', 1);
    await emma.client.request('DELETE', other.podResource);
    const changes = { query: { resource: other.podResource }, headers: { 'x-access-grant': other.accessGrant }};
    await call('readResource', 404, changes);
    await call('headResource', 404, changes);
    await expect(call('reportDataCopy', 201, {
      body: { resource: other.podResource, accessGrant: other.accessGrant },
    })).resolves.toMatchObject({ status: 'DELETION_DUE', deletionReason: 'RESOURCE_ABSENT' });
  });

  it('describes requests for access, from issue to cancelling.', async(): Promise<void> => {
    const credential = accessRequest(emma.webId, shared.podResource);
    const issued = await call('issueAccessCredential', 201, { body: { credential }}) as { id: string };
    await expect(call('verifyAccessCredential', 200, { body: { verifiableCredential: issued }}))
      .resolves.toMatchObject({ errors: []});
    const { '@context': context, type } = credential;
    const example = { '@context': context, type, credentialSubject: { id: consumer.webId }};
    await expect(call('presentAccessCredentials', 200, { body: {
      query: { type: 'QueryByExample', credentialQuery: { example }},
    }})).resolves.toMatchObject({ verifiableCredential: [ issued ]});
    await expect(call('deriveAccessCredentials', 200, { body: { verifiableCredential: example }}))
      .resolves.toMatchObject({ verifiableCredential: [ issued ]});
    await expect(call('queryAccessCredentials', 200, { query: { type: 'SolidAccessRequest' }}))
      .resolves.toEqual({ items: [ issued ]});
    const credentialStatus = [{ type: 'RevocationList2020Status', status: '1' }];
    await call('revokeAccessCredential', 200, { body: { credentialId: issued.id, credentialStatus }});
    await call('revokeAccessCredential', 404, { body: { credentialId: `${base}.access/vc/unknown`, credentialStatus }});
    await call('revokeAccessCredential', 403, {
      client: emma.client,
      body: { credentialId: issued.id, credentialStatus },
    });
  });

  it('describes the exchange of a grant for a token.', async(): Promise<void> => {
    await call('exchangeTicket', 200, { body: await ticketForm(shared.podResource, grantDocument) });
    await call('exchangeTicket', 400, { body: new URLSearchParams({ grant_type: 'password' }) });
    await call('exchangeTicket', 401, {
      client: Client.withBearer('nonsense'),
      body: await ticketForm(shared.podResource, grantDocument),
    });
    await call('exchangeTicket', 403, { body: await ticketForm(shared.podResource) });
    await call('exchangeTicket', 413, { body: new URLSearchParams({ ticket: tooLong }) });
  });

  it('describes the end of a grant.', async(): Promise<void> => {
    await expect(call('revokeAccessGrant', 200)).resolves.toMatchObject({ status: 'REVOKED' });
    await call('readResource', 403);
    await expect(call('listPodResources', 200, { query: {}})).resolves.toMatchObject({
      resources: [{ accessGrants: [{ status: 'REVOKED' }]}],
    });
  });

  it('describes the end of a WebID.', async(): Promise<void> => {
    const client = await world.national.logIn('mila', 'Bearer');
    await call('deleteWebId', 200, { client });
    const anonymous = await world.national.withCitizenToken('mila');
    await call('deleteWebId', 404, { client: anonymous });
  });

  it('has no operation or response that is not tested here.', (): void => {
    const left = contract.declared(isDriven).filter((each): boolean => !contract.seen.has(each));
    expect(left).toEqual(neverAnswered);
  });
});

interface Status<T extends string> {
  credentialStatus: Record<T, string>;
}

interface Listed {
  dataValues: { id: string; error?: object }[];
}

/** Calls every operation in a list, and returns the faults of each. */
async function findings(ids: string[], call: (operationId: string) => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) {
    try {
      await call(id);
    } catch (error: unknown) {
      found.push((error as Error).message);
    }
  }
  return found;
}

/** A request for access, as a client posts it. */
function accessRequest(owner: string, resource: string): Record<string, unknown> {
  return {
    '@context': [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v2.jsonld' ],
    type: [ 'VerifiableCredential', 'SolidAccessRequest' ],
    expirationDate: '2099-12-31T00:00:00Z',
    credentialSubject: {
      hasConsent: {
        mode: [ 'Read' ],
        hasStatus: 'ConsentStatusRequested',
        forPersonalData: [ resource ],
        forPurpose: [ 'https://purposes.example/reference' ],
        isConsentForDataSubject: owner,
      },
    },
  };
}

/** Body that exchanges the ticket of a refused request, with a grant or nothing. */
async function ticketForm(resource: string, grant?: string): Promise<URLSearchParams> {
  const challenge = (await fetch(resource)).headers.get('www-authenticate') ?? '';
  const presentation = `{
    "@context": [ "https://www.w3.org/2018/credentials/v1" ],
    "type": [ "VerifiablePresentation" ],
    "verifiableCredential": [ ${grant} ]
  }`;
  return new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:uma-ticket',
    ticket: /ticket="(?<ticket>[^"]+)"/u.exec(challenge)!.groups!.ticket,
    ...grant === undefined ?
        {} :
        {
          claim_token: Buffer.from(presentation).toString('base64'),
          claim_token_format: 'https://www.w3.org/TR/vc-data-model/#json-ld',
        },
  });
}
