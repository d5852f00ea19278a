import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createAccount, createClientCredentials, createPod } from '../../demo/lib/accounts';
import { Client } from '../../demo/lib/Client';
import { logInByClientCredentials } from '../../demo/lib/tokens';
import type { CommandPlace } from '../support/commandLine';
import { findBrokenInvariants } from '../support/invariants';
import { withRecordsOf } from '../support/openRecordsOf';
import type { RunSql } from '../support/recordsSql';
import { fictitiousNumber } from '../support/fictitiousNumber';
import { describeProvider, LoggingIn, numberClaim, writeProviders } from '../support/nationalLogin';
import { TestIssuer } from '../support/TestIssuer';
import type { Claims } from '../support/TestIssuer';
import { TestLoginProvider } from '../support/TestLoginProvider';
import { UserAgent } from '../support/UserAgent';
import { freePort, removeFolder, temporaryFolder } from '../support/world';
import { call } from './caller';
import type { Answered, CallOptions } from './caller';
import { KillableServer } from './KillableServer';
import type { ServerSettings } from './KillableServer';
import { makeStorage } from './killStorage';
import type { Engine, KillStorage } from './killStorage';

const demo = join(__dirname, '../../demo/data');
const diplomas = 'diploma/2024-05-22';
const contract = 'usual';

/** A citizen with a WebID and pod. */
export interface KnownCitizen {
  number: string;
  webId: string;
}

/** A citizen whose WebID and pod were created by the service. */
export interface CitizenWithPod extends KnownCitizen {
  podUrl: string;
}

/** An existing WebID, and what its owner already had here. */
export interface OwnWebId {
  webId: string;
  /** URLs of their pod: the pod itself, and documents in it with their access rules. */
  urls: string[];
  /** Contents of the pod before anything is shared. */
  before: string[];
}

/** Kinds of existing WebIDs: with a pod on this server, or of another server and with nothing here. */
export type OwnKind = 'a pod here' | 'nothing here';

/** Flags that replace the addresses of PostgreSQL and Redis. */
export type LayWires = (flags: Record<string, string>) => Promise<Record<string, string>>;

/** Result of sharing a record. */
export interface SharedRecord {
  citizen: KnownCitizen;
  podResource: string;
  accessGrant: string;
}

/** Ways to lose locks. */
export type Loss = 'time passed' | 'flushed' | 'failed over';

/** An account of the server. */
export interface KnownAccount {
  /** Value of the `Authorization` header. */
  authorization: string;
  webId: string;
  /** URL of its client credentials. */
  credentials: string;
}

/** A server with its folders and records, killed again and again, and its callers. */
export class KillWorld {
  private server?: KillableServer;
  private serial = 0;
  private known?: CitizenWithPod;
  private readonly own = new Map<OwnKind, OwnWebId>();
  private endless: string[] = [];
  private aheadSeconds = 0;
  private readonly others: KillableServer[] = [];
  /** Base URL of calls, if not the first node's. */
  private readonly nodePort?: number;

  private constructor(
    private readonly folder: string,
    public readonly port: number,
    private readonly issuer: TestIssuer,
    private readonly loginProvider: TestLoginProvider,
    private readonly dataUser: string,
    private readonly storage: KillStorage,
    private readonly flags: Record<string, string>,
  ) {}

  /**
   * Creates one, and starts its server.
   *
   * @param engine - Where its records are.
   * @param options - All optional.
   * @param options.folder - An empty folder for everything written; a new one by default.
   * @param options.through - Opens the routes on which the server reaches PostgreSQL and Redis.
   */
  public static async start(
    engine: Engine,
    { folder: given, through }: { folder?: string; through?: LayWires } = {},
  ): Promise<KillWorld> {
    const folder = given ?? await temporaryFolder();
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
    const storage = await makeStorage(engine, folder);
    const loginProvider = await TestLoginProvider.start();
    const flags = {
      nationalLogin: await writeProviders(folder, [ describeProvider(loginProvider.issuer) ]),
      ...await through?.(storage.flags),
    };
    const world = new KillWorld(folder, await freePort(), issuer, loginProvider, dataUser, storage, flags);
    await world.restart();
    return world;
  }

