import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DateTime } from 'luxon';
import type { ServerOptions } from '../../demo/lib/servers';
import type { TestCitizen } from './callers';
import { createCitizen } from './callers';
import { RecordService } from './RecordService';
import type { Shared } from './sharing';
import { fictitiousNumber } from './fictitiousNumber';
import { storageOf } from './storage';
import { TestIssuer } from './TestIssuer';
import type { AccountHolder, Client, TestServer } from './world';
import { accountWithPod, removeFolder, startServer, temporaryFolder } from './world';

const demoSources = join(__dirname, '../../demo/data/sources');

/** A time zone in which the tests begin at noon, so that the date does not change while they run. */
const midday = zoneOfMidday();

/** A listed data value. */
export interface ListedValue {
  id: string;
  type: string;
  value?: string;
  summary: { title: object[]; details: Record<string, { format: string }> } | null;
  error?: { value: string; language: string }[];
  unavailable?: true;
}

/**
 * A server with sources that a test can change, an `http` one for student certificates and files for diplomas; with
 * contracts written by the test, an issuer for citizens, and the data user of the contracts.
 */
export class SharingWorld {
  public readonly numbers: string[] = [];
  public readonly timeZone = midday;

  private constructor(
    public readonly server: TestServer,
    public readonly issuer: TestIssuer,
    public readonly registry: RecordService,
    private readonly input: string,
  ) {}

  /**
   * Starts it.
   *
   * @param contracts - Members that differ from those of an ordinary contract on diplomas, by contract id.
   * @param loggingLevel - Of the server.
   * @param flags - Of the server, in addition to those that it needs.
   * @param config - Name of a preset.
   */
  public static async start(
    contracts: Record<string, object>,
    loggingLevel?: string,
    flags: ServerOptions['flags'] = {},
    config?: string,
  ): Promise<SharingWorld> {
    const input = await temporaryFolder();
    const issuer = await TestIssuer.start();
    const registry = new RecordService();
    await registry.start();
    await mkdir(join(input, 'contracts'));
    await mkdir(join(input, 'diplomas'));
    await writeFile(join(input, 'sources.json'), JSON.stringify(sources(registry.url)));
    for (const [ id, members ] of Object.entries(contracts)) {
      await writeContract(input, id, members);
    }
    process.env.TEST_REGISTRY_SECRET = RecordService.clientSecret;
    const options = serverOptions(input, issuer, midday);
    const server = await startServer({ ...options, config, flags: { ...options.flags, ...flags }, loggingLevel });
    return new SharingWorld(server, issuer, registry, input);
  }

  public get base(): string {
    return this.server.base;
  }

  /** Starts the server again after it has stopped, with the same flags and these. */
  public async startAgain(config?: string, flags: ServerOptions['flags'] = {}): Promise<TestServer> {
    const options = serverOptions(this.input, this.issuer, this.timeZone);
    const port = Number(new URL(this.base).port);
    return startServer({ ...options, config, port, flags: { ...options.flags, ...flags }});
  }

  /** Stops everything; the server's data stays. */
  public async stop(): Promise<void> {
    await Promise.all([ this.server.stop(), this.issuer.stop(), this.registry.stop() ]);
  }

  public async remove(): Promise<void> {
    await (await storageOf(this.server.folder)).remove();
    await removeFolder(this.input);
  }

  /** The data user of the contracts. */
  public async dataUser(): Promise<AccountHolder> {
    return accountWithPod(this.base, 'consumer');
  }

  public newNumber(): string {
    const number = fictitiousNumber(this.numbers.length + 1);
    this.numbers.push(number);
    return number;
  }

  /** A citizen with as many diplomas; their ids are `diploma-{n}-{podId}`. */
  public async citizen(diplomas = 1): Promise<TestCitizen> {
    const citizen = await createCitizen(this.base, this.issuer, this.newNumber());
    for (let at = 1; at <= diplomas; at += 1) {
      await this.writeDiploma(citizen, at);
    }
    return citizen;
  }

  /** Writes a citizen's diploma, or a new version of it, to the source. */
  public async writeDiploma(citizen: TestCitizen, at: number, version = '1', template = 'emma-master'): Promise<void> {
    const { citizen: whose, ...record } = await readTemplate(`diploma/2024-05-22/${template}.json`);
    const id = `diploma-${at}-${citizen.podId}`;
    const text = JSON.stringify({ ...record, citizen: citizen.nationalNumber, id, version });
    const file = this.diplomaFile(citizen, at);
    // Atomically, because a half-written record makes the source fail for every caller.
    const draft = join(dirname(file), `.${basename(file)}`);
    await writeFile(draft, text);
    await rename(draft, file);
  }

  public async removeDiploma(citizen: TestCitizen, at: number): Promise<void> {
    await rm(this.diplomaFile(citizen, at));
  }

  /** Makes the registry serve a student certificate of a citizen. */
  public async serveCertificate(citizen: TestCitizen): Promise<void> {
    const { credentialSubject } = await readTemplate('student-certificate/2024-06-01/noor-2025.json', this.base);
    this.registry.records.push({
      citizen: citizen.nationalNumber,
      id: `certificate-${citizen.podId}`,
      version: '1',
      credentialSubject: {
        ...credentialSubject,
        student: { ...credentialSubject.student as object, registrationNumber: citizen.nationalNumber },
      },
    });
  }

