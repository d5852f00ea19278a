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
import { hasUsableSize, isShort } from './jws';

/** Maximum keys to try for a token without `kid`. */
const maxKeysTried = 10;

/** Signing keys of an issuer: jose selects and imports them, each at its first use. */
export class IssuerKeySet {
  private readonly choose: ReturnType<typeof createLocalJWKSet>;

  /**
   * @param keys - Keys as published by the issuer.
   * @param fetchedAt - Time of the fetch, which bounds how long tokens verified with these keys are cached.
   * @param bytes - Size of the document with the keys.
   */
  public constructor(
    public readonly keys: readonly JWK[],
    public readonly fetchedAt: Date,
    public readonly bytes = 0,
  ) {
    this.choose = createLocalJWKSet({ keys: keys.filter(isShort) });
  }

  /**
   * Returns the keys that may have signed a JWS: the one it names, otherwise those that fit its algorithm, ten at most.
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
      // No key fits, or the fitting one is invalid.
    }
  }
}

/** The published keys of token issuers. */
export interface IssuerKeys {
  /**
   * Returns the keys of an issuer, at most 120 s old.
   *
   * @throws FetchRefused, FetchFailed
   */
  get: (issuer: string) => Promise<IssuerKeySet>;
  /** Fetches the keys again because a key is unknown; at most once in 30 s for each issuer. */
  renew: (issuer: string) => Promise<IssuerKeySet>;
}

/** This server's own identity provider, called in process. */
export interface LocalIssuer {
  issuer: string;
  /** Returns its public keys. A key without `kid` is identified by its thumbprint. */
  keys: () => Promise<JWK[]>;
}

/** Dependencies and settings of {@link RemoteIssuerKeys}. */
export interface RemoteIssuerKeysOptions {
  fetch: GuardedFetch;
  /** Issuers in the settings, which may be on any host. */
  issuersFromSettings: string[];
  now: Clock;
}

const lifeMs = 120_000;
const minRenewalMs = 30_000;
const maxIssuers = 1000;
/** Size of a usual key set. */
const usualBytes = 4096;
const maxKeysPerIssuer = 100;

/**
 * Fetches the keys of issuers by discovery.
 *
 * @see [OpenID Connect Discovery 1.0, section 4](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig)
 */
export class RemoteIssuerKeys implements IssuerKeys {
  private readonly cache: FreshCache<IssuerKeySet>;

  public constructor(private readonly options: RemoteIssuerKeysOptions) {
    this.cache = new FreshCache({
      lifeMs,
      maxEntries: maxIssuers,
      weigh: ({ bytes }): number => bytes / usualBytes,
      now: options.now,
    });
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
    const discovery = `${withoutSlash(issuer)}/.well-known/openid-configuration`;
    const { value: configuration } = await this.json(discovery, fromSettings);
    if (typeof configuration.issuer !== 'string' || !isSameIssuer(configuration.issuer, issuer)) {
      throw new FetchFailed('the discovery document is of another issuer');
    }
    if (typeof configuration.jwks_uri !== 'string') {
      throw new FetchFailed('the discovery document names no keys');
    }
    const { value: { keys }, bytes } = await this.json(configuration.jwks_uri, fromSettings);
    if (!Array.isArray(keys)) {
      throw new FetchFailed('the key set is malformed');
    }
    const usable = keys.filter(isRecord).slice(0, maxKeysPerIssuer);
    return new IssuerKeySet(usable, fetchedAt, bytes);
  }

  private async json(
    url: string,
    fromSettings: boolean,
  ): Promise<{ value: Record<string, unknown>; bytes: number }> {
    const { status, body } = await this.options.fetch(url, { accept: 'application/json', fromSettings });
    if (status !== 200) {
      throw new FetchFailed(`the issuer answers with status ${status}`);
    }
    const value = parseObject(body);
    if (!value) {
      throw new FetchFailed('the answer is not a JSON object');
    }
    return { value, bytes: body.length };
  }
}

/** The keys of the server's own identity provider, each with a `kid`; imported again only when they change. */
export class LocalIssuerKeys {
  /** The current set, and the JSON of its keys. */
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

/** Returns the names of an algorithm in keys: Ed25519 has two. */
function namesOf(alg: SignatureAlgorithm): SignatureAlgorithm[] {
  return alg === 'EdDSA' || alg === 'Ed25519' ? [ 'Ed25519', 'EdDSA' ] : [ alg ];
}
