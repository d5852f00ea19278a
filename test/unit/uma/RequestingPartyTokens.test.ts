import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { importJWK, jwtVerify } from 'jose';
import { localKey } from '../../../src/credentials/localKey';
import { TokenInvalid } from '../../../src/problems';
import type { Rpt } from '../../../src/uma/RequestingPartyTokens';
import { RequestingPartyTokens } from '../../../src/uma/RequestingPartyTokens';
import { deriveUmaKeys } from '../../../src/uma/umaKeys';
import { parseWebId } from '../../../src/platform/webId';
import { baseUrl, TokenWorld } from '../tokens/tokenWorld';
import { encodeJson } from '../../support/encodeJson';
import { resourceUri } from '../../support/uris';

const issuer = 'https://pods.example';
const audience = 'https://pods.example/.uma/resources';
const secret = randomBytes(32);
const { tokens: key } = deriveUmaKeys(secret);
const rpt: Rpt = {
  webId: parseWebId('https://bob.example/profile/card#me'),
  resource: resourceUri('https://pods.example/alice/notes'),
  grant: '7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a03',
};

describe('A requesting party token', (): void => {
  let now: Date;
  let tokens: RequestingPartyTokens;

  beforeEach((): void => {
    now = new Date('2026-03-01T12:00:00Z');
    tokens = new RequestingPartyTokens(`${issuer}/`, [ localKey(key) ], (): Date => now);
  });

  /** Returns a token signed with our key, with wrong members. */
  function signed(header: object, payload: object, privateKey = key): string {
    const seconds = now.getTime() / 1000;
    const text = `${encodeJson({ alg: 'EdDSA', typ: 'rpt+jwt', ...header })}.${encodeJson({
      iss: issuer,
      aud: audience,
      iat: seconds,
      exp: seconds + 300,
      webid: rpt.webId,
      resource: rpt.resource,
      ...payload,
    })}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
  }

  it('contains whose rights it gives on which resource, by which grant.', async(): Promise<void> => {
    const token = await tokens.issue(rpt);
    expect(tokens.recognises(token)).toBe(true);
    expect(tokens.verify(token)).toEqual(rpt);
    expect(tokens.verify(await tokens.issue({ ...rpt, grant: undefined }))).toEqual({ ...rpt, grant: undefined });
    expect(tokens.verify(signed({}, {}))).toMatchObject({ webId: rpt.webId });
  });

  it('is valid for five minutes, in every process with the same secret.', async(): Promise<void> => {
    const token = await tokens.issue(rpt);
    const others = deriveUmaKeys(secret).tokens;
    now = new Date('2026-03-01T12:04:59Z');
    const elsewhere = new RequestingPartyTokens(`${issuer}/`, [ localKey(others) ], (): Date => now);
    expect(elsewhere.verify(token)).toBeDefined();
    now = new Date('2026-03-01T12:05:00Z');
    expect(tokens.verify(token)).toBeUndefined();
  });

  it('verifies with the published key, which reveals nothing about the private one.', async(): Promise<void> => {
    const [ publicJwk ] = await tokens.publicJwks();
    expect(Object.keys(publicJwk).sort()).toEqual([ 'alg', 'crv', 'kid', 'kty', 'use', 'x' ]);
    const { payload } = await jwtVerify(await tokens.issue(rpt), await importJWK(publicJwk), {
      issuer,
      audience,
      typ: 'rpt+jwt',
      currentDate: now,
    });
    expect(payload).toMatchObject({ webid: rpt.webId, resource: rpt.resource, grant: rpt.grant });
  });

  it.each<[string, object, object]>([
    [ 'is of another type', { typ: 'at+jwt' }, {}],
    [ 'has no type', { typ: undefined }, {}],
    [ 'is of another issuer', {}, { iss: 'https://idp.example' }],
    [ 'is for somebody else', {}, { aud: 'solid' }],
    [ 'is for several', {}, { aud: [ audience, 'solid' ]}],
    [ 'has no end', {}, { exp: undefined }],
    [ 'declares that it needs no signature', { alg: 'none' }, {}],
    [ 'declares that it has a MAC', { alg: 'HS256' }, {}],
  ])('is refused if it %s.', (_what, header, payload): void => {
    expect(tokens.verify(signed(header, payload))).toBeUndefined();
  });

  it('is refused with a signature of another key, of other content, or none.', async(): Promise<void> => {
    const token = await tokens.issue(rpt);
    const [ header, , signature ] = token.split('.');
    expect(tokens.verify(signed({}, {}, generateKeyPairSync('ed25519').privateKey))).toBeUndefined();
    expect(tokens.verify(`${header}.${signed({}, { webid: 'https://mallory.example/#me' }).split('.')[1]}.${signature}`))
      .toBeUndefined();
    expect(tokens.verify(token.slice(0, token.lastIndexOf('.') + 1))).toBeUndefined();
    expect(tokens.verify(`${'a'.repeat(9000)}.${signature}`)).toBeUndefined();
  });

  it('is not a Solid-OIDC token, even with our key among those of the issuer.', async(): Promise<void> => {
    const world = await TokenWorld.create();
    world.at = now;
    world.localKeys = [ createPublicKey(key).export({ format: 'jwk' }) ];
    for (const token of [ await tokens.issue(rpt), signed({}, { iss: baseUrl, aud: 'solid' }) ]) {
      for (const scheme of [ 'Bearer', 'DPoP' ]) {
        await expect(world.verifier().verify({
          authorization: `${scheme} ${token}`,
          method: 'GET',
          url: rpt.resource,
        }, { citizen: false })).rejects.toThrow(TokenInvalid);
      }
    }
  });

  it('cannot be a Solid-OIDC token.', async(): Promise<void> => {
    const world = await TokenWorld.create();
    const token = await world.token();
    expect(tokens.recognises(token)).toBe(false);
    expect(tokens.verify(token)).toBeUndefined();
    expect(tokens.recognises('no token at all')).toBe(false);
  });
});
