import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { makeExampleRecord } from '../../data-types/exampleRecord';
import type { ShapedDataType } from '../../data-types/Shape';
import { makeFolders } from '../../platform/makeFolders';
import { Mistakes } from '../../platform/Mistakes';
import { didYouMean } from '../../platform/nearest';
import { readExtensions } from '../readExtensions';
import type { CheckedSettings } from '../../operations/settings';
import { codeOf, messageOf } from '../../platform/errors';
import { parseOwn } from '../../platform/ownJson';
import { readServerSettings } from './check';
import type { Command, CommandCall, CommandOption } from './Command';
import { UsageError } from './Command';
import { findValue, serverOptions } from './options';

const packageRoot = join(__dirname, '../../..');
const templates = join(packageRoot, 'templates/new');
const shippedRecords = join(packageRoot, 'demo/data/sources');

/** Slug of a shipped data type, for operators who have none of their own. */
const shippedType = 'student-certificate/2024-06-01';
const defaultTypes = 'css-data-sharing/data-types';
/** A fictitious national number. */
const belgianNumber = '85.07.30-991.40';

const typeOption = { value: 'slug', describe: 'The data type. Default: the first of --dataTypes, else a shipped one.' };

/** Writes a contract as a starting point. */
export const newContract: Command = {
  name: 'new contract',
  summary: 'Writes an example contract, with its purpose, into --contracts and --purposes.',
  details: `Overwrites nothing. A file beside the contract explains each member.`,
  optional: 'name',
  get options(): Record<string, CommandOption> {
    return { type: typeOption, ...serverOptions([ 'contracts', 'purposes', 'dataTypes' ]) };
  },
  run: async(call): Promise<undefined> => {
    const name = readName(call);
    const settings = await readServerSettings(call);
    const { contracts, purposes } = settings.paths;
    const { iri } = await findType(settings, findValue(call, 'type'));
    const words = { name, date: today(call), type: pathOf(iri, settings) };
    const purpose = join(purposes, `${name}.ttl`);
    await writeNew(call, [
      [ join(contracts, `${name}.jsonld`), await fill('contract.jsonld', words) ],
      [ join(contracts, `${name}.md`), await fill('contract.md', words) ],
      ...await exists(purpose) ? [] : [ [ purpose, await fill('purpose.ttl', words) ] as const ],
    ]);
  },
};

/** Writes a data type as a starting point. */
export const newDataType: Command = {
  name: 'new data-type',
  summary: `Writes an example data type into --dataTypes, by default ./${defaultTypes}.`,
  details: 'Overwrites nothing.',
  optional: 'name',
  get options(): Record<string, CommandOption> {
    return serverOptions([ 'dataTypes' ]);
  },
  run: async(call): Promise<undefined> => {
    const name = readName(call);
    const folder = resolve(findValue(call, 'dataTypes') ?? defaultTypes);
    const words = { name, date: today(call) };
    await writeNew(call, [[ join(folder, `${name}.ttl`), await fill('data-type.ttl', words) ]]);
    if (findValue(call, 'dataTypes') === undefined) {
      call.note(`Start and check the server with --dataTypes ${relative('.', folder)}`);
    }
  },
};

