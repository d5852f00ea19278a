import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { exportJWK, generateKeyPair } from 'jose';
import { freePort } from '../../demo/lib/freePort';
import { startProcess } from '../../demo/lib/startProcess';
import { describeProvider, LoggingIn, numberClaim } from './nationalLogin';
import { UserAgent } from './UserAgent';

type Started = Awaited<ReturnType<typeof startProcess>>;
/** Public and private half of a key. */
export type KeyPair = Record<'open' | 'secret', JWK>;

/** A kind of provider: its description by the operator, and its registration of this server. */
interface Kind {
  settings?: object;
  client?: object;
  /** True if only userinfo returns the claims. */
  userinfoOnly?: boolean;
}

const secretEnv = 'TEST_LOGIN_SECRET';
const secret = 'the secret of this server at a provider';
const ownKey = { clientAuthentication: { method: 'private_key_jwt', keyFile: 'own.jwk' }};
const decryption = { ...ownKey, decryptionKeyFile: 'decryption.jwk' };
const fromUserinfo = { nationalNumber: { from: 'userinfo', claim: '/person/numbers/0', prefix: 'BE/' }};
const encryptedIdTokens = {
  id_token_encrypted_response_alg: 'RSA-OAEP-256',
  id_token_encrypted_response_enc: 'A256GCM',
};
const encryptedUserinfo = {
  userinfo_signed_response_alg: 'RS256',
  userinfo_encrypted_response_alg: 'RSA-OAEP-256',
  userinfo_encrypted_response_enc: 'A128GCM',
};

const kinds = {
  'secret-in-header': {
    settings: { clientAuthentication: { method: 'client_secret_basic', secretEnv }},
    client: { client_secret: secret, token_endpoint_auth_method: 'client_secret_basic' },
  },
  'secret-in-body': {
    settings: { clientAuthentication: { method: 'client_secret_post', secretEnv }},
    client: { client_secret: secret, token_endpoint_auth_method: 'client_secret_post' },
  },
  'no-authentication': {
    settings: { clientAuthentication: { method: 'none' }},
    client: { token_endpoint_auth_method: 'none' },
  },
  'key-of-server': {},
  // The provider caches the keys of its clients for a minute; it has not fetched these before.
  'new-key-of-server': {},
  'key-of-its-own': { settings: ownKey },
  userinfo: { settings: { ...ownKey, ...fromUserinfo }, userinfoOnly: true },
  'signed-userinfo': {
    settings: { ...ownKey, ...fromUserinfo },
    client: { userinfo_signed_response_alg: 'ES256' },
    userinfoOnly: true,
  },
  'encrypted-id-tokens': { settings: decryption, client: encryptedIdTokens },
  'encrypted-by-curve': {
    settings: decryption,
    client: { id_token_encrypted_response_alg: 'ECDH-ES', id_token_encrypted_response_enc: 'A128CBC-HS256' },
  },
  'encrypted-userinfo': {
    settings: { ...decryption, ...fromUserinfo },
    client: { ...encryptedIdTokens, ...encryptedUserinfo },
    userinfoOnly: true,
  },
  'encrypted-for-another': { settings: { ...ownKey, decryptionKeyFile: 'another.jwk' }, client: encryptedIdTokens },
  'encrypted-without-key': { settings: ownKey, client: encryptedIdTokens },
  'userinfo-for-another': {
    settings: { ...ownKey, ...fromUserinfo, decryptionKeyFile: 'another.jwk' },
    client: encryptedUserinfo,
    userinfoOnly: true,
  },
  pushed: { settings: { ...ownKey, par: true }, client: { require_pushed_authorization_requests: true }},
  signed: {
    settings: { ...ownKey, requestObject: true },
    client: { request_object_signing_alg: 'ES256', require_signed_request_object: true },
  },
  'pushed-and-signed': {
    settings: { ...ownKey, par: true, requestObject: true },
    client: { require_pushed_authorization_requests: true, require_signed_request_object: true },
  },
  assured: { settings: { ...ownKey, acrValues: [ 'high', 'substantial' ], acceptedAcr: [ 'high', 'substantial' ]}},
} satisfies Record<string, Kind>;

/** Name of a kind of provider, which is its id, too. */
export type KindName = keyof typeof kinds;

