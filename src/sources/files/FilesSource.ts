import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { redactDigits } from '../../identity/redact';
import { NationalNumber } from '../../identity/NationalNumber';
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
import { readRegularText, whyUnreadable } from '../../platform/readRegularFile';

const settingsFile = 'source.json';

/** File names that look like records: those with a wrong ending are reported, rather than silently ignored. */
export const recordFileName = /^[^.].*\.(?:nd)?json[a-z\d]*$/iu;

/** Maximum files in a message about files with the same id: all of a folder may have it. */
const namedDoubles = 3;

const members = [ 'citizen', 'id', 'version', 'credentialSubject', 'credential' ];

/** A file as read. An invalid file may still show whose record it is, and which one. */
export type RecordFile = WholeFile | WrongFile;

/** A file with a record. */
export interface WholeFile {
  /** Name of the file. */
  name: string;
  citizen: NationalNumber;
  id?: string;
  record: SourceRecord;
  problem?: undefined;
}

/** A file with a mistake. */
export interface WrongFile {
  /** Name of the file. */
  name: string;
  citizen?: NationalNumber;
  id?: string;
  /** Mistake in the file: a JSON Pointer and its problem, or `:line:column: ` and its problem. */
  problem: string;
}

/** Requirements for a record. */
export interface RecordForm {
  /** IRI of the data type. */
  dataType: string;
  numbers: Pick<NationalNumbers, 'parse'>;
}

/** An entry, and the state of its file when it was read. */
interface CachedEntry {
  state: string;
  entry: RecordFile;
}

/** Options of a {@link FilesSource}. */
export interface FilesSourceOptions {
  /** IRI of the data type. */
  dataType: string;
  /** Folder that contains the records. */
  folder: string;
  /** Issuers whose credentials are accepted. */
  trustedIssuers?: readonly string[];
  /** Accepted national numbers. */
  numbers: Pick<NationalNumbers, 'parse'>;
  /** Log for invalid files: each is reported once until it changes. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A source in a folder, with one JSON file per record.
 *
 * Files are checked at each request, and read again if they have changed. The version of a record is its `version` with
 * a digest of its content, so that a changed file is a new version even if nobody changed the number.
 *
 * An invalid file is an unreadable record of the citizen that it names; if it names nobody, it belongs to nobody. No
 * other citizen sees it.
 */
export class FilesSource implements Source {
  public readonly dataType: string;
  public readonly folder: string;
  public readonly trustedIssuers: readonly string[];
  private readonly numbers: Pick<NationalNumbers, 'parse'>;
  private readonly logger: Pick<Logger, 'warn'>;
  private readonly cache = new Map<string, CachedEntry>();
  private readonly logged = new Set<string>();

  public constructor({ dataType, folder, logger, numbers, trustedIssuers = []}: FilesSourceOptions) {
    this.dataType = dataType;
    this.folder = folder;
    this.trustedIssuers = trustedIssuers;
    this.numbers = numbers;
    this.logger = logger;
  }

  /**
   * Opens a folder as a source. Trusts the issuers in its `source.json`, in addition to those given.
   *
   * @throws Error naming that file when it is invalid.
   */
  public static async open(options: FilesSourceOptions): Promise<FilesSource> {
    const own = await ownIssuers(join(options.folder, settingsFile));
    return new FilesSource({ ...options, trustedIssuers: [ ...options.trustedIssuers ?? [], ...own ]});
  }

  public async list(nationalNumber: string): Promise<SourceRecord[]> {
    const entries = await this.entries();
    return entries.filter(({ citizen }): boolean => citizen?.reveal() === nationalNumber).map(recordOf);
  }

  public async verify({ id, version }: Pick<SourceRecord, 'id' | 'version'>): Promise<boolean> {
    const entries = await this.entries();
    const theirs = entries.filter((entry): boolean => entry.id === id);
    const found = theirs.find(({ problem }): boolean => problem === undefined) ?? theirs[0];
    // The record may be in a file that cannot be read.
    const doubtful: RecordFile | undefined = found ?? entries.find((entry): boolean => entry.id === undefined);
    if (doubtful?.problem !== undefined) {
      throw new SourceFailure(this.explain(doubtful, entries.indexOf(doubtful), entries.length));
    }
    return found?.problem === undefined && found?.record.version === version;
  }

