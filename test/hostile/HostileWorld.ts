import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Client as Postgres } from 'pg';
import { createClientCredentials, logInToAccount } from '../../demo/lib/accounts';
import { startDataSharing } from '../../demo/lib/servers';
import { readSlowly } from '../support/readSlowly';
import { sqlOf } from '../support/recordsSql';
import { treeInFiles, treeInRows } from '../support/serverState';
import type { ServerTree } from '../support/serverState';
import { postgresStorage } from '../support/storage';
import type { Client, TestNational } from '../support/world';
import {
  freePort,
  LastingClient,
  removeFolder,
  startNationalIssuer,
  temporaryFolder,
} from '../support/world';
import type { RawAnswer, RawRequest } from './rawRequest';
import { sendRaw } from './rawRequest';

/** Storage and access control of a preset. */
export interface Preset {
  storage: 'files' | 'PostgreSQL';
  accessControl: 'WAC' | 'ACP';
}

const acl = 'http://www.w3.org/ns/auth/acl#';
const acp = 'http://www.w3.org/ns/solid/acp#';
const turtle = { 'content-type': 'text/turtle' };
const password = 'correct horse battery staple';

/** One server of a preset, a citizen with a pod in which anybody may append to one container, and a stranger. */
export class HostileWorld {
  private constructor(
    public readonly port: number,
    public readonly citizen: Client,
    /** Path of the citizen's pod. */
    public readonly pod: string,
    public readonly stranger: Client,
    private readonly webId: string,
    private readonly preset: Preset,
    private readonly readTree: () => Promise<ServerTree>,
    /** Folder of the pods, or the URL of the database. */
    private readonly place: string,
    /** Process of the server. */
    private readonly pid: number,
    public readonly stop: () => Promise<void>,
  ) {}

  /** Starts the server of a preset, and creates the targets of the attacks. */
  public static async start(preset: Preset): Promise<HostileWorld> {
    const folder = await temporaryFolder();
    const port = await freePort();
    const base = `http://localhost:${port}/`;
    const national = await startNationalIssuer({ service: base });
    const kept = preset.storage === 'files' ? 'file' : 'postgres';
    const config = `${kept}${preset.accessControl === 'WAC' ? '' : '-acp'}.json`;
    const postgres = preset.storage === 'files' ? undefined : await postgresStorage(folder);
    const given = { config, loggingLevel: 'error', nationalIssuers: [ national.issuer ]};
    const server = await startDataSharing({
      ...given,
      ...postgres?.options(given),
      folder,
      port,
      seed: [{ email: 'stranger@example.org', password, pods: [{ name: 'stranger' }]}],
    });
    async function readTree(): Promise<ServerTree> {
      return postgres ? treeInRows(base, sqlOf(postgres.place)) : treeInFiles(base, `${folder}/pods`);
    }
    const { citizen, pod, webId } = await makeCitizen(base, national);
    const world = new HostileWorld(
      port,
      citizen,
      pod,
      await logInStranger(base),
      webId,
      preset,
      readTree,
      postgres?.place ?? folder,
      server.child.pid!,
      async(): Promise<void> => {
        await Promise.all([ server.stop(), national.stop() ]);
        await postgres?.remove();
        await removeFolder(folder);
      },
    );
    await world.furnish();
    return world;
  }

  /** Base URL, with a trailing slash. */
  public get base(): string {
    return `http://localhost:${this.port}/`;
  }

  /** Sends a request as somebody with a Bearer token, or as nobody. */
  public async send(caller: Client | undefined, request: RawRequest): Promise<RawAnswer> {
    const headers = { ...request.headers, ...await caller?.authentication(request.method, this.base) };
    return sendRaw(this.port, { ...request, headers });
  }

  /**
   * Polls the server's health during work.
   *
   * @returns The longest processing time until a response, in milliseconds: what a health check takes on a machine
   * without other load.
   */
  public async watchHealth(during: () => Promise<void>): Promise<number> {
    const watch = new Worker(join(__dirname, 'watch-health.js'), { workerData: { port: this.port, pid: this.pid }});
    try {
      await during();
      watch.postMessage('over');
      const [ milliseconds ] = await once(watch, 'message') as [number];
      return milliseconds;
    } finally {
      await watch.terminate();
    }
  }

  /**
   * Begins to read a resource as the citizen, and continues a little at a time.
   *
   * @returns A function that ends it.
   */
  public async readSlowly(target: string): Promise<() => void> {
    const headers = { host: `localhost:${this.port}`, authorization: `Bearer ${this.citizen.token}` };
    return readSlowly(this.port, target, headers);
  }

