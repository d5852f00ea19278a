import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NationalNumbers } from '../identity/NationalNumbers';
import type { Clock } from '../platform/clock';
import type { DataTypeCatalogue, I18nString } from '../data-types/DataType';
import type { Language } from '../data-types/languages';
import { languages } from '../data-types/languages';
import type { Mistakes } from '../platform/Mistakes';
import { didYouMean } from '../platform/nearest';
import type { Logger } from '../platform/logger';
import { schemaCompiler } from '../platform/jsonSchema';
import { codeOf } from '../platform/errors';
import { readSettingFile } from '../platform/readSettingFile';
import { FilesSource, recordFileName } from './files/FilesSource';
import { parseSettings, placeIn, requireDistinct, schemaOfKinds, settingsProblem } from './settings';
import type { SettingsPlace } from './SettingsKind';
import type { Source, SourceCatalogue } from './Source';
import type { SourceKind } from './SourceKind';

/** Dependencies and settings of {@link openSources}. */
export interface OpenSourcesOptions {
  /** Kinds that a settings file may name. */
  kinds: readonly SourceKind[];
  dataTypes: Pick<DataTypeCatalogue, 'find' | 'list'>;
  /** Accepted national numbers. */
  numbers: NationalNumbers;
  /** Base URL of this server: data types in a settings file may be relative to it. */
  baseUrl: string;
  /** Environment variables with secrets. */
  env: Readonly<Record<string, string | undefined>>;
  now: Clock;
  /** Log for invalid records. */
  logger: Pick<Logger, 'warn'>;
}

/** The opened sources. */
export interface OpenSources extends SourceCatalogue {
  /** Returns the kind of the source of a data type, if there is one. */
  kindOf: (dataType: string) => string | undefined;
  /**
   * Returns the name of a data type's source for citizens, in each language; `undefined` when the operator gives none.
   */
  nameOf: (dataType: string) => I18nString[] | undefined;
  /** IRIs of the data types that have a source. */
  dataTypes: string[];
  all: readonly Source[];
}

/** A source, and the name of its kind. */
interface OpenSource {
  kind: string;
  source: Source;
  name?: I18nString[];
}

/** An object of a settings file. */
interface SourceSettings {
  kind: string;
  dataType: string;
  name?: Record<Language, string>;
  trustedIssuers?: string[];
}

const text = { type: 'string', minLength: 1 };
const name = {
  type: 'object',
  required: languages,
  properties: Object.fromEntries(languages.map((language): [string, object] =>
    [ language, { type: 'string', pattern: '\\S', maxLength: 80 }])),
  additionalProperties: false,
};
const common = {
  required: [ 'dataType' ],
  properties: { dataType: text, name, trustedIssuers: { type: 'array', items: text }},
};

/**
 * Opens the sources that `--sources` names: a folder that contains a folder of records for each data type, named by its
 * slug; or a JSON file that lists sources of any kind. A missing folder has no sources.
 *
 * A JSON file contains an array of objects with `kind`, `dataType`, the members of their kind, optional `name` for
 * citizens, and `trustedIssuers` if the source signs its credentials.
 *
 * @param setting - Path of the folder or file.
 * @param options - Dependencies of the sources.
 * @param mistakes - Collects mistakes, naming the file and member, the folder, or the environment variable.
 */