  /** Writes a contract and makes the server read it. */
  public async addContract(id: string, members: object): Promise<void> {
    await this.writeContract(id, members);
    this.server.signal('SIGHUP');
    await until(async(): Promise<boolean> => (await fetch(`${this.base}v1/contracts/${id}`)).status === 200);
  }

  public async writeContract(id: string, members: object): Promise<void> {
    await writeContract(this.input, id, members);
  }

  public dataUrl(contract: string): string {
    return `${this.base}v1/contracts/${contract}/data`;
  }

  /** The citizen's data that a contract covers. */
  public async list(citizen: TestCitizen, contract = 'usual'): Promise<ListedValue[]> {
    const response = await citizen.client.request('GET', this.dataUrl(contract));
    return (await json<{ dataValues: ListedValue[] }>(response)).dataValues;
  }

  /** Shares all that a citizen can share under a contract. */
  public async shareAll(citizen: TestCitizen, contract = 'usual'): Promise<Shared[]> {
    const dataValues = (await this.list(citizen, contract))
      .filter(({ error }): boolean => !error)
      .map(({ id }): string => id);
    const response = await citizen.client.request('POST', this.dataUrl(contract), { body: { dataValues }});
    return json(response);
  }

  /** Reads a resource with a grant, and an additional query. */
  public async read(client: Client, shared: Shared, query = '', headers: object = {}): Promise<Response> {
    const url = `${this.base}v1/resources?resource=${encodeURIComponent(shared.podResource)}${query}`;
    return client.request('GET', url, { headers: { 'x-access-grant': shared.accessGrant, ...headers }});
  }

  private diplomaFile({ podId }: TestCitizen, at: number): string {
    return join(this.input, 'diplomas', `${podId}-${at}.json`);
  }
}

/** Parses the JSON of a response that must be successful. */
export async function json<T>(response: Response): Promise<T> {
  if (response.status !== 200 && response.status !== 201) {
    throw new Error(`${response.status}: ${await response.text()}`);
  }
  return response.json() as Promise<T>;
}

/** Polls until a condition holds, up to the time limit of the test. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!await isSo()) {
    await new Promise<void>((resolve): void => {
      setTimeout(resolve, 200);
    });
  }
}

/** Waits for the next hour if this one is about to end, because activity counts the reads of each hour. */
export async function untilInMidHour(): Promise<void> {
  const end = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
  if (end - Date.now() < 30_000) {
    await until(async(): Promise<boolean> => Date.now() > end);
  }
}

function zoneOfMidday(): string {
  const hours = 12 - new Date().getUTCHours();
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}

/** Returns a date some days from today, in the time zone of a {@link SharingWorld}. */
export function day(fromToday: number): string {
  return DateTime.now().setZone(midday).plus({ days: fromToday }).toISODate()!;
}

async function writeContract(folder: string, id: string, members: object): Promise<void> {
  await writeFile(join(folder, 'contracts', `${id}.jsonld`), JSON.stringify({
    '@context': '/v1/contexts/contract/2024-10-08',
    '@type': '/v1/ns/core#Contract',
    accessMode: 'READ',
    accessDuration: 'P90D',
    forDataUser: '/consumer/profile/card#me',
    forDataType: [ '/v1/data-types/diploma/2024-05-22' ],
    forPurpose: '/v1/purposes/employment',
    ...members,
  }));
}

function sources(registry: string): object[] {
  return [
    {
      kind: 'files',
      dataType: '/v1/data-types/diploma/2024-05-22',
      name: { nl: 'Diplomaregister', fr: 'Registre <i>', de: 'Diplomregister', en: 'Diploma <i>Register</i>' },
      folder: 'diplomas',
    },
    {
      kind: 'http',
      dataType: '/v1/data-types/student-certificate/2024-06-01',
      name: { nl: 'Studentenregister', fr: 'Registre étudiant', de: 'Studierendenregister', en: 'Student Register' },
      endpoint: `${registry}/registry`,
      oauth: { issuer: registry, clientId: RecordService.clientId, clientSecretEnv: 'TEST_REGISTRY_SECRET' },
    },
  ];
}

/** A record of the demo; with a base URL, for a server at another URL. */
async function readTemplate(
  name: string,
  base = '/',
): Promise<{ citizen: string; credentialSubject: Record<string, unknown> }> {
  const text = await readFile(join(demoSources, name), 'utf8');
  return JSON.parse(text.replaceAll('"/v1/', `"${base}v1/`)) as ReturnType<typeof readTemplate>;
}

/** Options of the servers of a world. */
function serverOptions(
  input: string,
  { issuer }: TestIssuer,
  timeZone: string,
): Pick<ServerOptions, 'flags' | 'folder' | 'nationalIssuers'> {
  return {
    folder: join(input, 'server'),
    nationalIssuers: [ issuer ],
    flags: {
      contracts: join(input, 'contracts'),
      sources: join(input, 'sources.json'),
      timeZone,
    },
  };
}
