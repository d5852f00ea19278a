import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../platform/clock';
import type { DataTypeCatalogue } from '../data-types/DataType';
import type { Mistakes } from '../platform/Mistakes';
import { didYouMean } from '../platform/nearest';
import type { Logger } from '../platform/logger';
import { schemaCompiler } from '../platform/jsonSchema';
import { FilesSource } from './files/FilesSource';
import { ClientCredentials } from './http/ClientCredentials';
import { HttpSource } from './http/HttpSource';
import { ServiceClient, serviceLimits } from './http/ServiceClient';
import { parseEndpoint, parseSettings, settingsProblem } from './settings';
import type { Source, SourceCatalogue } from './Source';

/** Parts and settings of {@link openSources}. */
export interface OpenSourcesOptions {
  dataTypes: Pick<DataTypeCatalogue, 'find' | 'list'>;
  /** Of this server: data types in a settings file may be relative to it. */
  baseUrl: string;
  /** Environment variables: secrets are read from there. */
  env: Readonly<Record<string, string | undefined>>;
  now: Clock;
  /** Hears of records that are wrong. */
  logger: Pick<Logger, 'warn'>;
}

/** The sources there are, and where those of kind `files` have their records. */
export interface OpenSources extends SourceCatalogue {
  /** The kind of the source of a data type, if there is one. */
  kindOf: (dataType: string) => string | undefined;
  /** IRIs of the data types that have one. */
  dataTypes: string[];
  /** Those in folders, which are to be kept out of reach: they hold personal data. */
  files: readonly Pick<FilesSource, 'check' | 'dataType' | 'folder'>[];
}

interface FilesEntry {
  kind: 'files';
  dataType: string;
  folder: string;
  trustedIssuers?: string[];
}

interface HttpEntry {
  kind: 'http';
  dataType: string;
  endpoint: string;
  oauth: { issuer: string; clientId: string; clientSecretEnv: string };
  trustedIssuers?: string[];
}

/** Place of an entry: the file, and the place in its array. */
interface Place {
  file: string;
  at: number;
}

const text = { type: 'string', minLength: 1 };
const common = { kind: { enum: [ 'files', 'http' ]}, dataType: text, trustedIssuers: { type: 'array', items: text }};

const isEntries = schemaCompiler({ strict: false }).compile<(FilesEntry | HttpEntry)[]>({
  type: 'array',
  items: {
    type: 'object',
    // One after the other: what the second says depends on the kind.
    allOf: [{ required: [ 'kind', 'dataType' ], properties: { kind: common.kind }}, {
      if: { properties: { kind: { const: 'http' }}},
      // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: {
        properties: {
          ...common,
          endpoint: text,
          oauth: {
            type: 'object',
            required: [ 'issuer', 'clientId', 'clientSecretEnv' ],
            properties: { issuer: text, clientId: text, clientSecretEnv: text },
            additionalProperties: false,
          },
        },
        required: [ 'endpoint', 'oauth' ],
        additionalProperties: false,
      },
      else: { properties: { ...common, folder: text }, required: [ 'folder' ], additionalProperties: false },
    }],
  },
});

/**
 * The sources that `--sources` names: a folder with a folder of records per data type, named by its slug; or a JSON
 * file that lists sources of any kind. A folder that does not exist has no sources.
 *
 * A JSON file holds an array of `{"kind": "files", "dataType", "folder"}` and
 * `{"kind": "http", "dataType", "endpoint", "oauth": {"issuer", "clientId", "clientSecretEnv"}}`, each with
 * `trustedIssuers` if its credentials are signed at the source. Folders are relative to the file.
 *
 * @param setting - Path of the folder or file.
 * @param options - What sources need.
 * @param mistakes - Are noted, naming file and member, folder, or environment variable.
 */
export async function openSources(
  setting: string,
  options: OpenSourcesOptions,
  mistakes: Mistakes,
): Promise<OpenSources> {
  const sources = await mistakes.during(async(): Promise<Source[]> => await isFolder(setting) ?
      openFolder(setting, '', options) :
      openFile(setting, options, mistakes)) ?? [];
  const byDataType = new Map(sources.map((source): [string, Source] => [ source.dataType, source ]));
  return {
    find: (dataType): Source | undefined => byDataType.get(dataType),
    kindOf: (dataType): string | undefined => kindOf(byDataType.get(dataType)),
    dataTypes: [ ...byDataType.keys() ],
    files: sources.filter((source): source is FilesSource => source instanceof FilesSource),
  };
}

