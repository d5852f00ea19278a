import type { RequestListener, ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { ClientCredentials } from '../../../../src/sources/http/ClientCredentials';
import { HttpSource } from '../../../../src/sources/http/HttpSource';
import type { ServiceLimits } from '../../../../src/sources/http/ServiceClient';
import { ServiceClient } from '../../../../src/sources/http/ServiceClient';
import { SourceFailure } from '../../../../src/sources/Source';
import { answerJson, startLoopback } from '../../../support/loopback';
import { SourceServer } from './SourceServer';

const dataType = 'https://example.org/v1/data-types/diploma/2024-05-22';
const number = '85073099140';
const another = '85073003328';
const record = { id: 'diploma-1', version: '3', credentialSubject: { name: 'Bachelor' }};
const limits: ServiceLimits = {
  timeoutMs: 60_000,
  maxAnswerBytes: 10_000,
  retries: 2,
  retryDelayMs: 1,
  breakAfter: { failures: 100, requests: 1 },
  breakMs: 60_000,
};

/** Returns how a call fails: everything that could reach a log. */
async function failure(call: Promise<unknown>): Promise<string> {
  const error = await call.then((): undefined => undefined, (reason: unknown): unknown => reason);
  expect(error).toBeInstanceOf(SourceFailure);
  const texts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    texts.push(at.message);
  }
  expect(texts.join(',')).not.toMatch(/85073099140|token-|Bachelor|secret/u);
  return texts[0];
}

