import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract } from '../../src/contracts/Contract';
import { CheckUnavailable } from '../../src/credentials/Credential';
import { UsableContracts } from '../../src/contracts/UsableContracts';
import { CredentialIssuer } from '../../src/credentials/CredentialIssuer';
import { CredentialVerifier } from '../../src/credentials/CredentialVerifier';
import type { FetchJson } from '../../src/credentials/VerificationKeys';
import { createDocumentLoader } from '../../src/credentials/documentLoader';
import type { ShaclDataTypes } from '../../src/data-types/ShaclDataTypes';
import { AccessDecision } from '../../src/grants/AccessDecision';
import type { AccessGrant, GrantTerms } from '../../src/grants/AccessGrant';
import { grantUri } from '../../src/grants/AccessGrant';
import { GrantIssuer } from '../../src/grants/GrantIssuer';
import { GrantService } from '../../src/grants/GrantService';
import type { Citizen } from '../../src/identity/CitizenStore';
import { NationalNumber } from '../../src/identity/NationalNumber';
import { KeyedMutex } from '../../src/platform/KeyedMutex';
import type { Logger } from '../../src/platform/logger';
import { Candidates } from '../../src/personal-data/Candidates';
import { PersonalDataService } from '../../src/personal-data/PersonalDataService';
import { RecordReader } from '../../src/personal-data/RecordReader';
import { ResourceWatch } from '../../src/personal-data/ResourceWatch';
import { SharePlanner } from '../../src/personal-data/SharePlanner';
import { ShareSweep } from '../../src/personal-data/ShareSweep';
import { ShareRecovery } from '../../src/personal-data/ShareRecovery';
import { ShareTurns } from '../../src/personal-data/ShareTurns';
import { ShareUpkeep } from '../../src/personal-data/ShareUpkeep';
import { ShareWriter } from '../../src/personal-data/ShareWriter';
import { SharingService } from '../../src/personal-data/SharingService';
import { ContractNotFound } from '../../src/problems';
import type { Records } from '../../src/platform/Records';
import type { Stores } from '../../src/storage/Stores';
import type { PodGateway } from '../../src/pods/PodGateway';
import { AccessRecord } from '../../src/resources/AccessRecord';
import { OriginRound } from '../../src/resources/OriginRound';
import { OriginSchedule } from '../../src/resources/OriginSchedule';
import { OriginVerifier } from '../../src/resources/OriginVerifier';
import { PodListing } from '../../src/resources/PodListing';
import { ResourceService } from '../../src/resources/ResourceService';
import { SourceFailure } from '../../src/sources/Source';
import type { Source, SourceRecord } from '../../src/sources/Source';
import type { OpenRecords } from '../../src/storage/openRecords';
import { ownIris } from '../../src/vocabulary';
import { parseWebId } from '../../src/platform/webId';
import { fictitiousNumber } from './fictitiousNumber';
import { loadDataTypes } from './mistakes';
import { MemoryPodGateway } from './MemoryPodGateway';
import { openRecordsOf } from './openRecordsOf';

export const base = 'http://localhost:3000/';
export const iris = ownIris(base);
export const dataType = `${base}v1/data-types/student-certificate/2024-06-01`;
export const otherType = `${base}v1/data-types/diploma/2024-05-22`;
export const dataUser = parseWebId('https://bank.example/profile#org');
export const stranger = parseWebId('https://stranger.example/profile#me');
export const context = { correlationId: '5f0c6a0e-3f0e-4c39-8a55-0d6cfa6bde11', app: 'https://app.example/id' };

/** A source in memory with the same records for every citizen. */
export class MemorySource implements Source {
  public readonly trustedIssuers: string[] = [];
  public records: SourceRecord[] = [];
  public isDown = false;
  /** Ids of records that the source no longer confirms. */
  public readonly withdrawn = new Set<string>();

  public constructor(public readonly dataType: string) {}

  public async list(): Promise<SourceRecord[]> {
    this.assertUp();
    return this.records;
  }

  public async verify({ id, version }: { id: string; version: string }): Promise<boolean> {
    this.assertUp();
    return !this.withdrawn.has(id) &&
      this.records.some((record): boolean => record.id === id && record.version === version);
  }

  private assertUp(): void {
    if (this.isDown) {
      throw new SourceFailure('time-out');
    }
  }
}

/** JSON-LD of a student certificate. */
export function certificate(academicYear = '2025-2026'): Record<string, unknown> {
  return {
    '@context': {
      '@vocab': `${base}v1/ns/core#`,
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      institutionName: { '@container': '@language' },
      programme: { '@container': '@language' },
      recordedAt: { '@type': 'xsd:dateTime' },
      enrolledFrom: { '@type': 'xsd:date' },
    },
    '@type': 'StudentCertificate',
    student: { '@type': 'Person', givenName: 'Noor', familyName: 'Amrani' },
    programme: { nl: 'Bachelor in het onderwijs', en: 'Bachelor of Education' },
    academicYear,
    institution: {
      '@type': 'EducationalInstitution',
      institutionName: { nl: 'Hogeschool Noorderlicht', en: 'Noorderlicht University College' },
    },
    enrolledFrom: '2025-09-22',
    fullTime: true,
    recordedAt: '2025-09-18T11:42:00Z',
  };
}

