import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source, SourceRecord } from '../Source';
import { SourceFailure } from '../Source';
import { isRecord } from '../../platform/isRecord';

const settingsFile = 'source.json';

/** What one file holds. A file that is wrong may still say whose it is. */
interface Entry {
  citizen?: string;
  record?: SourceRecord;
  /** What is wrong with it, naming the file. */
  problem?: string;
}

/** An entry, and the state of the file it was read from. */
interface CachedEntry {
  state: string;
  entry: Entry;
}

/**
 * A source in a folder: one JSON file a record.
 *
 * Files are looked at when the source is asked, and read again when they changed. The version of a record is its
 * `version` with a digest of its content, so that a changed file is a new version even when nobody numbered it.
 *
 * A malformed file makes the source fail for the citizen it names, or for everybody when it names none.
 */
export class FilesSource implements Source {
  private readonly cache = new Map<string, CachedEntry>();

  /**
   * @param dataType - IRI of the data type.
   * @param folder - Folder of the records.
   * @param trustedIssuers - Issuers whose credentials are accepted.
   */
  public constructor(
    public readonly dataType: string,
    public readonly folder: string,
    public readonly trustedIssuers: readonly string[] = [],
  ) {}

  /**
   * A source over a folder, with the trusted issuers that its `source.json` names beside those given.
   *
   * @throws Error naming that file when it is wrong.
   */
  public static async open(dataType: string, folder: string, trusted: readonly string[] = []): Promise<FilesSource> {
    return new FilesSource(dataType, folder, [ ...trusted, ...await ownIssuers(join(folder, settingsFile)) ]);
  }

  public async list(nationalNumber: string): Promise<SourceRecord[]> {
    const entries = await this.entries();
    const theirs = entries.filter(({ citizen }): boolean => citizen === undefined || citizen === nationalNumber);
    return theirs.map((entry): SourceRecord => this.usable(entry, entries));
  }

  public async verify({ id, version }: Pick<SourceRecord, 'id' | 'version'>): Promise<boolean> {
    const entries = await this.entries();
    const found = entries.find(({ record }): boolean => record?.id === id);
    return found !== undefined && this.usable(found, entries).version === version;
  }

  private usable({ record, problem }: Entry, all: Entry[]): SourceRecord {
    if (!record) {
      throw new SourceFailure(problem!);
    }
    if (all.filter((other): boolean => other.record?.id === record.id).length > 1) {
      throw new SourceFailure(`${this.folder}: two records have one id`);
    }
    return record;
  }

  private async entries(): Promise<Entry[]> {
    const names = await this.names();
    const present = new Set(names);
    for (const name of this.cache.keys()) {
      if (!present.has(name)) {
        this.cache.delete(name);
      }
    }
    const entries = await Promise.all(names.map(async(name): Promise<Entry | undefined> => this.entry(name)));
    return entries.filter((entry): entry is Entry => entry !== undefined);
  }

  private async names(): Promise<string[]> {
    try {
      const names = await readdir(this.folder);
      return names.filter((name): boolean => /^[^.].*\.json$/u.test(name) && name !== settingsFile).sort();
    } catch (error: unknown) {
      throw new SourceFailure(`${this.folder} cannot be read as a folder`, { cause: error });
    }
  }

  /** A file that is gone by now is no entry. */
  private async entry(name: string): Promise<Entry | undefined> {
    const file = join(this.folder, name);
    try {
      const { mtimeNs, ctimeNs, size, ino } = await stat(file, { bigint: true });
      const state = [ mtimeNs, ctimeNs, size, ino ].join(' ');
      const cached = this.cache.get(name);
      if (cached?.state === state) {
        return cached.entry;
      }
      const entry = readEntry(file, await readFile(file, 'utf8'), this.dataType);
      this.cache.set(name, { state, entry });
      return entry;
    } catch (error: unknown) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return undefined;
      }
      throw new SourceFailure(`${file} cannot be read`, { cause: error });
    }
  }
}

function readEntry(file: string, text: string, dataType: string): Entry {
  const json = parseObject(text);
  if (!json) {
    return { problem: `${file}: not a JSON object` };
  }
  const { citizen, ...rest } = json;
  const digits = typeof citizen === 'string' ? citizen.replaceAll(/[\s./-]/gu, '') : '';
  if (!/^\d{11}$/u.test(digits)) {
    return { problem: `${file}: citizen must be a national number of 11 digits` };
  }
  try {
    return { citizen: digits, record: readRecord(rest, dataType) };
  } catch (error: unknown) {
    return { citizen: digits, problem: `${file}: ${(error as Error).message}` };
  }
}

function readRecord(json: Record<string, unknown>, dataType: string): SourceRecord {
  const { id, version, credentialSubject, credential, ...others } = json;
  const [ unknown ] = Object.keys(others);
  if (unknown) {
    throw new Error(`${unknown} is not a member of a record`);
  }
  if (!isText(id) || !isText(version)) {
    throw new Error(`${isText(id) ? 'version' : 'id'} must be a text`);
  }
  if ((credentialSubject === undefined) === (credential === undefined)) {
    throw new Error('credentialSubject or credential must be there, and not both');
  }
  const content = credentialSubject ?? credential;
  if (!isRecord(content)) {
    throw new Error(`${credential === undefined ? 'credentialSubject' : 'credential'} must be a JSON object`);
  }
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
  const body = credential === undefined ? { credentialSubject: atServer(content, dataType) } : { credential: content };
  return { id, version: `${version}~${digest}`, ...body };
}

/** Paths in the context of an unsigned record are paths of the server that serves the data type. */
function atServer(subject: Record<string, unknown>, dataType: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(subject).map(([ key, value ]): [string, unknown] =>
    [ key, key === '@context' ? absolutePaths(value, dataType) : value ]));
}

function absolutePaths(value: unknown, base: string): unknown {
  if (typeof value === 'string') {
    return /^\/(?!\/)/u.test(value) ? new URL(value, base).href : value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown): unknown => absolutePaths(item, base));
  }
  return isRecord(value) ?
      Object.fromEntries(Object.entries(value).map(([ key, item ]): [string, unknown] =>
        [ key, absolutePaths(item, base) ])) :
    value;
}

async function ownIssuers(file: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return [];
    }
    throw error;
  }
  const { trustedIssuers = [], ...others } = parseObject(text) ?? { trustedIssuers: null };
  if (!Array.isArray(trustedIssuers) || !trustedIssuers.every(isText) || Object.keys(others).length > 0) {
    throw new Error(`${file}: trustedIssuers must be a list of IRIs, and the only member`);
  }
  return trustedIssuers;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}
