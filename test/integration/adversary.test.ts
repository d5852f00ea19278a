import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { createAccount, createClientCredentials, logInToAccount } from '../../demo/lib/accounts';
import { operations } from '../../src/api/routes';
import * as problems from '../../src/problems';
import { beginRequest } from '../support/beginRequest';
import type { TestCitizen } from '../support/callers';
import { clientOf, expectProblem, mentions } from '../support/callers';
import type { ForeignRequest } from '../support/foreignRequests';
import { foreignRequests, operationsWithCaller } from '../support/foreignRequests';
import { answerJson, startLoopback } from '../support/loopback';
import type { Shared } from '../support/sharing';
import { removeCredentials } from '../support/removeCredentials';
import { json, SharingWorld } from '../support/sharingWorld';
import type { AccountHolder } from '../support/world';
import { accountWithPod, Client, logInByClientCredentials } from '../support/world';
import { fc } from '../support/properties';

const acl = 'http://www.w3.org/ns/auth/acl#';
const turtle = { 'content-type': 'text/turtle' };
const sparql = { 'content-type': 'application/sparql-update' };
const n3 = { 'content-type': 'text/n3' };
const oidcIssuer = 'http://www.w3.org/ns/solid/terms#oidcIssuer';

const problemTypes = Object.values(problems).map((each): string => (each as { type?: string }).type ?? '');

/** An issued access grant. */
interface Stated {
  id: string;
  credentialSubject: { id: string };
}

/** A small document, each part of which involves all terms. */
function manyContexts(count: number): object {
  const terms = Array.from({ length: count }, (_, at): [string, string] => [ `t${at}`, 'urn:' ]);
  const typed = { '@id': 'urn:p', '@context': { z: 'urn:z' }};
  return { '@context': { ...Object.fromEntries(terms), p: typed }, '@type': Array.from({ length: 1000 }).fill('p') };
}

function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '');
}

/** Status of an answer, and the type when it is a problem. */
async function attempt(
  { client }: TestCitizen,
  base: string,
  { method, path, headers, body }: ForeignRequest,
): Promise<{ status: number; type?: unknown; text: string }> {
  const response = await client.request(method, base + path, { headers, body });
  const text = await response.text();
  return { status: response.status, type: response.ok || text === '' ? undefined : typeOf(text), text };
}

function typeOf(problem: string): unknown {
  return (JSON.parse(problem) as { type?: unknown }).type;
}

/** The same request with other ids, of the same form, that nothing has. */
function withOthers(request: ForeignRequest, ids: string[]): ForeignRequest {
  let text = JSON.stringify(request);
  for (const id of ids) {
    text = text.replaceAll(id, /^[\da-f-]{36}$/u.test(id) ? randomUUID() : Buffer.from(id).reverse().toString());
  }
  return JSON.parse(text) as ForeignRequest;
}

/** The responses to callers without a token, and to the owner of another pod. */
async function statuses({ client }: TestCitizen, urls: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const url of urls) {
    found.push((await fetch(url)).status, (await client.request('GET', url)).status);
  }
  return found;
}

/** An authorization of WAC for a container and all in it. */
function authorization(name: string, rule: string): string {
  return `<#${name}> a <${acl}Authorization>; <${acl}accessTo> <./>; <${acl}default> <./>; ${rule} .`;
}