/** A plain record of a student certificate. */
export function plainRecord(id: string, version = '1', academicYear?: string): SourceRecord {
  return { id, version, credentialSubject: certificate(academicYear) };
}

const valueIdKey = randomBytes(32);

export function silent(lines: string[]): Logger {
  function log(line: string): void {
    lines.push(line);
  }
  return { error: log, warn: log, info: log, debug: log };
}

/** Sharing, and the upkeep of shared data. */
export type BenchSharing = Pick<SharingService, 'share'> & ShareUpkeep;

/** The services on real records in a folder, with stand-ins for the rest of the server. */
export class SharingBench {
  public now = new Date('2026-03-01T12:00:00Z');
  public readonly gateway = new MemoryPodGateway();
  public readonly source = new MemorySource(dataType);
  public readonly contract: Contract = {
    id: 'student-discount',
    uri: `${base}v1/contracts/student-discount`,
    forDataUser: dataUser,
    forDataType: [ dataType ],
    forPurpose: `${base}v1/purposes/student-discount`,
    accessMode: 'READ',
    accessDuration: 'P30D',
    digest: 'digest-1',
    document: {},
  };

  /** WebIDs that no longer control anything. */
  public readonly dispossessed = new Set<string>();
  /** WebIDs that own every pod, in addition to the one in its name. */
  public readonly owners: string[] = [];
  public readonly logged: string[] = [];
  /** Fetches keys and status lists of other issuers. */
  public fetchJson: FetchJson = async(): Promise<never> => {
    throw new CheckUnavailable('nothing is fetched here');
  };

  private readonly clock = (): Date => this.now;
  private serial = 0;

  private constructor(
    private readonly folder: string,
    private readonly open: OpenRecords,
    public readonly dataTypes: ShaclDataTypes,
    clock: { now: () => Date },
  ) {
    clock.now = (): Date => this.now;
  }

  public static async start(): Promise<SharingBench> {
    const folder = await mkdtemp(join(tmpdir(), 'sharing-'));
    const clock = { now: (): Date => new Date('2026-03-01T12:00:00Z') };
    const open = await openRecordsOf(folder, { clock: (): Date => clock.now(), logger: silent([]) });
    const dataTypes = await loadDataTypes({ base });
    return new SharingBench(folder, open, dataTypes, clock);
  }

  public async stop(): Promise<void> {
    await this.open.close();
    await rm(this.folder, { recursive: true });
  }

  public get records(): Records<Stores> {
    return this.open.records;
  }

  public get credentials(): CredentialIssuer {
    return new CredentialIssuer({
      keys: this.open.keys,
      statusLists: this.records.statusLists,
      iris,
      load: createDocumentLoader(),
      now: (): Date => this.now,
      newId: randomUUID,
    });
  }

  public get verifier(): CredentialVerifier {
    return new CredentialVerifier({
      keys: this.open.keys,
      statusLists: this.records.statusLists,
      iris,
      load: createDocumentLoader(),
      fetchJson: async(url): Promise<unknown> => this.fetchJson(url),
      now: (): Date => this.now,
    });
  }

