import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { blotDigits } from '../../identity/blot';
import type { NationalNumbers } from '../../identity/NationalNumbers';
import { isRecord } from '../../platform/isRecord';
import type { Logger } from '../../platform/logger';
import { didYouMean } from '../../platform/nearest';
import { NotJson, parseJson } from '../../platform/parseJson';
import type { Source, SourceCheck, SourceRecord } from '../Source';
import { parseSettings } from '../settings';
import { nameOfState } from '../../platform/fileState';
import { SourceFailure } from '../Source';
import { atServer } from '../atServer';
import { codeOf, messageOf } from '../../platform/errors';

const settingsFile = 'source.json';

/** Names that look like those of records, so that none is left out in silence. */
export const likeRecords = /^[^.].*\.(?:nd)?json[a-z\d]*$/iu;

const members = [ 'citizen', 'id', 'version', 'credentialSubject', 'credential' ];

/** A file, read. One that is wrong may still say whose it is, and which record it was. */
export type RecordFile = WholeFile | WrongFile;

/** A file with a record. */
export interface WholeFile {
  /** Name of the file. */
  name: string;
  /** National number: 11 digits. */
  citizen: string;
  id?: string;
  record: SourceRecord;
  problem?: undefined;
}

/** A file with a mistake. */
export interface WrongFile {
  /** Name of the file. */
  name: string;
  /** National number: 11 digits. */
  citizen?: string;
  id?: string;
  /** A JSON Pointer and what is wrong there, or `:line:column: ` and what is. */
  problem: string;
}

/** Facts that a record is compared with. */
export interface RecordForm {
  /** IRI. */
  dataType: string;
  numbers: Pick<NationalNumbers, 'parse'>;
}

/** An entry, and the state of the file it was read from. */
interface CachedEntry {
  state: string;
  entry: RecordFile;
}

/** Options of a {@link FilesSource}. */
export interface FilesSourceOptions {
  /** IRI of the data type. */
  dataType: string;
  /** Folder of the records. */
  folder: string;
  /** Issuers whose credentials are accepted. */
  trustedIssuers?: readonly string[];
  /** National numbers that citizens may have. */
  numbers: Pick<NationalNumbers, 'parse'>;
  /** Hears of files that are wrong, each once until it changes. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A source in a folder: one JSON file a record.
 *
 * Files are checked when the source is asked, and read again when they changed. The version of a record is its
 * `version` with a digest of its content, so that a changed file is a new version even when nobody numbered it.
 *
 * A file that is wrong is a record that cannot be read, of the citizen it names; one that names nobody is nobody's.
 * Neither is anything to anybody else.
 */
export class FilesSource implements Source {
  public readonly dataType: string;
  public readonly folder: string;
  public readonly trustedIssuers: readonly string[];
  private readonly numbers: Pick<NationalNumbers, 'parse'>;
  private readonly logger: Pick<Logger, 'warn'>;
  private readonly cache = new Map<string, CachedEntry>();
  private readonly told = new Set<string>();

  public constructor({ dataType, folder, logger, numbers, trustedIssuers = []}: FilesSourceOptions) {
    this.dataType = dataType;
    this.folder = folder;
    this.trustedIssuers = trustedIssuers;
    this.numbers = numbers;
    this.logger = logger;
  }

  /**
   * A source over a folder, with the trusted issuers that its `source.json` names beside those given.
   *
   * @throws Error naming that file when it is wrong.
   */
  public static async open(options: FilesSourceOptions): Promise<FilesSource> {
    const own = await ownIssuers(join(options.folder, settingsFile));
    return new FilesSource({ ...options, trustedIssuers: [ ...options.trustedIssuers ?? [], ...own ]});
  }

  public async list(nationalNumber: string): Promise<SourceRecord[]> {
    const entries = await this.entries();
    return entries.filter(({ citizen }): boolean => citizen === nationalNumber).map(recordOf);
  }

  public async verify({ id, version }: Pick<SourceRecord, 'id' | 'version'>): Promise<boolean> {
    const entries = await this.entries();
    const theirs = entries.filter((entry): boolean => entry.id === id);
    const found = theirs.find(({ problem }): boolean => problem === undefined) ?? theirs[0];
    // A file that cannot be read may be the one.
    const doubtful: RecordFile | undefined = found ?? entries.find((entry): boolean => entry.id === undefined);
    if (doubtful?.problem !== undefined) {
      throw new SourceFailure(this.explain(doubtful, entries));
    }
    return found?.problem === undefined && found?.record.version === version;
  }

  /**
   * Reads all files.
   *
   * @returns A line for each that is wrong, which names the file; and how many records are left.
   */
  public async check(): Promise<SourceCheck> {
    const entries = await this.entries();
    const wrong = entries.filter(isWrong);
    return {
      records: entries.length - wrong.length,
      problems: wrong.map((entry): string => this.explain(entry, entries)),
    };
  }

  private async entries(): Promise<RecordFile[]> {
    const names = await this.names();
    const present = new Set(names);
    for (const name of this.cache.keys()) {
      if (!present.has(name)) {
        this.cache.delete(name);
      }
    }
    const found = await Promise.all(names.map(async(name): Promise<RecordFile | undefined> => this.entry(name)));
    const entries = withoutDoubles(found.filter((entry): entry is RecordFile => entry !== undefined));
    this.tell(entries);
    return entries;
  }