describe('An HTTP source', (): void => {
  let server: SourceServer;
  let now: Date;

  beforeEach(async(): Promise<void> => {
    server = await SourceServer.start();
    now = new Date('2026-01-01T12:00:00Z');
  });

  afterEach(async(): Promise<void> => {
    jest.restoreAllMocks();
    await server.stop();
  });

  function source(changed: Partial<ServiceLimits> = {}, settings = server.settings): HttpSource {
    const credentials = new ClientCredentials(settings, limits.timeoutMs, (): Date => now);
    const client = new ServiceClient(`${server.url}/source`, credentials, { ...limits, ...changed });
    return new HttpSource(dataType, client, [ 'did:key:z' ]);
  }

  function answer(status: number, body: unknown, type?: string): void {
    server.behaviour = (response): void => answerJson(response, status, body, type);
  }

  it('resolves paths in a subject\'s context against this server, but not in credentials.', async(
  ): Promise<void> => {
    const context = { '@vocab': '/v1/ns/core#' };
    const signed = { id: 'diploma-2', version: '1', credential: { '@context': [ '/v1/x' ]}};
    answer(200, { records: [{ ...record, credentialSubject: { '@context': context, name: '/v1/left' }}, signed ]});
    await expect(source().list(number)).resolves.toEqual([
      {
        ...record,
        credentialSubject: { '@context': { '@vocab': 'https://example.org/v1/ns/core#' }, name: '/v1/left' },
      },
      signed,
    ]);
  });

  it('requests records with the number in the body only, and a token.', async(): Promise<void> => {
    answer(200, { records: [ record ]});
    await expect(source().list(number)).resolves.toEqual([ record ]);
    expect(server.got).toEqual([
      { url: '/source/records', token: 'Bearer token-1', body: JSON.stringify({ citizen: number, dataType }) },
    ]);
  });

  it('asks whether a record is still valid, with its credential if there is one.', async(): Promise<void> => {
    answer(200, { valid: false });
    await expect(source().verify({ id: 'a', version: '1' })).resolves.toBe(false);
    answer(200, { valid: true });
    await expect(source().verify({ id: 'a', version: '1', credential: { id: 'c' }})).resolves.toBe(true);
    expect(server.got.map(({ url, body }): string => url + body)).toEqual([
      '/source/verify{"id":"a","version":"1"}',
      '/source/verify{"id":"a","version":"1","credential":{"id":"c"}}',
    ]);
  });

  it('gets its token from an ordinary OpenID provider.', async(): Promise<void> => {
    // The library warns of everything that is not configured for production.
    const consoles = [ jest.spyOn(console, 'warn'), jest.spyOn(console, 'info') ];
    for (const spy of consoles) {
      spy.mockImplementation();
    }
    let handle: (...call: Parameters<RequestListener>) => unknown;
    const host = await startLoopback((request, response): unknown => handle(request, response));
    try {
      const provider = new Provider(host.url, {
        clients: [{
          client_id: 'sharing',
          client_secret: 's3cret s3cret',
          grant_types: [ 'client_credentials' ],
          redirect_uris: [],
          response_types: [],
        }],
        features: { clientCredentials: { enabled: true }},
      });
      handle = provider.callback();
      const settings = { issuer: host.url, clientId: 'sharing', clientSecret: 's3cret s3cret' };
      await expect(source({}, settings).list(number)).resolves.toEqual([]);
      expect(server.got[0].token).toMatch(/^Bearer [\w-]{20,}$/u);
    } finally {
      for (const spy of consoles) {
        spy.mockRestore();
      }
      await host.stop();
    }
  });

  it('sends its secret in the body if the server accepts no other form.', async(): Promise<void> => {
    server.metadata = { token_endpoint_auth_methods_supported: [ 'client_secret_post' ]};
    await expect(source().list(number)).resolves.toEqual([]);
  });

  it('uses one token for many calls until shortly before it expires.', async(): Promise<void> => {
    const good = source();
    await Promise.all([ good.list(number), good.list(number), good.list(number) ]);
    now = new Date(now.getTime() + 3569_000);
    await good.list(number);
    expect(server.tokens).toBe(1);
    now = new Date(now.getTime() + 2000);
    await good.list(number);
    expect(server.tokens).toBe(2);
  });

  it('uses a short-lived token for half its time.', async(): Promise<void> => {
    server.expiresIn = 20;
    const good = source();
    await good.list(number);
    now = new Date(now.getTime() + 9000);
    await good.list(number);
    expect(server.tokens).toBe(1);
    now = new Date(now.getTime() + 2000);
    await good.list(number);
    expect(server.tokens).toBe(2);
  });

  it('gets another token once if one is refused.', async(): Promise<void> => {
    server.behaviour = (response, at): void => answerJson(response, at === 1 ? 401 : 200, { records: []});
    await expect(source().list(number)).resolves.toEqual([]);
    expect(server.got.map(({ token }): string | undefined => token)).toEqual([ 'Bearer token-1', 'Bearer token-2' ]);
  });

  it('fails if the second token is refused, too.', async(): Promise<void> => {
    answer(401, {});
    await expect(failure(source().list(number))).resolves.toBe(`${server.url}/source/records answered 401`);
    expect(server.got).toHaveLength(2);
  });

  it.each([ 500, 503, 429 ])('retries on %i.', async(status): Promise<void> => {
    server.behaviour = (response, at): void => answerJson(response, at < 3 ? status : 200, { records: [ record ]});
    await expect(source().list(number)).resolves.toEqual([ record ]);
    expect(server.got).toHaveLength(3);
  });

  it('retries when the connection breaks, and then fails.', async(): Promise<void> => {
    server.behaviour = (response): void => {
      response.destroy();
    };
    await expect(failure(source().list(number))).resolves.toBe(`${server.url}/source/records did not respond`);
    expect(server.got).toHaveLength(3);
  });

  it.each([ 400, 403, 404, 204, 201 ])('fails at once on %i.', async(status): Promise<void> => {
    answer(status, status === 204 ? undefined : { records: []});
    await expect(failure(source().list(number))).resolves.toBe(`${server.url}/source/records answered ${status}`);
    expect(server.got).toHaveLength(1);
  });

  it('follows no redirect.', async(): Promise<void> => {
    server.behaviour = (response): void => {
      response.writeHead(307, [[ 'Location', `${server.url}/elsewhere` ]]).end();
    };
    await expect(failure(source().list(number))).resolves.toContain('answered 307');
    expect(server.got).toHaveLength(1);
  });

  it.each<[string, (response: ServerResponse) => unknown]>([
    [ 'never answers', (response): unknown => response.statusCode ],
    [ 'stops in the middle of its answer', (response): void => {
      response.writeHead(200, [[ 'Content-Type', 'application/json' ]]).write('{"records":');
    } ],
  ])('gives up on a service that %s.', async(_what, behaviour): Promise<void> => {
    server.behaviour = behaviour;
    // The token is not subject to this limit.
    await expect(failure(source({ timeoutMs: 1000, retries: 0 }).list(number))).resolves.toContain('did not respond');
    expect(server.got).toHaveLength(1);
  });

  it('limits the size of responses.', async(): Promise<void> => {
    answer(200, { records: [{ ...record, id: 'x'.repeat(500), credentialSubject: { name: 'y'.repeat(10_000) }}]});
    await expect(failure(source().list(number))).resolves.toContain('more than 10000 bytes');
    expect(server.got).toHaveLength(1);
  });

  it('accepts JSON types, and nothing else.', async(): Promise<void> => {
    answer(200, { records: []}, 'application/vnd.example+json; charset=utf-8');
    await expect(source().list(number)).resolves.toEqual([]);
    answer(200, { records: []}, 'text/plain');
    await expect(failure(source().list(number))).resolves.toContain('did not return JSON');
  });

  it('does not quote malformed JSON.', async(): Promise<void> => {
    server.behaviour = (response): void => {
      response.writeHead(200, [[ 'Content-Type', 'application/json' ]]).end(`Bachelor of ${number}`);
    };
    await expect(failure(source().list(number))).resolves.toContain('malformed JSON');
  });

  it.each<[string, unknown]>([
    [ 'an array', []],
    [ 'no records', {}],
    [ 'another member', { records: [], next: null }],
    [ 'a record without version', { records: [{ id: 'a', credentialSubject: {}}]}],
    [ 'a record with an empty id', { records: [{ ...record, id: '' }]}],
    [ 'a record with a number for version', { records: [{ ...record, version: 1 }]}],
    [ 'a record without content', { records: [{ id: 'a', version: '1' }]}],
    [ 'a record with both contents', { records: [{ ...record, credential: {}}]}],
    [ 'a record with text for content', { records: [{ id: 'a', version: '1', credential: 'eyJ' }]}],
    [ 'a record with another member', { records: [{ ...record, citizen: number }]}],
    [ 'two records with one id', { records: [ record, { ...record, version: '4' }]}],
  ])('refuses %s as records.', async(_what, body): Promise<void> => {
    answer(200, body);
    await expect(failure(source().list(number))).resolves.toContain(dataType);
  });

  const noVerdicts = [ true, {}, { valid: 'true' }, { valid: true, reason: 'x' }];

  it.each<unknown>(noVerdicts)('refuses %j as a verification result.', async(body): Promise<void> => {
    answer(200, body);
    await expect(failure(source().verify({ id: 'a', version: '1' }))).resolves.toContain(dataType);
  });

  it('pauses requests to a service of which several different ones failed in a row.', async(): Promise<void> => {
    answer(500, {});
    const broken = source({ breakAfter: { failures: 5, requests: 2 }});
    await failure(broken.list(number));
    await expect(failure(broken.list(another))).resolves.toContain('is not called for a while');
    expect(server.got).toHaveLength(5);
    answer(200, { records: []});
    await expect(failure(broken.list(number))).resolves.toContain('is not called for a while');
    expect(server.got).toHaveLength(5);
  });

  it('pauses one request alone if it always fails.', async(): Promise<void> => {
    server.behaviour = (response): void =>
      answerJson(response, server.got.at(-1)!.body.includes(number) ? 500 : 200, { records: []});
    const broken = source({ retries: 0, breakAfter: { failures: 2, requests: 2 }, breakMs: 60_000 });
    for (const expected of [ 'answered 500', 'answered 500', 'is not called for a while' ]) {
      await expect(failure(broken.list(number))).resolves.toContain(expected);
      await expect(broken.list(another)).resolves.toEqual([]);
    }
    answer(200, { records: []});
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await expect(broken.list(number)).resolves.toEqual([]);
    answer(500, {});
    await expect(failure(broken.list(number))).resolves.toContain('answered 500');
    await expect(failure(broken.list(number))).resolves.toContain('answered 500');
  });

  it('retries a service after a pause, with another request than those that failed.', async(): Promise<void> => {
    answer(500, {});
    const broken = source({ retries: 0, breakAfter: { failures: 2, requests: 2 }, breakMs: 60_000 });
    await failure(broken.list(number));
    await failure(broken.list(another));
    answer(200, { records: []});
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    await expect(failure(broken.list(number))).resolves.toContain('is not called for a while');
    await expect(broken.list('85073000160')).resolves.toEqual([]);
    await expect(broken.list(number)).resolves.toEqual([]);
  });

  it('retries a service after two pauses with the same request.', async(): Promise<void> => {
    answer(500, {});
    const broken = source({ retries: 0, breakAfter: { failures: 1, requests: 1 }, breakMs: 60_000 });
    await failure(broken.list(number));
    answer(200, { records: []});
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 120_000);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 120_000);
    await expect(broken.list(number)).resolves.toEqual([]);
  });

  it('does not pause requests to a service that refuses them.', async(): Promise<void> => {
    answer(400, {});
    const refused = source({ breakAfter: { failures: 1, requests: 1 }});
    await failure(refused.list(number));
    await failure(refused.list(number));
    expect(server.got).toHaveLength(2);
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    [ 'refuses the client', (response): void =>
      answerJson(response, 400, { error: 'invalid_client' }), 'invalid_client' ],
    [ 'is down', (response): void => answerJson(response, 503, {}), 'answered 503' ],
    [ 'gives a MAC token', (response): void =>
      answerJson(response, 200, { access_token: 'token-1', token_type: 'mac' }), 'no' ],
    [ 'gives garbage', (response): void => {
      response.writeHead(200, [[ 'Content-Type', 'application/json' ]]).end('{"access_token":"token-1"');
    }, 'returned no token' ],
  ])('sends no request if its authorization server %s.', async(_what, tokenAnswer, message): Promise<void> => {
    server.tokenAnswer = tokenAnswer;
    await expect(failure(source().list(number))).resolves.toContain(message);
    expect(server.got).toHaveLength(0);
  });

  it('fails if the authorization server has another issuer.', async(): Promise<void> => {
    server.metadata = { issuer: 'https://elsewhere.example' };
    await expect(failure(source().list(number))).resolves.toContain('returned no token');
  });
});