  /**
   * Reads all files.
   *
   * @returns The number of valid records, and a line for each invalid file.
   */
  public async check(): Promise<SourceCheck> {
    const entries = await this.entries();
    const problems = this.explainAll(entries);
    return { records: entries.length - problems.length, problems };
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
    this.logProblems(entries);
    return entries;
  }

  private logProblems(entries: RecordFile[]): void {
    const problems = this.explainAll(entries);
    for (const problem of problems.filter((line): boolean => !this.logged.has(line))) {
      this.logger.warn(`${problem}: this record is left out.`);
    }
    this.logged.clear();
    for (const problem of problems) {
      this.logged.add(problem);
    }
  }

  private explainAll(entries: RecordFile[]): string[] {
    return entries.flatMap((entry, index): string[] =>
      entry.problem === undefined ? [] : [ this.explain(entry, index, entries.length) ]);
  }

  /** Names a file and its problem. A file whose name may contain a national number is named by its position instead. */
  private explain({ name, problem }: WrongFile, index: number, count: number): string {
    const shown = redactDigits(name);
    const place = shown === name ? '' : ` (number ${index + 1} of ${count} by name)`;
    return `${join(this.folder, shown)}${place}${problem.startsWith(':') ? '' : ': '}${problem}`;
  }

  private async names(): Promise<string[]> {
    try {
      const names = await readdir(this.folder);
      return names.filter((name): boolean => recordFileName.test(name) && name !== settingsFile).sort();
    } catch (error: unknown) {
      throw new SourceFailure(`${this.folder} cannot be read as a folder`, { cause: error });
    }
  }

  /** Reads a file; `undefined` when it has been removed since. */
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
      const entry = readRecordFile(name, await readRegularText(file), { dataType, numbers });
      this.cache.set(name, { state, entry });
      return entry;
    } catch (error: unknown) {
      return codeOf(error) === 'ENOENT' ? undefined : { name, problem: whyUnreadable(error) };
    }
  }
}

/**
 * Converts a file to a record. An unreadable record keeps its id and version, so that its value has an id of its own.
 */
function recordOf(file: RecordFile): SourceRecord {
  return file.problem === undefined ?
    file.record :
      { id: file.id ?? file.name, version: file.problem, problem: file.problem };
}

/** Marks all records with the same id as invalid, whoever they belong to: it is unknown which of them was shared. */
function withoutDoubles(entries: RecordFile[]): RecordFile[] {
  const byId = new Map<string, string[]>();
  for (const { id, name, problem } of entries) {
    if (id !== undefined && problem === undefined) {
      const names = byId.get(id) ?? [];
      names.push(name);
      byId.set(id, names);
    }
  }
  return entries.map((entry): RecordFile => {
    const names = byId.get(entry.id ?? '') ?? [];
    return names.length < 2 || entry.problem !== undefined ?
      entry :
        { ...entry, problem: `/id is also that of ${nameOthers(entry.name, names)}` };
  });
}

/** Names the first other files, and counts the rest. */
function nameOthers(name: string, names: readonly string[]): string {
  const others = names.slice(0, namedDoubles + 1).filter((other): boolean => other !== name).slice(0, namedDoubles);
  const more = names.length - 1 - others.length;
  return others.map(redactDigits).join(', ') + (more === 0 ? '' : ` and ${more} more`);
}

/**
 * Parses the text of a file.
 *
 * @param name - Name of the file.
 * @param text - Text of the file.
 * @param form - Requirements for its records.
 * @param form.dataType - IRI of the data type.
 * @param form.numbers - Accepted national numbers.
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
  const number = typeof citizen === 'string' ? NationalNumber.read(citizen, numbers) : undefined;
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
    throw new Error(`/${redactDigits(unknown)} is not a member of a record${didYouMean(unknown, members)}`);
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
    text = await readRegularText(file);
  } catch (error: unknown) {
    if (codeOf(error) === 'ENOENT') {
      return [];
    }
    throw new Error(`${file} ${whyUnreadable(error)}`, { cause: error });
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
