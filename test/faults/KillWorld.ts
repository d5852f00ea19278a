import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRecords } from '../../src/storage/openRecords';
import { findBrokenInvariants } from '../support/invariants';
import { makeSchema, sqlOf } from '../support/recordsSql';
import type { PostgresSchema, RunSql } from '../support/recordsSql';
import { fictitiousNumber } from '../support/sharingBench';
import { TestIssuer } from '../support/TestIssuer';
import { freePort, removeFolder, temporaryFolder } from '../support/world';
import { call } from './caller';
import type { Answered } from './caller';
import { KillableServer } from './KillableServer';
import type { ServerSettings } from './KillableServer';

const demo = join(__dirname, '../../demo/data');
const diplomas = 'diploma/2024-05-22';
const contract = 'usual';

/** A citizen with a WebID and pod. */
export interface KnownCitizen {
  number: string;
  webId: string;
  podUrl: string;
}

/** What sharing a record answered. */
export interface SharedRecord {
  citizen: KnownCitizen;
  podResource: string;
  accessGrant: string;
}

/** A server with its folders and records, which lives through one kill after the other, and who calls it. */
export class KillWorld {
  private server?: KillableServer;
  private serial = 0;
  private known?: KnownCitizen;
  private readonly records: string;

  private constructor(
    private readonly compiled: string,
    private readonly folder: string,
    private readonly port: number,
    private readonly issuer: TestIssuer,
    private readonly dataUser: string,
    private readonly schema?: PostgresSchema,
  ) {
    this.records = schema?.url ?? join(folder, 'records.sqlite');
  }

  /**
   * Makes one, and starts its server.
   *
   * @param compiled - Folder of the compiled preset.
   * @param database - URL of a PostgreSQL database for the records; SQLite without.
   */
  public static async start(compiled: string, database?: string): Promise<KillWorld> {
    const folder = await temporaryFolder();
    const issuer = await TestIssuer.start();
    const dataUser = issuer.profile('data-user');
    await mkdir(join(folder, 'contracts'));
    await mkdir(join(folder, 'sources', diplomas), { recursive: true });
    await writeFile(join(folder, 'contracts', `${contract}.jsonld`), JSON.stringify({
      '@context': '/v1/contexts/contract/2024-10-08',
      '@type': '/v1/ns/core#Contract',
      accessMode: 'READ',
      accessDuration: 'P90D',
      forDataUser: dataUser,
      forDataType: [ `/v1/data-types/${diplomas}` ],
      forPurpose: '/v1/purposes/employment',
    }));
    const schema = database === undefined ?
      undefined :
        await makeSchema(database, `kills_${randomUUID().replaceAll('-', '')}`);
    const world = new KillWorld(compiled, folder, await freePort(), issuer, dataUser, schema);
    await world.restart();
    return world;
  }

  /** Base URL of the server. */
  public get base(): string {
    return `http://localhost:${this.port}/`;
  }

  /** Root of the pods. */
  public get root(): string {
    return join(this.folder, 'pods');
  }

  /** The server that is running. */
  public get running(): KillableServer {
    return this.server!;
  }

  /** Statements on the records behind the server's back. */
  public get sql(): RunSql {
    return sqlOf(this.records);
  }

  /** Starts the server, which finishes or undoes what was interrupted. */
  public async restart(): Promise<void> {
    this.server = await KillableServer.start(this.settings());
  }

  /** The same, but kills it before a step of the start. Answers false when there are not so many. */
  public async killStart(killAt: number): Promise<boolean> {
    this.server = await KillableServer.start({ ...this.settings(), killAt });
    return this.server === undefined;
  }

  /** What is wrong with all that is stored. */
  public async findings(): Promise<string[]> {
    const { close, records } = await openRecords({
      records: this.records,
      keys: join(this.folder, 'keys'),
      clock: (): Date => new Date(),
      newId: randomUUID,
      logger: console,
    });
    try {
      return await findBrokenInvariants({
        base: this.base,
        root: this.root,
        sql: this.sql,
        audit: records.audit,
        now: new Date(),
      });
    } finally {
      await close();
    }
  }

  /** What the server has printed. */
  public async log(): Promise<string> {
    return readFile(join(this.folder, 'server.log'), 'utf8');
  }

  public async stop(): Promise<void> {
    await this.server?.kill();
    await this.issuer.stop();
    await this.schema?.drop();
    await removeFolder(this.folder);
  }

  /** The number of a citizen who has nothing here yet. */
  public newNumber(): string {
    this.serial += 1;
    return fictitiousNumber(this.serial);
  }

  public async createWebId(number: string): Promise<Answered | undefined> {
    return this.asCitizen(number, 'PUT', 'v1/webids');
  }

  public async deleteWebId(number: string): Promise<Answered | undefined> {
    return this.asCitizen(number, 'DELETE', 'v1/webids');
  }