  /** Base URL of the server. */
  public get base(): string {
    return `http://localhost:${this.port}/`;
  }

  /** Settings with which the operator's commands find records and keys. */
  public get place(): CommandPlace {
    return { records: this.storage.flags.records, keys: join(this.folder, 'keys') };
  }

  /** The server that is running. */
  public get running(): KillableServer {
    return this.server!;
  }

  /** Runs SQL on the records behind the server's back. */
  public get sql(): RunSql {
    return this.storage.sql;
  }

  /** Starts the server, which finishes or undoes what was interrupted. */
  public async restart(): Promise<void> {
    await this.passLocks();
    this.server = await KillableServer.start(this.settings());
  }

  /** Starts another node on the same records. Calls of the returned world go there. */
  public async startNode(): Promise<{ server: KillableServer; world: KillWorld }> {
    const port = await freePort();
    const { flags, ...settings } = this.settings();
    const server = await KillableServer.start({ ...settings, flags: { ...flags, port }});
    this.others.push(server);
    return { server, world: Object.assign(Object.create(this) as KillWorld, { nodePort: port }) };
  }

  /** Ends all locks at once. */
  public async loseLocks(loss: Loss): Promise<void> {
    await (loss === 'time passed' ? this.passLocks() : this.storage[loss === 'flushed' ? 'flush' : 'failOver']!());
  }

  /** A request on resources of the pod, by its owner. */
  public async ask({ webId }: KnownCitizen, method: string, url: string, options: CallOptions = {}):
  Promise<Answered | undefined> {
    return this.send(method, url, await this.sign({ webid: webId }), options);
  }

  /**
   * The same, but kills it before a step of the start, or of its first periodic work. Returns false if there are fewer
   * steps.
   */
  public async killStart(killAt: number): Promise<boolean> {
    await this.passLocks();
    this.server = await KillableServer.start({ ...this.settings(), killAt });
    return !await this.isStillThere();
  }

  /** Ends the counting of steps. Returns true if the server has survived them. */
  public async isStillThere(): Promise<boolean> {
    return await this.server?.survives() ?? false;
  }

  /** Faults in everything stored that last: periodic work may change or remove something while this reads. */
  public async findings(): Promise<string[]> {
    let lasting = await this.look();
    for (let looks = 0; lasting.length > 0 && looks < 10; looks += 1) {
      await setTimeout(200);
      const now = new Set(await this.look());
      lasting = lasting.filter((finding): boolean => now.has(finding));
    }
    return lasting;
  }

  /** Faults at this moment, including what cannot be read. */
  private async look(): Promise<string[]> {
    return this.readFindings().catch((error: unknown): string[] => [ String(error) ]);
  }

  private async readFindings(): Promise<string[]> {
    const broken = await withRecordsOf(this.folder, async(open): Promise<string[]> => findBrokenInvariants({
      base: this.base,
      state: await this.storage.state(this.base, open),
      sql: this.sql,
      audit: open.records.audit,
      now: new Date(),
    }), { records: this.storage.flags.records });
    return [ ...broken, ...this.endless.map((lock): string => `a lock never ends: ${lock}`) ];
  }

  /** Output of the server. */
  public async log(): Promise<string> {
    return readFile(join(this.folder, 'server.log'), 'utf8');
  }

  public async stop(): Promise<void> {
    await Promise.all([ this.server, ...this.others ].map(async(server): Promise<void> => server?.kill()));
    await Promise.all([ this.issuer.stop(), this.loginProvider.stop() ]);
    await this.storage.remove();
    await removeFolder(this.folder);
  }

  /** True when the server reports that it is ready. */
  public async isReady(): Promise<boolean> {
    return (await call('GET', `${this.base}.health/ready`, ''))?.status === 200;
  }

  /**
   * Sets the clock of the server ahead of the right one, or back if below 0.
   *
   * @param withIssuer - Sets the clock of the token issuers, too.
   */
  public async stepClock(seconds: number, withIssuer: boolean): Promise<void> {
    this.aheadSeconds = withIssuer ? seconds : 0;
    await this.running.stepClock(seconds * 1000);
  }

