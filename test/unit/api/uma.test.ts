import { TokenInvalid, TokenMissing, TooManyProofs } from '../../../src/problems';
import type { TokenRequest } from '../../../src/tokens/Caller';
import { OAuthError } from '../../../src/uma/OAuthError';
import { umaConfiguration } from '../../../src/uma/umaConfiguration';
import type { TokenAnswer, TokenForm } from '../../../src/uma/UmaService';
import type { Reply, RunningApi } from '../http/server';
import { baseUrl, startApi } from '../http/server';

const formType = 'application/x-www-form-urlencoded';
const grant_type = 'urn:ietf:params:oauth:grant-type:uma-ticket';

describe('The token endpoint', (): void => {
  const asked: { form: TokenForm; proof: TokenRequest }[] = [];
  let failure: Error | undefined;
  let running: RunningApi;

  beforeAll(async(): Promise<void> => {
    running = await startApi({ uma: {
      configuration: umaConfiguration(baseUrl),
      keys: async(): Promise<{ keys: object[] }> => ({ keys: []}),
      exchange: async(form, proof): Promise<TokenAnswer> => {
        asked.push({ form, proof });
        if (failure) {
          throw failure;
        }
        return { access_token: 'token', token_type: 'Bearer', expires_in: 300 };
      },
    }});
  });

  beforeEach((): void => {
    asked.length = 0;
    failure = undefined;
  });

  afterAll(async(): Promise<void> => running.stop());

  async function post(body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return running.call('POST', '/.uma/token', { body, headers: { 'content-type': formType, ...headers }});
  }

  it('is found by the discovery document.', async(): Promise<void> => {
    const { status, headers, json } = await running.call('GET', '/.well-known/uma2-configuration');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': expect.any(String) });
    expect(json()).toMatchObject({
      issuer: 'https://pods.example',
      token_endpoint: 'https://pods.example/.uma/token',
      jwks_uri: 'https://pods.example/.uma/keys',
      verifiable_credential_issuer: 'https://pods.example/.access/',
      grant_types_supported: [ grant_type ],
      uma_profiles_supported: [
        'https://www.w3.org/TR/vc-data-model/#json-ld',
        'http://openid.net/specs/openid-connect-core-1_0.html#IDToken',
      ],
      dpop_signing_alg_values_supported: expect.arrayContaining([ 'ES256' ]),
    });
    expect((await running.call('GET', '/.uma/keys')).json()).toEqual({ keys: []});
  });

  it('accepts a form, and returns a token that must not be cached.', async(): Promise<void> => {
    const body = new URLSearchParams({ grant_type, ticket: 'a.b', claim_token: 'a+/=', more: '1' }).toString();
    const { status, headers, text } = await post(body, {
      'content-type': `${formType}; charset=UTF-8`,
      authorization: 'DPoP abc',
      dpop: 'proof',
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(text.length),
      'cache-control': 'no-store',
    });
    expect(JSON.parse(text)).toEqual({ access_token: 'token', token_type: 'Bearer', expires_in: 300 });
    expect(asked).toEqual([{
      form: { grant_type, ticket: 'a.b', claim_token: 'a+/=' },
      proof: { authorization: 'DPoP abc', dpop: 'proof', method: 'POST', url: 'https://pods.example/.uma/token' },
    }]);
  });

  it.each<[string, unknown, Record<string, string>, number]>([
    [ 'JSON', { grant_type }, { 'content-type': 'application/json' }, 400 ],
    [ 'a body of no type', 'grant_type=x', { 'content-type': '' }, 400 ],
    [ 'a compressed body', 'grant_type=x', { 'content-encoding': 'gzip' }, 400 ],
    [ 'another character set', 'grant_type=x', { 'content-type': `${formType}; charset=latin1` }, 400 ],
    [ 'no body', '', {}, 400 ],
    [ 'a form without grant type', 'ticket=x', {}, 400 ],
    [ 'a field twice', 'grant_type=x&ticket=a&ticket=b', {}, 400 ],
    [ 'a huge body', `grant_type=${'x'.repeat(200_000)}`, {}, 413 ],
  ])('refuses %s as OAuth does.', async(_what, body, headers, expected): Promise<void> => {
    const reply = await post(body, headers);
    expect(reply.status).toBe(expected);
    expect(reply.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(reply.json()).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    expect(asked).toEqual([]);
  });

  it.each<[Error, number, object]>([
    [ new OAuthError(400, 'invalid_grant', 'Used.'), 400, { error: 'invalid_grant', error_description: 'Used.' }],
    [
      new OAuthError(403, 'need_info', 'More.', { ticket: 'x' }),
      403,
      { error: 'need_info', error_description: 'More.', ticket: 'x' },
    ],
    [ new TokenInvalid('It is bad.'), 401, { error: 'invalid_token', error_description: 'It is bad.' }],
    [ new TokenMissing(), 401, { error: 'invalid_token', error_description: 'An access token is required.' }],
    [ new TooManyProofs(), 429, { error: 'temporarily_unavailable', error_description: expect.any(String) }],
    [ new Error('the database is gone'), 500, { error: 'server_error' }],
  ])('returns errors as OAuth does: %s.', async(error, status, body): Promise<void> => {
    failure = error;
    const reply = await post('grant_type=x');
    expect(reply.status).toBe(status);
    expect(reply.json()).toEqual(body);
  });

  it('challenges a caller without a valid token.', async(): Promise<void> => {
    failure = new TokenMissing(undefined, { headers: { 'WWW-Authenticate': 'DPoP algs="ES256"' }});
    expect((await post('grant_type=x')).headers).toMatchObject({ 'www-authenticate': 'DPoP algs="ES256"' });
  });

  it('logs the cause of unexpected errors, and no other refusal.', async(): Promise<void> => {
    running.logs.length = 0;
    failure = new OAuthError(403, 'request_denied', 'No.');
    await post('grant_type=x');
    expect(running.logs).toEqual([ expect.stringContaining('403') ]);
    failure = new Error('the database is gone');
    await post('grant_type=x');
    expect(running.logs.join('\n')).toContain('the database is gone');
  });

  it('accepts only POST.', async(): Promise<void> => {
    const { status, headers } = await running.call('GET', '/.uma/token');
    expect([ status, headers.allow ]).toEqual([ 405, 'POST, OPTIONS' ]);
  });
});
