import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client as Connection } from 'pg';
import { createAccount } from '../../demo/lib/accounts';
import { operate } from '../support/commandLine';
import { LoadBalancer, nodeHeader } from '../support/LoadBalancer';
import { readSlowly } from '../support/readSlowly';
import type { CitizenWithPod, Shared } from '../support/sharing';
import { citizenWithPod, revocationUrl, share } from '../support/sharing';
import { fictitiousNumber } from '../support/fictitiousNumber';
import { describeProvider, LoggingIn, numberClaim, writeProviders } from '../support/nationalLogin';
import { StatementCounter } from '../support/StatementCounter';
import type { SmtpServer } from '../support/SmtpServer';
import { startSmtpServer } from '../support/SmtpServer';
import { TestLoginProvider } from '../support/TestLoginProvider';
import type { TestStorage } from '../support/storage';
import { redisOf } from '../support/postgres';
import { postgresStorage } from '../support/storage';
import { UserAgent } from '../support/UserAgent';
import type { AccountHolder, Client, TestNational, TestServer, World } from '../support/world';
import {
  accountWithPod,
  freePort,
  removeFolder,
  startNationalIssuer,
  startServer,
  temporaryFolder,
} from '../support/world';

const contract = 'diploma-employment';

function at(node: number): Record<string, string> {
  return { [nodeHeader]: String(node) };
}

/** Returns the statuses of the same request, sent to both nodes at once, several times each. */
async function both(times: number, ask: (node: number) => Promise<Response>): Promise<Response[]> {
  return Promise.all(Array.from({ length: 2 * times }, async(_, index): Promise<Response> => ask(index % 2)));
}

/** Waits until a write waits for a locked table. */
async function untilWaiting(connection: Connection): Promise<void> {
  const waiting = 'select 1 from pg_locks where not granted and relation = \'pod_resources\'::regclass';
  while ((await connection.query(waiting)).rowCount === 0) {
    await connection.query('select pg_sleep(0.02)');
  }
}