  /** A new account with a pod. */
  public async account(): Promise<KnownAccount> {
    this.serial += 1;
    const name = `account-${this.serial}`;
    const made = await createAccount(this.base, { email: `${name}@example.org`, password: `password of ${name}` });
    const { webId } = await createPod(made, name);
    const { authorization } = made;
    const { controls } = bodyOf<{ controls: { account: { clientCredentials: string }}}>(
      await this.onAccount({ authorization }, 'GET', made.index),
    );
    return { authorization, webId, credentials: controls.account.clientCredentials };
  }

  /** A request on an account, by whoever is logged in to it. */
  public async onAccount(
    { authorization }: Pick<KnownAccount, 'authorization'>,
    method: string,
    url: string,
    body?: unknown,
  ): Promise<Answered | undefined> {
    return this.send(method, url, '', { body, headers: { accept: 'application/json', authorization }});
  }

  /** Returns the number of a citizen who has nothing here yet. */
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

  /** A citizen with a browser. */
  public atBrowser(number: string): LoggingIn {
    return new LoggingIn(new UserAgent(this.base), this.loginProvider, { [numberClaim]: number });
  }

  /** Links an existing WebID, for which the national issuer vouches. */
  public async link({ number, webId }: KnownCitizen): Promise<Answered | undefined> {
    const token = await this.sign({ citizen_national_id: number, webid: webId });
    return this.send('PUT', `${this.base}v1/webids`, token);
  }

  /** Returns the existing WebID of a kind: the same for every caller. */
  public async ownWebId(kind: OwnKind): Promise<OwnWebId> {
    const known = this.own.get(kind) ??
      (kind === 'a pod here' ? await this.holder() : { webId: this.issuer.profile('elsewhere'), urls: [], before: []});
    this.own.set(kind, known);
    return known;
  }

  /** Returns the current texts of the existing documents, without the modification times of containers. */
  public async ownTexts({ urls, webId }: Pick<OwnWebId, 'urls' | 'webId'>): Promise<string[]> {
    return Promise.all(urls.map(async(url): Promise<string> => {
      const answered = await this.ask({ number: '', webId }, 'GET', url);
      const text = String(answered?.body).replaceAll(/^.*(?:dc:modified|posix:mtime).*$/gmu, '');
      return `${answered?.status} ${url} ${text}`;
    }));
  }

  /** A new citizen with WebID and pod. */
  public async citizen(): Promise<CitizenWithPod> {
    const number = this.newNumber();
    const { uri: webId } = bodyOf<{ uri: string }>(await this.createWebId(number));
    return { number, webId, podUrl: webId.slice(0, -'profile/card#me'.length) };
  }

  /** Returns a citizen who has a WebID and pod. */
  public async anyCitizen(): Promise<CitizenWithPod> {
    this.known ??= await this.citizen();
    return this.known;
  }

