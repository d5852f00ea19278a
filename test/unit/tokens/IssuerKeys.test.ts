import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { FetchFailed, FetchRefused } from '../../../src/platform/fetchErrors';
import { createGuardedFetch } from '../../../src/platform/guardedFetch';
import type { IssuerKeySet } from '../../../src/tokens/IssuerKeys';
import { RemoteIssuerKeys } from '../../../src/tokens/IssuerKeys';
import { importPublicKey } from '../../../src/tokens/jws';
import { LoopbackServer } from '../platform/loopbackServer';

const discovery = '/.well-known/openid-configuration';
const key: JWK = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

function kids(set: IssuerKeySet): (string | undefined)[] {
  return set.keys.map(({ kid }): string | undefined => kid);
}

describe('RemoteIssuerKeys', (): void => {
  let server: LoopbackServer;
  let at: Date;
  let keys: RemoteIssuerKeys;

  beforeAll(async(): Promise<void> => {
    server = await LoopbackServer.start();
  });

  beforeEach((): void => {
    server.clear();
    at = new Date('2026-03-02T10:00:00.000Z');
    keys = newKeys(true);
    publish({ issuer: server.url, jwks_uri: `${server.url}/jwks` }, { keys: [{ ...key, kid: 'a' }]});
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  function newKeys(allowLoopback: boolean, issuersFromSettings: string[] = []): RemoteIssuerKeys {
    return new RemoteIssuerKeys({
      fetch: createGuardedFetch({ allowLoopback }),
      issuersFromSettings,
      now: (): Date => at,
    });
  }

  function publish(configuration: unknown, keySet: unknown): void {
    server.serve(discovery, 'application/json', JSON.stringify(configuration));
    server.serve('/jwks', 'application/json', JSON.stringify(keySet));
  }

  it('finds keys by discovery, and returns when.', async(): Promise<void> => {
    const set = await keys.get(server.url);
    expect(kids(set)).toEqual([ 'a' ]);
    expect(set.fetchedAt).toEqual(at);
    expect(server.paths).toEqual([ discovery, '/jwks' ]);
  });

  it('finds the keys of an issuer with a path, with and without a slash at the end.', async(): Promise<void> => {
    const issuer = `${server.url}/realms/x`;
    server.serve(
      `/realms/x${discovery}`,
      'application/json',
      JSON.stringify({ issuer: `${issuer}/`, jwks_uri: `${server.url}/jwks` }),
    );
    expect(kids(await keys.get(issuer))).toEqual([ 'a' ]);
    await keys.get(`${issuer}/`);
    expect(server.requests).toHaveLength(2);
  });

  it('fetches once for many simultaneous callers, and again after two minutes.', async(): Promise<void> => {
    await Promise.all(Array.from({ length: 20 }).map(async(): Promise<unknown> => keys.get(server.url)));
    expect(server.requests).toHaveLength(2);
    at = new Date(at.getTime() + 119_999);
    await keys.get(server.url);
    expect(server.requests).toHaveLength(2);
    at = new Date(at.getTime() + 1);
    await keys.get(server.url);
    expect(server.requests).toHaveLength(4);
  });

  it('fetches again for an unknown key, at most once in 30 seconds.', async(): Promise<void> => {
    await keys.get(server.url);
    publish({ issuer: server.url, jwks_uri: `${server.url}/jwks` }, { keys: [{ ...key, kid: 'b' }]});
    at = new Date(at.getTime() + 29_999);
    expect(kids(await keys.renew(server.url))).toEqual([ 'a' ]);
    at = new Date(at.getTime() + 1);
    expect(kids(await keys.renew(server.url))).toEqual([ 'b' ]);
    expect(kids(await keys.get(server.url))).toEqual([ 'b' ]);
    await keys.renew(server.url);
    expect(server.requests).toHaveLength(4);
  });

  it('does not retry a failed issuer more often than that.', async(): Promise<void> => {
    await keys.get(server.url);
    server.clear();
    at = new Date(at.getTime() + 30_000);
    await expect(keys.renew(server.url)).rejects.toBeInstanceOf(FetchFailed);
    expect(kids(await keys.renew(server.url))).toEqual([ 'a' ]);
    expect(server.requests).toHaveLength(1);
  });

  it('does not remember failures.', async(): Promise<void> => {
    server.answers.delete('/jwks');
    await expect(keys.get(server.url)).rejects.toBeInstanceOf(FetchFailed);
    server.serve('/jwks', 'application/json', '{"keys":[]}');
    expect(kids(await keys.get(server.url))).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, unknown]>([
    [ 'a discovery document of another issuer', { issuer: 'https://idp.example/' }, { keys: []}],
    [ 'a discovery document without issuer', { issuer: undefined }, { keys: []}],
    [ 'a discovery document without keys', { jwks_uri: undefined }, { keys: []}],
    [ 'a jwks_uri that is a list', { jwks_uri: [ 'x' ]}, { keys: []}],
    [ 'a key set that is a list', {}, []],
    [ 'keys that are no list', {}, { keys: {}}],
  ])('refuses %s.', async(...[ , changes, keySet ]): Promise<void> => {
    publish({ issuer: server.url, jwks_uri: `${server.url}/jwks`, ...changes }, keySet);
    await expect(keys.get(server.url)).rejects.toBeInstanceOf(FetchFailed);
  });

  it('refuses what is not JSON.', async(): Promise<void> => {
    server.serve(discovery, 'application/json', '<html>');
    await expect(keys.get(server.url)).rejects
      .toMatchObject({ name: 'FetchFailed', message: 'the answer is not a JSON object' });
  });

  it('skips entries that are not keys.', async(): Promise<void> => {
    publish(
      { issuer: server.url, jwks_uri: `${server.url}/jwks` },
      { keys: [ null, 'x', [ key ], { ...key, kid: 'a' }]},
    );
    expect(kids(await keys.get(server.url))).toEqual([ 'a' ]);
  });

  it('imports no RSA key with a number longer than any usable key has.', async(): Promise<void> => {
    const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    const rsa = { kty: 'RSA', alg: 'RS256', n };
    // Node.js would read it for a second; one of a megabyte, for a minute.
    const slow = { ...rsa, kid: 'slow', e: 'B'.repeat(120_000) };
    publish({ issuer: server.url, jwks_uri: `${server.url}/jwks` }, { keys: [ slow, { ...rsa, kid: 'a', e }]});
    const set = await keys.get(server.url);
    await expect(set.candidates({ kid: 'slow' }, 'RS256')).resolves.toEqual([]);
    await expect(set.candidates({}, 'RS256')).resolves.toHaveLength(1);
    await expect(set.candidates({ kid: 'a' }, 'RS256')).resolves.toHaveLength(1);
    expect(importPublicKey(slow)).toBeUndefined();
  });

  it('keeps at most a hundred keys.', async(): Promise<void> => {
    const many = Array.from({ length: 1000 }, (_, at): object => ({ ...key, kid: `${at}` }));
    publish({ issuer: server.url, jwks_uri: `${server.url}/jwks` }, { keys: many });
    expect(kids(await keys.get(server.url))).toHaveLength(100);
  });

  it('keeps few large key sets, which may be ten times as large in memory.', async(): Promise<void> => {
    const filler = Array.from({ length: 80_000 }, (): object => []);
    const issuers = Array.from({ length: 40 }, (_, at): string => `${server.url}/${at}`);
    for (const issuer of issuers) {
      const { pathname } = new URL(issuer);
      const configuration = { issuer, jwks_uri: `${issuer}/jwks` };
      server.serve(pathname + discovery, 'application/json', JSON.stringify(configuration));
      server.serve(`${pathname}/jwks`, 'application/json', JSON.stringify({ keys: [{ ...key, filler }]}));
      await keys.get(issuer);
    }
    server.clear();
    await expect(keys.get(issuers.at(-1)!)).resolves.toHaveProperty('keys.length', 1);
    await expect(keys.get(issuers[0])).rejects.toBeInstanceOf(FetchFailed);
  });

  it('does not follow a jwks_uri into its own network.', async(): Promise<void> => {
    publish({ issuer: server.url, jwks_uri: 'http://10.0.0.1/jwks' }, {});
    await expect(keys.get(server.url)).rejects.toBeInstanceOf(FetchRefused);
  });

  it('fetches from issuers in the settings wherever they are, and from no others.', async(): Promise<void> => {
    await expect(newKeys(false).get(server.url)).rejects.toBeInstanceOf(FetchRefused);
    expect(server.requests).toEqual([]);
    const known = newKeys(false, [ `${server.url}/` ]);
    expect(kids(await known.get(server.url))).toEqual([ 'a' ]);
  });
});