  /** A new citizen with WebID and pod. */
  public async citizen(): Promise<KnownCitizen> {
    const number = this.newNumber();
    const { uri: webId } = bodyOf<{ uri: string }>(await this.createWebId(number));
    return { number, webId, podUrl: webId.slice(0, -'profile/card#me'.length) };
  }

  /** Somebody who has a WebID and pod. */
  public async anyCitizen(): Promise<KnownCitizen> {
    this.known ??= await this.citizen();
    return this.known;
  }

  /** The id of a diploma that nobody has yet. */
  public newDiploma(): string {
    this.serial += 1;
    return `diploma ${this.serial}`;
  }

  /** Gives a citizen another diploma, and shares it. */
  public async shareNew(citizen: KnownCitizen): Promise<SharedRecord> {
    await this.writeDiploma(citizen, this.newDiploma());
    return this.shared(citizen);
  }

  /** Writes a citizen's one diploma to the source: another version of it, or another one. */
  public async writeDiploma({ number }: KnownCitizen, id: string, version = '1'): Promise<void> {
    const template = JSON.parse(await readFile(join(demo, 'sources', diplomas, 'emma-master.json'), 'utf8')) as object;
    await writeFile(this.diplomaFile(number), JSON.stringify({ ...template, citizen: number, id, version }));
  }

  /** Ids of what a citizen can share. */
  public async listValues(citizen: KnownCitizen): Promise<string[]> {
    const listed = await this.asWebId(citizen, 'GET', `v1/contracts/${contract}/data`);
    return bodyOf<{ dataValues: { id: string }[] }>(listed).dataValues.map(({ id }): string => id);
  }

  public async share(citizen: KnownCitizen, dataValues: string[]): Promise<Answered | undefined> {
    return this.asWebId(citizen, 'POST', `v1/contracts/${contract}/data`, { dataValues });
  }

  /** Shares a citizen's diploma. */
  public async shared(citizen: KnownCitizen): Promise<SharedRecord> {
    const [ shared ] = bodyOf<SharedRecord[]>(await this.share(citizen, await this.listValues(citizen)));
    return { ...shared, citizen };
  }

  public async revoke({ citizen, podResource, accessGrant }: SharedRecord): Promise<Answered | undefined> {
    const [ , podId, ...others ] = new URL(podResource).pathname.split('/');
    const path = `v1/pods/${podId}/resources/${others.at(-1)}/access-grants/${accessGrant.split('/').at(-1)}`;
    return this.asWebId(citizen, 'DELETE', path);
  }

  /** Reports a copy as the data user. */
  public async reportCopy({ accessGrant, podResource }: SharedRecord): Promise<Answered | undefined> {
    return this.asDataUser('POST', 'v1/data-copies', { resource: podResource, accessGrant });
  }

  public async reportDeletion({ podResource }: SharedRecord): Promise<Answered | undefined> {
    return this.asDataUser('DELETE', 'v1/data-copies', { resource: podResource });
  }

  /** Whether there is a row. */
  public async has(rows: string): Promise<boolean> {
    return (await this.sql(`select 1 from ${rows}`)).length > 0;
  }

  private settings(): ServerSettings {
    return {
      compiled: this.compiled,
      logFile: join(this.folder, 'server.log'),
      flags: {
        baseUrl: this.base,
        port: this.port,
        loggingLevel: 'error',
        rootFilePath: `${this.root}/`,
        records: this.records,
        keys: join(this.folder, 'keys'),
        contracts: join(this.folder, 'contracts'),
        sources: join(this.folder, 'sources'),
        purposes: join(demo, 'purposes'),
        nationalIssuers: this.issuer.issuer,
        allowLoopback: true,
      },
    };
  }

  private async asCitizen(number: string, method: string, path: string): Promise<Answered | undefined> {
    return call(method, `${this.base}${path}`, await this.issuer.sign({ citizen_national_id: number }));
  }

  private async asWebId(
    { number, webId }: KnownCitizen,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answered | undefined> {
    const token = await this.issuer.sign({ citizen_national_id: number, webid: webId });
    return call(method, `${this.base}${path}`, token, { body });
  }

  private async asDataUser(method: string, path: string, body: unknown): Promise<Answered | undefined> {
    const token = await this.issuer.sign({ webid: this.dataUser });
    return call(method, `${this.base}${path}`, token, { body });
  }

  private diplomaFile(number: string): string {
    return join(this.folder, 'sources', diplomas, `${number}.json`);
  }
}

/** The body of a success. */
export function bodyOf<T>(answered: Answered | undefined): T {
  if (answered?.status !== 200 && answered?.status !== 201) {
    throw new Error(`Expected a success: ${JSON.stringify(answered)}`);
  }
  return answered.body as T;
}