  /** Replaces that citizen by a new one. */
  public forgetCitizen(): void {
    this.known = undefined;
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

  /** Writes a citizen's only diploma to the source: another version, or another diploma. */
  public async writeDiploma({ number }: KnownCitizen, id: string, version = '1'): Promise<void> {
    const template = JSON.parse(await readFile(join(demo, 'sources', diplomas, 'emma-master.json'), 'utf8')) as object;
    await writeFile(this.diplomaFile(number), JSON.stringify({ ...template, citizen: number, id, version }));
  }

  /** Lists the ids of the values that a citizen can share. */
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

  /** Reads shared data as the data user. */
  public async read(
    { accessGrant, podResource }: SharedRecord,
    options: { verified?: boolean } = {},
  ): Promise<Answered | undefined> {
    const query = new URLSearchParams({ resource: podResource, ...options.verified && { verified: 'true' }});
    const url = `${this.base}v1/resources?${query.toString()}`;
    const token = await this.sign({ webid: this.dataUser });
    return this.send('GET', url, token, { headers: { 'x-access-grant': accessGrant }});
  }

  /** Writes a document to a citizen's pod, and reads it back. */
  public async keep(
    citizen: CitizenWithPod,
    body: Buffer,
    contentType = 'text/plain',
  ): Promise<(Answered | undefined)[]> {
    const token = await this.sign({ webid: citizen.webId });
    return [
      await call('PUT', `${citizen.podUrl}kept`, token, { raw: body, headers: { 'content-type': contentType }}),
      await this.kept(citizen),
    ];
  }

  /** Reads that document. */
  public async kept({ webId, podUrl }: CitizenWithPod): Promise<Answered | undefined> {
    return call('GET', `${podUrl}kept`, await this.sign({ webid: webId }));
  }

  /** Reports a copy as the data user. */
  public async reportCopy({ accessGrant, podResource }: SharedRecord): Promise<Answered | undefined> {
    return this.asDataUser('POST', 'v1/data-copies', { resource: podResource, accessGrant });
  }

  /** Has events of the data user pushed to an endpoint. */
  public async subscribe(endpoint: string): Promise<Answered | undefined> {
    return this.asDataUser('POST', 'v1/subscriptions', { endpoint });
  }

  public async reportDeletion({ podResource }: SharedRecord): Promise<Answered | undefined> {
    return this.asDataUser('DELETE', 'v1/data-copies', { resource: podResource });
  }

  /** True when there is a row. */
  public async has(rows: string): Promise<boolean> {
    return (await this.sql(`select 1 from ${rows}`)).length > 0;
  }

  private settings(): ServerSettings {
    return {
      compiled: join(process.env.FAULTS_COMPILED!, this.storage.preset),
      logFile: join(this.folder, 'server.log'),
      flags: {
        baseUrl: this.base,
        port: this.port,
        loggingLevel: 'error',
        ...this.storage.flags,
        ...this.flags,
        keys: join(this.folder, 'keys'),
        contracts: join(this.folder, 'contracts'),
        sources: join(this.folder, 'sources'),
        purposes: join(demo, 'purposes'),
        nationalIssuers: this.issuer.issuer,
        allowLoopback: true,
        registration: 'open',
      },
    };
  }

  private async passLocks(): Promise<void> {
    this.endless = await this.storage.passLocks(this.base);
  }

  /** Creates an account with a pod and a note, whose profile lists the national issuer. */
  private async holder(): Promise<OwnWebId> {
    const account = await createAccount(this.base, { email: 'holder@example.org', password: 'password of a holder' });
    const { podUrl, webId } = await createPod(account, 'holder');
    const credentials = await createClientCredentials(account, webId);
    const client = await logInByClientCredentials(Client.withBearer(), this.base, credentials);
    const card = `${podUrl}profile/card`;
    const note = `${podUrl}own`;
    await client.request('PATCH', card, {
      headers: { 'content-type': 'application/sparql-update' },
      body: `INSERT DATA { <#me> <http://www.w3.org/ns/solid/terms#oidcIssuer> <${this.issuer.issuer}> }`,
    });
    await client.request('PUT', note, { headers: { 'content-type': 'text/plain' }, body: 'mine' });
    const urls = [ podUrl, `${podUrl}.acl`, card, `${card}.acl`, note ];
    const before = await this.ownTexts({ urls, webId });
    if (before.some((text): boolean => !text.startsWith('200 '))) {
      throw new Error(`Could not prepare ${webId}: ${before.join(', ')}`);
    }
    return { webId, urls, before };
  }

  private async asCitizen(number: string, method: string, path: string): Promise<Answered | undefined> {
    return this.send(method, `${this.base}${path}`, await this.sign({ citizen_national_id: number }));
  }

  private async asWebId(
    { number, webId }: KnownCitizen,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answered | undefined> {
    const token = await this.sign({ citizen_national_id: number, webid: webId });
    return this.send(method, `${this.base}${path}`, token, { body });
  }

  private async asDataUser(method: string, path: string, body: unknown): Promise<Answered | undefined> {
    const token = await this.sign({ webid: this.dataUser });
    return this.send(method, `${this.base}${path}`, token, { body });
  }

  private async sign(claims: Claims): Promise<string> {
    const now = Math.floor(Date.now() / 1000) + this.aheadSeconds;
    return this.issuer.sign({ iat: now, exp: now + 300, ...claims });
  }

  private async send(method: string, url: string, token: string, options: CallOptions = {}):
  Promise<Answered | undefined> {
    return call(method, url, token, { ...options, port: this.nodePort });
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
