import { KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, errors } from 'jose';
import type { JWK } from 'jose';
import type { Clock } from '../platform/clock';
import { isRecord } from '../platform/isRecord';
import { FreshCache } from '../platform/FreshCache';
import type { GuardedFetch } from '../platform/guardedFetch';
import { FetchFailed } from '../platform/fetchErrors';
import { parseObject } from '../platform/parseJson';
import { isAmong, isSameIssuer, withoutSlash } from './issuers';
import type { Jws, SignatureAlgorithm } from './jws';
import { hasUsableSize } from './jws';

/** Of keys that fit a token that names none. */
const maxKeysTried = 10;

/** The keys that an issuer signs with: jose chooses among them and imports them, each when it is first used. */
export class IssuerKeySet {
  private readonly choose: ReturnType<typeof createLocalJWKSet>;

  /**
   * @param keys - As the issuer publishes them.
   * @param fetchedAt - When the issuer was asked: what was verified with its keys is to be forgotten a while after.
   */
  public constructor(public readonly keys: readonly JWK[], public readonly fetchedAt: Date) {
    this.choose = createLocalJWKSet({ keys: [ ...keys ]});
  }

  /**
   * The keys that a JWS may be signed with: the one it names, else those that fit its algorithm, ten at most.
   *
   * @see [RFC 7517, section 4](https://www.rfc-editor.org/rfc/rfc7517#section-4)
   */
  public async candidates({ kid }: Jws['header'], alg: SignatureAlgorithm): Promise<KeyObject[]> {
    const found: KeyObject[] = [];
    for (const name of namesOf(alg)) {
      for await (const key of this.fitting({ alg: name, ...typeof kid === 'string' && { kid }})) {
        found.push(...hasUsableSize(key) ? [ key ] : []);
        if (found.length === maxKeysTried) {
          return found;
        }
      }
    }
    return found;
  }

  private async* fitting(header: { alg: string; kid?: string }): AsyncGenerator<KeyObject> {
    try {
      yield KeyObject.from(await this.choose(header));
    } catch (error: unknown) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) {
        for await (const key of error) {
          yield KeyObject.from(key);
        }
      }
      // None fits, or the one that does is no key.
    }
  }
}

/** The published keys of token issuers. */
export interface IssuerKeys {
  /**
   * The keys of an issuer, at most 120 s old.
   *
   * @throws FetchRefused, FetchFailed
   */
  get: (issuer: string) => Promise<IssuerKeySet>;
  /** The same, asked again because a key is unknown; at most once in 30 s per issuer. */
  renew: (issuer: string) => Promise<IssuerKeySet>;
}

/** This server's own identity provider, asked in process. */
export interface LocalIssuer {
  issuer: string;
  /** Its public keys. A key without `kid` is known by its thumbprint. */
  keys: () => Promise<JWK[]>;
}

/** Dependencies and settings of {@link RemoteIssuerKeys}. */
export interface RemoteIssuerKeysOptions {
  fetch: GuardedFetch;
  /** Issuers named in the settings: they may be anywhere. */
  issuersFromSettings: string[];
  now: Clock;
}

const lifeMs = 120_000;
const minRenewalMs = 30_000;
const maxIssuers = 1000;
const maxKeysPerIssuer = 100;

/**
 * Fetches the keys of issuers by discovery.
 *
 * @see [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
 */
export class RemoteIssuerKeys implements IssuerKeys {
  private readonly cache: FreshCache<IssuerKeySet>;

  public constructor(private readonly options: RemoteIssuerKeysOptions) {
    this.cache = new FreshCache({ lifeMs, maxEntries: maxIssuers, now: options.now });
  }

  public async get(issuer: string): Promise<IssuerKeySet> {
    return this.cache.get(withoutSlash(issuer), async(): Promise<IssuerKeySet> => this.load(issuer));
  }

  public async renew(issuer: string): Promise<IssuerKeySet> {
    return this.cache.renew(
      withoutSlash(issuer),
      minRenewalMs,
      async(): Promise<IssuerKeySet> => this.load(issuer),
    );
  }

  private async load(issuer: string): Promise<IssuerKeySet> {
    const fetchedAt = this.options.now();
    const fromSettings = isAmong(this.options.issuersFromSettings, issuer);
    const configuration = await this.json(`${withoutSlash(issuer)}/.well-known/openid-configuration`, fromSettings);
    if (typeof configuration.issuer !== 'string' || !isSameIssuer(configuration.issuer, issuer)) {
      throw new FetchFailed('the discovery document is of another issuer');
    }
    if (typeof configuration.jwks_uri !== 'string') {
      throw new FetchFailed('the discovery document names no keys');
    }
    const { keys } = await this.json(configuration.jwks_uri, fromSettings);
    if (!Array.isArray(keys)) {
      throw new FetchFailed('the key set is malformed');
    }
    const usable = keys.filter(isRecord).slice(0, maxKeysPerIssuer);
    return new IssuerKeySet(usable, fetchedAt);
  }

  private async json(url: string, fromSettings: boolean): Promise<Record<string, unknown>> {
    const { status, body } = await this.options.fetch(url, { accept: 'application/json', fromSettings });
    if (status !== 200) {
      throw new FetchFailed(`the issuer answers with status ${status}`);
    }
    const value = parseObject(body);
    if (!value) {
      throw new FetchFailed('the answer is not a JSON object');
    }
    return value;
  }
}

/** The keys of the server's own identity provider, each with a `kid`: imported once for as long as they stay. */
export class LocalIssuerKeys {
  /** The set, and the JSON of the keys that it was made of. */
  private known?: { text: string; set: IssuerKeySet };

  public constructor(private readonly issuer: LocalIssuer) {}

  public async get(now: Date): Promise<IssuerKeySet> {
    const published = await this.issuer.keys();
    const text = JSON.stringify(published);
    if (text !== this.known?.text) {
      const keys = await Promise.all(published.map(async(jwk): Promise<JWK> =>
        ({ ...jwk, kid: jwk.kid ?? await calculateJwkThumbprint(jwk) })));
      this.known = { text, set: new IssuerKeySet(keys, now) };
    }
    return this.known.set;
  }
}

/** Ed25519 has two names, and keys may have either. */
function namesOf(alg: SignatureAlgorithm): SignatureAlgorithm[] {
  return alg === 'EdDSA' || alg === 'Ed25519' ? [ 'Ed25519', 'EdDSA' ] : [ alg ];
}