/** Attacks that once worked on the running server: each must fail. */
describe('Against an adversary', (): void => {
  let world: SharingWorld;
  let base: string;
  let consumer: AccountHolder;
  let mallory: TestCitizen;

  beforeAll(async(): Promise<void> => {
    world = await SharingWorld.start({ usual: {}});
    ({ base } = world);
    consumer = await world.dataUser();
    mallory = await world.citizen();
  });

  afterAll(async(): Promise<void> => {
    await world.stop();
    await world.remove();
  });

  /** Sends raw bytes. Returns what came back until the connection ended. */
  async function send(bytes: string, then = ''): Promise<string> {
    const { hostname, port } = new URL(base);
    return new Promise((resolve): void => {
      let answer = '';
      const socket = connect(Number(port), hostname, (): unknown => socket.write(bytes, 'latin1'));
      socket.on('data', (chunk): void => {
        if (answer === '' && then !== '') {
          socket.write(then, 'latin1');
        }
        answer += chunk.toString('latin1');
      });
      socket.on('error', (): void => resolve(answer));
      socket.on('close', (): void => resolve(answer));
    });
  }

  async function isServing(): Promise<boolean> {
    return (await fetch(`${base}v1/contracts/usual`)).status === 200;
  }

  /** The effect of a grant that somebody issued. */
  async function good({ id, credentialSubject }: Stated, { client }: TestCitizen, shared: Shared): Promise<object> {
    const { status } = await world.read(client, { ...shared, accessGrant: id });
    return { statedBy: credentialSubject.id, reads: status };
  }

  async function put(url: string, body: string | Buffer, headers: Record<string, string> = turtle): Promise<number> {
    return (await mallory.client.request('PUT', url, { headers, body })).status;
  }

  async function expectRefused(webid: string): Promise<void> {
    const client = await clientOf(world.issuer, { webid }, 'DPoP');
    await expectProblem(await client.request('GET', `${base}v1/data-copies`), 401, 'token-invalid');
  }

  describe('the process survives', (): void => {
    it('malformed WebSocket frames, wherever they are sent.', async(): Promise<void> => {
      const subscribed = await mallory.client.request('POST', `${base}.notifications/WebSocketChannel2023/`, {
        headers: { 'content-type': 'application/ld+json' },
        body: JSON.stringify({
          '@context': [ 'https://www.w3.org/ns/solid/notification/v1' ],
          type: 'http://www.w3.org/ns/solid/notifications#WebSocketChannel2023',
          topic: `${mallory.podUrl}profile/card`,
        }),
      });
      const { receiveFrom } = await subscribed.json() as { receiveFrom: string };
      for (const [ path, status ] of [
        [ new URL(receiveFrom).pathname, '101' ],
        [ '/', '200' ],
        [ '/v1/contracts/usual', '200' ],
        [ '/.notifications/WebSocketChannel2023/none', '404' ],
      ]) {
        const request = `GET ${path} HTTP/1.1\r\nHost: ${new URL(base).host}\r\nConnection: Upgrade\r\n` +
          'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
        const answer = await send(request, '\u00FF\u00FF\u0001\u0002');
        expect([ path, answer.split(' ')[1] ]).toEqual([ path, status ]);
        await expect(isServing()).resolves.toBe(true);
      }
    });

    it.each([
      [ 404, 'GET /.notifications/WebSocketChannel2023/none HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket' ],
      [ 200, 'GET /v1/contracts/usual HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c' ],
      [ 405, 'CONNECT localhost HTTP/1.1' ],
    ])('a request, answered with %i, that leaves HTTP before an earlier one is answered: %j.', async(
      status,
      second,
    ): Promise<void> => {
      const host = `Host: ${new URL(base).host}\r\n\r\n`;
      const answers = await send(`GET /v1/contracts/usual HTTP/1.1\r\n${host}${second}\r\n${host}`);
      expect(answers.match(/HTTP\/1.1 \d+/gu)).toEqual([ 'HTTP/1.1 200', `HTTP/1.1 ${status}` ]);
      await expect(isServing()).resolves.toBe(true);
    });

    it.each([
      [ 'application/ld+json', `${'['.repeat(20_000)}${']'.repeat(200_000)}` ],
      [ 'application/rdf+xml', `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:">${
        '<rdf:Description><e:p>'.repeat(20_000)}${'</e:p></rdf:Description>'.repeat(20_000)}</rdf:RDF>` ],
      [ 'text/html', `<script type="application/ld+json">${'['.repeat(20_000)}${']'.repeat(20_000)}</script>` ],
    ])('very deeply nested RDF, as %s.', async(type, body): Promise<void> => {
      // No log-in is needed for this one.
      const url = `${base}.notifications/WebSocketChannel2023/`;
      const asked = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
      expect(asked.status).toBe(413);
      // Unread parts of it must not block the connection for the next request.
      const both = await send(`POST /.notifications/WebSocketChannel2023/ HTTP/1.1\r\nHost: ${new URL(base).host}\r\n` +
        `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        'GET /v1/contracts/usual HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      expect(both.match(/^HTTP\/1.1 \d+/gmu)).toEqual([ expect.stringMatching(/ [45]\d\d$/u), 'HTTP/1.1 200' ]);
      await put(`${mallory.podUrl}deep`, body, { 'content-type': type });
      const shown = await mallory.client.request('GET', `${mallory.podUrl}deep`, { headers: { accept: 'text/turtle' }});
      expect([ 400, 406, 415, 501 ]).toContain(shown.status);
      await expect(isServing()).resolves.toBe(true);
    });

    it.each<[string, number, string, string]>([
      [ 'too complex', 422, 'application/ld+json', JSON.stringify(manyContexts(600)) ],
      [ '16384 bytes', 413, 'text/turtle', `#${'x'.repeat(16 * 1024)}` ],
    ])('requests refused for %s, without a log-in.', async(reason, status, type, body): Promise<void> => {
      const url = `${base}.notifications/WebSocketChannel2023/`;
      const refused = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
      await expect(refused.text()).resolves.toContain(reason);
      expect(refused.status).toBe(status);
      await expect(isServing()).resolves.toBe(true);
    });

    it('small documents that cause much work.', async(): Promise<void> => {
      const ld = { 'content-type': 'application/ld+json' };
      const prefixed = `@prefix p: <urn:${'x'.repeat(512 * 1024)}>. ${'<> <urn:is> p:a, p:b .'.repeat(40)}`;
      for (const [ name, body, headers ] of [
        [ 'contexts', JSON.stringify(manyContexts(800)), ld ],
        [ 'prefixed', prefixed, turtle ],
      ] as const) {
        await expect(put(mallory.podUrl + name, body, headers)).resolves.toBe(201);
        const patch = { headers: sparql, body: 'INSERT DATA { <urn:a> <urn:b> <urn:c> }' };
        expect((await mallory.client.request('PATCH', mallory.podUrl + name, patch)).status).toBe(400);
        await expectRefused(`${mallory.podUrl}${name}#me`);
      }
    });

    it('an address that can be divided into names in many ways.', async(): Promise<void> => {
      const begun = performance.now();
      const asked = await fetch(`${base}.oidc/0-${'Aaa0-'.repeat(34)}Q`);
      expect(asked.status).toBe(404);
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(world.server.log()).toContain('.oidc/[id]');
    });

    it('a document whose mistake reads like many messages of the operating system.', async(): Promise<void> => {
      const url = `${mallory.podUrl}mistake`;
      const body = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
        `<rdf:Description rdf:nodeID="${'AAAA:  '.repeat(60_000)}"/></rdf:RDF>`;
      await put(url, body, { 'content-type': 'application/rdf+xml' });
      const begun = performance.now();
      const shown = await mallory.client.request('GET', url, { headers: { accept: 'text/turtle' }});
      expect([ 406, 500 ]).toContain(shown.status);
      const patch = { headers: sparql, body: 'INSERT DATA { <urn:a> <urn:b> <urn:c> }' };
      expect((await mallory.client.request('PATCH', url, patch)).status).toBe(400);
      expect(performance.now() - begun).toBeLessThan(20_000);
    });

    it('documents with mistakes that the parser does not expect.', async(): Promise<void> => {
      for (const [ type, text ] of [
        [ 'text/turtle', '<> <urn:is> 1 {| <urn:is> 2 |} |} .' ],
        [ 'text/n3', '{ } [] { () => a }' ],
      ]) {
        const request = { method: 'POST', headers: { 'content-type': type }, body: text };
        const { status } = await fetch(`${base}.notifications/WebSocketChannel2023/`, request);
        expect([ type, status ]).toEqual([ type, 422 ]);
      }
      await expect(isServing()).resolves.toBe(true);
    });

    it('an IRI with many dots, written as Turtle.', async(): Promise<void> => {
      const url = `${mallory.podUrl}dots`;
      const iri = `${mallory.podUrl}aaa${'.a'.repeat(34)}//`;
      await put(url, JSON.stringify({ '@id': iri, 'urn:is': 'there' }), { 'content-type': 'application/ld+json' });
      const begun = performance.now();
      const shown = await mallory.client.request('GET', url, { headers: { accept: 'text/turtle' }});
      await expect(shown.text()).resolves.toContain(iri);
      expect(performance.now() - begun).toBeLessThan(20_000);
    });

    it('requests with internal media types.', async(): Promise<void> => {
      const { client, podUrl } = mallory;
      const headers = { 'content-type': 'Internal/quads; x=y' };
      for (const path of [ `${podUrl}inside`, `${world.base}.account/`, `${world.base}.notifications/` ]) {
        const answers = [ 'PUT', 'POST', 'PATCH' ].map(async(method): Promise<number> =>
          (await client.request(method, path, { headers, body: 'x' })).status);
        await expect(Promise.all(answers)).resolves.toEqual([ 415, 415, 415 ]);
      }
      for (const accept of [ '', 'internal/quads', 'internal/*, internal/error', 'nonsense' ]) {
        for (const path of [ `${podUrl}.well-known/solid`, podUrl, `${podUrl}profile/card` ]) {
          const answer = await client.request('GET', path, { headers: { accept }});
          expect([ accept, path, answer.status, answer.headers.get('content-type') ])
            .toEqual([ accept, path, 200, 'text/turtle' ]);
          await answer.text();
        }
      }
    });

    it('simultaneous requests for a document and a container of one name.', async(): Promise<void> => {
      const url = `${mallory.podUrl}twin`;
      const asked = Array.from({ length: 40 }, async(_, index): Promise<number> => {
        const method = index % 4 < 2 ? 'PUT' : 'DELETE';
        const twin = index % 2 === 0 ? url : `${url}/`;
        const sent = { headers: turtle, ...method === 'PUT' && { body: '' }};
        return (await mallory.client.request(method, twin, sent)).status;
      });
      expect((await Promise.all(asked)).filter((status): boolean => status >= 500)).toEqual([]);
      expect(world.server.log()).not.toContain('release lock');
    });
  });

  describe('a patch that changes nothing', (): void => {
    let shared: Shared;

    beforeAll(async(): Promise<void> => {
      await put(`${mallory.podUrl}private.ttl`, '<> <urn:is> "private" .');
      [ shared ] = await world.shareAll(mallory);
    });

    it.each([
      [ 'in SPARQL', sparql, '' ],
      [ 'in SPARQL with nothing to insert', sparql, 'INSERT DATA {}' ],
      [ 'in N3', n3, '<> a <http://www.w3.org/ns/solid/terms#InsertDeletePatch> .' ],
    ])('%s needs the right to write, on any resource.', async(_name, headers, body): Promise<void> => {
      const names = [ 'private.ttl', 'nothing.ttl', '.acl', 'profile/card', '' ];
      for (const url of [ ...names.map((name): string => mallory.podUrl + name), shared.podResource ]) {
        const patch = { headers, body };
        const anonymous = await Client.withBearer().request('PATCH', url, patch);
        const grantee = await consumer.client.request('PATCH', url, patch);
        expect([ url, anonymous.status, grantee.status ]).toEqual([ url, 401, 403 ]);
      }
      const own = await mallory.client.request('PATCH', `${mallory.podUrl}private.ttl`, { headers, body });
      expect(own.status).toBe(205);
    });
  });

  describe('access rules, which are read for every request,', (): void => {
    let owner: string;

    beforeAll((): void => {
      owner = authorization('owner', `<${acl}agent> <${mallory.webId}>;
        <${acl}mode> <${acl}Read>, <${acl}Write>, <${acl}Control>`);
    });

    it('have a maximum length, whether they are written at once or by patches.', async(): Promise<void> => {
      const container = `${mallory.podUrl}ruled/`;
      await put(`${container}a`, '<> a <urn:a>.');
      const many = Array.from({ length: 400 }, (...[ , at ]): string =>
        authorization(`a${at}`, `<${acl}agent> <http://people.example/${at}>; <${acl}mode> <${acl}Read>`));
      await expect(put(`${container}.acl`, [ owner, ...many ].join('\n'))).resolves.toBe(413);
      await expect(put(`${container}.acl`, [ owner, ...many.slice(200) ].join('\n'))).resolves.toBe(201);
      const more = many.slice(0, 100).join('\n');
      const added = await mallory.client.request('PATCH', `${container}.acl`, {
        headers: { 'content-type': 'application/sparql-update' },
        body: `INSERT DATA { ${more} ${more.replaceAll('<#a', '<#b')} }`,
      });
      expect(added.status).toBe(413);
      expect((await mallory.client.request('GET', `${container}a`)).status).toBe(200);
    });

    it('give nobody access if stored ones are too long, until the owner replaces them.', async(): Promise<void> => {
      const place = `${mallory.podUrl.slice(base.length)}overlong/`;
      const everybody = `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>; <${acl}mode> <${acl}Read>`;
      const body = authorization('all', everybody);
      await world.server.stored.plant(base, `${place}a.ttl`, '<> a <urn:a>.');
      await world.server.stored.plant(base, `${place}.acl`, `${body}\n#${'x'.repeat(70_000)}`);
      const url = `${base}${place}`;
      await expect(statuses(mallory, [ `${url}a.ttl`, `${url}.acl` ])).resolves.toEqual([ 401, 403, 401, 200 ]);
      await expect(put(`${url}.acl`, body)).resolves.toBe(205);
      await expect(statuses(mallory, [ `${url}a.ttl` ])).resolves.toEqual([ 200, 200 ]);
    });

    it('have few of their groups looked up.', async(): Promise<void> => {
      const container = `${mallory.podUrl}grouped/`;
      const member = `<#it> <http://www.w3.org/2006/vcard/ns#hasMember> <${consumer.webId}>.`;
      await put(`${mallory.podUrl}public/group`, member);
      await put(`${container}a`, '<> a <urn:a>.');
      const everybody = `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>; <${acl}mode> <${acl}Read>`;
      await put(`${mallory.podUrl}public/.acl`, [ owner, authorization('all', everybody) ].join('\n'));
      for (const [ groups, status ] of [[ 32, 200 ], [ 33, 403 ]]) {
        const group = `<${mallory.podUrl}public/group#it>`;
        const names = Array.from({ length: groups - 1 }, (...[ , at ]): string =>
          `<${mallory.podUrl}public/none?${at}#it>`);
        const rule = `<${acl}agentGroup> ${[ ...names, group ].join(', ')}; <${acl}mode> <${acl}Read>`;
        await put(`${container}.acl`, [ owner, authorization('groups', rule) ].join('\n'));
        expect([ groups, (await consumer.client.request('GET', `${container}a`)).status ]).toEqual([ groups, status ]);
      }
    });

    it('have two megabytes of their groups read.', async(): Promise<void> => {
      const container = `${mallory.podUrl}grouped/`;
      await put(`${container}a`, '<> a <urn:a>.');
      const everybody = `<${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>; <${acl}mode> <${acl}Read>`;
      await put(`${mallory.podUrl}public/.acl`, [ owner, authorization('all', everybody) ].join('\n'));
      const member = `<#it> <http://www.w3.org/2006/vcard/ns#hasMember> <${consumer.webId}>.`;
      const filler = '# Nobody.\n'.repeat(90_000);
      for (const [ at, text ] of [ filler, filler, filler + member, member ].entries()) {
        await put(`${mallory.podUrl}public/large${at}`, text);
      }
      for (const [ groups, status ] of [[[ 0, 2 ], 200 ], [[ 0, 1, 2 ], 403 ], [[ 0, 1, 3 ], 200 ]] as const) {
        const names = groups.map((at): string => `<${mallory.podUrl}public/large${at}#it>`);
        const rule = `<${acl}agentGroup> ${names.join(', ')}; <${acl}mode> <${acl}Read>`;
        await put(`${container}.acl`, [ owner, authorization('groups', rule) ].join('\n'));
        expect([ groups, (await consumer.client.request('GET', `${container}a`)).status ]).toEqual([ groups, status ]);
      }
    });
  });

  describe('a patch with conditions', (): void => {
    const prefix = '@prefix solid: <http://www.w3.org/ns/solid/terms#>. <> a solid:InsertDeletePatch;';
    const chain = Array.from({ length: 9 }, (_, at): string => `?v${at} <urn:to> ?v${at + 1}.`).join(' ');
    const free = [ 1, 2, 3, 4 ].map((at): string => `?s${at} ?p${at} ?o${at}.`).join(' ');
    const numbers = Array.from({ length: 300 }, (_, at): string => String(at)).join(', ');
    let url: string;

    beforeAll(async(): Promise<void> => {
      url = `${mallory.podUrl}patched`;
      const all = Array.from({ length: 400 }, (_, at): string =>
        `<urn:${at % 20}> <urn:to> <urn:${Math.floor(at / 20)}>.`);
      await put(url, [ ...all, '<urn:a> <urn:is> "only". _:x <urn:blank> _:x .' ].join('\n'));
    });

    it.each([
      [ 'that many ways meet', n3, `${prefix} solid:where { ${free} }; solid:inserts { <a> <b> ?s1 }.`, 409 ],
      [ 'that none of very many solutions meets', n3, `${prefix} solid:where { ${chain} ?v9 <urn:is> ?v0. }.`, 422 ],
      [ 'that all combinations meet', sparql, `INSERT { ?s1 <urn:new> ?o4 } WHERE { ${free} }`, 422 ],
      [ 'that very many ways meet', sparql, `DELETE { ?v0 <urn:to> ?v9 } WHERE { ${chain} }`, 422 ],
      [ 'in great number', n3, `${prefix} solid:where { <a> <b> ${numbers} }.`, 422 ],
    ])('%s is refused, and the server goes on.', async(_name, headers, body, status): Promise<void> => {
      const before = await (await mallory.client.request('GET', url)).text();
      expect((await mallory.client.request('PATCH', url, { headers, body })).status).toBe(status);
      await expect((await mallory.client.request('GET', url)).text()).resolves.toBe(before);
    });

    it.each([
      [ 'in N3', n3, `${prefix} solid:where { ?s <urn:is> ?o. }; solid:deletes { ?s <urn:is> ?o. };
        solid:inserts { ?s <urn:was> ?o. ?s <urn:is> "other". }.`, [ '<urn:was> "only"', '<urn:is> "other"' ]],
      [ 'in SPARQL', sparql, 'DELETE { ?s <urn:is> ?o } INSERT { ?s <urn:is> "third"; <urn:has> [ <urn:was> ?o ] } ' +
      'WHERE { ?s <urn:is> ?o . ?s <urn:was> "only" }; INSERT DATA { <urn:z> <urn:is> "more" }; ' +
      'DELETE DATA { <urn:1> <urn:to> <urn:1> }', [ '<urn:is> "third"', '<urn:was> "other"', '<urn:is> "more"' ]],
    ])('%s is applied.', async(_name, headers, body, expected): Promise<void> => {
      expect((await mallory.client.request('PATCH', url, { headers, body })).status).toBe(205);
      const response = await mallory.client.request('GET', url, { headers: { accept: 'application/n-triples' }});
      const text = await response.text();
      for (const each of expected) {
        expect(text).toContain(each);
      }
      expect(text).not.toContain('<urn:a> <urn:is> "only"');
      expect(text.includes('<urn:1> <urn:to> <urn:1>')).toBe(headers === n3);
      expect(/^(_:\S+) <urn:blank> \1 \./mu.test(text)).toBe(true);
    });

    it.each([
      [ 'in N3', n3 ],
      [ 'in SPARQL', sparql ],
    ])('%s of more than a MiB is refused, whoever sends it.', async(_name, headers): Promise<void> => {
      // A comment, in both.
      const body = '#'.repeat((1024 * 1024) + 1);
      expect((await fetch(url, { method: 'PATCH', headers, body })).status).toBe(413);
      expect((await mallory.client.request('PATCH', url, { headers, body })).status).toBe(413);
      expect((await mallory.client.request('GET', url)).status).toBe(200);
    });

    it.each([
      [ 'in N3', n3, `${prefix} solid:inserts { <a> <b> ${'[ <b> '.repeat(101)} 1 ${']'.repeat(101)} }.` ],
      [ 'in SPARQL', sparql, `INSERT { <a> <b> 1 } WHERE { ${'{'.repeat(101)} ?s ?p ?o ${'}'.repeat(101)} }` ],
    ])('%s that is nested very deeply is refused, whoever sends it.', async(_name, headers, body): Promise<void> => {
      expect((await fetch(url, { method: 'PATCH', headers, body })).status).toBe(400);
      expect((await mallory.client.request('PATCH', url, { headers, body })).status).toBe(400);
    });

    it.each([
      [ 'in N3', n3, `${prefix} solid:where { <a> <b> ( ${'1 '.repeat(30_000)} ) }.` ],
      [ 'in SPARQL', sparql, `INSERT DATA { <a> <b> 1${',1'.repeat(5000)} }` ],
    ])('%s of very many symbols is refused, whoever sends it.', async(_name, headers, body): Promise<void> => {
      expect((await fetch(url, { method: 'PATCH', headers, body })).status).toBe(413);
      expect((await mallory.client.request('PATCH', url, { headers, body })).status).toBe(413);
    });

    it('with a number of very many digits is refused at once, whoever sends it.', async(): Promise<void> => {
      const body = `${prefix} solid:inserts { <a> <b> ${'1'.repeat(80_000)}a }.`;
      const begun = performance.now();
      expect((await fetch(url, { method: 'PATCH', headers: n3, body })).status).toBe(400);
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect((await mallory.client.request('PATCH', url, { headers: n3, body })).status).toBe(400);
    });

    it('with escapes in a string that does not end is refused at once, whoever sends it.', async(): Promise<void> => {
      const body = `INSERT DATA { <urn:a> <urn:b> "${String.raw`\U0000BBBB`.repeat(34)}`;
      const begun = performance.now();
      expect((await fetch(url, { method: 'PATCH', headers: sparql, body })).status).toBe(400);
      expect(performance.now() - begun).toBeLessThan(20_000);
    });

    it('may have any number of spaces.', async(): Promise<void> => {
      const body = `INSERT${' '.repeat(40)}{ <urn:a> <urn:spaces> "a  b" } WHERE {}`;
      expect((await mallory.client.request('PATCH', url, { headers: sparql, body })).status).toBe(205);
      await expect((await mallory.client.request('GET', url)).text()).resolves.toContain('"a  b"');
    });

    it('that are not met, or a deletion of missing triples, is a conflict.', async(): Promise<void> => {
      for (const body of [
        `${prefix} solid:where { ?s <urn:none> ?o. }; solid:inserts { <a> <b> ?s }.`,
        `${prefix} solid:deletes { <urn:none> <urn:is> 1 }.`,
      ]) {
        expect((await mallory.client.request('PATCH', url, { headers: n3, body })).status).toBe(409);
      }
    });
  });

  describe('a proof made for another host', (): void => {
    it('is not accepted for this host, whatever the form of the request line.', async(): Promise<void> => {
      await put(`${mallory.podUrl}private.txt`, 'private', { 'content-type': 'text/plain' });
      const { host } = new URL(base);
      const path = `${mallory.podId}/private.txt`;
      const tries = [
        [ `//${path}`, `http://${path}` ],
        [ `///${path}`, `http://${path}` ],
        [ `http://evil.example/${path}`, `http://evil.example/${path}` ],
        [ `//evil.example/../${path}`, `http://evil.example/${path}` ],
      ];
      for (const [ target, htu ] of tries) {
        const proof = await mallory.client.proof('GET', base, { htu });
        const answer = await send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n` +
          `Authorization: DPoP ${mallory.client.token}\r\nDPoP: ${proof}\r\n\r\n`);
        expect([ target, answer.split(' ')[1] ]).toEqual([ target, target.startsWith('http') ? '421' : '401' ]);
      }
    });
  });

  describe('a WebID that leads to', (): void => {
    it.each([
      [ 'a picture', 'picture', 'image/png', 'no picture' ],
      [ 'text', 'text', 'text/plain', 'no profile' ],
      [ 'broken Turtle', 'broken', 'text/turtle', 'no Turtle' ],
      [ 'more than a profile', 'large', 'text/turtle', `<#me> <${oidcIssuer}> <ISSUER>. # ${'a'.repeat(2 ** 20)}` ],
    ])('%s is refused.', async(_name, name, type, body): Promise<void> => {
      const text = body.replace('ISSUER', world.issuer.issuer);
      await expect(put(mallory.podUrl + name, text, { 'content-type': type })).resolves.toBe(201);
      await expectRefused(`${mallory.podUrl}${name}#me`);
    });

    it('an impossible address is refused.', async(): Promise<void> => {
      for (const path of [ '%zz', 'a%00b', 'a%2Fb', 'x'.repeat(300), 'a$.ttl', '.internal/accounts/', '' ]) {
        await expectRefused(`${base}${path}#me`);
      }
    });

    it('JSON-LD does not make the server fetch contexts.', async(): Promise<void> => {
      const asked: (string | undefined)[] = [];
      const contexts = await startLoopback(({ url }, response): void => {
        asked.push(url);
        answerJson(response, 200, { '@context': {}}, 'application/ld+json');
      });
      const body = JSON.stringify({ '@context': `${contexts.url}/context`, '@id': '#me' });
      await put(`${mallory.podUrl}context`, body, { 'content-type': 'application/ld+json' });
      await expectRefused(`${mallory.podUrl}context#me`);
      await contexts.stop();
      expect(asked).toEqual([]);
    });
  });

  describe('in the citizen\'s own pod', (): void => {
    it('a resource in the place of shared data is reported as a problem.', async(): Promise<void> => {
      const citizen = await world.citizen();
      const [ shared ] = await world.shareAll(citizen);
      const [ value ] = await world.list(citizen);
      await citizen.client.request('DELETE', shared.podResource);
      expect((await citizen.client.request('PUT', `${shared.podResource}/`)).status).toBe(201);
      const again = await citizen.client.request('POST', world.dataUrl('usual'), { body: [ value.id ]});
      await expectProblem(again, 403, 'access-forbidden');
    });

    it('a deletion leaves nothing, even while data is being shared and written.', async(): Promise<void> => {
      const citizen = await world.citizen(3);
      const ids = (await world.list(citizen)).map(({ id }): string => id);
      const text = { headers: { 'content-type': 'text/plain' }, body: 'text' };
      const writing = Array.from({ length: 8 }, async(_, index): Promise<Response> => index % 2 === 0 ?
          citizen.client.request('POST', world.dataUrl('usual'), { body: ids }) :
          citizen.client.request('PUT', `${citizen.podUrl}${index}.txt`, text));
      const deleted = await citizen.client.request('DELETE', `${base}v1/webids`);
      expect(deleted.status).toBe(200);
      for (const response of await Promise.all(writing)) {
        expect(response.status).toBeLessThan(500);
        const shared = response.status === 200 ? await json<Shared[]>(response) : [];
        for (const each of shared) {
          await expectProblem(await world.read(consumer.client, each), 403, 'grant-not-usable');
        }
      }
      await expect(world.server.stored.podNames()).resolves.not.toContain(citizen.podId);
    });
  });

  describe('another citizen', (): void => {
    it('gets none of a citizen\'s data by any operation, and cannot learn what exists.', async(): Promise<void> => {
      const owner = await world.citizen();
      const other = await world.citizen();
      const [ shared ] = await world.shareAll(owner);
      const [ value ] = await world.list(owner);
      const ids = {
        podId: owner.podId,
        resourceId: shared.podResource.split('/').at(-1)!,
        grantId: shared.accessGrant.split('/').at(-1)!,
        valueId: value.id,
      };
      const credential = await json(await owner.client.request('GET', shared.accessGrant));
      const requests = foreignRequests({
        ...ids,
        webId: owner.webId,
        nationalNumber: owner.nationalNumber,
        resource: shared.podResource,
        grant: shared.accessGrant,
        credential,
      });
      expect(Object.keys(requests).sort()).toEqual(operationsWithCaller().sort());
      requests.pods = [
        { method: 'GET', path: shared.podResource.slice(base.length), outcome: 'hidden' },
        { method: 'GET', path: `${owner.podId}/`, outcome: 'hidden' },
      ];
      const all = Object.entries(requests).flatMap(([ name, each ]): [string, ForeignRequest][] =>
        each.map((request): [string, ForeignRequest] => [ name, request ]));
      for (const [ operation, tried ] of all) {
        const { outcome } = tried;
        const answer = await attempt(other, base, tried);
        expect([ operation, answer.status < 300 ]).toEqual([ operation, [ 'empty', 'stated' ].includes(outcome) ]);
        expect([ operation, answer.status < 500 ]).toEqual([ operation, true ]);
        for (const known of outcome === 'empty' ? Object.values(ids) : []) {
          expect([ operation, answer.text.includes(known) ]).toEqual([ operation, false ]);
        }
        const given = outcome === 'stated' ? await good(JSON.parse(answer.text) as Stated, other, shared) : undefined;
        const nothing = outcome === 'stated' ? { statedBy: other.webId, reads: 403 } : undefined;
        expect([ operation, given ]).toEqual([ operation, nothing ]);
        const { text, ...missing } = await attempt(other, base, withOthers(tried, Object.values(ids)));
        const { status, type } = answer;
        expect([ operation, outcome === 'hidden' ? { status, type } : missing ]).toEqual([ operation, missing ]);
      }
      // Nothing was changed either.
      expect((await world.read(consumer.client, shared)).status).toBe(200);
      await expect(world.list(owner)).resolves.toEqual([ value ]);
    });

    it('gets none by operations that need no token, either.', async(): Promise<void> => {
      const owner = await world.citizen();
      await world.shareAll(owner);
      const open = operations.filter(({ caller, method }): boolean => caller === 'none' && method === 'GET');
      for (const { path } of open) {
        const filled = path.replaceAll(/\{\w+\}|\*\*/gu, owner.podId);
        const text = await (await fetch(base.slice(0, -1) + filled)).text();
        expect([ path, text.includes(owner.podId) ]).toEqual([ path, false ]);
        expect([ path, mentions(text, owner.nationalNumber) ]).toEqual([ path, false ]);
      }
      const others = operations.filter(({ caller, method }): boolean => caller === 'none' && method !== 'GET')
        .map(({ operationId }): string => operationId);
      // Each of these has a test file of its own.
      expect(others.sort()).toEqual([ 'exchangeTicket', 'verifyAccessCredential' ]);
    });
  });

  describe('a request that names another host or origin', (): void => {
    it('leaves no trace of it in responses that a cache may give to others.', async(): Promise<void> => {
      for (const path of [ 'v1/openapi.json', '.access/', '.well-known/vc-configuration', '.uma/keys', 'v1/docs' ]) {
        const answer = await send(`GET /${path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\n` +
          'X-Forwarded-Proto: gopher\r\nForwarded: host=evil.example\r\nConnection: close\r\n\r\n');
        expect(answer).toMatch(/^HTTP\/1.1 [234]/u);
        expect(answer).not.toContain('evil.example');
      }
    });

    it('is not authenticated by cookies that the browser sends.', async(): Promise<void> => {
      const response = await fetch(`${base}v1/data-copies`, {
        headers: { origin: 'https://evil.example', cookie: 'css-account=anything; authorization=Bearer' },
      });
      await expectProblem(response, 401, 'token-missing');
    });

    it('does not act for a person who is logged in to an account here.', async(): Promise<void> => {
      const account = await createAccount(base, { email: 'victim@example.org', password: 'password of victim' });
      const cookie = `css-account=${account.authorization.split(' ')[1]}`;
      async function controls(origin?: string): Promise<unknown> {
        const headers = { accept: 'application/json', cookie, ...origin !== undefined && { origin }};
        const answer = await json<{ controls: { account: object }}>(await fetch(account.index, { headers }));
        return answer.controls.account;
      }
      for (const own of [ undefined, new URL(base).origin ]) {
        await expect(controls(own)).resolves.toHaveProperty('clientCredentials');
      }
      for (const foreign of [ 'https://evil.example', 'null', 'http://localhost', base ]) {
        await expect(controls(foreign)).resolves.not.toHaveProperty('clientCredentials');
      }
    });

    it('does not get a page from a pod that runs as one of the server\'s own.', async(): Promise<void> => {
      const page = '<script>fetch("/.account/", { credentials: "include" })</script>';
      const path = `${mallory.podId}/page`;
      await put(base + path, page, { 'content-type': 'text/html' });
      const ways = [ path, `.account/../${path}`, `.account/%2e%2e/${path}`, `.well-known/css/../../${path}` ];
      for (const way of [ ...ways, `.account//../../${path}`, `.account\\..\\${path}`, `.oidc/..;/../${path}` ]) {
        const { proof, token } = { proof: await mallory.client.proof('GET', base + path), token: mallory.client.token };
        const answer = await send(`GET /${way} HTTP/1.1\r\nHost: ${new URL(base).host}\r\nConnection: close\r\n` +
          `Accept: text/html\r\nAuthorization: DPoP ${token}\r\nDPoP: ${proof}\r\n\r\n`);
        expect([ way, answer.includes(page) && !/^content-security-policy: sandbox/imu.test(answer) ])
          .toEqual([ way, false ]);
      }
      const served = await mallory.client.request('GET', base + path);
      await expect(served.text()).resolves.toBe(page);
      const policy = served.headers.get('content-security-policy');
      expect(policy).toMatch(/^sandbox /u);
      expect(policy).not.toContain('allow-same-origin');
      expect(served.headers.get('x-content-type-options')).toBe('nosniff');
      for (const own of [ '.account/login/password/', '.well-known/css/scripts/util.js' ]) {
        const shown = await fetch(base + own, { headers: { accept: 'text/html' }});
        expect([ own, shown.status, shown.headers.get('content-security-policy') ])
          .toEqual([ own, 200, expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/u) ]);
      }
    });

    it('logs no browser in and changes no account unless our own page sends JSON.', async(): Promise<void> => {
      const login = { email: 'attacker@example.org', password: 'password of attacker' };
      const account = await createAccount(base, login);
      const url = `${base}.account/login/password/`;
      const { origin } = new URL(base);
      async function logIn(headers: Record<string, string>, body: string = JSON.stringify(login)): Promise<Response> {
        return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers }});
      }
      const form = 'application/x-www-form-urlencoded';
      const encoded = new URLSearchParams(login).toString();
      for (const [ headers, body ] of [
        [{ 'content-type': form, origin: 'https://evil.example' }, encoded ],
        [{ 'content-type': 'text/plain', origin: 'null' }],
        [{ origin: 'https://evil.example' }],
        [{ 'sec-fetch-site': 'same-site', origin: `http://x.${new URL(base).host}` }],
        [{ 'sec-fetch-site': 'cross-site' }],
      ] as [Record<string, string>, string?][]) {
        const response = await logIn(headers, body);
        expect(response.headers.get('set-cookie')).toBeNull();
        await expectProblem(response, 403, 'foreign-origin');
      }
      await expectProblem(await logIn({ 'content-type': form, origin }, encoded), 415, 'media-type-unsupported');

      const own = await logIn({ origin, 'sec-fetch-site': 'same-origin' });
      expect(own.status).toBe(200);
      expect(own.headers.get('cache-control')).toBe('no-store');
      expect(own.headers.get('set-cookie')).toMatch(/^css-account=[^;]+; .*HttpOnly; SameSite=Lax/u);

      // An app of another origin acts by token, without the browser's cookies.
      const accept = 'application/json';
      const headers = { authorization: account.authorization, accept, origin: 'https://app.example' };
      const index = await fetch(account.index, { headers });
      const { controls } = await json<{ controls: { account: { pod: string }}}>(index);
      const made = await fetch(controls.account.pod, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
        body: JSON.stringify({ name: 'by-token' }),
      });
      expect([ made.status, made.headers.get('set-cookie') ]).toEqual([ 200, null ]);
    });

    it('registers no client with an unencrypted redirect or text that cannot be shown.', async(): Promise<void> => {
      async function register(client: object, unknown = '1'): Promise<Response> {
        const metadata = JSON.stringify({ redirect_uris: [ 'https://app.example/back' ], ...client });
        const body = metadata.replace(/\}$/u, `,"unknown":${unknown}}`);
        return fetch(`${base}.oidc/reg`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      }
      const native = { application_type: 'native' };
      for (const [ client, error ] of [
        [{ redirect_uris: [ 'http://evil.example/cb' ]}, 'invalid_redirect_uri' ],
        [{ redirect_uris: [ 'https://app.example/back', 'http://evil.example/cb' ]}, 'invalid_redirect_uri' ],
        [{ redirect_uris: [ 'https://trusted.example@evil.example/' ]}, 'invalid_redirect_uri' ],
        [{ redirect_uris: [ 'https://app.example/#' ]}, 'invalid_redirect_uri' ],
        [{ ...native, redirect_uris: [ 'javascript:alert(1)' ]}, 'invalid_redirect_uri' ],
        [{ post_logout_redirect_uris: [ 'http://evil.example/out' ]}, 'invalid_client_metadata' ],
        [{ client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata' ],
        [{ logo_uri: 'data:image/svg+xml,<svg/>' }, 'invalid_client_metadata' ],
        [{ tos_uri: 'https://app.example/"><script>' }, 'invalid_client_metadata' ],
      ] as [object, string][]) {
        const response = await register(client);
        const problem = await response.json() as { error: string };
        expect([ client, response.status, problem.error ]).toEqual([ client, 400, error ]);
      }
      for (const depth of [ 3000, 8000, 25_000 ]) {
        const response = await register({}, `${'['.repeat(depth)}${']'.repeat(depth)}`);
        expect([ depth, response.status, await response.json() ])
          .toEqual([ depth, 400, expect.objectContaining({ error: 'invalid_client_metadata' }) ]);
      }
      for (const uri of [ 'http://localhost:3001/cb', 'http://127.0.0.1:3001/cb', 'http://[::1]:3001/cb' ]) {
        expect((await register({ redirect_uris: [ uri ]})).status).toBe(201);
      }
      expect((await register({ ...native, redirect_uris: [ 'com.example.app:/cb' ]})).status).toBe(201);
      const name = `a\u202Eb\u0007${'c'.repeat(300)}`;
      const named = await json<{ client_name: string }>(await register({ client_name: name }));
      expect(named.client_name).toBe(`ab${'c'.repeat(198)}`);
    });

    it('cannot write lines of its own to the log or the answer.', async(): Promise<void> => {
      const injected = '%0d%0aX-Injected:%20yes%0d%0a%0d%0a';
      const paths = [ 'v1/contracts/', 'v1/resources?resource=', '', '.access/vc/' ];
      for (const path of paths.map((each): string => each + injected)) {
        const response = await mallory.client.request('GET', base + path, { headers: { 'x-access-grant': injected }});
        expect(response.headers.get('x-injected')).toBeNull();
        expect(response.status).toBeGreaterThanOrEqual(400);
      }
      expect(world.server.log()).not.toMatch(/^X-Injected/mu);
    });
  });

  it('answers any input to any operation as documented, without internal errors.', async(): Promise<void> => {
    const known = new Set([ 'about:blank', ...problemTypes ]);
    const paths = [ ...new Set(operations.map(({ path }): string => path)) ];
    const nasty = fc.constantFrom(
      '',
      '0',
      '\u0000',
      '..',
      '%',
      '%ff',
      '__proto__',
      '[]',
      '{"a":{"__proto__":1}}',
      '"\\ud800"',
      'null',
      '-1',
      'a'.repeat(3000),
      'https://localhost/',
      mallory.podUrl,
      '\uD83D',
      randomUUID(),
      '1e9',
      'ä',
    );
    const members = [
      'resource',
      'accessGrant',
      'businessKey',
      'accessGrantVc',
      'dataValues',
      'credential',
      'purpose',
    ];
    const parameters = fc.constantFrom('resource', 'limit', 'cursor', 'status', 'verified', 'type');
    const types = [ 'application/json', 'application/ld+json', 'text/plain', 'application/x-www-form-urlencoded' ];
    const request = fc.record({
      path: fc.constantFrom(...paths),
      method: fc.constantFrom('GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'),
      part: nasty,
      query: fc.dictionary(parameters, nasty, { maxKeys: 3 }),
      body: fc.oneof(nasty, fc.json({ maxDepth: 4 }), fc.dictionary(
        fc.constantFrom(...members),
        fc.oneof(nasty, fc.jsonValue({ maxDepth: 3 })),
      ).map((body): string => JSON.stringify(body))),
      type: fc.constantFrom(...types),
      range: fc.constantFrom('bytes=0-0', 'bytes=-', 'bytes=9-1', 'items=1-2'),
    });
    const numRuns = Number(process.env.FUZZ_RUNS ?? 200);
    const accept = 'application/problem+json';
    await fc.assert(fc.asyncProperty(request, async(each): Promise<void> => {
      const { method, path, part, query, body, type, range } = each;
      const filled = path.replaceAll(/\{\w+\}|\*\*/gu, encodeURIComponent(wellFormed(part)));
      // The citizen of this file is still needed.
      fc.pre(!(method === 'DELETE' && path === '/v1/webids'));
      const url = `${base.slice(0, -1)}${filled}?${new URLSearchParams(query).toString()}`;
      const headers = { 'content-type': type, range, accept, 'if-match': '"x' };
      const hasBody = method !== 'GET' && method !== 'HEAD';
      const response = await mallory.client.request(method, url, { headers, ...hasBody && { body }});
      const text = await response.text();
      expect([ response.status < 500, text ]).toEqual([ true, text ]);
      const { type: problem } = (response.headers.get('content-type') ?? '').includes('problem+json') && text !== '' ?
        JSON.parse(text) as { type: string } :
          { type: 'about:blank' };
      expect(known).toContain(problem.split('/').at(-1));
    }), { numRuns });
  });

  it('has served all this without internal errors.', async(): Promise<void> => {
    await expect(isServing()).resolves.toBe(true);
    expect(world.server.log()).not.toMatch(/\[DataSharing\].*error/u);
  });

  describe('a request whose body arrives once the right to send it has ended', (): void => {
    let owner: AccountHolder;
    let document: string;

    beforeAll(async(): Promise<void> => {
      owner = await accountWithPod(base, 'late');
      document = `${owner.podUrl}document`;
      await put(document, turtle, '<urn:own> <urn:b> 1 .');
    });

    async function put(url: string, headers: Record<string, string>, body: string): Promise<Response> {
      return owner.client.request('PUT', url, { headers, body });
    }

    /** Rules by which the owner, and somebody else, control the document. */
    function rules(webIds: string[]): string {
      const agents = webIds.map((webId): string => `<${webId}>`).join(', ');
      return `<#a> a <${acl}Authorization>; <${acl}accessTo> <${document}>; <${acl}agent> ${agents};
        <${acl}mode> <${acl}Read>, <${acl}Write>, <${acl}Control> .`;
    }

    it('writes neither content nor rules.', async(): Promise<void> => {
      await put(`${document}.acl`, turtle, rules([ owner.webId, mallory.webId ]));
      const late = await beginRequest(mallory.client, 'PUT', document, turtle, '<urn:late> ');
      const lateRules = await beginRequest(mallory.client, 'PUT', `${document}.acl`, turtle, '# late');
      expect((await put(`${document}.acl`, turtle, rules([ owner.webId ]))).status).toBe(205);
      await expect(late.finish('<urn:b> 1 .')).resolves.toBe(403);
      await expect(lateRules.finish(`\n${rules([ owner.webId, mallory.webId ])}`)).resolves.toBe(403);
      await expect((await owner.client.request('GET', document)).text()).resolves.toContain('urn:own');
      expect((await mallory.client.request('GET', document)).status).toBe(403);
    });

    it('does nothing for an app that was logged out.', async(): Promise<void> => {
      const account = await logInToAccount(base, { email: 'late@example.org', password: 'password of late' });
      const credentials = await createClientCredentials(account, owner.webId);
      const app = await logInByClientCredentials(await Client.withDpop(), base, credentials);
      const late = await beginRequest(app, 'PUT', `${document}.acl`, turtle, '# late');
      const type = { 'content-type': 'application/json' };
      const lateGrant = await beginRequest(app, 'POST', `${base}.access/issue`, type, '{ ');
      await expect(removeCredentials(base, 'late', credentials.id)).resolves.toBe(200);
      await expect(late.finish(`\n${rules([ owner.webId, mallory.webId ])}`)).resolves.toBe(401);
      await expect(lateGrant.finish('"credential": {} }')).resolves.toBe(401);
      expect((await mallory.client.request('GET', document)).status).toBe(403);
    });
  });
});
