import { readFile } from 'node:fs/promises';
import type { CredentialDocument } from '../../credentials/Credential';
import { createDocumentLoader } from '../../credentials/documentLoader';
import { readSigned } from '../../credentials/proofs';
import type { I18nString, Inspection, SummaryField } from '../../data-types/DataType';
import { languages } from '../../data-types/languages';
import { locateErrors } from '../../data-types/locateErrors';
import type { ShapedDataType } from '../../data-types/Shape';
import { findTermsOfCredentials } from '../../data-types/termsOfCredentials';
import { findFlaw } from '../../personal-data/findFlaw';
import { ListBudget } from '../../personal-data/ListBudget';
import { RecordReader } from '../../personal-data/RecordReader';
import { valueError } from '../../personal-data/valueErrors';
import { isRecord } from '../../platform/isRecord';
import { Mistakes } from '../../platform/Mistakes';
import { didYouMean } from '../../platform/nearest';
import type { WholeFile } from '../../sources/files/FilesSource';
import { readRecordFile } from '../../sources/files/FilesSource';
import type { SourceRecord } from '../../sources/Source';
import { ownIris } from '../../vocabulary';
import type { CheckedSettings } from '../../operations/settings';
import type { DocumentContext, OperatorDocuments } from '../../operations/openDocuments';
import { draftCredential } from '../../credentials/draftCredential';
import { readExtensions } from '../readExtensions';
import { codeOf } from '../../platform/errors';
import { isWebId, parseWebId } from '../../platform/webId';
import { readServerSettings } from './check';
import type { Command, CommandCall, CommandOption } from './Command';
import { exitCodes, UsageError } from './Command';
import { findValue, serverOptions } from './options';

/** Flags of the server on which the result depends. */
const usedFlags = new Set([ 'baseUrl', 'config', 'dataTypes', 'mainModulePath', 'nationalNumbers', 'port' ]);

/** Shows a record as the citizen would see it, before it is put into a source. */
export const checkRecord: Command = {
  name: 'check record',
  summary: 'Shows a record as a citizen sees it, in each language, and reports every mistake in it.',
  details: `The file is a record of a source in a folder. Data types are those of --dataTypes and of the package.
Signatures are not verified. Other flags of the server are taken, too.
Prints a line for each mistake, with its JSON Pointer, or line and column.
Exits with ${exitCodes.finding} if there is one.`,
  operands: [ 'file' ],
  get options(): Record<string, CommandOption> {
    const flags = Object.entries(serverOptions()).map(([ name, option ]): [string, CommandOption] =>
      [ name, { ...option, isUnused: !usedFlags.has(name) }]);
    const type = { value: 'slug', describe: 'Its data type, such as diploma/2024-05-22.' };
    return { type, ...Object.fromEntries(flags) };
  },
  run: async(call): Promise<number | undefined> => {
    const [ file ] = call.operands;
    const settings = await readServerSettings(call);
    const { dataTypes } = await openDataTypes(settings);
    const { nationalNumbers: numbers } = await readExtensions(call);
    const type = findType(call, dataTypes.shaped());
    const read = readRecordFile(file, await readText(file), { dataType: type.iri, numbers });
    if (read.problem !== undefined) {
      await call.print(`${file}${read.problem.startsWith(':') ? '' : ': '}${read.problem}`);
      return exitCodes.finding;
    }
    const inspection = await inspect(read, type, { dataTypes, settings, now: call.now });
    const warnings = read.record.credential ?
        [] :
        findTermsOfCredentials(type.shape, read.record.credentialSubject, '/credentialSubject');
    const flaw = findFlaw(read.record, read.citizen);
    const lines = [
      ...show(inspection, type),
      ...flaw ? [ `${file}: /${flaw.member}: ${inLanguage(valueError(flaw.error), 'en')}` ] : [],
      ...mistakesIn(file, inspection, type, read.record),
      ...warnings.map((line): string => `${file}: ${line}`),
    ];
    for (const line of lines) {
      await call.print(line.replaceAll(read.citizen.reveal(), '[number]'));
    }
    if (flaw || inspection.errors.length > 0) {
      return exitCodes.finding;
    }
    await call.print(`${warnings.length === 0 ? 'No mistakes' : 'Nothing stops it'}: it can be shared.`);
  },
};

