import { createHash, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { TokenInvalid, TooManyProofs } from '../../../src/problems';
import type { Problem } from '../../../src/problems';
import type { Caller, TokenRequest } from '../../../src/tokens/Caller';
import { MemoryProofStore } from '../../../src/tokens/MemoryProofStore';
import { baseUrl, bob, compact, newKey, requestUrl, sign, TokenWorld } from './tokenWorld';

const anyOperation = { citizen: false };
const otherHash = createHash('sha256').update('another token').digest('base64url');

describe('A DPoP proof', (): void => {
  let world: TokenWorld;
  let token: string;

  beforeAll(async(): Promise<void> => {
    world = await TokenWorld.create();
  });

  beforeEach(async(): Promise<void> => {
    world = new TokenWorld(world.issuerKey, world.clientKey);
    token = await world.token();
  });

  async function verify(request: TokenRequest): Promise<Caller> {
    return world.verifier().verify(request, anyOperation);
  }

  async function refusal(request: TokenRequest): Promise<string | undefined> {
    const problem = await verify(request).catch((error: unknown): Problem => error as Problem) as Problem;
    expect(problem).toBeInstanceOf(TokenInvalid);
    expect(problem.headers['WWW-Authenticate']).toContain('error="invalid_dpop_proof"');
    return problem.detail;
  }

  it.each([
    'https://pods.example/v1/resources',
    'https://PODS.example:443/v1/resources',
    'https://pods.example/v1/resources?resource=y#z',
    'https://pods.example/v1/./x/../resources',
    'https://pods.example/%76%31/resources',
  ])('is accepted with htu %s.', async(htu): Promise<void> => {
    await expect(verify(await world.dpopRequest(token, { htu }))).resolves.toMatchObject({ webId: bob });
  });

  it('is accepted with escapes in either case.', async(): Promise<void> => {
    const request = await world.dpopRequest(token, { htu: `${baseUrl}caf%c3%a9` });
    await expect(verify({ ...request, url: `${baseUrl}caf%C3%A9` })).resolves.toMatchObject({ webId: bob });
  });

  it('is accepted from 60 seconds ago to 60 seconds ahead.', async(): Promise<void> => {
    for (const iat of [ world.seconds - 60, world.seconds + 60, world.seconds - 0.5 ]) {
      await expect(verify(await world.dpopRequest(token, { iat }))).resolves.toMatchObject({ webId: bob });
    }
  });

  it('is accepted as the only one in a list.', async(): Promise<void> => {
    const request = await world.dpopRequest(token);
    await expect(verify({ ...request, dpop: [ request.dpop as string ]})).resolves.toMatchObject({ webId: bob });
  });

  it.each([ 'ES384', 'RS256', 'PS256', 'EdDSA' ])('is accepted with %s.', async(alg): Promise<void> => {
    const clientWorld = new TokenWorld(world.issuerKey, await newKey(alg));
    const request = await clientWorld.dpopRequest(await clientWorld.token(), {}, { alg });
    await expect(clientWorld.verifier().verify(request, anyOperation)).resolves.toMatchObject({ webId: bob });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [ 'without htm', { htm: undefined }, 'htm is not the method of the request' ],
    [ 'for another method', { htm: 'POST' }, 'htm is not the method of the request' ],
    [ 'for a method in lower case', { htm: 'get' }, 'htm is not the method of the request' ],
    [ 'without htu', { htu: undefined }, 'htu is not the URL of the request' ],
    [ 'for another path', { htu: `${baseUrl}v1/resources/` }, 'htu is not the URL of the request' ],
    [ 'for a path with an escaped slash', { htu: `${baseUrl}v1%2Fresources` }, 'htu is not the URL of the request' ],
    [ 'for another host', { htu: 'https://pods.example.evil/v1/resources' }, 'htu is not the URL of the request' ],
    [ 'for another port', { htu: 'https://pods.example:8443/v1/resources' }, 'htu is not the URL of the request' ],
    [ 'for another scheme', { htu: 'http://pods.example/v1/resources' }, 'htu is not the URL of the request' ],
    [ 'for a URL with a user', { htu: 'https://me@pods.example/v1/resources' }, 'htu is not the URL of the request' ],
    [ 'for a relative URL', { htu: '/v1/resources' }, 'htu is not the URL of the request' ],
    [ 'without iat', { iat: undefined }, 'iat of the DPoP proof is missing' ],
    [ 'with iat in text', { iat: '1772445600' }, 'iat of the DPoP proof is missing' ],
    [ 'that is old', { iat: 1_772_445_600 - 61 }, 'the DPoP proof is not of this minute' ],
    [ 'from the future', { iat: 1_772_445_600 + 61 }, 'the DPoP proof is not of this minute' ],
    [ 'without jti', { jti: undefined }, 'jti is missing or too long' ],
    [ 'with an empty jti', { jti: '' }, 'jti is missing or too long' ],
    [ 'with a jti that is a number', { jti: 7 }, 'jti is missing or too long' ],
    [ 'with a long jti', { jti: 'x'.repeat(257) }, 'jti is missing or too long' ],
    [ 'with an empty ath', { ath: '' }, 'ath is not the hash of the access token' ],
    [ 'with ath null', { ath: null }, 'ath is not the hash of the access token' ],
    [ 'for another token', { ath: otherHash }, 'ath is not the hash of the access token' ],
    [ 'that has expired', { exp: 1_772_445_600 - 61 }, 'the DPoP proof has expired' ],
    [ 'with exp in text', { exp: '1772445700' }, 'the DPoP proof has expired' ],
    [ 'that is not valid yet', { nbf: 1_772_445_600 + 61 }, 'the DPoP proof is not valid yet' ],
    [ 'with nbf null', { nbf: null }, 'the DPoP proof is not valid yet' ],
  ])('is refused %s.', async(...[ , changes, detail ]): Promise<void> => {
    expect(world.seconds).toBe(1_772_445_600);
    await expect(refusal(await world.dpopRequest(token, changes))).resolves.toBe(detail);
  });

  it('can lack the hash of its token, as with stock Solid clients.', async(): Promise<void> => {
    const request = await world.dpopRequest(token, { ath: undefined });
    await expect(verify(request)).resolves.toMatchObject({ webId: bob });
  });

  it('can say from when until when it is valid.', async(): Promise<void> => {
    const request = await world.dpopRequest(token, { nbf: world.seconds + 60, exp: world.seconds - 59 });
    await expect(verify(request)).resolves.toMatchObject({ webId: bob });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [ 'without typ', { typ: undefined }, 'typ of the DPoP proof is not dpop+jwt' ],
    [ 'of another typ', { typ: 'at+jwt' }, 'typ of the DPoP proof is not dpop+jwt' ],
    [ 'without jwk', { jwk: undefined }, 'the DPoP proof has no jwk' ],
    [ 'with jwk in text', { jwk: '{}' }, 'the DPoP proof has no jwk' ],
    [ 'with an empty jwk', { jwk: {}}, 'jwk of the DPoP proof does not fit its alg' ],
    [ 'with a symmetric key', { jwk: { kty: 'oct', k: 'AAAA' }}, 'jwk of the DPoP proof holds a private key' ],
    [ 'with alg none', { alg: 'none' }, 'alg of the DPoP proof is not an accepted asymmetric algorithm' ],
    [ 'with alg HS256', { alg: 'HS256' }, 'alg of the DPoP proof is not an accepted asymmetric algorithm' ],
    [ 'with an alg of another key', { alg: 'RS256' }, 'jwk of the DPoP proof does not fit its alg' ],
    [ 'with critical extensions', { crit: [ 'b64' ], b64: false }, 'critical header extensions are not supported' ],
  ])('is refused %s.', async(...[ , header, detail ]): Promise<void> => {
    const dpop = compact({ alg: 'ES256', typ: 'dpop+jwt', jwk: world.clientKey.jwk, ...header }, {});
    await expect(refusal({ ...await world.dpopRequest(token), dpop })).resolves.toBe(detail);
  });

  it('is refused with a private key in it.', async(): Promise<void> => {
    const jwk = await exportJWK(world.clientKey.privateKey);
    expect(jwk).toHaveProperty('d');
    await expect(refusal(await world.dpopRequest(token, {}, { jwk }))).resolves
      .toBe('jwk of the DPoP proof holds a private key');
  });

  it('is refused with a key that is not on its curve.', async(): Promise<void> => {
    const jwk = { ...world.clientKey.jwk, y: world.clientKey.jwk.x };
    await expect(refusal(await world.dpopRequest(token, {}, { jwk }))).resolves
      .toBe('the signature of the DPoP proof is not valid');
  });

  it('is refused if it was changed after signing.', async(): Promise<void> => {
    const request = await world.dpopRequest(token, { htm: 'POST' });
    const [ header, , signature ] = (request.dpop as string).split('.');
    const [ , payload ] = (await world.proof(token)).split('.');
    await expect(refusal({ ...request, dpop: `${header}.${payload}.${signature}` })).resolves
      .toBe('the signature of the DPoP proof is not valid');
  });

  it('is refused with another key, also after the right key was seen.', async(): Promise<void> => {
    await verify(await world.dpopRequest(token));
    const thief = new TokenWorld(world.issuerKey, await newKey());
    await expect(refusal({ ...await world.dpopRequest(token), dpop: await thief.proof(token) })).resolves
      .toBe('the DPoP proof is not of the key that the token is bound to');
    const dpop = await sign(
      { alg: 'ES256', typ: 'dpop+jwt', jwk: world.clientKey.jwk },
      { htm: 'GET', htu: requestUrl, iat: world.seconds, jti: '1' },
      thief.clientKey.privateKey,
    );
    await expect(refusal({ ...await world.dpopRequest(token), dpop })).resolves
      .toBe('the signature of the DPoP proof is not valid');
  });

  it('is refused with a short RSA key.', async(): Promise<void> => {
    const jwk = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const bound = await world.token({ cnf: { jkt: await calculateJwkThumbprint(jwk) }});
    const dpop = compact({ alg: 'RS256', typ: 'dpop+jwt', jwk }, {});
    await expect(refusal({ ...await world.dpopRequest(bound), dpop })).resolves
      .toBe('the signature of the DPoP proof is not valid');
  });

  it('must be a single one.', async(): Promise<void> => {
    const request = await world.dpopRequest(token);
    const second = await world.proof(token);
    await expect(refusal({ ...request, dpop: undefined })).resolves.toBe('the DPoP header is missing');
    await expect(refusal({ ...request, dpop: []})).resolves.toBe('the DPoP header is missing');
    await expect(refusal({ ...request, dpop: '' })).resolves.toBe('the DPoP proof is not a JWT');
    for (const dpop of [[ request.dpop as string, second ], `${request.dpop as string}, ${second}` ]) {
      await expect(refusal({ ...request, dpop })).resolves.toBe('there is more than one DPoP proof');
    }
  });

  it('has at most 8 KiB.', async(): Promise<void> => {
    const request = await world.dpopRequest(token, { more: 'x'.repeat(8000) });
    await expect(refusal(request)).resolves.toBe('the DPoP proof is too long');
  });

  it('is accepted once.', async(): Promise<void> => {
    const verifier = world.verifier();
    const request = await world.dpopRequest(token);
    await expect(verifier.verify(request, anyOperation)).resolves.toMatchObject({ webId: bob });
    await expect(refusal(request)).resolves.toBe('the DPoP proof was used before');
  });

  it('is accepted once until it is too old.', async(): Promise<void> => {
    const request = await world.dpopRequest(token, { iat: world.seconds + 60 });
    await verify(request);
    world.at = new Date(world.at.getTime() + 120_000);
    await expect(refusal(request)).resolves.toBe('the DPoP proof was used before');
    world.at = new Date(world.at.getTime() + 1);
    await expect(refusal(request)).resolves.toBe('the DPoP proof is not of this minute');
  });

  it('is accepted once, even if its jti comes in another proof.', async(): Promise<void> => {
    await verify(await world.dpopRequest(token, { jti: 'same' }));
    await expect(refusal(await world.dpopRequest(token, { jti: 'same', iat: world.seconds - 1 }))).resolves
      .toBe('the DPoP proof was used before');
  });

  it('can have the jti of a proof with another key.', async(): Promise<void> => {
    await verify(await world.dpopRequest(token, { jti: 'same' }));
    const other = new TokenWorld(world.issuerKey, await newKey());
    await expect(verify(await other.dpopRequest(await other.token(), { jti: 'same' }))).resolves
      .toMatchObject({ webId: bob });
  });

  it('is not remembered if it is refused.', async(): Promise<void> => {
    const request = await world.dpopRequest(token);
    await refusal({ ...request, method: 'POST' });
    const elsewhere = { ...request, authorization: `DPoP ${await world.token({ iat: world.seconds - 11 })}` };
    await refusal(elsewhere);
    await expect(verify(request)).resolves.toMatchObject({ webId: bob });
  });

  it('is not remembered if the token is refused.', async(): Promise<void> => {
    const request = await world.dpopRequest(token);
    world.profiles.set(bob, []);
    await expect(verify(request)).rejects.toBeInstanceOf(TokenInvalid);
    world.profiles.set(bob, [ 'https://idp.example/' ]);
    await expect(verify(request)).resolves.toMatchObject({ webId: bob });
  });

  it('is refused for a caller who sends a flood, and for nobody else.', async(): Promise<void> => {
    world.proofs = new MemoryProofStore(2, (): number => world.at.getTime());
    await verify(await world.dpopRequest(token));
    await verify(await world.dpopRequest(token));
    const problem = await verify(await world.dpopRequest(token)).catch((error: unknown): Problem => error as Problem);
    expect(problem).toBeInstanceOf(TooManyProofs);
    expect(problem).toMatchObject({ status: 429, headers: { 'Retry-After': '60' }});
    const alice = 'https://alice.example/#me';
    world.profiles.set(alice, [ 'https://idp.example/' ]);
    await expect(verify(await world.dpopRequest(await world.token({ webid: alice })))).resolves
      .toMatchObject({ webId: alice });
    world.at = new Date(world.at.getTime() + 62_000);
    await expect(verify(await world.dpopRequest(token))).resolves.toMatchObject({ webId: bob });
  });
});
