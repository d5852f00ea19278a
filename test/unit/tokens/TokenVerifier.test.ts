import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import { calculateJwkThumbprint } from 'jose';
import { TokenInvalid, TokenMissing, WebIdMissing } from '../../../src/problems';
import type { Problem } from '../../../src/problems';
import type { Caller, TokenPolicy } from '../../../src/tokens/Caller';
import { concealing } from '../../support/concealing';
import {
  baseUrl,
  bearerRequest,
  bob,
  citizenWebId,
  compact,
  foreignIssuer,
  listedIssuer,
  nationalIssuer,
  nationalNumber,
  newKey,
  requestUrl,
  sign,
  TokenWorld,
} from './tokenWorld';

const anyOperation: TokenPolicy = { citizen: false };
const day = 86_400;
/** The number that a caller claims. */
const claimed = concealing(nationalNumber);

async function refusal(answer: Promise<Caller>): Promise<TokenInvalid> {
  try {
    await answer;
  } catch (error: unknown) {
    expect(error).toBeInstanceOf(TokenInvalid);
    return error as TokenInvalid;
  }
  throw new Error('The token was accepted.');
}

describe('TokenVerifier', (): void => {
  let world: TokenWorld;

  beforeAll(async(): Promise<void> => {
    const { issuerKey, clientKey } = await TokenWorld.create();
    world = new TokenWorld(issuerKey, clientKey);
  });

  beforeEach((): void => {
    world = new TokenWorld(world.issuerKey, world.clientKey);
  });

  describe('with a valid token', (): void => {
    it('returns the caller.', async(): Promise<void> => {
      await expect(world.call()).resolves.toEqual({
        kind: 'solid-oidc',
        webId: bob,
        issuer: foreignIssuer,
        app: 'https://app.example/id',
        expiresAt: new Date(world.at.getTime() + 600_000),
      });
    });

    it('uses azp as the app if there is no client_id.', async(): Promise<void> => {
      await expect(world.call({ client_id: undefined, azp: 'urn:cca' })).resolves.toMatchObject({ app: 'urn:cca' });
      await expect(world.call({ client_id: undefined })).resolves.not.toHaveProperty('app');
    });

    it.each([ 'ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519' ])('accepts %s.', async(alg): Promise<void> => {
      const key = await newKey(alg);
      world.issuers.set(foreignIssuer, [{ ...key.jwk, kid: 'one' }]);
      const token = await sign({ alg, typ: 'JWT', kid: 'one' }, await world.claims(), key.privateKey);
      await expect(world.verifier().verify(await world.dpopRequest(token), anyOperation)).resolves
        .toMatchObject({ webId: bob });
    });

    it.each([ 'JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+JWT' ])(
      'accepts typ %s.',
      async(typ): Promise<void> => {
        await expect(world.call({}, { typ })).resolves.toMatchObject({ webId: bob });
      },
    );

    it('accepts any spelling of the scheme.', async(): Promise<void> => {
      const token = await world.token();
      const request = await world.dpopRequest(token);
      await expect(world.verifier().verify({ ...request, authorization: `dpop ${token}` }, anyOperation)).resolves
        .toMatchObject({ webId: bob });
      world.profiles.set(bob, [ nationalIssuer ]);
      const bearer = bearerRequest(await world.token({ cnf: undefined, iss: nationalIssuer }));
      bearer.authorization = bearer.authorization!.replace('Bearer', 'BEARER');
      await expect(world.verifier().verify(bearer, anyOperation)).resolves.toMatchObject({ webId: bob });
    });

    it('accepts a list of audiences that contains ours.', async(): Promise<void> => {
      await expect(world.call({ aud: [ 'other', 'solid' ]})).resolves.toMatchObject({ webId: bob });
    });

    it('tolerates a clock that differs by a minute.', async(): Promise<void> => {
      await expect(world.call({ iat: world.seconds + 60 })).resolves.toMatchObject({ webId: bob });
      await expect(world.call({ exp: world.seconds - 59 })).resolves.toMatchObject({ webId: bob });
      await expect(world.call({ nbf: world.seconds + 60 })).resolves.toMatchObject({ webId: bob });
    });

    it('fetches the keys once for many requests.', async(): Promise<void> => {
      const token = await world.token();
      const verifier = world.verifier();
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      expect(world.keysFetched).toHaveLength(1);
      world.at = new Date(world.at.getTime() + 120_000);
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      expect(world.keysFetched).toHaveLength(2);
    });

    it('remembers few long tokens.', async(): Promise<void> => {
      const verifier = world.verifier();
      const token = await world.token();
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      for (let count = 0; count < 1000; count += 1) {
        const long = await world.token({ count, text: 'x'.repeat(11_000) });
        await verifier.verify(await world.dpopRequest(long), anyOperation);
      }
      expect(world.keysFetched).toHaveLength(1001);
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      expect(world.keysFetched).toHaveLength(1002);
    });

    it('checks the times of a token that it has seen.', async(): Promise<void> => {
      const token = await world.token({ exp: world.seconds + 1 });
      const verifier = world.verifier();
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      world.at = new Date(world.at.getTime() + 61_000);
      const { detail } = await refusal(verifier.verify(await world.dpopRequest(token), anyOperation));
      expect(detail).toBe('the token has expired');
    });
  });

  describe('recognises a token only as it was presented', (): void => {
    it('one of a DPoP request is not accepted as Bearer.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      const token = await world.token({ iss: nationalIssuer });
      const verifier = world.verifier();
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      const { detail } = await refusal(verifier.verify(bearerRequest(token), anyOperation));
      expect(detail).toBe('a token that is bound to a key cannot be used as Bearer');
    });

    it('one of a citizen operation is not accepted without webid elsewhere.', async(): Promise<void> => {
      const token = await world.token({ iss: nationalIssuer, webid: undefined, citizen_national_id: '85073003328' });
      const verifier = world.verifier();
      await verifier.verify(await world.dpopRequest(token), { citizen: true });
      await expect(verifier.verify(await world.dpopRequest(token), anyOperation)).rejects.toBeInstanceOf(WebIdMissing);
    });
  });

  describe('challenges', (): void => {
    it.each([ undefined, '', 'Basic Zm9vOmJhcg==', 'CSS-Account-Token abc', 'Bearer', 'DPoP ', 'Bearerx abc' ])(
      'a request with the Authorization header %p.',
      async(authorization): Promise<void> => {
        const answer = world.verifier().verify({ authorization, method: 'GET', url: requestUrl }, anyOperation);
        const problem = await answer.catch((error: unknown): Problem => error as Problem) as Problem;
        expect(problem).toBeInstanceOf(TokenMissing);
        expect(problem.headers['WWW-Authenticate'])
          .toBe('DPoP algs="ES256 ES384 RS256 PS256 EdDSA Ed25519", Bearer scope="openid webid"');
      },
    );

    it('an invalid token, on the scheme that was used.', async(): Promise<void> => {
      const dpop = await refusal(world.call({ aud: 'other' }));
      expect(dpop.headers['WWW-Authenticate']).toBe(
        'DPoP algs="ES256 ES384 RS256 PS256 EdDSA Ed25519", error="invalid_token", Bearer scope="openid webid"',
      );
      const bearer = await refusal(world.bearer());
      expect(bearer.headers['WWW-Authenticate']).toBe(
        'DPoP algs="ES256 ES384 RS256 PS256 EdDSA Ed25519", Bearer scope="openid webid", error="invalid_token"',
      );
    });

    it('an invalid proof.', async(): Promise<void> => {
      const token = await world.token();
      const request = await world.dpopRequest(token, { htm: 'POST' });
      const { headers } = await refusal(world.verifier().verify(request, anyOperation));
      expect(headers['WWW-Authenticate']).toBe(
        'DPoP algs="ES256 ES384 RS256 PS256 EdDSA Ed25519", error="invalid_dpop_proof", Bearer scope="openid webid"',
      );
    });
  });

  describe('refuses a token', (): void => {
    it.each<[string, Record<string, unknown>, string]>([
      [ 'without exp', { exp: undefined }, 'exp is missing or not a time' ],
      [ 'whose exp is text', { exp: '9999999999' }, 'exp is missing or not a time' ],
      [ 'whose exp is beyond all dates', { exp: 1e300 }, 'exp is missing or not a time' ],
      [ 'that has expired', { exp: 1_000_000_000 }, 'the token has expired' ],
      [ 'without iat', { iat: undefined }, 'iat is missing or not a time' ],
      [ 'from the future', { iat: 4_000_000_000 }, 'iat is in the future' ],
      [ 'that is not valid yet', { nbf: 4_000_000_000 }, 'the token is not valid yet' ],
      [ 'whose nbf is text', { nbf: 'now' }, 'nbf is not a time' ],
      [ 'without iss', { iss: undefined }, 'iss is missing or not an issuer URL' ],
      [ 'whose iss is a list', { iss: [ foreignIssuer ]}, 'iss is missing or not an issuer URL' ],
      [ 'whose iss is no URL', { iss: 'idp.example' }, 'iss is missing or not an issuer URL' ],
      [ 'whose iss is a file', { iss: 'file:///etc/passwd' }, 'iss is missing or not an issuer URL' ],
      [ 'whose iss has a query', { iss: 'https://idp.example/?a=b' }, 'iss is missing or not an issuer URL' ],
      [ 'whose iss has credentials', { iss: 'https://a:b@idp.example/' }, 'iss is missing or not an issuer URL' ],
      [ 'without aud', { aud: undefined }, 'aud does not contain the audience of this server' ],
      [ 'for another audience', { aud: 'solidarity' }, 'aud does not contain the audience of this server' ],
      [ 'for other audiences', { aud: [ 'a', [ 'solid' ]]}, 'aud does not contain the audience of this server' ],
      [ 'whose webid is null', { webid: null }, 'webid is not an absolute http(s) URL' ],
      [ 'whose webid is relative', { webid: '/profile/card#me' }, 'webid is not an absolute http(s) URL' ],
      [ 'whose webid is a DID', { webid: 'did:web:bob.example' }, 'webid is not an absolute http(s) URL' ],
      [ 'whose webid is a list', { webid: [ bob ]}, 'webid is not an absolute http(s) URL' ],
      [ 'whose webid has a line break', { webid: 'https://bob.example/\ncard' }, 'webid is not an absolute http(s) URL' ],
      [ 'whose client_id is empty', { client_id: '' }, 'client_id or azp is not text' ],
      [ 'whose webid has a user', { webid: 'https://bob@bob.example/' }, 'webid is not an absolute http(s) URL' ],
      [ 'whose webid has a password', { webid: 'https://:b@bob.example/' }, 'webid is not an absolute http(s) URL' ],
      [ 'whose client_id is an object', { client_id: { id: 'x' }}, 'client_id or azp is not text' ],
      [ 'whose client_id is too long', { client_id: 'x'.repeat(2049) }, 'client_id or azp is not text' ],
      [ 'without cnf, as DPoP', { cnf: undefined }, 'the token is not bound to a DPoP key' ],
      [ 'whose cnf has no jkt', { cnf: { kid: 'x' }}, 'the token is not bound to a DPoP key' ],
    ])('%s.', async(...[ , changes, detail ]): Promise<void> => {
      const problem = await refusal(world.call(changes));
      expect(problem.detail).toBe(detail);
      expect(problem.status).toBe(401);
      expect(world.keysFetched).toEqual([]);
    });

    it.each<[string, Record<string, unknown>, string]>([
      [ 'without typ', { typ: undefined }, 'typ is neither JWT nor at+jwt' ],
      [ 'that is a DPoP proof', { typ: 'dpop+jwt' }, 'typ is neither JWT nor at+jwt' ],
      [ 'that is a log-out token', { typ: 'logout+jwt' }, 'typ is neither JWT nor at+jwt' ],
      [ 'that is a JWE', { typ: 'at+jwt;x' }, 'typ is neither JWT nor at+jwt' ],
      [ 'with critical extensions', { crit: [ 'exp' ], exp: 1 }, 'critical header extensions are not supported' ],
      [ 'whose kid is a number', { kid: 1 }, 'kid is not text' ],
    ])('%s.', async(...[ , header, detail ]): Promise<void> => {
      const token = compact({ alg: 'ES256', typ: 'at+jwt', kid: 'one', ...header }, await world.claims());
      const problem = await refusal(world.verifier().verify(await world.dpopRequest(token), anyOperation));
      expect(problem.detail).toBe(detail);
      expect(world.keysFetched).toEqual([]);
    });

    it.each([ 'none', 'None', 'HS256', 'HS512', 'ES512', 'RS1', 'constructor', '', undefined ])(
      'with alg %p, before any key is looked up.',
      async(alg): Promise<void> => {
        const token = compact({ alg, typ: 'at+jwt' }, await world.claims());
        const problem = await refusal(world.verifier().verify(await world.dpopRequest(token), anyOperation));
        expect(problem.detail).toBe('alg is not an accepted asymmetric algorithm');
        expect(world.keysFetched).toEqual([]);
      },
    );

    it('with an HMAC made with the public key.', async(): Promise<void> => {
      const unsigned = compact({ alg: 'HS256', typ: 'at+jwt', kid: 'one' }, await world.claims(), '').slice(0, -1);
      const mac = createHmac('sha256', JSON.stringify(world.issuerKey.jwk)).update(unsigned).digest('base64url');
      const request = await world.dpopRequest(`${unsigned}.${mac}`);
      await refusal(world.verifier().verify(request, anyOperation));
    });

    it.each([ 'abc', 'a.b', 'a.b.c', 'e30.e30.AA', 'e30.W10.AA', 'e30.e30.', 'e30.e30.AA.AA', 'e30.e30.A=A' ])(
      'that is %s.',
      async(token): Promise<void> => {
        await refusal(world.verifier().verify(bearerRequest(token), anyOperation));
      },
    );

    it('without a signature.', async(): Promise<void> => {
      const token = await world.token();
      const request = await world.dpopRequest(`${token.slice(0, token.lastIndexOf('.'))}.`);
      await refusal(world.verifier().verify(request, anyOperation));
    });

    it('that is longer than 16 KiB.', async(): Promise<void> => {
      const problem = await refusal(world.call({ more: 'x'.repeat(13_000) }));
      expect(problem.detail).toBe('the token is too long');
    });

    it('whose claims were changed after signing.', async(): Promise<void> => {
      const [ header, , signature ] = (await world.token()).split('.');
      const claims = Buffer.from(JSON.stringify(await world.claims({ client_id: 'https://evil.example/' }))).toString('base64url');
      const request = await world.dpopRequest(`${header}.${claims}.${signature}`);
      const { detail } = await refusal(world.verifier().verify(request, anyOperation));
      expect(detail).toBe('the signature is not of a key of the issuer');
    });

    it('signed by somebody else, also with that key in its header.', async(): Promise<void> => {
      const { privateKey, jwk } = await newKey();
      const header = { alg: 'ES256', typ: 'at+jwt', jwk, jku: 'https://evil.example/k', x5u: 'https://evil.example/' };
      for (const kid of [ undefined, 'one', await calculateJwkThumbprint(jwk) ]) {
        const token = await sign({ ...header, kid }, await world.claims(), privateKey);
        await refusal(world.verifier().verify(await world.dpopRequest(token), anyOperation));
      }
    });

    it('whose WebID profile does not list the issuer.', async(): Promise<void> => {
      world.profiles.set(bob, [ 'https://idp.example/realm', 'https://idp.example.evil/' ]);
      const { detail } = await refusal(world.call());
      expect(detail).toBe('the profile of the WebID does not list the issuer');
    });

    it('of an issuer that cannot be reached.', async(): Promise<void> => {
      world.issuers.clear();
      const { detail } = await refusal(world.call());
      expect(detail).toBe('the keys of the issuer cannot be read');
    });

    it('without revealing its content.', async(): Promise<void> => {
      for (const changes of [
        { webid: `${bob} secret` },
        { aud: 'secret' },
        { client_id: { secret: true }},
        { iss: 'https://secret.example/?' },
        { citizen_national_id: nationalNumber, webid: undefined, aud: 'secret' },
        { cnf: 'secret' },
      ]) {
        const { message, headers } = await refusal(world.call(changes));
        expect(message + JSON.stringify(headers)).not.toMatch(/secret|\d{6}|bob/u);
      }
    });
  });

  describe('compares issuers', (): void => {
    it('ignoring one trailing slash.', async(): Promise<void> => {
      world.profiles.set(bob, [ 'https://idp.example' ]);
      await expect(world.call()).resolves.toMatchObject({ webId: bob });
    });

    it('exactly otherwise.', async(): Promise<void> => {
      world.profiles.set(bob, [ 'https://idp.example//', 'https://IDP.example/', 'http://idp.example/' ]);
      await refusal(world.call());
    });
  });

  describe('chooses keys', (): void => {
    it('by kid only, if there is one.', async(): Promise<void> => {
      const { jwk } = await newKey();
      world.issuers.set(foreignIssuer, [{ ...jwk, kid: 'one' }, { ...world.issuerKey.jwk, kid: 'other' }]);
      const { detail } = await refusal(world.call({}, { kid: 'one' }));
      expect(detail).toBe('the signature is not of a key of the issuer');
      await expect(world.call({}, { kid: 'other' })).resolves.toMatchObject({ webId: bob });
    });

    it('among those that fit, if the token names none.', async(): Promise<void> => {
      const others = [ (await newKey('RS256')).jwk, (await newKey()).jwk, (await newKey('EdDSA')).jwk ];
      world.issuers.set(foreignIssuer, [ ...others, world.issuerKey.jwk ]);
      await expect(world.call({}, { kid: undefined })).resolves.toMatchObject({ webId: bob });
    });

    it('fetching again from the issuer if none fits.', async(): Promise<void> => {
      const { jwk } = await newKey();
      world.issuers.set(foreignIssuer, [{ ...jwk, kid: 'old' }]);
      await refusal(world.call());
      world.newerKeys.set(foreignIssuer, [{ ...world.issuerKey.jwk, kid: 'one' }]);
      await expect(world.call()).resolves.toMatchObject({ webId: bob });
    });

    it('not fetching again for a wrong signature.', async(): Promise<void> => {
      const { jwk } = await newKey();
      world.issuers.set(foreignIssuer, [{ ...jwk, kid: 'one' }]);
      await refusal(world.call());
      expect(world.keysFetched).toHaveLength(1);
    });

    it('trying at most ten of them.', async(): Promise<void> => {
      const { jwk } = await newKey();
      world.issuers.set(foreignIssuer, [ ...Array.from({ length: 9 }).fill(jwk), world.issuerKey.jwk ] as object[]);
      await expect(world.call({}, { kid: undefined })).resolves.toMatchObject({ webId: bob });
      world.issuers.set(foreignIssuer, [ ...Array.from({ length: 10 }).fill(jwk), world.issuerKey.jwk ] as object[]);
      await refusal(world.call({}, { kid: undefined }));
    });

    it.each([
      { alg: 'ES384' },
      { use: 'enc' },
      { key_ops: [ 'encrypt' ]},
      { crv: 'P-384' },
      { kty: 'RSA' },
      { kty: 'oct', k: 'AA' },
    ])('leaving out one with %p.', async(members): Promise<void> => {
      world.issuers.set(foreignIssuer, [{ ...world.issuerKey.jwk, kid: 'one', ...members }]);
      await refusal(world.call());
    });

    it('leaving out RSA keys that are too short.', async(): Promise<void> => {
      for (const [ modulusLength, taken ] of [[ 1024, false ], [ 2048, true ]] as const) {
        const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
        world.issuers.set(foreignIssuer, [{ ...publicKey.export({ format: 'jwk' }) as JWK, kid: 'one' }]);
        const unsigned = compact({ alg: 'RS256', typ: 'JWT', kid: 'one' }, await world.claims(), '').slice(0, -1);
        const signature = createSign('sha256').update(unsigned).sign(privateKey, 'base64url');
        const answer = world.verifier().verify(await world.dpopRequest(`${unsigned}.${signature}`), anyOperation);
        await expect(answer.then((): boolean => true, (): boolean => false)).resolves.toBe(taken);
      }
    });

    it('of this server by thumbprint.', async(): Promise<void> => {
      world.profiles.set(bob, [ baseUrl ]);
      const kid = await calculateJwkThumbprint(world.issuerKey.jwk);
      await expect(world.call({ iss: baseUrl }, { kid })).resolves.toMatchObject({ issuer: baseUrl });
      await expect(world.call({ iss: baseUrl }, { kid: undefined })).resolves.toMatchObject({ issuer: baseUrl });
      await refusal(world.call({ iss: baseUrl }, { kid: 'one' }));
      expect(world.keysFetched).toEqual([]);
    });
  });

  describe('with a list of trusted issuers', (): void => {
    const trustedIssuers = [ listedIssuer ];

    it('refuses others before fetching anything.', async(): Promise<void> => {
      const request = await world.dpopRequest(await world.token());
      const { detail } = await refusal(world.verifier({ trustedIssuers }).verify(request, anyOperation));
      expect(detail).toBe('the issuer is not trusted');
      expect(world.keysFetched).toEqual([]);
      expect(world.profilesRead).toEqual([]);
    });

    it.each([ listedIssuer, nationalIssuer, baseUrl ])('accepts %s.', async(iss): Promise<void> => {
      world.profiles.set(bob, [ iss ]);
      const request = await world.dpopRequest(await world.token({ iss }, { kid: undefined }));
      await expect(world.verifier({ trustedIssuers }).verify(request, anyOperation)).resolves
        .toMatchObject({ webId: bob });
    });
  });

  describe('with an audience of its own', (): void => {
    it('accepts "solid" only from this server.', async(): Promise<void> => {
      world.settings.audience = 'https://data.example/';
      await refusal(world.call());
      world.profiles.set(bob, [ baseUrl, foreignIssuer ]);
      await expect(world.call({ iss: baseUrl }, { kid: undefined })).resolves.toMatchObject({ webId: bob });
      await expect(world.call({ aud: 'https://data.example/' })).resolves.toMatchObject({ webId: bob });
    });
  });

  describe('with a Bearer token', (): void => {
    it('refuses one that is bound to a key.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      for (const cnf of [{ jkt: 'x' }, {}, null, 'x' ]) {
        const { detail } = await refusal(world.bearer({ iss: nationalIssuer, cnf }));
        expect(detail).toBe('a token that is bound to a key cannot be used as Bearer');
      }
    });

    it('refuses one of a stranger.', async(): Promise<void> => {
      const { detail } = await refusal(world.bearer());
      expect(detail).toBe('Bearer tokens of this issuer are not accepted: use DPoP');
      expect(world.keysFetched).toEqual([]);
    });

    it('accepts one of a listed or national issuer.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer, listedIssuer ]);
      await expect(world.bearer({ iss: nationalIssuer })).resolves.toMatchObject({ webId: bob });
      await expect(world.bearer({ iss: listedIssuer }, false, { trustedIssuers: [ listedIssuer ]})).resolves
        .toMatchObject({ webId: bob });
    });

    it('accepts one of this server.', async(): Promise<void> => {
      world.profiles.set(bob, [ baseUrl ]);
      const kid = await calculateJwkThumbprint(world.issuerKey.jwk);
      const token = await world.token({ cnf: undefined, iss: baseUrl }, { kid });
      await expect(world.verifier().verify(bearerRequest(token), anyOperation)).resolves.toMatchObject({ webId: bob });
    });
  });

  describe('with the national number of a citizen', (): void => {
    const claim = { citizen_national_id: nationalNumber };

    it('trusts national issuers.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      const caller = await world.call({ ...claim, iss: nationalIssuer });
      expect(caller).toMatchObject({ kind: 'solid-oidc', nationalNumber: claimed });
      expect(caller).not.toHaveProperty('nationalNumberNotBelieved');
    });

    it('does not trust others.', async(): Promise<void> => {
      world.profiles.set(bob, [ foreignIssuer, baseUrl ]);
      for (const iss of [ foreignIssuer, baseUrl ]) {
        const caller = await world.call({ ...claim, iss }, { kid: undefined }, true);
        expect(caller).toMatchObject({ nationalNumberNotBelieved: true });
        expect(caller).not.toHaveProperty('nationalNumber');
      }
    });

    it('leaves a number that is not a string to the operation, as malformed.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      await expect(world.call({ iss: nationalIssuer, citizen_national_id: 85073003328 })).resolves
        .toMatchObject({ nationalNumber: concealing('') });
    });

    it('accepts a national token without webid on citizen operations only.', async(): Promise<void> => {
      const changes = { ...claim, iss: nationalIssuer, webid: undefined };
      const caller = await world.call(changes, {}, true);
      expect(caller).toMatchObject({ kind: 'solid-oidc', nationalNumber: claimed });
      expect(caller).not.toHaveProperty('webId');
      await expect(world.bearer(changes, true)).resolves.toMatchObject({ kind: 'solid-oidc', nationalNumber: claimed });
      await expect(world.call(changes)).rejects.toBeInstanceOf(WebIdMissing);
      for (const lacking of [{ citizen_national_id: undefined }, { iss: foreignIssuer }]) {
        await expect(world.call({ ...changes, ...lacking }, {}, true)).rejects.toBeInstanceOf(WebIdMissing);
      }
    });
  });

  /** Calls a server on which the issuer is trusted for one number only. */
  async function callWhere(believed: string, changes: Record<string, unknown>): Promise<Caller> {
    const believedFor = [{ issuer: nationalIssuer, has: (number: string): boolean => number === believed }];
    const request = await world.dpopRequest(await world.token({ iss: nationalIssuer, ...changes }));
    return world.verifier({ believedFor }).verify(request, { citizen: true });
  }

  describe('of a national issuer that is trusted for some numbers only', (): void => {
    it('accepts those numbers, and refuses others, with a WebID or without.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      for (const webid of [ undefined, bob, citizenWebId ]) {
        const changes = { webid, citizen_national_id: nationalNumber };
        await expect(callWhere(nationalNumber, changes)).resolves.toMatchObject({ nationalNumber: claimed });
        const { detail } = await refusal(callWhere('other', changes));
        expect(detail).toBe('the issuer may not speak for this national number');
      }
    });

    it('looks up the number of a WebID in the records, created here or linked.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      world.numbers.set(bob, nationalNumber);
      for (const webid of [ bob, citizenWebId ]) {
        await expect(callWhere(nationalNumber, { webid })).resolves.toMatchObject({ webId: webid });
        const { detail } = await refusal(callWhere('other', { webid }));
        expect(detail).toBe('the issuer may not speak for this WebID');
      }
    });

    it('refuses another citizen\'s WebID beside a number that it is trusted for.', async(): Promise<void> => {
      await refusal(callWhere('other', { webid: citizenWebId, citizen_national_id: 'other' }));
    });

    it('leaves WebIDs that are not in the records to their profile.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      await expect(callWhere('other', { webid: bob })).resolves.toMatchObject({ webId: bob });
    });

    it('looks up no number for other issuers.', async(): Promise<void> => {
      await world.call({ iss: nationalIssuer, webid: citizenWebId });
      await world.call();
      expect(world.numbersRead).toEqual([]);
    });
  });

  it('reports a missing webid only if nothing else is wrong.', async(): Promise<void> => {
    const missing = await world.call({ webid: undefined }).catch((error: unknown): unknown => error);
    expect(missing).toMatchObject({ status: 401, type: 'claim-missing' });
    expect((missing as Problem).headers['WWW-Authenticate']).toContain('error="invalid_token"');
    await refusal(world.call({ webid: undefined, aud: 'other' }));
    const { privateKey } = await newKey();
    const forged = await sign({ alg: 'ES256', typ: 'JWT' }, await world.claims({ webid: undefined }), privateKey);
    await refusal(world.verifier().verify(await world.dpopRequest(forged), anyOperation));
    const request = await world.dpopRequest(await world.token({ webid: undefined }), { htm: 'POST' });
    await refusal(world.verifier().verify(request, anyOperation));
  });

  /** True when a token of an issuer that names clients in this way is accepted. */
  async function takes(iss: string, changes: Record<string, unknown>, policy = anyOperation): Promise<boolean> {
    world.profiles.set(bob, [ iss ]);
    const token = await world.token({ iss, client_id: undefined, ...changes }, { kid: undefined });
    return world.verifier().verify(await world.dpopRequest(token), policy)
      .then((): boolean => true, (): boolean => false);
  }

  describe('with the id of a client', (): void => {
    const uuid = '6f1f9a52-6a0c-4d1e-9d0b-2f2c0f6a7e01';
    /* Of a client made by registration, and of client credentials. */
    const registered = [ 'V1StGXR8_Z5jdHi6B-myT', '0123456789abcdef0123456789ABCDEF', `my-script_${uuid}` ];

    it.each([ nationalIssuer, foreignIssuer, baseUrl ])('takes a URI and a UUID of %s.', async(iss): Promise<void> => {
      for (const id of [ 'https://app.example/id#it', 'urn:uuid:x', 'app://localhost/', uuid, uuid.toUpperCase() ]) {
        await expect(takes(iss, { client_id: id })).resolves.toBe(true);
        await expect(takes(iss, { azp: id })).resolves.toBe(true);
      }
    });

    it('accepts ids in the form of Solid identity providers, but not of national issuers.', async(): Promise<void> => {
      for (const id of registered) {
        await expect(takes(foreignIssuer, { client_id: id })).resolves.toBe(true);
        await expect(takes(nationalIssuer, { client_id: id })).resolves.toBe(false);
      }
    });

    it('accepts any of this server.', async(): Promise<void> => {
      await expect(takes(baseUrl, { client_id: 'any name' })).resolves.toBe(true);
    });

    it.each([
      'cca',
      'not a URI',
      'https:',
      ':x',
      '1:x',
      'https://app.example/ x',
      `${uuid}0`,
      `x${uuid}`,
      'neither-uri-nor-uuid',
      'https://app.example/<script>',
    ])('refuses %s.', async(id): Promise<void> => {
      for (const iss of [ nationalIssuer, foreignIssuer ]) {
        await expect(takes(iss, { client_id: id })).resolves.toBe(false);
        await expect(takes(iss, { client_id: uuid, azp: id })).resolves.toBe(false);
        await expect(takes(iss, { client_id: id }, { citizen: false, anyClient: true })).resolves.toBe(true);
      }
    });
  });

  describe('with a deprecated JWS token', (): void => {
    const cca = 'https://cca.example/id';
    const otherApp = '6f1f9a52-6a0c-4d1e-9d0b-2f2c0f6a7e01';
    const shop = 'https://shop.example/id';
    const legacy = { iss: nationalIssuer, webid: undefined, aud: undefined, citizen_national_id: nationalNumber };

    it.each([{ azp: cca }, { client_id: cca }, { client_id: cca, azp: shop }])(
      'accepts it on citizen operations, with %p.',
      async(app): Promise<void> => {
        await expect(world.bearer({ ...legacy, client_id: undefined, ...app }, true)).resolves
          .toEqual(expect.objectContaining({ kind: 'citizen-jws', nationalNumber: claimed, app: cca }));
      },
    );

    it.each<[string, Record<string, unknown>]>([
      [ 'for its own client', { aud: cca }],
      [ 'for its own client, in a list', { aud: [ cca ]}],
      [ 'an ID token for its own client', { aud: cca, nonce: 'n', at_hash: 'h', auth_time: 1, sid: 's' }],
      [ 'an ID token without aud', { nonce: 'n' }],
      [ 'for each of the listed clients that it names', { aud: [ cca, otherApp ], client_id: otherApp }],
    ])('accepts one %s, if that is listed.', async(...[ , changes ]): Promise<void> => {
      const claims = { ...legacy, client_id: undefined, azp: cca, ...changes };
      await expect(world.bearer(claims, true, { apps: [ cca, otherApp ]})).resolves
        .toMatchObject({ kind: 'citizen-jws', nationalNumber: claimed });
      for (const apps of [ undefined, [], [ otherApp ]]) {
        await refusal(world.bearer(claims, true, { apps }));
      }
    });

    it.each<[string, Record<string, unknown>]>([
      [ 'of a web shop', { aud: shop, azp: shop }],
      [ 'of a web shop, in a list', { aud: [ shop ], azp: shop }],
      [ 'of a web shop, by client_id', { aud: shop, azp: undefined, client_id: shop }],
      [ 'of a web shop that names a listed client', { aud: shop }],
      [ 'of a web shop and a listed client', { aud: [ cca, shop ]}],
      [ 'of a listed client that another one asked for', { aud: cca, azp: shop }],
      [ 'of two clients, of which one is listed', { aud: cca, client_id: cca, azp: shop }],
      [ 'for no client that it names', { aud: cca, azp: undefined }],
      [ 'with an empty aud', { aud: '' }],
      [ 'with an empty list', { aud: []}],
      [ 'with aud null', { aud: null }],
      [ 'with aud in an aud', { aud: [[ cca ]]}],
      [ 'with aud an object', { aud: { [cca]: cca }}],
      [ 'of a web shop, logged in by code', { aud: shop, azp: shop, auth_time: 1, sid: 's', acr: '1' }],
      [ 'that is an ID token by nonce', { azp: shop, nonce: 'n' }],
      [ 'that is an ID token by at_hash', { azp: shop, at_hash: 'h' }],
      [ 'that is an ID token by c_hash', { azp: shop, c_hash: 'h' }],
      [ 'that is an ID token by s_hash', { azp: shop, s_hash: 'h' }],
      [ 'that is an ID token by typ', { azp: shop, typ: 'ID' }],
      [ 'that is an ID token by token_use', { azp: shop, token_use: 'id' }],
      [ 'that is an ID token, nonce null', { azp: shop, nonce: null }],
      [ 'that is an ID token for us', { aud: [ shop, 'solid' ], azp: shop, nonce: 'n' }],
      [ 'that is an ID token for us, with a webid', { aud: [ shop, 'solid' ], azp: shop, nonce: 'n', webid: bob }],
      [ 'that logs out', { aud: cca, events: { 'http://schemas.openid.net/event/backchannel-logout': {}}}],
    ])('refuses one %s.', async(...[ , changes ]): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      await refusal(world.bearer({ ...legacy, client_id: undefined, azp: cca, ...changes }, true, { apps: [ cca ]}));
      await refusal(world.bearer({ ...legacy, client_id: undefined, azp: cca, ...changes }, true));
    });

    it('refuses an ID token without webid even if it is bound to a key.', async(): Promise<void> => {
      const changes = { ...legacy, aud: [ shop, 'solid' ], client_id: shop, nonce: 'n' };
      await refusal(world.call(changes, {}, true));
      await expect(world.call({ ...changes, nonce: undefined }, {}, true)).resolves
        .toMatchObject({ nationalNumber: claimed });
    });

    it('accepts the ID token of Solid-OIDC, which is bound to a key and names us.', async(): Promise<void> => {
      world.profiles.set(bob, [ nationalIssuer ]);
      const changes = { iss: nationalIssuer, aud: [ shop, 'solid' ], azp: shop, client_id: undefined, nonce: 'n' };
      await expect(world.call(changes, {}, true)).resolves.toMatchObject({ webId: bob });
    });

    it.each<[string, Record<string, unknown>]>([
      [ 'without azp and client_id', { client_id: undefined }],
      [ 'without citizen_national_id', { citizen_national_id: undefined }],
      [ 'without exp', { exp: undefined }],
      [ 'without iat', { iat: undefined }],
      [ 'of another issuer', { iss: foreignIssuer }],
      [ 'of this server', { iss: baseUrl }],
      [ 'with a webid, and so with an aud to have', { webid: bob }],
      [ 'bound to a key', { cnf: { jkt: 'x' }}],
    ])('refuses one %s.', async(...[ , changes ]): Promise<void> => {
      await refusal(world.bearer({ ...legacy, ...changes }, true));
    });

    it('refuses it on other operations.', async(): Promise<void> => {
      await refusal(world.bearer(legacy));
    });

    it('refuses it with a DPoP proof.', async(): Promise<void> => {
      await refusal(world.call(legacy, {}, true));
    });

    it('refuses it if they are switched off, but not national tokens for us.', async(): Promise<void> => {
      await refusal(world.bearer(legacy, true, { legacyTokens: false }));
      await expect(world.bearer({ ...legacy, aud: 'solid' }, true, { legacyTokens: false })).resolves
        .toMatchObject({ kind: 'solid-oidc' });
    });
  });

  describe('with the WebID of a citizen on record', (): void => {
    it.each([ nationalIssuer, baseUrl ])('accepts %s without reading the profile.', async(iss): Promise<void> => {
      for (const state of [ 'ACTIVE', 'CREATING' ] as const) {
        world.setCitizen(state);
        await expect(world.call({ iss, webid: citizenWebId }, { kid: undefined })).resolves
          .toMatchObject({ webId: citizenWebId });
      }
      expect(world.profilesRead).toEqual([]);
    });

    it('refuses other issuers, whatever the profile lists.', async(): Promise<void> => {
      world.profiles.set(citizenWebId, [ foreignIssuer ]);
      const { detail } = await refusal(world.call({ webid: citizenWebId }));
      expect(detail).toBe('the issuer may not speak for this WebID');
      const request = await world.dpopRequest(await world.token({ iss: listedIssuer, webid: citizenWebId }));
      await refusal(world.verifier({ trustedIssuers: [ listedIssuer ]}).verify(request, anyOperation));
    });

    it('refuses every token at once while the WebID is being deleted, even a known one.', async(): Promise<void> => {
      const token = await world.token({ iss: nationalIssuer, webid: citizenWebId });
      const verifier = world.verifier();
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      world.setCitizen('DELETING');
      const { detail } = await refusal(verifier.verify(await world.dpopRequest(token), anyOperation));
      expect(detail).toBe('the WebID is being deleted');
    });

    it('refuses it after it was deleted.', async(): Promise<void> => {
      const token = await world.token({ iss: nationalIssuer, webid: citizenWebId });
      const verifier = world.verifier();
      await verifier.verify(await world.dpopRequest(token), anyOperation);
      world.citizens.clear();
      world.tombstones.add(`${baseUrl}7c9e6679-7425-40de-944b-e07fc1f90ae7/`);
      world.profiles.set(citizenWebId, [ nationalIssuer ]);
      const { detail } = await refusal(verifier.verify(await world.dpopRequest(token), anyOperation));
      expect(detail).toBe('the WebID no longer exists');
    });

    it('refuses other spellings of it.', async(): Promise<void> => {
      const spellings = [ citizenWebId.replace('https', 'HTTPS'), citizenWebId.replace('example/', 'example/./') ];
      for (const webid of spellings) {
        world.profiles.set(webid, [ foreignIssuer ]);
        const { detail } = await refusal(world.call({ webid }));
        expect(detail).toBe('the WebID is not in its normal form');
      }
    });

    it('reads the profile of other WebIDs on this server.', async(): Promise<void> => {
      const webid = `${baseUrl}alice/profile/card#me`;
      await refusal(world.call({ webid }));
      world.profiles.set(webid, [ foreignIssuer ]);
      await expect(world.call({ webid })).resolves.toMatchObject({ webId: webid });
    });
  });

  it('verifies a token again without its proof, until it ends.', async(): Promise<void> => {
    const request = await world.dpopRequest(await world.token());
    const verifier = world.verifier();
    await verifier.verify(request, anyOperation);
    await refusal(verifier.verify(request, anyOperation));
    await expect(verifier.verifyAgain(request, anyOperation)).resolves.toMatchObject({ webId: bob });
    // It may expire while a long body arrives.
    world.at = new Date(world.at.getTime() + (day * 1000));
    await refusal(verifier.verify(request, anyOperation));
    await expect(verifier.verifyAgain(request, anyOperation)).resolves.toMatchObject({ webId: bob });
    world.profiles.set(bob, []);
    await refusal(verifier.verifyAgain(request, anyOperation));
  });

  it('checks the profile again for a token seen before.', async(): Promise<void> => {
    const token = await world.token({ exp: world.seconds + day });
    const verifier = world.verifier();
    await verifier.verify(await world.dpopRequest(token), anyOperation);
    world.profiles.set(bob, []);
    await refusal(verifier.verify(await world.dpopRequest(token), anyOperation));
  });
});
