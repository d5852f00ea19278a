import { createHash, randomUUID } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Citizen } from '../../../src/identity/CitizenStore';
import type { Caller, TokenRequest } from '../../../src/tokens/Caller';
import { Concealed } from '../../../src/platform/Concealed';
import { FetchFailed } from '../../../src/platform/fetchErrors';
import { IssuerKeySet } from '../../../src/tokens/IssuerKeys';
import { MemoryProofStore } from '../../../src/tokens/MemoryProofStore';
import type { ProofStore } from '../../../src/tokens/ProofStore';
import { CallerStanding } from '../../../src/tokens/CallerStanding';
import { TokenKeys } from '../../../src/tokens/TokenKeys';
import type { TokenSettings } from '../../../src/tokens/TokenVerifier';
import { TokenVerifier } from '../../../src/tokens/TokenVerifier';
import { parseWebId } from '../../../src/platform/webId';
import { encodeJson } from '../../support/encodeJson';

export const baseUrl = 'https://pods.example/';
export const nationalIssuer = 'https://national.example/realms/citizens';
export const foreignIssuer = 'https://idp.example/';
export const listedIssuer = 'https://listed.example/';
export const bob = parseWebId('https://bob.example/profile/card#me');
export const citizenWebId = parseWebId(`${baseUrl}7c9e6679-7425-40de-944b-e07fc1f90ae7/profile/card#me`);
export const requestUrl = `${baseUrl}v1/resources?resource=x`;
/** Fictitious: born 30 July 1985, with a valid check number. */
export const nationalNumber = '85073003328';

export interface SigningKey {
  privateKey: CryptoKey;
  jwk: JWK;
}

type Changes = Record<string, unknown>;

export async function newKey(alg = 'ES256', members: Changes = {}): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...await exportJWK(publicKey), ...members }};
}

/** Returns a JWS of any header and payload, without undefined members. */
export async function sign(header: Changes, payload: Changes, key: CryptoKey | Uint8Array): Promise<string> {
  const protectedHeader = defined(header) as { alg: string };
  return new SignJWT(defined(payload)).setProtectedHeader(protectedHeader).sign(key);
}

function defined(members: Changes): Changes {
  return Object.fromEntries(Object.entries(members).filter(([ , value ]): boolean => value !== undefined));
}

/** Joins parts without the signature that their header declares. */
export function compact(header: Changes, payload: Changes, signature = 'AA'): string {
  return `${encodeJson(header)}.${encodeJson(payload)}.${signature}`;
}

/** A verifier with issuers, profiles and citizens that a test can change. */
export class TokenWorld {
  public at = new Date('2026-03-02T10:00:00.000Z');
  public readonly settings: TokenSettings = {
    baseUrl,
    audience: 'solid',
    nationalIssuers: [ nationalIssuer ],
    legacyTokens: true,
  };

  public readonly issuers = new Map<string, JWK[]>();
  /** Keys that an issuer publishes at the second request. */
  public readonly newerKeys = new Map<string, JWK[]>();
  public readonly profiles = new Map<string, string[]>([[ bob, [ foreignIssuer ]]]);
  public readonly profilesRead: string[] = [];
  public readonly keysFetched: string[] = [];
  public readonly citizens = new Map<string, Citizen>();
  public readonly tombstones = new Set<string>();
  /** National numbers of known citizens, by WebID. */
  public readonly numbers = new Map<string, string>([[ citizenWebId, nationalNumber ]]);
  public readonly numbersRead: string[] = [];
  public localKeys: JWK[] = [];
  public proofs: ProofStore = new MemoryProofStore();

  public constructor(public readonly issuerKey: SigningKey, public readonly clientKey: SigningKey) {
    for (const issuer of [ nationalIssuer, foreignIssuer, listedIssuer ]) {
      this.issuers.set(issuer, [{ ...issuerKey.jwk, kid: 'one' }]);
    }
    this.localKeys = [ issuerKey.jwk ];
    this.setCitizen('ACTIVE');
  }

  public static async create(): Promise<TokenWorld> {
    return new TokenWorld(await newKey(), await newKey());
  }

  public get seconds(): number {
    return this.at.getTime() / 1000;
  }

  public setCitizen(state: Citizen['state']): void {
    this.citizens.set(citizenWebId, {
      id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
      webId: citizenWebId,
      podUrl: citizenWebId.slice(0, citizenWebId.indexOf('profile')),
      state,
      createdAt: this.at,
    });
  }

