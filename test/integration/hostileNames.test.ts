import { on } from 'node:events';
import { watch } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { accessRules } from '../support/accessRules';
import type { TestCitizen } from '../support/callers';
import { createCitizen } from '../support/callers';
import { fictitiousNumber } from '../support/fictitiousNumber';
import { presets } from '../support/presets';
import { isOnPostgres } from '../support/storage';
import { TestIssuer } from '../support/TestIssuer';
import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, Client, startServer } from '../support/world';

const turtle = { 'content-type': 'text/turtle' };
const sparql = { 'content-type': 'application/sparql-update' };
const container = '<http://www.w3.org/ns/ldp#BasicContainer>; rel="type"';
const insertion = 'INSERT DATA { <#a> <#b> <#c> . }';

describe.each(presets)('With %s, a name that', (config, isAcp): void => {
  const anyone = Client.withBearer();
  let server: TestServer;
  let base: string;
  let issuer: TestIssuer;
  let stranger: AccountHolder;
  let citizens = 0;

  beforeAll(async(): Promise<void> => {
    issuer = await TestIssuer.start();
    server = await startServer({ config, nationalIssuers: [ issuer.issuer ]});
    ({ base } = server);
    stranger = await accountWithPod(base, 'stranger');
  });

  afterAll(async(): Promise<void> => {
    await Promise.all([ server.stop(), issuer.stop() ]);
  });

  async function newCitizen(): Promise<TestCitizen> {
    citizens += 1;
    return createCitizen(base, issuer, fictitiousNumber(citizens));
  }

  /** Creates a container with a right for everybody. */
  async function open(citizen: TestCitizen, name: string, modes: string): Promise<string> {
    const place = `${citizen.podUrl}${name}/`;
    expect((await citizen.client.request('PUT', place, { headers: turtle })).status).toBe(201);
    const rules = await citizen.client.request('PUT', `${place}${isAcp ? '.acr' : '.acl'}`, {
      headers: turtle,
      body: accessRules(isAcp, place, citizen.webId, modes),
    });
    expect(rules.status).toBe(201);
    return place;
  }

  async function statusOf(
    client: Client,
    method: string,
    url: string,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const sent = method === 'PATCH' ?
        { headers: sparql, body: insertion } :
        { headers: { ...turtle, ...headers }, body: method.startsWith('P') ? '<#a> <#b> <#c> .' : undefined };
    const response = await client.request(method, url, sent);
    await response.text();
    return response.status;
  }

  async function textAt(client: Client, url: string): Promise<string> {
    return (await client.request('GET', url)).text();
  }

  /** Fills a pod with resources that block its removal one by one. */
  async function poison({ podId, podUrl, client }: TestCitizen): Promise<void> {
    const odd = [ '..a', 'a b', 'ü\u0301', '%41', '$x', '-rf', '~', 'a;b', 'x'.repeat(100) ];
    const paths = [
      'inbox/.meta/y',
      'inbox/q.meta/y',
      '.meta.meta/',
      'g/q.acl/y',
      'c.acr/.acr/.acr',
      'e/.meta/.meta/z',
      ...odd.flatMap((name): string[] => [ name, `${name}${name}/${name}` ]),
      // On PostgreSQL one row for each container.
      ...isOnPostgres ? [] : [ `${'deep/'.repeat(250)}x` ],
    ];
    for (const path of paths) {
      await server.stored.plant(base, `${podId}/${path}`, 'planted');
    }
    for (const path of [ 'ghosts/', '' ]) {
      await expect(statusOf(client, 'PUT', `${podUrl}${path}ghost${isAcp ? '.acr' : '.acl'}`)).resolves.toBe(201);
    }
  }

  async function pathsOf({ podId }: TestCitizen): Promise<string[]> {
    return (await server.stored.podPaths()).filter((path): boolean => path.includes(podId)).sort();
  }

  describe('is one of an auxiliary resource', (): void => {
    it('is refused where it would create a container, or a resource in one.', async(): Promise<void> => {
      const citizen = await newCitizen();
      const inbox = await open(citizen, 'inbox', 'acl:Append');
      await statusOf(citizen.client, 'PUT', `${inbox}q`);
      const before = await pathsOf(citizen);
      const foreign = isAcp ? 'acl' : 'acr';
      const names = [
        '.meta/',
        '.meta/y',
        'q.meta/y',
        'q.meta/',
        'q.META/y',
        '.acl/',
        '.acl/y',
        'q.acr/y',
        'z.AcL/',
        'q%2Emeta/y',
        'new/.meta/a/b',
        'q%2emet%61/y',
        `z.${foreign}`,
        'z.Meta',
        'q.acl.meta',
        'q.meta.acl',
        '.meta.meta',
      ];
      for (const client of [ anyone, stranger.client, citizen.client ]) {
        for (const name of names) {
          for (const method of [ 'PUT', 'PATCH', ...name.endsWith('/') ? [ 'POST' ] : [] ]) {
            expect([ method, name, await statusOf(client, method, inbox + name) ]).toEqual([ method, name, 400 ]);
          }
        }
        for (const slug of [ 'z.meta', 'z.acl', 'z.acr', 'z.ACR', '.meta', '.acl/', 'z%2Eacr', 'z.%6Deta' ]) {
          expect([ slug, await statusOf(client, 'POST', inbox, { slug, link: container }) ]).toEqual([ slug, 400 ]);
        }
        for (const slug of [ `z.${foreign}`, 'z.ACL', 'z.Meta', 'q.acl.acl' ]) {
          expect([ slug, await statusOf(client, 'POST', inbox, { slug }) ]).toEqual([ slug, 400 ]);
        }
        await expect(statusOf(client, 'POST', inbox, { slug: 'z.meta' })).resolves.toBe(403);
      }
      await expect(pathsOf(citizen)).resolves.toEqual(before);
    });

    it('is allowed within a longer name.', async(): Promise<void> => {
      const citizen = await newCitizen();
      for (const name of [ 'a.meta.txt', 'x.acl-b/c', 'meta/acl/acr' ]) {
        expect([ name, await statusOf(citizen.client, 'PUT', citizen.podUrl + name) ]).toEqual([ name, 201 ]);
      }
    });

    it('can be read and removed if it was created by a server without this package.', async(): Promise<void> => {
      const citizen = await newCitizen();
      const inbox = await open(citizen, 'inbox', 'acl:Append');
      await statusOf(citizen.client, 'PUT', `${inbox}q`);
      for (const path of [ '.meta/y', 'q.meta/y', 'q.acr/y', 'x.acl/' ]) {
        await server.stored.plant(base, `${citizen.podId}/inbox/${path}`, 'planted');
      }
      const { client } = citizen;
      await expect(statusOf(client, 'GET', inbox)).resolves.toBe(200);
      await expect(statusOf(client, 'GET', `${inbox}q`)).resolves.toBe(200);
      await expect(statusOf(client, 'PUT', `${inbox}q`)).resolves.toBe(205);
      await expect(statusOf(client, 'POST', inbox)).resolves.toBe(201);
      await expect(textAt(client, inbox)).resolves.toContain('q.meta/');
      await expect(textAt(client, `${inbox}q.meta/y`)).resolves.toBe('planted');
      for (const path of [ '.meta/y', '.meta/', 'q.meta/y', 'q.meta/', 'q.acr/y', 'q.acr/', 'x.acl/', 'q' ]) {
        expect([ path, await statusOf(client, 'DELETE', inbox + path) ]).toEqual([ path, 205 ]);
      }
    });

    it('does not let a stranger remove its contents by way of what it would describe.', async(): Promise<void> => {
      const citizen = await newCitizen();
      await server.stored.plant(base, `${citizen.podId}/project.meta/plans/a`, 'planted');
      const url = `${citizen.podUrl}project`;
      for (const client of [ anyone, stranger.client ]) {
        for (const method of [ 'GET', 'HEAD', 'PUT', 'PATCH', 'DELETE' ]) {
          expect([ 401, 403 ]).toContain(await statusOf(client, method, url));
        }
      }
      await expect(statusOf(citizen.client, 'GET', url)).resolves.toBe(404);
      await expect(statusOf(citizen.client, 'PUT', url)).resolves.toBe(201);
      await expect(statusOf(citizen.client, 'DELETE', url)).resolves.toBe(205);
      await expect(textAt(citizen.client, `${citizen.podUrl}project.meta/plans/a`)).resolves.toBe('planted');
      await expect(statusOf(citizen.client, 'DELETE', `${citizen.podUrl}project.meta/`)).resolves.toBe(409);
    });
  });

  if (!isOnPostgres) {
    it('is removed together with its access rules, never after them.', async(): Promise<void> => {
      const citizen = await newCitizen();
      const url = `${citizen.podUrl}letter`;
      const rules = `letter${isAcp ? '.acr' : '.acl'}`;
      await expect(statusOf(citizen.client, 'PUT', url)).resolves.toBe(201);
      const body = accessRules(isAcp, url, citizen.webId, '');
      expect((await citizen.client.request('PUT', citizen.podUrl + rules, { headers: turtle, body })).status).toBe(201);
      const gone: string[] = [];
      const watcher = watch(join(server.folder, 'pods', citizen.podId));
      const changes = on(watcher, 'change');
      await expect(statusOf(citizen.client, 'DELETE', url)).resolves.toBe(205);
      for await (const [ , name ] of changes) {
        gone.push(String(name));
        if (gone.filter((one): boolean => one.startsWith('letter')).length === 2) {
          break;
        }
      }
      watcher.close();
      expect(gone.filter((name): boolean => name.startsWith('letter'))).toEqual([ 'letter$.ttl', rules ]);
    });
  }

  describe('is in the way', (): void => {
    it('does not prevent erasure of a citizen, while others write.', async(): Promise<void> => {
      const citizen = await newCitizen();
      const inbox = await open(citizen, 'inbox', 'acl:Append, acl:Read');
      await poison(citizen);
      const over = new AbortController();
      const answers = new Map<number, number>();
      const writing = Array.from({ length: 6 }, async(_, index): Promise<void> => {
        for (let at = 0; !over.signal.aborted; at += 1) {
          const status = index % 2 === 0 ?
              await statusOf(anyone, 'POST', inbox, { slug: `n${index}-${at}` }) :
              await statusOf(anyone, 'PUT', `${inbox}${index}/${at}/x`);
          answers.set(status, (answers.get(status) ?? 0) + 1);
        }
      });
      // A request that has begun, and does not end by itself.
      const slow = request(`${inbox}slow`, { method: 'PUT', headers: turtle });
      slow.on('error', (): void => {
        // The server may close it.
      });
      const slowEnded = new Promise((resolve): void => {
        slow.on('response', (response): void => {
          answers.set(response.statusCode!, 1);
          response.resume().on('end', resolve);
        });
        slow.on('close', resolve);
      });
      slow.write('<#a> ');
      const deleted = await citizen.client.request('DELETE', `${base}v1/webids`);
      over.abort();
      await Promise.all(writing);
      slow.end('<#b> <#c> .');
      await slowEnded;
      expect(deleted.status).toBe(200);
      const unusual = [ ...answers.keys() ].filter((status): boolean => ![ 201, 401, 404, 409 ].includes(status));
      expect(unusual).toEqual([]);
      await expect(pathsOf(citizen)).resolves.toEqual([]);
      for (const method of [ 'GET', 'PUT', 'POST', 'PATCH', 'DELETE' ]) {
        await expect(statusOf(anyone, method, inbox)).resolves.toBe(404);
      }
      await expect(pathsOf(citizen)).resolves.toEqual([]);
    });

    it('does not prevent a new pod for the same citizen.', async(): Promise<void> => {
      const citizen = await newCitizen();
      await poison(citizen);
      const { client } = citizen;
      expect((await client.request('PUT', `${base}v1/webids`)).status).toBe(200);
      expect((await client.request('DELETE', `${base}v1/webids`)).status).toBe(200);
      await expect(pathsOf(citizen)).resolves.toEqual([]);
      const again = await createCitizen(base, issuer, citizen.nationalNumber);
      expect(again.podId).not.toBe(citizen.podId);
    });

    it('does not prevent removal of a container.', async(): Promise<void> => {
      const citizen = await newCitizen();
      const ghost = `${citizen.podUrl}g/ghost${isAcp ? '.acr' : '.acl'}`;
      await expect(statusOf(citizen.client, 'PUT', ghost)).resolves.toBe(201);
      await expect(statusOf(citizen.client, 'DELETE', `${citizen.podUrl}g/`)).resolves.toBe(205);
      expect((await pathsOf(citizen)).join('\n')).not.toContain('/g');
    });
  });
});