/** Providers made with a widely used library, in a separate process: one of each kind. */
export class StockProviders {
  private constructor(
    private readonly base: string,
    /** Their descriptions in the operator's file. */
    public readonly settings: object[],
    private readonly process: Started,
  ) {}

  /**
   * Starts them, and writes the key files named in their descriptions.
   *
   * @param folder - Of the operator's file.
   * @param base - Base URL of the server that will be their client.
   * @param nationalNumber - Of the citizen `emma`; `nobody` has none.
   */
  public static async start(folder: string, base: string, nationalNumber: string): Promise<StockProviders> {
    const [ own, another, rsa, curve, ...signing ] = await Promise.all([
      makeKey('ES256', 'own', 'sig'),
      makeKey('RSA-OAEP-256', 'rsa', 'enc'),
      makeKey('RSA-OAEP-256', 'rsa', 'enc'),
      makeKey('ECDH-ES', 'curve', 'enc'),
      makeKey('RS256', 'one', 'sig'),
      makeKey('ES256', 'two', 'sig'),
    ]);
    await writeKeys(join(folder, 'own.jwk'), own.secret);
    await writeKeys(join(folder, 'another.jwk'), another.secret);
    await writeKeys(join(folder, 'decryption.jwk'), { keys: [ rsa.secret, curve.secret ]});
    const registered = { jwks: { keys: [ own.open, rsa.open, curve.open ]}};
    const people = {
      emma: { [numberClaim]: nationalNumber, person: { numbers: [ `BE/${nationalNumber}` ]}},
      nobody: {},
    };
    const described = await Promise.all(Object.entries<Kind>(kinds).map(async([ id, kind ]): Promise<Described> => ({
      port: await freePort(),
      people,
      configuration: configure(signing, kind, {
        client_id: 'data-sharing',
        redirect_uris: [ `${base}.account/login/national/${id}/` ],
        post_logout_redirect_uris: [ `${base}.account/login/` ],
        token_endpoint_auth_method: 'private_key_jwt',
        ...kind.settings === undefined ? { jwks_uri: `${base}.oidc/jwks` } : registered,
        ...kind.client,
      }),
    })));
    const file = join(folder, 'stock-providers.json');
    await writeFile(file, JSON.stringify(described));
    process.env[secretEnv] = secret;
    const issuers = described.map(({ port }): string => `http://localhost:${port}`);
    return new StockProviders(
      base,
      Object.entries<Kind>(kinds).map(([ id, { settings }], at): object =>
        describeProvider(issuers[at], { id, ...settings })),
      await startProcess({
        args: [ join(__dirname, 'stock-providers.js'), file ],
        logFile: join(folder, 'stock-providers.log'),
        readyUrl: `${issuers.at(-1)}/.well-known/openid-configuration`,
      }),
    );
  }

  /** A person who logs in at one of them, with their own browser. */
  public person(kind: KindName, name: 'emma' | 'nobody' = 'emma', acr?: string): LoggingIn {
    const headers = { 'x-person': name, ...acr !== undefined && { 'x-acr': acr }};
    return new LoggingIn(new UserAgent(this.base), {
      authorize: async(location): Promise<URL> =>
        new URL(await new UserAgent(`${new URL(location).origin}/`, headers).follow(location)),
    }, {}, kind);
  }

  public async stop(): Promise<void> {
    delete process.env[secretEnv];
    await this.process.stop();
  }
}

interface Described {
  port: number;
  people: object;
  configuration: object;
}

function configure(signing: KeyPair[], { userinfoOnly = false }: Kind, client: object): object {
  return {
    jwks: { keys: signing.map((key): JWK => key.secret) },
    claims: { openid: [ 'sub', 'person', numberClaim ], acr: null },
    acrValues: [ 'low', 'substantial', 'high' ],
    conformIdTokenClaims: userinfoOnly,
    features: {
      encryption: { enabled: true },
      jwtUserinfo: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      requestObjects: { request: true },
    },
    clients: [ client ],
  };
}

/** Makes a key pair for one use. */
export async function makeKey(alg: string, kid: string, use: 'enc' | 'sig'): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const facts = { alg, kid, use };
  return { secret: { ...await exportJWK(privateKey), ...facts }, open: { ...await exportJWK(publicKey), ...facts }};
}

async function writeKeys(file: string, keys: object): Promise<void> {
  await writeFile(file, JSON.stringify(keys));
  await chmod(file, 0o600);
}