async function openDataTypes(settings: CheckedSettings): Promise<Pick<OperatorDocuments, 'dataTypes'>> {
  const { ShaclDataTypes: catalogue } = await import('../../data-types/ShaclDataTypes.js');
  const mistakes = new Mistakes();
  const dataTypes = await catalogue.load({ base: settings.baseUrl, folder: settings.paths.dataTypes }, mistakes);
  mistakes.throwErrors();
  return { dataTypes };
}

function findType(call: CommandCall, types: ShapedDataType[]): ShapedDataType {
  const slug = findValue(call, 'type');
  const slugs = types.map((type): string => type.slug);
  if (slug === undefined) {
    throw new UsageError(`--type is required: one of ${slugs.join(', ')}`);
  }
  const found = types.find((type): boolean => type.slug === slug || type.iri === slug);
  if (!found) {
    const hint = didYouMean(slug, slugs) || `; there are ${slugs.join(', ')}`;
    throw new UsageError(`--type ${slug} is not a data type${hint}`);
  }
  return found;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause: unknown) {
    throw new Error(`${file} cannot be read (${codeOf(cause)})`, { cause });
  }
}

async function inspect(
  { citizen, record: { credential, credentialSubject }}: WholeFile,
  { iri: dataType }: ShapedDataType,
  { dataTypes, now, settings: { baseUrl }}: { settings: CheckedSettings } & Pick<DocumentContext, 'now'> &
    Pick<OperatorDocuments, 'dataTypes'>,
): Promise<Inspection> {
  const load = createDocumentLoader();
  const reader = new RecordReader({
    credentials: {
      draft: (record): CredentialDocument => draftCredential(record, ownIris(baseUrl).credentialIssuer),
      read: async(document): ReturnType<typeof readSigned> => readSigned(document, load),
    },
    dataTypes,
    now,
  });
  const subject = credential?.credentialSubject;
  // The signer states the WebID of the citizen: the record is shown as to that person.
  const webId = isRecord(subject) && typeof subject.id === 'string' && isWebId(subject.id) ?
    subject.id :
      parseWebId(`${baseUrl}somebody/profile/card#me`);
  const document = reader.documentOf(webId, dataType, { credential, credentialSubject });
  // A record that could be read has one of the two.
  const source = credential ?? credentialSubject!;
  const readable = { webId, nationalNumber: citizen, dataType, document, source };
  const reading = await reader.read(readable, JSON.stringify(document), new ListBudget());
  // The budget of a whole list takes one record.
  return reading!.inspection;
}

function show({ summary }: Inspection, { slug }: ShapedDataType): string[] {
  if (summary === null) {
    return [ `A citizen sees nothing of this ${slug} record.` ];
  }
  return languages.flatMap((language): string[] => {
    const headline = [ summary.title, summary.subtitle ].map((texts): string => inLanguage(texts, language));
    return [
      `In ${language}:`,
      `  ${headline.filter((text): boolean => text !== '').join(' | ')}`,
      ...showFields(summary.details, language, '    '),
    ];
  });
}

function showFields(fields: Record<string, SummaryField>, language: string, indent: string): string[] {
  return Object.entries(fields).flatMap(([ key, field ]): string[] => {
    const label = `${indent}${inLanguage(field.label, language) || key} (${key}):`;
    if (field.format === 'group') {
      return [ label, ...showFields(field.items, language, `${indent}  `) ];
    }
    if (field.format === 'string') {
      return [ `${label} ${field.items.map((item): string => inLanguage(item, language)).join('; ')}` ];
    }
    return [ `${label} ${field.format === 'error' ? `! ${inLanguage(field.value, language)}` : field.value}` ];
  });
}

function inLanguage(texts: I18nString[], language: string): string {
  return (texts.find((text): boolean => text.language === language) ?? texts[0])?.value ?? '';
}

/** Lists the mistakes of a record. Those of fields have a location, and come first. */
function mistakesIn(
  file: string,
  { errors, summary }: Inspection,
  type: ShapedDataType,
  record: SourceRecord,
): string[] {
  const [ json, root ] = record.credential ?
      [ record.credential.credentialSubject, '/credential/credentialSubject' ] :
      [ record.credentialSubject, '/credentialSubject' ];
  const pointers = locateErrors(type.shape, summary?.details ?? {}, { json, pointer: root });
  return errors.filter(({ language }): boolean => language === 'en')
    .map(({ value }, index): string => `${file}: ${pointers[index] ?? root}: ${value}`);
}