export async function openSources(
  setting: string,
  options: OpenSourcesOptions,
  mistakes: Mistakes,
): Promise<OpenSources> {
  const sources = await mistakes.during(async(): Promise<OpenSource[]> => {
    requireDistinct('sources', options.kinds);
    return await isFolder(setting) ? openFolder(setting, '', options) : openFile(setting, options, mistakes);
  }) ?? [];
  const byDataType = new Map(sources.map((one): [string, OpenSource] => [ one.source.dataType, one ]));
  return {
    find: (dataType): Source | undefined => byDataType.get(dataType)?.source,
    kindOf: (dataType): string | undefined => byDataType.get(dataType)?.kind,
    nameOf: (dataType): I18nString[] | undefined => byDataType.get(dataType)?.name,
    dataTypes: [ ...byDataType.keys() ],
    all: sources.map(({ source }): Source => source),
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (cause: unknown) {
    return codeOf(cause) === 'ENOENT' && !path.endsWith('.json');
  }
}

/** Opens the folders of data types, descending as long as the path is the beginning of a slug. */
async function openFolder(root: string, path: string, options: OpenSourcesOptions): Promise<OpenSource[]> {
  const folder = join(root, path);
  const types = options.dataTypes.list();
  const type = types.find(({ slug }): boolean => slug === path);
  const isBeginning = types.some(({ slug }): boolean => path === '' || slug.startsWith(`${path}/`));
  if (!type && !isBeginning) {
    throw new Error(`--sources: ${folder} is not named after a data type; there are ${
      types.map(({ slug }): string => slug).join(', ')}`);
  }
  const { logger, numbers } = options;
  const sources: OpenSource[] = type ?
      [{ kind: 'files', source: await FilesSource.open({ dataType: type.iri, folder, numbers, logger }) }] :
      [];
  for (const name of isBeginning ? await visibleNames(folder) : []) {
    if ((await stat(join(folder, name))).isDirectory()) {
      sources.push(...await openFolder(root, path === '' ? name : `${path}/${name}`, options));
    } else if (!type && recordFileName.test(name)) {
      throw new Error(`--sources: ${join(folder, name)} lies outside the folder of a data type`);
    }
  }
  return sources;
}

async function visibleNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name): boolean => !name.startsWith('.')).sort();
  } catch (cause: unknown) {
    if (codeOf(cause) === 'ENOENT') {
      return [];
    }
    throw new Error(`--sources: ${folder} cannot be read as a folder`, { cause });
  }
}

async function openFile(file: string, options: OpenSourcesOptions, mistakes: Mistakes): Promise<OpenSource[]> {
  const entries = parseEntries(file, await readSettingFile('--sources', file), options.kinds);
  const sources = new Map<string, OpenSource>();
  for (const [ at, entry ] of entries.entries()) {
    await mistakes.during(async(): Promise<void> => {
      const place = placeIn(file, `/${at}`, options.env);
      const dataType = readDataType(entry.dataType, place, options);
      if (sources.has(dataType)) {
        throw place.mistake('dataType', 'has a source already');
      }
      // The schema has no other kinds.
      const kind = options.kinds.find((one): boolean => one.kind === entry.kind)!;
      const { logger, now, numbers } = options;
      const trustedIssuers = entry.trustedIssuers ?? [];
      // Validated against the schema of the kind: see parseEntries.
      const source = await kind.open(entry as never, { ...place, dataType, trustedIssuers, numbers, logger, now });
      sources.set(dataType, { kind: kind.kind, source, name: textsOf(entry.name) });
    });
  }
  return [ ...sources.values() ];
}

function textsOf(given: SourceSettings['name']): I18nString[] | undefined {
  return given && languages.map((language): I18nString => ({ value: given[language], language }));
}

function parseEntries(file: string, json: string, kinds: readonly SourceKind[]): SourceSettings[] {
  const schema = { type: 'array', items: schemaOfKinds(kinds, common) };
  const isEntries = schemaCompiler({ strict: false }).compile<SourceSettings[]>(schema);
  const entries = parseSettings(file, json);
  if (!isEntries(entries)) {
    throw settingsProblem(file, isEntries.errors);
  }
  return entries;
}

function readDataType(given: string, { mistake }: SettingsPlace, { baseUrl, dataTypes }: OpenSourcesOptions): string {
  const iri = URL.canParse(given, baseUrl) ? new URL(given, baseUrl).href : given;
  const type = dataTypes.find(iri);
  if (!type) {
    const known = dataTypes.list().map((one): string => one.iri);
    throw mistake('dataType', `is not a data type of this server: ${iri}${didYouMean(iri, known)}`);
  }
  return type.iri;
}