  private tell(entries: RecordFile[]): void {
    const problems = entries.filter(isWrong)
      .map((entry): string => this.explain(entry, entries));
    for (const problem of problems.filter((line): boolean => !this.told.has(line))) {
      this.logger.warn(`${problem}: this record is left out.`);
    }
    this.told.clear();
    for (const problem of problems) {
      this.told.add(problem);
    }
  }

  /** A file whose name may hold a national number is named by its place among the others. */
  private explain({ name, problem }: WrongFile, all: RecordFile[]): string {
    const shown = blotDigits(name);
    const place = shown === name ?
      '' :
      ` (number ${all.findIndex((entry): boolean => entry.name === name) + 1} of ${all.length} by name)`;
    return `${join(this.folder, shown)}${place}${problem.startsWith(':') ? '' : ': '}${problem}`;
  }

  private async names(): Promise<string[]> {
    try {
      const names = await readdir(this.folder);
      return names.filter((name): boolean => likeRecords.test(name) && name !== settingsFile).sort();
    } catch (error: unknown) {
      throw new SourceFailure(`${this.folder} cannot be read as a folder`, { cause: error });
    }
  }

  /** A file that is gone by now is no entry. */
  private async entry(name: string): Promise<RecordFile | undefined> {
    const file = join(this.folder, name);
    if (!name.endsWith('.json')) {
      return { name, problem: 'the name of a record ends in .json' };
    }
    try {
      const state = nameOfState(await stat(file, { bigint: true }));
      const cached = this.cache.get(name);
      if (cached?.state === state) {
        return cached.entry;
      }
      const { dataType, numbers } = this;
      const entry = readRecordFile(name, await readFile(file, 'utf8'), { dataType, numbers });
      this.cache.set(name, { state, entry });
      return entry;
    } catch (error: unknown) {
      const code = codeOf(error) || 'unknown';
      return code === 'ENOENT' ? undefined : { name, problem: `cannot be read (${code})` };
    }
  }
}

function isWrong(file: RecordFile): file is WrongFile {
  return file.problem !== undefined;
}

/** Makes a record. One that cannot be read keeps its id and version, so that its value has an id of its own. */
function recordOf(file: RecordFile): SourceRecord {
  return file.problem === undefined ?
    file.record :
      { id: file.id ?? file.name, version: file.problem, problem: file.problem };
}

/** Records of one id are all wrong, whosever they are: nobody knows which of them was shared. */
function withoutDoubles(entries: RecordFile[]): RecordFile[] {
  const byId = new Map<string, string[]>();
  for (const { id, name, problem } of entries) {
    if (id !== undefined && problem === undefined) {
      byId.set(id, [ ...byId.get(id) ?? [], name ]);
    }
  }
  return entries.map((entry): RecordFile => {
    const others = (byId.get(entry.id ?? '') ?? []).filter((name): boolean => name !== entry.name);
    return others.length === 0 || entry.problem !== undefined ?
      entry :
        { ...entry, problem: `/id is also that of ${others.map(blotDigits).join(', ')}` };
  });
}

/**
 * Reads the text of a file.
 *
 * @param name - Of the file.
 * @param text - Of the file.
 * @param form - The rules for its records.
 * @param form.dataType - Their data type.
 * @param form.numbers - The check of national numbers.
 */
export function readRecordFile(name: string, text: string, { dataType, numbers }: RecordForm): RecordFile {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error: unknown) {
    if (error instanceof NotJson) {
      return { name, problem: `:${error.line}:${error.column}: ${error.message}` };
    }
    throw error;
  }
  if (!isRecord(json)) {
    return { name, problem: 'must be one JSON object' };
  }
  const { citizen, ...rest } = json;
  const id = isText(rest.id) ? rest.id : undefined;
  const number = typeof citizen === 'string' ? numbers.parse(citizen) : undefined;
  if (number === undefined) {
    return { name, id, problem: '/citizen must be a national number: a text, with its check digits' };
  }
  try {
    return { name, id, citizen: number, record: readRecord(rest, dataType) };
  } catch (error: unknown) {
    return { name, id, citizen: number, problem: messageOf(error) };
  }
}

function readRecord(json: Record<string, unknown>, dataType: string): SourceRecord {
  const { id, version, credentialSubject, credential, ...others } = json;
  const [ unknown ] = Object.keys(others);
  if (unknown) {
    throw new Error(`/${blotDigits(unknown)} is not a member of a record${didYouMean(unknown, members)}`);
  }
  if (!isText(id) || !isText(version)) {
    throw new Error(`/${isText(id) ? 'version' : 'id'} must be a text`);
  }
  if ((credentialSubject === undefined) === (credential === undefined)) {
    throw new Error('exactly one of /credentialSubject and /credential is required');
  }
  const content = credentialSubject ?? credential;
  if (!isRecord(content)) {
    throw new Error(`/${credential === undefined ? 'credentialSubject' : 'credential'} must be a JSON object`);
  }
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
  const body = credential === undefined ? { credentialSubject: atServer(content, dataType) } : { credential: content };
  return { id, version: `${version}~${digest}`, ...body };
}

async function ownIssuers(file: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error: unknown) {
    if (codeOf(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
  const json = parseSettings(file, text);
  const { trustedIssuers = [], ...others } = isRecord(json) ? json : { trustedIssuers: null };
  if (!Array.isArray(trustedIssuers) || !trustedIssuers.every(isText) || Object.keys(others).length > 0) {
    throw new Error(`${file}: trustedIssuers must be a list of IRIs, and the only member`);
  }
  return trustedIssuers;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}