/** Writes a record as a starting point, into a source that is a folder. */
export const newSource: Command = {
  name: 'new source',
  summary: 'Writes an example record into the folder of a data type in --sources.',
  details: `Overwrites nothing. A file beside the record explains each member.`,
  optional: 'slug of a data type',
  get options(): Record<string, CommandOption> {
    return serverOptions([ 'sources', 'dataTypes', 'nationalNumbers', 'config', 'mainModulePath' ]);
  },
  run: async(call): Promise<undefined> => {
    const settings = await readServerSettings(call);
    const { sources } = settings.paths;
    if (await exists(sources) && !(await stat(sources)).isDirectory()) {
      throw new Error(`--sources: ${sources} is a file: add an entry to it, as docs/usage/data.md says`);
    }
    const type = await findType(settings, call.operands[0]);
    const folder = join(sources, type.slug);
    const file = join(folder, 'example.json');
    await writeNew(call, [
      [ file, `${JSON.stringify(await recordOf(type, settings), null, 2)}\n` ],
      [ join(folder, 'README.md'), await fill('source.md', { name: type.slug }) ],
    ]);
    const { nationalNumbers: numbers } = await readExtensions(call);
    if (numbers.parse(belgianNumber) === undefined) {
      call.note('Its citizen is a number of Belgium: replace it by one of --nationalNumbers.');
    }
    const types = findValue(call, 'dataTypes');
    call.note(`See it as a citizen would: npx css-data-sharing check record ${relative('.', file)} --type ${
      type.slug}${types === undefined ? '' : ` --dataTypes ${types}`}`);
  },
};

function readName({ operands: [ name = 'example' ] }: CommandCall): string {
  if (!/^[\w-][\w.-]*$/u.test(name)) {
    throw new UsageError('The name must consist of the characters A-Z a-z 0-9 . _ - and not begin with a dot');
  }
  return name;
}

function today({ now }: CommandCall): string {
  return now().toISOString().slice(0, 10);
}

/** Finds the data type with a slug; without a slug, the operator's first. */
async function findType({ baseUrl, paths }: CheckedSettings, slug: string | undefined): Promise<ShapedDataType> {
  const { ShaclDataTypes: catalogue } = await import('../../data-types/ShaclDataTypes.js');
  const mistakes = new Mistakes();
  const types = (await catalogue.load({ base: baseUrl, folder: paths.dataTypes }, mistakes)).shaped();
  mistakes.throwErrors();
  const slugs = types.map((type): string => type.slug);
  const shipped = await readdir(join(packageRoot, 'templates/artefacts/data-types'));
  const wanted = slug ??
    slugs.find((one): boolean => !shipped.some((name): boolean => one.startsWith(`${name}/`))) ?? shippedType;
  const found = types.find((type): boolean => type.slug === wanted || type.iri === wanted);
  if (!found) {
    const hint = didYouMean(wanted, slugs) || `; there are ${slugs.join(', ')}`;
    throw new UsageError(`${wanted} is not a data type${hint}`);
  }
  return found;
}

/** Shortens an IRI of this server to a path, as its documents do. */
function pathOf(iri: string, { baseUrl }: CheckedSettings): string {
  return iri.startsWith(baseUrl) ? iri.slice(baseUrl.length - 1) : iri;
}

/** Returns a record of the demo, or a generated example. */
async function recordOf(type: ShapedDataType, { baseUrl }: CheckedSettings): Promise<object> {
  const folder = join(shippedRecords, type.slug);
  const [ name ] = await readdir(folder).catch((): string[] => []);
  const credentialSubject = name === undefined ?
      makeExampleRecord(type, baseUrl) :
    parseOwn<{ credentialSubject: object }>(await readFile(join(folder, name), 'utf8')).credentialSubject;
  return { citizen: belgianNumber, id: 'example', version: '1', credentialSubject };
}

async function fill(template: string, words: Record<string, string>): Promise<string> {
  const text = await readFile(join(templates, template), 'utf8');
  return text.replaceAll(/\{([a-z]+)\}/gu, (all, word: string): string => words[word] ?? all);
}

/** Writes new files. Throws when one exists, so that nothing is overwritten. */
async function writeNew({ print }: CommandCall, files: (readonly [file: string, text: string])[]): Promise<void> {
  for (const [ file, text ] of files) {
    try {
      await makeFolders(resolve(dirname(file)));
      await writeFile(file, text, { flag: 'wx' });
    } catch (cause: unknown) {
      const isThere = codeOf(cause) === 'EEXIST';
      throw new Error(isThere ? `${file} already exists: nothing is overwritten` : messageOf(cause), { cause });
    }
    await print(file);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then((): boolean => true, (): boolean => false);
}