  public get decision(): AccessDecision {
    return new AccessDecision({
      grants: this.records.usableGrants,
      control: {
        controls: async(webId, resource): Promise<boolean> => !this.dispossessed.has(webId) &&
          resource.startsWith(webId.replace(/profile\/card#me$/u, '')),
        ownersOf: async(): Promise<string[]> => this.owners,
      },
      baseUrl: base,
      now: (): Date => this.now,
    });
  }

  public grants(records = this.records): GrantService {
    return new GrantService({ records, iris, baseUrl: base, now: (): Date => this.now });
  }

  public issuer({ statusLists } = this.records): GrantIssuer {
    const signer = { sign: async({ uri }: GrantTerms): Promise<string> => JSON.stringify({ id: uri }) };
    return new GrantIssuer({
      statusLists,
      contracts: { grantExpiry: (): Date => new Date(this.now.getTime() + 30 * 24 * 3600 * 1000) },
      signer,
      iris,
      newId: randomUUID,
    });
  }

  /** Usable contracts according to these records. */
  public usableContracts({ contractUses: uses, suspensions } = this.records): UsableContracts {
    return new UsableContracts({ contracts: this.contracts, suspensions, uses, now: (): Date => this.now });
  }

  public personalData(sources: Source[] = [ this.source ]): PersonalDataService {
    return new PersonalDataService({
      candidates: this.candidates(sources),
      contracts: this.usableContracts(),
      audit: this.records.audit,
      now: (): Date => this.now,
    });
  }

  public candidates(sources: Source[] = [ this.source ]): Candidates {
    return new Candidates({
      citizens: this.records.citizens,
      verifier: this.verifier,
      sources: { find: (iri): Source | undefined => sources.find((source): boolean => source.dataType === iri) },
      reader: new RecordReader({
        credentials: this.credentials,
        dataTypes: this.dataTypes,
        now: (): Date => this.now,
      }),
      valueIdKey: (): Buffer => valueIdKey,
      logger: silent(this.logged),
    });
  }

  /** Sharing, with other records or another gateway for tests in which they fail. */
  public sharing(records: Records<Stores> = this.records, gateway: PodGateway = this.gateway): BenchSharing {
    const { citizens, shares } = records;
    const { clock: now, decision } = this;
    const mutex = new KeyedMutex();
    const recovery = new ShareRecovery({ records, gateway, logger: silent(this.logged), now });
    const writer = new ShareWriter({ records, gateway, decision, recovery, now, newId: randomUUID });
    const turns = new ShareTurns({ citizens, mutex, recovery });
    const watch = new ResourceWatch({ records, gateway, now });
    const service = new SharingService({
      contracts: this.usableContracts(records),
      candidates: this.candidates(),
      // Citizens of the bench have pods of this server.
      ownWebIds: { prepare: async(): Promise<void> => undefined },
      turns,
      planner: new SharePlanner({
        writer,
        credentials: this.credentials,
        grants: this.issuer(records),
        now,
        newId: randomUUID,
      }),
      writer,
    });
    const sweep = new ShareSweep({ records, gateway, watch, now });
    return Object.assign(new ShareUpkeep({ shares, mutex, turns, recovery, watch, sweep }), {
      share: service.share.bind(service),
    });
  }

  public resources(accesses?: Pick<AccessRecord, 'note'>): ResourceService {
    return new ResourceService({
      records: this.records,
      accesses: accesses ?? new AccessRecord({ records: this.records, now: (): Date => this.now }),
      decision: this.decision,
      gateway: this.gateway,
      origin: this.origin,
      baseUrl: base,
    });
  }

  public podListing(): PodListing {
    return new PodListing({
      records: this.records,
      decision: this.decision,
      gateway: this.gateway,
      baseUrl: base,
      now: (): Date => this.now,
    });
  }

  public get origin(): OriginVerifier {
    return new OriginVerifier({
      records: this.records,
      gateway: this.gateway,
      credentials: this.verifier,
      sources: { find: (): Source => this.source },
      now: (): Date => this.now,
    });
  }

  /** Automatic checks, once a day by default. */
  public round({ holder = randomUUID(), verifier = this.origin, ...options }: {
    holder?: string;
    intervalMs?: number;
    verifier?: Pick<OriginVerifier, 'check'>;
  } = {}): OriginRound {
    return new OriginRound({
      records: this.records,
      verifier,
      schedule: new OriginSchedule({
        shares: this.records.shares,
        dataTypes: (): string[] => [ dataType ],
        intervalMs: 24 * 3600 * 1000,
        now: (): Date => this.now,
        ...options,
      }),
      holder,
      logger: silent(this.logged),
      now: (): Date => this.now,
    });
  }

  public get contracts(): { getConsumable: (id: string) => Contract } {
    return {
      getConsumable: (id): Contract => {
        if (id !== this.contract.id) {
          throw new ContractNotFound();
        }
        return this.contract;
      },
    };
  }

  public async citizen(): Promise<Citizen> {
    const id = randomUUID();
    this.serial += 1;
    await this.records.citizens.insertOrGet({
      id,
      webId: parseWebId(`${base}${id}/profile/card#me`),
      podUrl: `${base}${id}/`,
      nationalNumber: NationalNumber.stored(fictitiousNumber(this.serial)),
      createdAt: this.now,
    });
    await this.records.citizens.setState(id, 'ACTIVE');
    await this.records.podOwners.set(`${base}${id}/`, [ `${base}${id}/profile/card#me` ]);
    return (await this.records.citizens.findById(id))!;
  }

  /** Lists the ids of all values of a citizen. */
  public async valueIds(citizen: Citizen): Promise<string[]> {
    return (await this.personalData().list(citizen, this.contract.id, context)).map(({ id }): string => id);
  }

  /** A grant that somebody stated, stored. */
  public async grant(members: Partial<AccessGrant>): Promise<AccessGrant> {
    const id = randomUUID();
    const grant: AccessGrant = {
      id,
      uri: grantUri(iris.accessIssuer, id),
      kind: 'grant',
      subject: parseWebId(`${base}alice/profile/card#me`),
      recipient: dataUser,
      modes: [ 'Read' ],
      resources: [ `${base}alice/notes` ],
      purposes: [],
      inherit: true,
      status: await this.records.statusLists.allocate('grants'),
      issuedAt: this.now,
      document: '{}',
      ...members,
    };
    await this.records.grants.insert(grant);
    return grant;
  }

  public later(milliseconds: number): void {
    this.now = new Date(this.now.getTime() + milliseconds);
  }
}