/** One story, on two nodes in turn. */
describe('Two nodes behind a load balancer', (): void => {
  let folder: string;
  let storage: TestStorage;
  /** Counter of the first node's statements. */
  let counter: StatementCounter;
  let balancer: LoadBalancer;
  let national: TestNational;
  let provider: TestLoginProvider;
  let nationalLogin: string;
  let smtp: SmtpServer;
  let nodes: TestServer[];
  let world: World;
  let base: string;
  let emma: CitizenWithPod;
  let consumer: AccountHolder;
  let shared: Shared;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    storage = await postgresStorage(folder);
    counter = await StatementCounter.start(storage.place);
    const port = await freePort();
    base = `http://localhost:${port}/`;
    balancer = await LoadBalancer.start(port);
    national = await startNationalIssuer({ service: base });
    smtp = await startSmtpServer();
    provider = await TestLoginProvider.start();
    nationalLogin = await writeProviders(folder, [ describeProvider(provider.issuer) ]);
    await mkdir(join(folder, 'keys'), { mode: 0o700 });
    await symlink('keys', join(folder, 'keys-1'));
    // At the same moment, on an empty database and without keys.
    nodes = await Promise.all([ startNode(0), startNode(1) ]);
    balancer.ports = nodes.map((node): number => Number(new URL(node.base).port));
    world = { base, national, server: nodes[0], stop: async(): Promise<void> => undefined };
  }, 240_000);

  afterAll(async(): Promise<void> => {
    await Promise.all([ ...nodes.map(async(node): Promise<void> => node.crash()), national.stop(), balancer.stop() ]);
    await Promise.all([ smtp.stop(), counter.stop(), provider.stop() ]);
    await storage.remove();
    await removeFolder(folder);
  });

  async function startNode(index: number): Promise<TestServer> {
    const { config, flags } = storage.options({});
    return startServer({
      config,
      folder: join(folder, `node-${index}`),
      nationalIssuers: [ national.issuer ],
      flags: {
        ...flags,
        records: index === 0 ? counter.url : storage.place,
        baseUrl: base,
        keys: join(folder, index === 0 ? 'keys' : 'keys-1'),
        smtp: `smtp://127.0.0.1:${smtp.port}`,
        nationalLogin,
        // Long enough to look at it meanwhile on a busy machine.
        drainSeconds: '5',
      },
    });
  }

  async function read(node: number, { podResource, accessGrant }: Shared): Promise<number> {
    const url = `${base}v1/resources?resource=${encodeURIComponent(podResource)}`;
    const headers = { ...at(node), 'x-access-grant': accessGrant };
    return (await consumer.client.request('GET', url, { headers })).status;
  }

  /** Returns the statuses of reads through `/v1` and from the pod, at both nodes. */
  async function readEverywhere(what: Shared): Promise<number[]> {
    const plain = await both(1, async(node): Promise<Response> =>
      consumer.client.request('GET', what.podResource, { headers: at(node) }));
    return [ await read(0, what), await read(1, what), ...plain.map(({ status }): number => status) ];
  }

  async function command(...words: string[]): Promise<void> {
    const { code, errors } = await operate({ records: storage.place, keys: join(folder, 'keys') }, words);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  }

  /** Waits until a node's readiness has a status, and returns it. */
  async function readiness(node: number, status: number): Promise<unknown> {
    const url = `${nodes[node].base}.health/ready`;
    const deadline = Date.now() + 15_000;
    let answer = await fetch(url);
    while (answer.status !== status && Date.now() < deadline) {
      answer = await fetch(url);
    }
    return answer.json();
  }

  /** Requests that together need every key: of citizens, values, shares, accounts and sessions. */
  async function ask(node: number): Promise<Response[]> {
    const headers = at(node);
    const data = `${base}v1/contracts/${contract}/data`;
    const body = { dataValues: [ await firstValue(emma.client, 0, at(0)) ]};
    return [
      await emma.client.request('GET', `${base}v1/webids`, { headers }),
      await emma.client.request('GET', data, { headers }),
      await emma.client.request('POST', data, { headers, body }),
      await fetch(`${base}.account/`, { headers: { ...headers, accept: 'application/json' }}),
      await fetch(`${base}.oidc/jwks`, { headers }),
    ];
  }

  async function firstValue(client: Client, index = 0, headers = {}, of = contract): Promise<string> {
    const listed = await (await client.request('GET', `${base}v1/contracts/${of}/data`, { headers })).json() as
      { dataValues: { id: string; error?: object }[] };
    return listed.dataValues.filter(({ error }): boolean => !error)[index].id;
  }

  async function listShared({ client, podId }: CitizenWithPod): Promise<{ uri: string; active: number }[]> {
    const { resources } = await (await client.request('GET', `${base}v1/pods/${podId}/resources`)).json() as
      { resources: { uri: string; accessGrants: { status: string }[] }[] };
    return resources.map(({ uri, accessGrants }): { uri: string; active: number } =>
      ({ uri, active: accessGrants.filter(({ status }): boolean => status === 'ACTIVE').length }));
  }

  /** Holds up work of a node before its end: the table that it writes last is locked until `release`. */
  async function holdUp(): Promise<{ begun: () => Promise<void>; release: () => Promise<void> }> {
    const { records } = storage.options({}).flags!;
    const [ lock, look ] = [ 1, 2 ].map((): Connection => new Connection({ connectionString: records }));
    await Promise.all([ lock.connect(), look.connect() ]);
    await lock.query('begin');
    await lock.query('lock table shares in exclusive mode');
    return {
      async begun(): Promise<void> {
        while ((await look.query('select 1 from share_intents')).rowCount === 0) {
          await look.query('select pg_sleep(0.02)');
        }
      },
      async release(): Promise<void> {
        await lock.query('rollback');
        await Promise.all([ lock.end(), look.end() ]);
      },
    };
  }

  it('continue a log-in at a national provider on either node, once.', async(): Promise<void> => {
    const claims = { [numberClaim]: fictitiousNumber(240) };
    const [ here, there ] = [ 0, 1 ].map((node): LoggingIn =>
      new LoggingIn(new UserAgent(base, at(node)), provider, claims));
    const answer = await here.come();
    there.browser.steal(here.browser);
    const invited = await there.bring(answer);
    expect(invited).toMatchObject({ status: 200, json: { ticket: expect.any(String) }});
    await expect(here.bring(answer)).resolves.toMatchObject({ status: 400 });
    const said = await Promise.all([ here.say(invited.json.ticket, 'yes'), there.say(invited.json.ticket, 'yes') ]);
    expect(new Set(said.map(({ status }): number => status))).toEqual(new Set([ 200, 400 ]));
    const people = [ here, there ].map(({ browser }): LoggingIn => new LoggingIn(browser, provider, claims));
    const accounts = await Promise.all(people.map(async(person): Promise<unknown> => {
      const brought = await person.bring(await person.come());
      expect([ brought.status, brought.json.ticket ]).toEqual([ 200, undefined ]);
      const { json: { controls }} = await person.browser.ask<{ controls: { account: { webId: string }}}>('.account/');
      const { json: { webIdLinks }} = await person.browser.ask<{ webIdLinks: object }>(controls.account.webId);
      return webIdLinks;
    }));
    expect(accounts[0]).toEqual(accounts[1]);
    expect(Object.keys(accounts[0] as object)).toHaveLength(1);
  });

  it('create one identity provider and one set of keys when both start on empty storage.', async(): Promise<void> => {
    for (const path of [ '.oidc/jwks', '.uma/keys', 'v1/issuer' ]) {
      const answers = await both(1, async(node): Promise<Response> => fetch(`${base}${path}`, { headers: at(node) }));
      const [ one, other ] = await Promise.all(answers.map(async(answer): Promise<unknown> => answer.json()));
      expect(answers.map(({ status }): number => status)).toEqual([ 200, 200 ]);
      expect(one).toEqual(other);
    }
  });

  it('are ready, and report nothing else.', async(): Promise<void> => {
    const answers = await both(1, async(node): Promise<Response> =>
      fetch(`${base}.health/ready`, { headers: at(node) }));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      await expect(answer.json()).resolves.toEqual({ status: 'ok' });
    }
  });

  it('create one pod for many calls.', async(): Promise<void> => {
    const client = await national.logIn('emma', 'Bearer');
    const answers = await both(8, async(node): Promise<Response> =>
      client.request('PUT', `${base}v1/webids`, { headers: at(node) }));
    const statuses = answers.map(({ status }): number => status).sort((one, other): number => one - other);
    expect(statuses).toEqual([ ...Array.from({ length: 15 }).fill(200), 201 ]);
    const uris = await Promise.all(answers.map(async(answer): Promise<string> =>
      (await answer.json() as { uri: string }).uri));
    expect(new Set(uris).size).toBe(1);
    emma = await citizenWithPod(world, 'emma');
    expect(emma.webId).toBe(uris[0]);
    consumer = await accountWithPod(base, 'consumer', 'Bearer');
  });

  it('accept a proof once.', async(): Promise<void> => {
    const client = await national.logIn('emma', 'DPoP');
    const url = `${base}v1/webids`;
    const dpop = await client.proof('GET', url);
    const first = await client.request('GET', url, { headers: at(0), dpop });
    const second = await client.request('GET', url, { headers: at(1), dpop });
    expect([ first.status, second.status ]).toEqual([ 200, 401 ]);
  });

  it('share a value once, with one grant, when both are called at once.', async(): Promise<void> => {
    const id = await firstValue(emma.client);
    const answers = await both(3, async(node): Promise<Response> => emma.client.request(
      'POST',
      `${base}v1/contracts/${contract}/data`,
      { headers: at(node), body: { dataValues: [ id ]}},
    ));
    const all = await Promise.all(answers.map(async(answer): Promise<string> => JSON.stringify(await answer.json())));
    expect(new Set(all).size).toBe(1);
    [ shared ] = JSON.parse(all[0]) as Shared[];
    await expect(listShared(emma)).resolves.toEqual([{ uri: shared.podResource, active: 1 }]);
    await expect(Promise.all([ read(0, shared), read(1, shared) ])).resolves.toEqual([ 200, 200 ]);
  });

  it('read everything that a plain GET of a pod needs in one statement.', async(): Promise<void> => {
    for (const client of [ consumer.client, emma.client ]) {
      for (const method of [ 'GET', 'HEAD' ]) {
        const statements = await counter.fewestDuring(/pod_resources/u, async(): Promise<void> => {
          const answer = await client.request(method, shared.podResource, { headers: at(0) });
          await answer.arrayBuffer();
          expect(answer.status).toBe(200);
        });
        expect(statements).toBe(1);
      }
    }
  });

  it('read a grant, its suspension and the owner of the pod in one statement.', async(): Promise<void> => {
    await expect(read(0, shared)).resolves.toBe(200);
    const statements = await counter.fewestDuring(/access_grants|pod_owners|suspensions/u, async(): Promise<void> => {
      await expect(read(0, shared)).resolves.toBe(200);
    });
    expect(statements).toBe(1);
  });

  it('check for new keys once in a share, which signs a credential and a grant.', async(): Promise<void> => {
    const { client } = await citizenWithPod(world, 'mila');
    let found: Shared;
    async function shareValue(id: string): Promise<void> {
      const body = { dataValues: [ await firstValue(client, 0, {}, id) ]};
      const answer = await client.request('POST', `${base}v1/contracts/${id}/data`, { headers: at(0), body });
      expect(answer.status).toBe(200);
      [ found ] = await answer.json() as Shared[];
    }
    // The first one reserves indexes in status lists.
    await shareValue('diploma-equivalence');
    const statements = await counter.fewestDuring(
      /key_fingerprints/u,
      async(): Promise<void> => shareValue(contract),
      async(): Promise<unknown> => client.request('DELETE', revocationUrl(base, found)),
    );
    expect(statements).toBe(1);
  });

  it('refuse a grant revoked on the other, from the next request on.', async(): Promise<void> => {
    for (const node of [ 0, 1 ]) {
      const again = await share(emma.client, base, contract);
      await expect(read(1 - node, again)).resolves.toBe(200);
      const revoked = await emma.client.request('DELETE', revocationUrl(base, again), { headers: at(node) });
      expect(revoked.status).toBe(200);
      await expect(read(1 - node, again)).resolves.toBe(403);
      const plain = await consumer.client.request('GET', again.podResource, { headers: at(1 - node) });
      expect(plain.status).toBe(403);
    }
  });

  it('count wrong business keys together, and allow five.', async(): Promise<void> => {
    shared = await share(emma.client, base, contract);
    const grant = await (await consumer.client.request('GET', shared.accessGrant)).text();
    async function ask(node: number, value: string): Promise<Response> {
      const body = { businessKey: { type: 'NATIONAL_NUMBER_BE', value }, accessGrantVc: grant };
      return consumer.client.request('POST', `${base}v1/verifications/business-key`, { headers: at(node), body });
    }
    let serial = 0;
    const wrong = await both(4, async(node): Promise<Response> => {
      serial += 1;
      return ask(node, fictitiousNumber(serial));
    });
    const answered = wrong.filter(({ status }): boolean => status === 200);
    expect(answered.length).toBeLessThanOrEqual(5);
    expect(wrong.filter(({ status }): boolean => status === 429)).toHaveLength(8 - answered.length);
    const { nationalNumber } = national.citizen('emma');
    const right = await both(1, async(node): Promise<Response> => ask(node, nationalNumber));
    expect(right.map(({ status }): number => status)).toEqual([ 429, 429 ]);
  });

  it('apply the operator\'s changes from the next request on.', async(): Promise<void> => {
    for (const what of [[ '--data-user', consumer.webId ], [ '--contract', contract ]]) {
      await expect(readEverywhere(shared)).resolves.toEqual([ 200, 200, 200, 200 ]);
      await command('suspend', ...what);
      await expect(readEverywhere(shared)).resolves.toEqual([ 403, 403, 403, 403 ]);
      await command('resume', ...what);
    }
    for (const kind of [ 'blind-index', 'encryption', 'grants', 'credentials' ]) {
      await command('keys', 'rotate', kind);
      const found = await both(1, async(node): Promise<Response> =>
        emma.client.request('GET', `${base}v1/webids`, { headers: at(node) }));
      expect(found.map(({ status }): number => status)).toEqual([ 200, 200 ]);
    }
    await expect(readEverywhere(shared)).resolves.toEqual([ 200, 200, 200, 200 ]);
  });

  it.each([ 'blind-index', 'encryption', 'grants', 'credentials' ])(
    'are not ready while they lack a rotated key (%s), and serve again once they have it.',
    async(kind): Promise<void> => {
      const [ keys, own ] = [ join(folder, 'keys'), join(folder, 'keys-1') ];
      await rm(own, { recursive: true });
      await cp(keys, own, { recursive: true });
      await command('keys', 'rotate', kind);
      const held = await readdir(own);
      const file = (await readdir(keys)).find((name): boolean => !held.includes(name))!;

      for (const wrong of [ undefined, 'A'.repeat(43) ]) {
        if (wrong !== undefined) {
          await writeFile(join(own, file), wrong, { mode: 0o600 });
        }
        await expect(readiness(1, 503)).resolves.toEqual({ status: 'unavailable' });
        await expect(readiness(0, 200)).resolves.toEqual({ status: 'ok' });
        const lacking = await ask(1);
        expect(lacking.map(({ status }): number => status)).not.toContain(500);
        expect(lacking.filter(({ status }): boolean => status === 503).length).toBeGreaterThanOrEqual(2);
        for (const answer of lacking.filter(({ status }): boolean => status === 503)) {
          expect(answer.headers.get('retry-after')).toBe('5');
          await expect(answer.text()).resolves.not.toContain(file);
        }
        expect((await ask(0)).map(({ status }): number => status)).toEqual([ 200, 200, 200, 200, 200 ]);
      }

      await writeFile(join(own, file), await readFile(join(keys, file)), { mode: 0o600 });
      await expect(readiness(1, 200)).resolves.toEqual({ status: 'ok' });
      expect((await ask(1)).map(({ status }): number => status)).toEqual([ 200, 200, 200, 200, 200 ]);
      const told = (await readFile(join(folder, 'node-1/server.log'), 'utf8')).split('\n')
        .filter((line): boolean => line.includes(`${file} is missing`) && line.includes('is not ready'));
      expect(told).toHaveLength(1);
      await rm(own, { recursive: true });
      await symlink('keys', own);
    },
  );

  it('keep pods and sessions for each other.', async(): Promise<void> => {
    const url = `${emma.podUrl}notes.txt`;
    const body = 'x'.repeat(700_000);
    const headers = { ...at(0), 'content-type': 'text/plain' };
    const written = await emma.client.request('PUT', url, { headers, body });
    expect(written.status).toBe(201);
    const found = await emma.client.request('GET', url, { headers: at(1) });
    await expect(found.text()).resolves.toBe(body);
    const changed = await emma.client.request('PUT', url, {
      headers: { ...at(1), 'content-type': 'text/plain', 'if-match': found.headers.get('etag')! },
      body: 'new',
    });
    expect(changed.status).toBe(205);
    const outdated = await emma.client.request('PUT', url, {
      headers: { ...at(0), 'content-type': 'text/plain', 'if-match': found.headers.get('etag')! },
      body: 'outdated',
    });
    expect(outdated.status).toBe(412);
  });

  it('still serve owners while access grants or proofs cannot be read.', async(): Promise<void> => {
    const url = `${emma.podUrl}notes.txt`;
    const dpop = await national.logIn('emma', 'DPoP');
    // A request waits for half a minute: both kinds of callers wait at the same time.
    async function failuresWithout(table: string, client: Client, times: number): Promise<number[]> {
      const lock = new Connection({ connectionString: storage.options({}).flags!.records });
      await lock.connect();
      await lock.query(`begin; lock table ${table} in access exclusive mode`);
      let readable: Promise<unknown> | undefined;
      const answers = await both(times, async(node): Promise<Response> => {
        const answer = await client.request('GET', url, { headers: at(node) });
        if (answer.status === 503) {
          readable ??= lock.end();
        }
        return answer;
      });
      await readable;
      return [ ...new Set(answers.map(({ status }): number => status)) ].filter((status): boolean => status !== 200);
    }
    await expect(Promise.all([ failuresWithout('access_grants', emma.client, 15), failuresWithout('proofs', dpop, 5) ]))
      .resolves.toEqual([[ 503 ], [ 503 ]]);
    const after = await both(1, async(node): Promise<Response> =>
      emma.client.request('GET', url, { headers: at(node) }));
    expect(after.map(({ status }): number => status)).toEqual([ 200, 200 ]);
  });

  it('let citizens write, remove and be erased while somebody reads slowly on the other.', async(): Promise<void> => {
    const noor = await citizenWithPod(world, 'noor');
    const lucas = await citizenWithPod(world, 'lucas');
    const port = Number(new URL(nodes[0].base).port);
    async function write({ client }: CitizenWithPod, url: string, node: number): Promise<Response> {
      const headers = { ...at(node), 'content-type': 'text/plain' };
      return client.request('PUT', url, { headers, body: 'x'.repeat(30_000_000) });
    }
    async function changeWhileRead(
      citizen: CitizenWithPod,
      name: string,
      change: (url: string) => Promise<Response>,
    ): Promise<number> {
      const url = `${citizen.podUrl}${name}`;
      await write(citizen, url, 0);
      const headers = { host: new URL(base).host, authorization: `Bearer ${citizen.client.token}` };
      const stop = await readSlowly(port, new URL(url).pathname, headers);
      const { status } = await change(url);
      stop();
      return status;
    }
    // Each change waits for the reader for ten seconds.
    const headers = at(1);
    await expect(Promise.all([
      changeWhileRead(noor, 'written', async(url): Promise<Response> => write(noor, url, 1)),
      changeWhileRead(noor, 'removed', async(url): Promise<Response> =>
        noor.client.request('DELETE', url, { headers })),
      changeWhileRead(lucas, 'large', async(): Promise<Response> =>
        lucas.client.request('DELETE', `${base}v1/webids`, { headers })),
    ])).resolves.toEqual([ 205, 205, 200 ]);
  });

  it('lose no acknowledged patch, even if locks are lost all the time.', async(): Promise<void> => {
    const url = `${emma.podUrl}patched`;
    const headers = { 'content-type': 'text/turtle' };
    expect((await emma.client.request('PUT', url, { headers, body: '<#a> <#b> <#c>.' })).status).toBe(201);
    const redis = new Redis(redisOf(folder));
    const done = new AbortController();
    const losing = (async(): Promise<void> => {
      while (!done.signal.aborted) {
        await redis.del(`css-data-sharing:{${url}}:writer`, `css-data-sharing:{${url}}:readers`);
      }
    })();
    const statuses = await Promise.all(Array.from({ length: 48 }, async(_, index): Promise<number> => {
      const body = `INSERT DATA { <#a> <#b> <#n${index}> }`;
      const patch = { ...at(index % 2), 'content-type': 'application/sparql-update' };
      return (await emma.client.request('PATCH', url, { headers: patch, body })).status;
    }));
    done.abort();
    await losing;
    await redis.quit();

    const text = await (await emma.client.request('GET', url)).text();
    const acknowledged = [ ...statuses.keys() ].filter((index): boolean => statuses[index] < 300);
    expect(acknowledged).not.toEqual([]);
    expect(statuses.filter((status): boolean => ![ 205, 503 ].includes(status))).toEqual([]);
    expect(acknowledged.filter((index): boolean => !new RegExp(`#n${index}\\b`, 'u').test(text))).toEqual([]);
  });

  it('keep a frozen node that was overtaken from writing.', async(): Promise<void> => {
    const url = `${emma.podUrl}frozen`;
    const headers = { 'content-type': 'text/plain' };
    expect((await emma.client.request('PUT', url, { headers, body: 'before' })).status).toBe(201);
    const table = new Connection({ connectionString: String(storage.options({}).flags!.records) });
    await table.connect();
    await table.query('begin');
    await table.query('lock table pod_resources in exclusive mode');
    const overtaken = emma.client.request('PUT', url, { headers: { ...at(0), ...headers }, body: 'overtaken' });
    await untilWaiting(table);
    nodes[0].signal('SIGSTOP');
    await table.query('update pod_resources set body = \'later\', size = 5, revision = nextval(\'pod_revisions\') ' +
      'where path like \'%/frozen\'');
    await table.query('commit');
    nodes[0].signal('SIGCONT');
    await table.end();

    expect((await overtaken).status).toBe(503);
    await expect((await emma.client.request('GET', url)).text()).resolves.toBe('later');
  });

  it('let a link for a forgotten password be used once, among many at the same time.', async():
  Promise<void> => {
    const email = 'forgetful@example.org';
    const login = `${base}.account/login/password/`;
    async function post(url: string, body: unknown, node = 0): Promise<Response> {
      const headers = { ...at(node), 'content-type': 'application/json', accept: 'application/json' };
      return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    }
    await createAccount(base, { email, password: 'a sentence to be forgotten' });
    expect((await post(`${login}forgot/`, { email })).status).toBe(200);
    await smtp.arrived(1);
    const [ link ] = /http:\S+/u.exec(smtp.mails[0].text)!;
    const recordId = new URL(link).searchParams.get('rid');
    const passwords = Array.from({ length: 8 }, (_, index): string => `sentence ${index} to be remembered`);

    const answers = await Promise.all(passwords.map(async(password, index): Promise<Response> =>
      post(`${login}reset/`, { recordId, password }, index % 2)));
    const statuses = answers.map(({ status }): number => status);
    expect(statuses.filter((status): boolean => status === 200)).toHaveLength(1);
    expect(statuses.filter((status): boolean => status === 400)).toHaveLength(7);
    const logins = await Promise.all(passwords.map(async(password, index): Promise<Response> =>
      post(login, { email, password }, index % 2)));
    expect(logins.map(({ status }): number => status))
      .toEqual(statuses.map((status): number => status === 200 ? 200 : 403));
  });

  it('lose nothing when one is killed in the middle of a share.', async(): Promise<void> => {
    const url = `${base}v1/contracts/${contract}/data`;
    const id = await firstValue(emma.client, 1);
    const hold = await holdUp();
    const sent = emma.client.request('POST', url, { headers: at(0), body: { dataValues: [ id ]}});
    await hold.begun();
    await nodes[0].crash();
    await hold.release();
    expect((await sent).status).toBe(502);

    // By the load balancer to the one that is left, which waits until the lock of the other has ended.
    const again = await emma.client.request('POST', url, { body: { dataValues: [ id ]}});
    expect(again.status).toBe(200);
    const [ found ] = await again.json() as Shared[];
    const resources = await listShared(emma);
    expect(resources).toHaveLength(2);
    expect(resources).toContainEqual({ uri: found.podResource, active: 1 });
    await expect(read(1, found)).resolves.toBe(200);
  });

  it('shut down in an orderly way: not ready first, then finishing open requests.', async(): Promise<void> => {
    const [ , node ] = nodes;
    const lucas = await citizenWithPod(world, 'lucas');
    const id = await firstValue(lucas.client);
    const hold = await holdUp();
    const sent = lucas.client.request('POST', `${base}v1/contracts/${contract}/data`, { body: { dataValues: [ id ]}});
    await hold.begun();
    node.signal('SIGTERM');
    let isReady = true;
    while (isReady) {
      isReady = (await fetch(`${node.base}.health/ready`)).ok;
    }
    expect((await fetch(`${node.base}.health/live`)).status).toBe(200);
    await hold.release();
    expect((await sent).status).toBe(200);
    await expect(node.exited).resolves.toBe(0);
  });
});
