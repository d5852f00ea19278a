import { once } from 'node:events';
import { connect } from 'node:net';
import {
  ContractNotFound,
  GrantRevoked,
  ParameterInvalid,
  TokenInvalid,
  TooManyProofs,
  WebIdMissing,
  WebIdNotFound,
} from '../../../src/problems';
import { operations } from '../../../src/api/routes';
import { schemas } from '../../../src/api/schemas';
import { mount } from '../../../src/http/mount';
import type { Caller, TokenPolicy, TokenRequest } from '../../../src/tokens/Caller';
import type { Reply, RunningApi } from './server';
import { baseUrl, caller, correlationId, startApi } from './server';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;
const authorized = { authorization: 'Bearer token' };

describe('HttpApi', (): void => {
  let running: RunningApi;
  const seen: { request: TokenRequest; policy: TokenPolicy }[] = [];
  const shared: string[][] = [];
  let failure: Error | undefined;
  let as = caller();
  let hasEnded = false;

  beforeAll(async(): Promise<void> => {
    const contract = { document: { '@id': `${baseUrl}v1/contracts/c1` }};
    running = await startApi({
      verifier: {
        verify: async(request, policy): Promise<Caller> => {
          seen.push({ request, policy });
          if (failure) {
            throw failure;
          }
          return as;
        },
        verifyAgain: async(): Promise<Caller> => {
          if (hasEnded) {
            throw new TokenInvalid('what the token was issued for has ended');
          }
          return as;
        },
      },
      webIds: {
        get: async(): Promise<never> => {
          throw new WebIdNotFound();
        },
      },
      citizens: { getByWebId: async(): Promise<never> => ({}) as never },
      contracts: {
        get: (id): never => {
          if (id !== 'c1') {
            throw new ContractNotFound();
          }
          return contract as never;
        },
      },
      sharing: {
        share: async(_citizen, _contractId, ids): Promise<[]> => {
          shared.push(ids);
          return [];
        },
      },
      dataCopies: {
        remove: async(deletion): Promise<never> => deletion as never,
      },
    }, { bodyLimits: { maxBytes: 2000, timeoutMs: 2000 }});
  });

  beforeEach((): void => {
    failure = undefined;
    as = caller();
    seen.length = 0;
    shared.length = 0;
    running.logs.length = 0;
  });

  afterAll(async(): Promise<void> => running.stop());

  async function list(query: string): Promise<Reply> {
    return running.call('DELETE', `/v1/data-copies?${query}`, { headers: authorized });
  }

  async function share(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return running.call('POST', '/v1/contracts/c1/data', { headers: { ...authorized, ...headers }, body });
  }

  describe('paths', (): void => {
    it.each([
      [ '/v1', true ],
      [ '/v1/webids', true ],
      [ '/v1?x', true ],
      [ '/%76%31/webids', true ],
      [ '/.access/', true ],
      [ '/.uma/token', true ],
      [ 'http://other.example/v1/webids', true ],
      [ '/', false ],
      [ '/v1x/webids', false ],
      [ '/alice/v1/webids', false ],
      [ '//v1/webids', false ],
      [ '/.well-known/uma2-configuration?x', true ],
      [ '/.well-known/openid-configuration', false ],
      [ '/%', false ],
    ])('decides whether it owns %s: %s.', (url, expected): void => {
      expect(running.api.owns({ url })).toBe(expected);
    });

    it.each([
      '/v1/',
      '/v1/webids/',
      '/v1/webid',
      '/v1//webids',
      '/v1/contracts/',
      '/v1/pods/p/resources/',
      '/v1/openapi',
      '/v1/docs/package.json',
      '/v1/docs/..%2fpackage.json',
      '/v1/problems/none',
      '/.uma/none',
    ])('return 404 or 400 at %s.', async(path): Promise<void> => {
      const [ status, type ] = await problem(running.call('GET', path));
      expect([ 'path-unknown', 'about:blank' ]).toContain(type);
      expect(status).toBe(type === 'path-unknown' ? 404 : 400);
    });

    it.each([
      [ 'an encoded slash', '/v1/contracts/a%2Fb' ],
      [ 'an encoded backslash', '/v1/contracts/a%5Cb' ],
      [ 'an encoded NUL', '/v1/contracts/a%00' ],
      [ 'a dot segment', '/v1/contracts/../webids' ],
      [ 'an encoded dot segment', '/v1/contracts/%2e%2E/webids' ],
      [ 'a malformed escape', '/v1/contracts/%zz' ],
      [ 'a malformed UTF-8 escape', '/v1/contracts/%ff' ],
    ])('refuses %s.', async(_name, path): Promise<void> => {
      await expect(problem(running.call('GET', path))).resolves.toEqual([ 400, 'about:blank' ]);
    });

    it('treats an encoded path as its decoded form.', async(): Promise<void> => {
      await expect(running.call('GET', '/%76%31/contracts/%631')).resolves.toMatchObject({ status: 200 });
    });

    it('names the allowed methods of a path when another is used.', async(): Promise<void> => {
      const reply = await running.call('POST', '/v1/webids');
      await expect(problem(reply)).resolves.toEqual([ 405, 'method-not-allowed' ]);
      expect(reply.headers.allow).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
      expect(reply.json()).toMatchObject({ detail: 'POST is not among its methods: GET, PUT, DELETE, HEAD, OPTIONS' });
    });
  });

  describe('correlation ids', (): void => {
    it('returns the one received, and logs it.', async(): Promise<void> => {
      const reply = await running.call('GET', '/v1/contracts/c1', { headers: { 'x-correlation-id': correlationId }});
      expect(reply.headers['x-correlation-id']).toBe(correlationId);
      expect(running.logs.join('\n')).toMatch(
        new RegExp(`${correlationId} GET /v1/contracts/\\{contractId\\} 200 in [\\d.]+ ms$`, 'mu'),
      );
    });

    it('creates one if there is none.', async(): Promise<void> => {
      const { headers } = await running.call('GET', '/v1/contracts/c1');
      expect(headers['x-correlation-id']).toMatch(uuid);
    });

    it.each([ 'abc', '', `${correlationId}, ${correlationId}`, '0b5c0cf45c524e3a8f6f0a52b6a1c001' ])(
      'refuses "%s" on /v1, and returns a new one.',
      async(given): Promise<void> => {
        const reply = await running.call('GET', '/v1/contracts/c1', { headers: { 'x-correlation-id': given }});
        await expect(problem(reply)).resolves.toEqual([ 400, 'correlation-id-invalid' ]);
        expect(reply.headers['x-correlation-id']).toMatch(uuid);
      },
    );

    it.each([ '/.access/none', '/.uma/keys', '/v1/none' ])('refuses one that is not a UUID, also on %s.', async(path):
    Promise<void> => {
      const reply = await running.call('GET', path, { headers: { 'x-correlation-id': 'abc' }});
      await expect(problem(reply)).resolves.toEqual([ 400, 'correlation-id-invalid' ]);
      expect(reply.headers['x-correlation-id']).toMatch(uuid);
    });
  });

  describe('callers', (): void => {
    it('has the token checked against its own base URL, whatever Host says.', async(): Promise<void> => {
      const headers = { ...authorized, dpop: 'proof', host: 'evil.example' };
      await running.call('GET', '/v1/webids?a=%20b', { headers });
      expect(seen).toEqual([{
        request: {
          authorization: 'Bearer token',
          dpop: 'proof',
          method: 'GET',
          url: 'https://pods.example/v1/webids?a=%20b',
        },
        policy: { citizen: true },
      }]);
    });

    it('takes the request target in absolute form without believing its authority.', async(): Promise<void> => {
      await running.call('GET', 'http://evil.example/v1/webids', { headers: authorized });
      expect(seen[0].request.url).toBe('https://pods.example/v1/webids');
    });

    it('requires a citizen only on /v1/webids.', async(): Promise<void> => {
      await running.call('GET', '/v1/contracts/c1/data', { headers: authorized });
      expect(seen[0].policy).toEqual({ citizen: false });
    });

    it('requires no token where none is needed.', async(): Promise<void> => {
      await expect(running.call('GET', '/v1/contracts/c1')).resolves.toMatchObject({ status: 200 });
      expect(seen).toHaveLength(0);
    });

    it('returns 401 with a challenge.', async(): Promise<void> => {
      failure = new TokenInvalid('expired', { headers: { 'WWW-Authenticate': 'DPoP error="invalid_token"' }});
      const reply = await running.call('GET', '/v1/webids', { headers: authorized });
      await expect(problem(reply)).resolves.toEqual([ 401, 'token-invalid' ]);
      expect(reply.headers['www-authenticate']).toBe('DPoP error="invalid_token"');
    });

    it('returns 401 if the token lacks the webid, or 403 where the interface says so.', async(): Promise<void> => {
      failure = new WebIdMissing();
      const reply = running.call('GET', '/v1/contracts/c1/data', { headers: authorized });
      await expect(problem(reply)).resolves.toEqual([ 401, 'claim-missing' ]);
      const path = '/v1/verifications/business-key';
      await expect(problem(running.call('POST', path, { body: {}}))).resolves.toEqual([ 403, 'claim-missing' ]);
    });

    it('returns 403 for a bad token on business-key verification, and 429 unchanged.', async(): Promise<void> => {
      failure = new TokenInvalid();
      const path = '/v1/verifications/business-key';
      await expect(problem(running.call('POST', path, { body: {}}))).resolves.toEqual([ 403, 'token-invalid' ]);
      failure = new TooManyProofs();
      await expect(problem(running.call('POST', path, { body: {}}))).resolves.toEqual([ 429, 'too-many-proofs' ]);
    });

    it('checks the token before query and body.', async(): Promise<void> => {
      failure = new TokenInvalid();
      const reply = running.call('POST', '/v1/data-copies', { body: 'no json' });
      await expect(problem(reply)).resolves.toEqual([ 401, 'token-invalid' ]);
    });

    it('marks responses to deprecated tokens, including problems.', async(): Promise<void> => {
      as = caller({ kind: 'citizen-jws' });
      const reply = await running.call('GET', '/v1/webids', { headers: authorized });
      expect(reply.status).toBe(404);
      expect(reply.headers.deprecation).toMatch(/^@\d+$/u);
      expect(reply.headers).not.toHaveProperty('sunset');
    });

    it('names the end date of deprecated tokens, if it is set.', async(): Promise<void> => {
      const other = await startApi({
        verifier: { verify: async(): Promise<Caller> => caller({ kind: 'citizen-jws' }) },
        webIds: { get: async(): Promise<never> => ({ podUrl: 'p', webId: 'x' }) as never },
      }, { legacyTokensSunset: new Date('2027-01-01') });
      const { headers } = await other.call('GET', '/v1/webids', { headers: authorized });
      expect(headers).toMatchObject({ deprecation: '@1735689600', sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' });
      await other.stop();
    });
  });

  describe('problems', (): void => {
    it('have type, title, status, detail, instance and timestamp.', async(): Promise<void> => {
      const reply = await running.call('GET', '/v1/webids', { headers: authorized });
      expect(reply.json()).toEqual({
        type: `${baseUrl}v1/problems/webid-not-found`,
        title: 'The citizen has no WebID',
        status: 404,
        detail: null,
        instance: expect.stringMatching(/^urn:uuid:[\da-f-]{36}$/u),
        timestamp: '2026-02-03T04:05:06.007Z',
      });
      expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
      expect(reply.headers['cache-control']).toBe('no-store');
    });

    it.each([
      [ '/v1/webids', undefined, 'application/json' ],
      [ '/v1/contracts/none', undefined, 'application/ld+json' ],
      [ '/v1/contracts/none', 'application/problem+json', 'application/problem+json' ],
      [ '/v1/webids', 'application/json;q=0.5, application/problem+json;q=0.5', 'application/problem+json' ],
      [ '/v1/webids', 'application/json, Application/Problem+JSON', 'application/problem+json' ],
      [ '/v1/webids', 'application/json, application/problem+json;q=0.5', 'application/json' ],
      [ '/v1/contracts/none', 'application/json, application/problem+json;q=0.5', 'application/problem+json' ],
      [ '/v1/contracts/a%2Fb', undefined, 'application/ld+json' ],
      [ '/v1/contracts/%zz', undefined, 'application/ld+json' ],
      [ '/v1/webids', 'application/problem+json;q=0', 'application/json' ],
      [ '/v1/webids', '*/*', 'application/json' ],
      [ '/v1/none', undefined, 'application/json' ],
      [ '/.access/none', undefined, 'application/problem+json' ],
    ])('of %s to Accept %s are %s.', async(path, accept, expected): Promise<void> => {
      const { headers } = await running.call('GET', path, { headers: { ...authorized, ...accept && { accept }}});
      expect(headers['content-type']).toBe(expected);
    });

    it('have no body on HEAD.', async(): Promise<void> => {
      const reply = await running.call('HEAD', '/v1/contracts/none');
      expect(reply).toMatchObject({ status: 404, text: '' });
      expect(Number(reply.headers['content-length'])).toBeGreaterThan(0);
    });

    it('for unexpected errors are a bare 500, with the cause in the log.', async(): Promise<void> => {
      const cause = new Error('disk full for 85.07.30-033.28 and eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln');
      failure = new Error('broken', { cause });
      const headers = { ...authorized, 'x-correlation-id': correlationId };
      const reply = await running.call('GET', '/v1/webids', { headers });
      expect(reply.json()).toMatchObject({
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: null,
      });
      expect(reply.text).not.toContain('broken');
      const log = running.logs.join('\n');
      expect(log).toContain(`${correlationId} Error: broken`);
      expect(log).toContain('disk full for [number] and [token]');
    });

    it('in an outage are 503, with its causes in one line of the log.', async(): Promise<void> => {
      running.logs.length = 0;
      const cause = Object.assign(new Error('cannot execute INSERT of 85.07.30-033.28'), { code: '25006' });
      failure = new Error('not stored', { cause });
      const headers = { ...authorized, 'x-correlation-id': correlationId };
      const reply = await running.call('GET', '/v1/webids', { headers });
      await expect(problem(reply)).resolves.toEqual([ 503, 'unavailable' ]);
      expect(running.logs.filter((line): boolean => line.includes('INSERT'))).toEqual([
        `${correlationId} The service is unavailable at the moment. Cause: not stored. ` +
        'Cause: 25006 cannot execute INSERT of [number]',
      ]);
    });

    it('of a text that the database cannot index are those of the request.', async(): Promise<void> => {
      failure = Object.assign(new Error('index row size 4080 exceeds btree version 4 maximum 2704'), { code: '54000' });
      const reply = await running.call('GET', '/v1/webids', { headers: authorized });
      await expect(problem(reply)).resolves.toEqual([ 400, 'body-invalid' ]);
      expect(reply.text).not.toContain('btree');
    });

    it('are sent even if the thrown value is not an error.', async(): Promise<void> => {
      failure = 'text' as unknown as Error;
      await expect(running.call('GET', '/v1/webids', { headers: authorized })).resolves.toMatchObject({ status: 500 });
    });

    it('log neither query, token nor body.', async(): Promise<void> => {
      failure = new GrantRevoked('it was');
      const headers = { authorization: 'Bearer secret-token' };
      await running.call('POST', '/v1/data-copies?secret-query', { headers, body: '"secret-body"' });
      expect(running.logs.join('\n')).not.toContain('secret');
    });
  });

  describe('queries', (): void => {
    it('are read with decoded parameters.', async(): Promise<void> => {
      const known = 'resource=https%3A%2F%2Fa.example%2Fx%2By&purpose=https://p.example/&reason=VC_INVALID';
      const reply = await list(known);
      expect(reply.json()).toEqual({
        resource: 'https://a.example/x+y',
        purpose: 'https://p.example/',
        reason: 'VC_INVALID',
      });
    });

    it.each([
      'resource=https://a.example/&resource=https://a.example/',
      'resource=nothing',
      'resource=https://a.example/&reason=other',
      '',
    ])('are refused when a parameter is wrong: %s.', async(query): Promise<void> => {
      await expect(problem(list(query))).resolves.toEqual([ 400, 'parameter-invalid' ]);
    });

    it.each([ '%', '%zz', '%FF', '%C3', '%ED%A0%80', 'caf\u00E9' ])(
      'are refused unless they are percent-encoded UTF-8: %s.',
      (text): void => {
        const { readQuery } = mount(operations, schemas).find(({ path }): boolean => path === '/v1/resources')!;
        expect(readQuery('resource=https://a.example/caf%C3%A9')).toMatchObject({ resource: 'https://a.example/caf\u00E9' });
        expect((): unknown => readQuery(`resource=https://a.example/${text}`)).toThrow(ParameterInvalid);
      },
    );

    it.each([
      [ '/v1/data-copies?limt=10', 'limt is not a parameter of this operation; did you mean limit?' ],
      [ '/v1/data-copies?limit=10&a%20b=%00', 'a b is not a parameter of this operation.' ],
      [ `/v1/data-copies?${'x'.repeat(500)}=1`, `${'x'.repeat(64)} is not a parameter of this operation.` ],
      [ '/v1/data-copies?__proto__=1', '__proto__ is not a parameter of this operation.' ],
      [ '/v1/contracts/c1?verified=true', 'verified is not a parameter of this operation.' ],
    ])('name the parameter that an operation does not have: %s.', async(path, detail): Promise<void> => {
      const reply = await running.call('GET', path, { headers: authorized });
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject({ type: `${baseUrl}v1/problems/parameter-invalid`, detail });
    });

    it('are refused by every operation but pages if a parameter is unknown.', (): void => {
      const taken = mount(operations, schemas).filter(({ readQuery }): boolean => {
        try {
          return Boolean(readQuery('nonesuch=1'));
        } catch (error: unknown) {
          return !(error instanceof ParameterInvalid) || !error.detail?.startsWith('nonesuch is not a parameter');
        }
      });
      // A page reads its query itself.
      expect(taken.map(({ path }): string => path)).toEqual([ '/.app/**' ]);
    });

    it('are never echoed.', async(): Promise<void> => {
      const { text } = await list('resource=secret-value');
      expect(text).not.toContain('secret-value');
    });
  });

  describe('bodies', (): void => {
    it.each([
      [ 'an object', { dataValues: [ 'a', 'b' ]}],
      [ 'an array', [ 'a', 'b' ]],
      [ 'a string with the text of an object', '"{\\"dataValues\\":[\\"a\\",\\"b\\"]}"' ],
      [ 'a string with the text of an array', '"[\\"a\\",\\"b\\"]"' ],
      [ 'text with a byte order mark', '\uFEFF["a","b"]' ],
      [ 'unknown members', { dataValues: [ 'a', 'b' ], other: 1 }],
    ])('of a choice are %s.', async(_name, body): Promise<void> => {
      await expect(share(body)).resolves.toMatchObject({ status: 200 });
      expect(shared).toEqual([[ 'a', 'b' ]]);
    });

    it.each([
      [ 'nothing', '' ],
      [ 'no JSON', '{' ],
      [ 'null', 'null' ],
      [ 'invalid UTF-8', Buffer.from([ 0x5B, 0x22, 0xFF, 0x22, 0x5D ]) ],
      [ 'a member twice', '{"dataValues":["a"],"dataValues":["b"]}' ],
      [ 'a member twice, escaped once', '{"dataValues":["a"],"d\\u0061taValues":["b"]}' ],
      [ '__proto__', '{"dataValues":["a"],"__proto__":{}}' ],
      [ '__proto__ in a string', JSON.stringify('{"dataValues":["a"],"__proto__":{}}') ],
      [ '33 levels', `{"dataValues":["a"],"x":${'['.repeat(32)}${']'.repeat(32)}}` ],
      [ 'no ids', '[]' ],
      [ '51 ids', JSON.stringify(Array.from({ length: 51 }, (_value, at): string => `${at}`)) ],
      [ 'an id twice', '["a","a"]' ],
      [ 'an empty id', '[""]' ],
      [ 'another type of id', '[1]' ],
      [ 'an object without ids', '{}' ],
    ])('are refused when they are %s.', async(_name, body): Promise<void> => {
      await expect(problem(share(body))).resolves.toEqual([ 400, 'body-invalid' ]);
      expect(shared).toHaveLength(0);
    });

    it('can be 32 levels deep, and repeat a member name in another object.', async(): Promise<void> => {
      const deep = `{"dataValues":["a"],"x":${'['.repeat(31)}${']'.repeat(31)}}`;
      await expect(share(deep)).resolves.toMatchObject({ status: 200 });
      const repeated = '{"dataValues":["a:","{"],"x":{"dataValues":1,"y":"}\\"x\\":"}}';
      await expect(share(repeated)).resolves.toMatchObject({ status: 200 });
    });

    it('are refused with the place of the mistake, without the value.', async(): Promise<void> => {
      const body = { resource: 'secret value', accessGrant: 'https://a.example/' };
      const reply = await running.call('POST', '/v1/data-copies', { headers: authorized, body });
      expect(reply.json()).toMatchObject({ detail: '/resource must match format "iri".' });
    });

    it.each([
      [ 'application/json; charset=UTF-8', 200 ],
      [ 'Application/LD+JSON', 200 ],
      [ 'application/vnd.example+json;charset="utf-8"', 200 ],
      [ 'application/json; charset=iso-8859-1', 415 ],
      [ 'text/json', 415 ],
      [ 'text/plain', 415 ],
      [ 'application/x-www-form-urlencoded', 415 ],
      [ '+json', 415 ],
      [ '', 415 ],
    ])('of media type "%s" give %i.', async(type, expected): Promise<void> => {
      await expect(share([ 'a' ], { 'content-type': type })).resolves.toMatchObject({ status: expected });
    });

    it('count as absent when they come in chunks and are empty.', async(): Promise<void> => {
      const path = '/v1/data-copies?resource=https://r.example/';
      for (const type of [{}, { 'content-type': 'application/json' }]) {
        const headers = { ...authorized, 'transfer-encoding': 'chunked', ...type };
        const reply = await running.call('DELETE', path, { headers });
        expect(reply).toMatchObject({ status: 200 });
        expect(reply.json()).toEqual({ resource: 'https://r.example/' });
        const share = await running.call('POST', '/v1/contracts/c1/data', { headers });
        expect(share.json()).toMatchObject({ status: 400, detail: 'A body is required.' });
      }
    });

    it('in chunks need a media type, too.', async(): Promise<void> => {
      const headers =
        { ...authorized, 'transfer-encoding': 'chunked', 'content-type': [], 'content-length': [] as never };
      const reply = running.call('POST', '/v1/contracts/c1/data', { headers, body: '["a"]' });
      await expect(problem(reply)).resolves.toEqual([ 415, 'media-type-unsupported' ]);
    });

    it('are refused when they are compressed.', async(): Promise<void> => {
      const reply = share([ 'a' ], { 'content-encoding': 'gzip' });
      await expect(problem(reply)).resolves.toEqual([ 415, 'media-type-unsupported' ]);
    });

    it('are refused by their declared length.', async(): Promise<void> => {
      const reply = await share(JSON.stringify([ 'x'.repeat(3000) ]));
      await expect(problem(reply)).resolves.toEqual([ 413, 'body-too-large' ]);
      expect(reply.headers.connection).toBe('close');
    });

    it('are refused on a connection that stays open for the rest of the body.', async(): Promise<void> => {
      const socket = connect(running.port, '127.0.0.1');
      let isEnded = false;
      socket.on('end', (): void => {
        isEnded = true;
      });
      socket.write([
        'POST /v1/contracts/c1/data HTTP/1.1',
        'Host: x',
        'Authorization: Bearer t',
        'Content-Type: application/json',
        'Content-Length: 90000',
        '',
        'x'.repeat(1000),
      ].join('\r\n'));
      const [ answer ] = await once(socket, 'data') as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /u);
      await running.call('GET', '/v1/contracts/c1');
      expect(isEnded).toBe(false);
      socket.write('x'.repeat(89_000));
      await once(socket, 'end');
      socket.destroy();
    });

    it('are refused as soon as they are too long, if no length is declared.', async(): Promise<void> => {
      const text = await raw(running.port, [
        'POST /v1/contracts/c1/data HTTP/1.1',
        'Host: x',
        'Authorization: Bearer t',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        'FFF',
        ` ${'x'.repeat(4094)}`,
        '',
      ]);
      expect(text).toMatch(/^HTTP\/1\.1 413 /u);
    });

    it('are accepted in chunks.', async(): Promise<void> => {
      const text = await raw(running.port, [
        'POST /v1/contracts/c1/data HTTP/1.1',
        'Host: x',
        'Authorization: Bearer t',
        'Connection: close',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        '2',
        '["',
        '3',
        'a"]',
        '0',
        '',
        '',
      ]);
      expect(text).toMatch(/^HTTP\/1\.1 200 /u);
      expect(shared).toEqual([[ 'a' ]]);
    });

    it('are refused when they do not arrive in time.', async(): Promise<void> => {
      const text = await raw(running.port, [
        'POST /v1/contracts/c1/data HTTP/1.1',
        'Host: x',
        'Authorization: Bearer t',
        'Content-Type: application/json',
        'Content-Length: 10',
        '',
        '[',
      ]);
      expect(text).toMatch(/^HTTP\/1\.1 408 /u);
      expect(text).toMatch(/connection: close/iu);
    });

    it('reach no handler when the token has ended before they are all there.', async(): Promise<void> => {
      const socket = connect(running.port, '127.0.0.1');
      const head = [ 'Host: x', 'Authorization: Bearer t', 'Content-Type: application/json', 'Content-Length: 5' ];
      socket.write([ 'POST /v1/contracts/c1/data HTTP/1.1', ...head, 'Connection: close', '', '[' ].join('\r\n'));
      seen.length = 0;
      await until((): boolean => seen.length > 0);
      hasEnded = true;
      socket.write('"a"]');
      const [ text ] = await once(socket, 'data') as Buffer[];
      hasEnded = false;
      socket.destroy();
      expect(text.toString()).toMatch(/^HTTP\/1\.1 401 /u);
      expect(shared).toHaveLength(0);
    });

    it('that end early reach no handler.', async(): Promise<void> => {
      const socket = connect(running.port, '127.0.0.1');
      socket.write([
        'POST /v1/contracts/c1/data HTTP/1.1',
        'Host: x',
        'Authorization: Bearer t',
        'Content-Type: application/json',
        'Content-Length: 10',
        '',
        '[',
      ].join('\r\n'), (): void => {
        socket.destroy();
      });
      await until((): boolean => running.logs.some((line): boolean => line.includes('POST /v1/contracts')));
      expect(running.logs.join('\n')).not.toContain('rejected');
      expect(shared).toHaveLength(0);
    });

    it('of GET are ignored.', async(): Promise<void> => {
      const reply = running.call('GET', '/v1/contracts/c1', { body: 'no json' });
      await expect(reply).resolves.toMatchObject({ status: 200 });
    });
  });
});

/** Writes lines to a socket, and returns what came back until the server closed it. */
async function raw(port: number, lines: string[]): Promise<string> {
  return new Promise((resolve, reject): void => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk): void => {
      text += chunk.toString();
    });
    socket.on('close', (): void => resolve(text));
    socket.on('error', reject);
    socket.write(lines.join('\r\n'));
  });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise<void>((resolve): void => {
      setImmediate(resolve);
    });
  }
}

/** Status and name of a problem. */
async function problem(reply: Reply | Promise<Reply>): Promise<[number, string]> {
  const { status, json } = await reply;
  const { type } = json() as { type: string };
  return [ status, type.replace(`${baseUrl}v1/problems/`, '') ];
}
