import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import { CredentialIssuer } from '../../../src/credentials/CredentialIssuer';
import { CredentialVerifier } from '../../../src/credentials/CredentialVerifier';
import { createDocumentLoader } from '../../../src/credentials/documentLoader';
import type { FetchJson } from '../../../src/credentials/VerificationKeys';
import { keyDocuments } from '../../../src/credentials/KeyDocuments';
import type { KeyStore, SigningKey, SigningPurpose } from '../../../src/credentials/KeyStore';
import { localKey } from '../../../src/credentials/localKey';
import { encodeMultikey } from '../../../src/credentials/multibase';
import { StatusLists } from '../../../src/credentials/StatusLists';
import type { StatusEntry, StatusListKind, StatusListStore } from '../../../src/credentials/StatusListStore';
import type { GrantTerms } from '../../../src/grants/AccessGrant';
import { GrantCredentials } from '../../../src/grants/GrantCredentials';
import type { OwnIris } from '../../../src/vocabulary';
import { ownIris } from '../../../src/vocabulary';
import { parseWebId } from '../../../src/platform/webId';

/** A new Ed25519 key. */
export function newKey(id: string): SigningKey & { privateKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { ...localKey(privateKey), id, privateKey, publicKeyMultibase: encodeMultikey(publicKey) };
}

/** Keys in memory: one per purpose, until others are put in front of it. */
export class TestKeys implements KeyStore {
  public readonly signing: Record<SigningPurpose, ReturnType<typeof newKey>[]> = {
    grants: [ newKey('k1') ],
    credentials: [ newKey('k2') ],
  };

  public getSecret(): Buffer {
    throw new Error('No test of credentials needs a secret');
  }

  public getSecrets(): Buffer[] {
    return [ this.getSecret() ];
  }

  public async refresh(): Promise<boolean> {
    return false;
  }

  public getSigningKeys(purpose: SigningPurpose): ReturnType<typeof newKey>[] {
    return this.signing[purpose];
  }

  public getTokenKeys(): SigningKey[] {
    return [];
  }
}

/** One status list of each kind, in memory. */
export class TestStatusLists implements StatusListStore {
  private readonly moments = new Map<string, Date>();
  public readonly bits = { grants: new Set<number>(), credentials: new Set<number>() };
  public modified = new Date('2026-11-21T08:00:00.000Z');
  private next = 41;

  public async allocate(kind: StatusListKind): Promise<StatusEntry> {
    this.next += 1;
    return { listId: kind, index: this.next };
  }

  public async revoke({ listId, index }: StatusEntry, at: Date): Promise<void> {
    this.bits[listId as StatusListKind].add(index);
    this.moments.set(`${listId} ${index}`, at);
    this.modified = at;
  }

  public async isRevoked({ listId, index }: StatusEntry): Promise<boolean> {
    return this.bits[listId as StatusListKind].has(index);
  }

  public async findRevokedAt({ listId, index }: StatusEntry): Promise<Date | undefined> {
    return this.moments.get(`${listId} ${index}`);
  }

  public async read(kind: StatusListKind, listId: string): Promise<{ revoked: number[]; modified: Date } | undefined> {
    return listId === kind ? { revoked: [ ...this.bits[kind] ], modified: this.modified } : undefined;
  }
}

/** The credentials part of a server: its keys, lists and services, at a moment that tests choose. */
export class TestIssuer {
  public readonly iris: OwnIris;
  public readonly keys = new TestKeys();
  public readonly store = new TestStatusLists();
  public readonly load = createDocumentLoader();
  public readonly credentials: CredentialIssuer;
  public readonly verifier: CredentialVerifier;
  public readonly grants: GrantCredentials;
  public readonly lists: StatusLists;
  public now = new Date('2026-11-21T08:00:00.500Z');

  public constructor(base: string, fetchJson: FetchJson = refuseToFetch) {
    const { keys, load, store } = this;
    this.iris = ownIris(base);
    const common = { keys, statusLists: store, iris: this.iris, load, now: (): Date => this.now };
    this.credentials =
      new CredentialIssuer({ ...common, newId: (): string => '7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a01' });
    this.verifier = new CredentialVerifier({ ...common, fetchJson });
    this.grants = new GrantCredentials({ keys, iris: this.iris, load });
    this.lists = new StatusLists({ store, keys, iris: this.iris, load, now: (): Date => this.now });
  }

  /** The public document at a URL of this server, without its fragment. */
  public async get(url: string): Promise<Record<string, any>> {
    const { pathname, origin } = new URL(url);
    const [ , kind, listId ] = /^\/(v1|\.access)\/status\/([^/]+)$/u.exec(pathname) ?? [];
    const list = await this.lists.find(kind === 'v1' ? 'credentials' : 'grants', listId);
    const document = list ? JSON.parse(list.text) as object : keyDocuments(this.keys, this.iris).get(pathname);
    if (`${origin}/` !== this.iris.base || !document) {
      throw new Error(`404 ${url}`);
    }
    return document;
  }
}

/** Fails a test that fetches. */
export async function refuseToFetch(url: string): Promise<never> {
  throw new Error(`Nothing may be fetched, and ${url} was`);
}

/** A record of a diploma, with its own context. */
export const diploma = {
  webId: parseWebId('http://localhost:3000/9b2f/profile/card#me'),
  dataType: 'http://localhost:3000/v1/data-types/diploma/2024-05-22',
  subject: {
    '@context': {
      ex: 'https://data.example/ns#',
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      Diploma: 'ex:Diploma',
      title: { '@id': 'ex:title', '@language': 'nl' },
      awardedOn: { '@id': 'ex:awardedOn', '@type': 'xsd:date' },
      institution: 'ex:institution',
      label: 'ex:label',
      credits: 'ex:credits',
    },
    type: 'Diploma',
    title: 'Bachelor in de verpleegkunde',
    awardedOn: '2019-06-30',
    institution: { label: 'Hogeschool Voorbeeld' },
    credits: 180,
  },
};

/** The members of a grant on one resource. */
export function grantMembers(base: string): GrantTerms {
  return {
    id: '7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a02',
    uri: `${base}.access/vc/7b1c7d3e-5f0a-4c55-8a3c-1d1f6f0b9a02`,
    kind: 'grant',
    subject: parseWebId(`${base}anna/profile/card#me`),
    recipient: parseWebId(`${base}bank/profile/card#me`),
    modes: [ 'Read' ],
    resources: [ `${base}anna/credentials/5f/5f0a` ],
    purposes: [ 'https://purposes.example/loan' ],
    inherit: false,
    status: { listId: 'grants', index: 42 },
    issuedAt: new Date('2026-11-21T08:00:00.000Z'),
    expiresAt: new Date('2027-05-20T08:00:00.000Z'),
  };
}