function kindOf(source: Source | undefined): string | undefined {
  return source && (source instanceof FilesSource ? 'files' : 'http');
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause: unknown) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      return !path.endsWith('.json');
    }
    throw new Error(`--sources: ${path} cannot be read`, { cause });
  }
}

/** Walks down as long as a path is the beginning of a data type's slug. */
async function openFolder(root: string, path: string, options: OpenSourcesOptions): Promise<Source[]> {
  const folder = join(root, path);
  const types = options.dataTypes.list();
  const type = types.find(({ slug }): boolean => slug === path);
  const isBeginning = types.some(({ slug }): boolean => path === '' || slug.startsWith(`${path}/`));
  if (!type && !isBeginning) {
    throw new Error(`--sources: ${folder} is named after no data type; there are ${
      types.map(({ slug }): string => slug).join(', ')}`);
  }
  const { logger } = options;
  const sources: Source[] = type ? [ await FilesSource.open({ dataType: type.iri, folder, logger }) ] : [];
  for (const name of isBeginning ? await visibleNames(folder) : []) {
    if ((await stat(join(folder, name))).isDirectory()) {
      sources.push(...await openFolder(root, path === '' ? name : `${path}/${name}`, options));
    } else if (!type && name.endsWith('.json')) {
      throw new Error(`--sources: ${join(folder, name)} lies outside the folder of a data type`);
    }
  }
  return sources;
}

async function visibleNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name): boolean => !name.startsWith('.')).sort();
  } catch (cause: unknown) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      return [];
    }
    throw new Error(`--sources: ${folder} cannot be read as a folder`, { cause });
  }
}

async function openFile(file: string, options: OpenSourcesOptions, mistakes: Mistakes): Promise<Source[]> {
  const entries = parseSettings(file, await readText(file));
  if (!isEntries(entries)) {
    throw settingsProblem(file, isEntries.errors);
  }
  const sources = new Map<string, Source>();
  for (const [ at, entry ] of entries.entries()) {
    await mistakes.during(async(): Promise<void> => {
      const place = { file, at };
      const dataType = readDataType(entry.dataType, place, options);
      if (sources.has(dataType)) {
        throw new Error(`${file}: /${at}/dataType has a source already`);
      }
      sources.set(dataType, entry.kind === 'files' ?
          await openFiles(entry, dataType, place, options) :
          openHttp(entry, dataType, place, options));
    });
  }
  return [ ...sources.values() ];
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause: unknown) {
    throw new Error(`--sources: ${file} cannot be read`, { cause });
  }
}

function readDataType(given: string, { file, at }: Place, { baseUrl, dataTypes }: OpenSourcesOptions): string {
  const iri = URL.canParse(given, baseUrl) ? new URL(given, baseUrl).href : given;
  const type = dataTypes.find(iri);
  if (!type) {
    const known = dataTypes.list().map((one): string => one.iri);
    throw new Error(`${file}: /${at}/dataType is not a data type of this server: ${iri}${didYouMean(iri, known)}`);
  }
  return type.iri;
}

async function openFiles(
  entry: FilesEntry,
  dataType: string,
  { file, at }: Place,
  { logger }: OpenSourcesOptions,
): Promise<Source> {
  const { folder, trustedIssuers } = entry;
  const path = resolve(dirname(file), folder);
  const found = await stat(path).catch((): undefined => undefined);
  if (!found?.isDirectory()) {
    throw new Error(`${file}: /${at}/folder is not a folder: ${path}`);
  }
  return FilesSource.open({ dataType, folder: path, trustedIssuers, logger });
}

function openHttp(entry: HttpEntry, dataType: string, { file, at }: Place, options: OpenSourcesOptions): Source {
  const { issuer, clientId, clientSecretEnv } = entry.oauth;
  const clientSecret = options.env[clientSecretEnv];
  if (!clientSecret) {
    throw new Error(`${file}: /${at}/oauth/clientSecretEnv: the environment variable ${clientSecretEnv} is not set`);
  }
  parseEndpoint(file, `${at}/oauth/issuer`, issuer);
  const credentials = new ClientCredentials({ issuer, clientId, clientSecret }, serviceLimits.timeoutMs, options.now);
  const client = new ServiceClient(parseEndpoint(file, `${at}/endpoint`, entry.endpoint), credentials);
  return new HttpSource(dataType, client, entry.trustedIssuers);
}