  public verifier(settings: Partial<TokenSettings> = {}): TokenVerifier {
    const issuerKeys = {
      get: async(issuer: string): Promise<IssuerKeySet> => this.keysOf(issuer),
      renew: async(issuer: string): Promise<IssuerKeySet> => this.keysOf(issuer, this.newerKeys),
    };
    const citizens = {
      standingOf: async(webId: string, podUrl: string): Promise<Citizen['state'] | 'ERASED' | undefined> =>
        this.citizens.get(webId)?.state ?? (this.tombstones.has(podUrl) ? 'ERASED' : undefined),
      nationalNumberOf: async(webId: string): Promise<Concealed | undefined> => {
        this.numbersRead.push(webId);
        const number = this.numbers.get(webId);
        return number === undefined ? undefined : new Concealed(number, 'national number');
      },
    };
    return new TokenVerifier({
      settings: { ...this.settings, ...settings },
      keys: new TokenKeys(
        { issuer: baseUrl, keys: async(): Promise<JWK[]> => this.localKeys },
        issuerKeys,
        (): Date => this.at,
      ),
      standing: new CallerStanding({ endedAt: async(): Promise<Date | undefined> => undefined }, citizens, {
        issuers: async(webId): Promise<string[]> => this.profileOf(webId),
        renew: async(webId): Promise<string[]> => this.profileOf(webId),
      }),
      proofs: this.proofs,
      now: (): Date => this.at,
    });
  }

  /** Claims of a DPoP-bound token of a foreign issuer for Bob. */
  public async claims(changes: Changes = {}): Promise<Changes> {
    return {
      webid: bob,
      iss: foreignIssuer,
      sub: 'bob',
      aud: 'solid',
      client_id: 'https://app.example/id',
      iat: this.seconds - 10,
      exp: this.seconds + 600,
      cnf: { jkt: await calculateJwkThumbprint(this.clientKey.jwk) },
      ...changes,
    };
  }

  public async token(changes: Changes = {}, header: Changes = {}): Promise<string> {
    return sign(
      { alg: 'ES256', typ: 'at+jwt', kid: 'one', ...header },
      await this.claims(changes),
      this.issuerKey.privateKey,
    );
  }

  public async proof(token: string, changes: Changes = {}, header: Changes = {}): Promise<string> {
    return sign({ alg: 'ES256', typ: 'dpop+jwt', jwk: this.clientKey.jwk, ...header }, {
      htm: 'GET',
      htu: requestUrl.split('?')[0],
      iat: this.seconds,
      jti: randomUUID(),
      ath: createHash('sha256').update(token).digest('base64url'),
      ...changes,
    }, this.clientKey.privateKey);
  }

  public async dpopRequest(token: string, changes: Changes = {}, header: Changes = {}): Promise<TokenRequest> {
    return {
      authorization: `DPoP ${token}`,
      dpop: await this.proof(token, changes, header),
      method: 'GET',
      url: requestUrl,
    };
  }

  /** Result of a DPoP request with a token of these claims. */
  public async call(changes: Changes = {}, header: Changes = {}, citizen = false): Promise<Caller> {
    const request = await this.dpopRequest(await this.token(changes, header));
    return this.verifier().verify(request, { citizen });
  }

  /** Result of a Bearer request with an unbound token of these claims. */
  public async bearer(changes: Changes = {}, citizen = false, settings: Partial<TokenSettings> = {}): Promise<Caller> {
    const token = await this.token({ cnf: undefined, ...changes });
    return this.verifier(settings).verify(bearerRequest(token), { citizen });
  }

  private async profileOf(webId: string): Promise<string[]> {
    this.profilesRead.push(webId);
    return this.profiles.get(webId) ?? [];
  }

  private async keysOf(issuer: string, published = this.issuers): Promise<IssuerKeySet> {
    this.keysFetched.push(issuer);
    const keys = published.get(issuer) ?? this.issuers.get(issuer);
    if (!keys) {
      throw new FetchFailed('the server cannot be reached');
    }
    return new IssuerKeySet(keys, this.at);
  }
}

export function bearerRequest(token: string): TokenRequest {
  return { authorization: `Bearer ${token}`, method: 'GET', url: requestUrl };
}