  /** Returns digests of all documents, and names of all containers, in the citizen's pod, by path. */
  public async contents(): Promise<Map<string, string>> {
    const { containers, documents } = await this.readTree();
    const root = `${this.base}${this.pod.slice(1)}`;
    const contents = new Map<string, string>();
    for (const uri of containers) {
      if (uri.startsWith(root)) {
        contents.set(uri.slice(root.length), 'container');
      }
    }
    for (const [ uri, read ] of documents) {
      if (uri.startsWith(root)) {
        contents.set(uri.slice(root.length), createHash('sha256').update(await read()).digest('hex'));
      }
    }
    return contents;
  }

  /**
   * Makes the rules of the citizen's pod, or on PostgreSQL all grants, unreadable.
   *
   * @returns A function that makes them readable again.
   */
  public async hide(what: 'grants' | 'rules'): Promise<() => Promise<void>> {
    if (this.preset.storage === 'PostgreSQL') {
      return lockTable(this.place, what === 'rules' ? 'pod_resources' : 'access_grants');
    }
    if (what === 'grants') {
      throw new Error('Who reads SQLite is never locked out');
    }
    return this.breakRules();
  }

  /** Puts a file in place of the rules that can be opened but not read, as on a broken disk. */
  private async breakRules(): Promise<() => Promise<void>> {
    const pod = join(this.place, 'pods', this.pod);
    const rules = join(pod, this.preset.accessControl === 'WAC' ? '.acl' : '.acr');
    const kept = join(this.place, 'rules');
    await rename(rules, kept);
    await symlink('/proc/self/mem', rules);
    // Atomically, so that there is no moment without rules.
    return async(): Promise<void> => rename(kept, rules);
  }

  /** Creates a public inbox, a private document with a description, and two resources that share a name. */
  private async furnish(): Promise<void> {
    await this.put('inbox/first.ttl', '<> a <https://example.org/Message>.');
    await this.put('project/notes.ttl', '<> <https://example.org/says> "mine".');
    await this.put('project/page.html', '<p>mine</p>', { 'content-type': 'text/html' });
    await (this.preset.accessControl === 'WAC' ? this.letAppendByAcl() : this.letAppendByAcr());
  }

  private async letAppendByAcl(): Promise<void> {
    await this.put('inbox/.acl', [
      `<#owner> a <${acl}Authorization>; <${acl}agent> <${this.webId}>; <${acl}accessTo> <./>; <${acl}default> <./>;`,
      `  <${acl}mode> <${acl}Read>, <${acl}Write>, <${acl}Control> .`,
      `<#all> a <${acl}Authorization>; <${acl}agentClass> <http://xmlns.com/foaf/0.1/Agent>; <${acl}accessTo> <./>;`,
      `  <${acl}default> <./>; <${acl}mode> <${acl}Append> .`,
    ].join('\n'));
  }

  private async letAppendByAcr(): Promise<void> {
    const rules = [
      accessControl([ 'Read', 'Write', 'Control' ], this.webId),
      accessControl([ 'Append' ], `${acp}PublicAgent`),
    ].join(', ');
    await this.put('inbox/.acr', [
      `<> a <${acp}AccessControlResource>; <${acp}resource> <./>;`,
      `  <${acp}accessControl> ${rules}; <${acp}memberAccessControl> ${rules} .`,
    ].join('\n'));
  }

  private async put(name: string, body: string, headers: Record<string, string> = turtle): Promise<void> {
    const { status, text } = await this.send(this.citizen, { method: 'PUT', target: this.pod + name, headers, body });
    if (status >= 300) {
      throw new Error(`PUT ${name}: ${text}`);
    }
  }
}

/** Locks a table against reading, until the returned function is called. */
async function lockTable(database: string, table: string): Promise<() => Promise<void>> {
  const client = new Postgres({ connectionString: database });
  await client.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return async(): Promise<void> => client.end();
}

/** Returns an access control of ACP that gives an agent modes, as Turtle. */
function accessControl(modes: string[], agent: string): string {
  return [
    `[ a <${acp}AccessControl>; <${acp}apply> [ a <${acp}Policy>;`,
    `<${acp}allow> ${modes.map((mode): string => `<${acl}${mode}>`).join(', ')};`,
    `<${acp}anyOf> [ a <${acp}Matcher>; <${acp}agent> <${agent}> ] ] ]`,
  ].join(' ');
}

async function makeCitizen(
  base: string,
  national: TestNational,
): Promise<{ citizen: Client; pod: string; webId: string }> {
  const made = await (await national.logIn('lucas', 'Bearer')).request('PUT', `${base}v1/webids`);
  const { uri } = await made.json() as { uri: string };
  // Now the token names the WebID, too.
  const citizen = await national.logIn('lucas', 'Bearer');
  return { citizen, pod: new URL(uri).pathname.replace(/profile\/card$/u, ''), webId: uri };
}

async function logInStranger(base: string): Promise<Client> {
  const account = await logInToAccount(base, { email: 'stranger@example.org', password });
  const credentials = await createClientCredentials(account, `${base}stranger/profile/card#me`);
  return LastingClient.logIn(base, credentials, 'Bearer');
}
