import { existsSync } from 'node:fs';
import type { ExtensionsArgs } from '../../wiring/Extensions';
import type { OperatorDocuments } from '../../operations/openDocuments';
import type { CheckedSettings, DataSharingSettings } from '../../operations/settings';
import type { ContractUseStore } from '../../contracts/ContractUseStore';
import { Mistakes } from '../../platform/Mistakes';
import { opened } from '../../platform/opened';
import { isPostgresUrl } from '../../storage/database/engine';
import { readExtensions } from '../readExtensions';
import { defaultSettings } from '../serverSettings';
import type { Command, CommandCall, CommandOption } from './Command';
import { exitCodes } from './Command';
import { serverOptions } from './options';

/** Checks everything that a start would read. */
export const check: Command = {
  name: 'check',
  summary: 'Checks settings, files, keys and records as a start does, and reports every mistake.',
  details: `Takes the flags and environment variables of the server. From a configuration outside this package, it
reads the kinds of sources and building registers.
Prints a line for each mistake: file, line and column or JSON Pointer, and the problem.
Exits with ${exitCodes.finding} if there is one.`,
  get options(): Record<string, CommandOption> {
    return serverOptions();
  },
  run: async(call): Promise<number | undefined> => {
    const mistakes = new Mistakes();
    const lines = await inspect(call, mistakes);
    for (const line of [ ...lines, ...mistakes.lines ]) {
      await call.print(line);
    }
    const { errors, warnings } = mistakes;
    await call.print(errors.length + warnings.length === 0 ?
      'No mistakes.' :
      `Mistakes: ${errors.length} that prevent a start, ${warnings.length} that do not.`);
    return mistakes.lines.length > 0 ? exitCodes.finding : undefined;
  },
};

/** Collects mistakes, and returns a summary in lines. */
async function inspect(call: CommandCall, mistakes: Mistakes): Promise<string[]> {
  const { openDocuments, summariseDocuments } = await import('../../operations/openDocuments.js');
  const settings = await mistakes.during(async(): Promise<CheckedSettings> => readServerSettings(call));
  const uses = await openUses(call, mistakes);
  if (!settings) {
    return [];
  }
  const { now, settings: { rootFilePath }} = call;
  const extensions = await mistakes.during(async(): Promise<ExtensionsArgs> => readExtensions(call));
  if (!extensions) {
    return [];
  }
  const logger = { warn: (): void => undefined };
  const documents = await openDocuments({ settings, extensions, rootFilePath, uses, logger, now }, mistakes);
  const lines = [ ...summariseDocuments(documents, settings, now()), ...await countRecords(documents, mistakes) ];
  for (const service of extensions.services ?? []) {
    lines.push(...await service.check(mistakes));
  }
  return lines;
}

/** Reads the settings of a command that takes the flags of the server. */
export async function readServerSettings({ options }: CommandCall): Promise<CheckedSettings> {
  const { readSettings } = await import('../../operations/settings.js');
  const given = Object.fromEntries(Object.entries(options).filter(([ , value ]): boolean => value !== undefined));
  const baseUrl = `http://localhost:${String(given.port ?? 3000)}/`;
  // Each is checked by readSettings: missing ones and those of another type are refused.
  return readSettings(opened<DataSharingSettings>({ baseUrl, ...defaultSettings(), ...given }));
}

/** Opens records and keys, which do not exist before the first start. */
async function openUses(
  { open, settings: { records }}: CommandCall,
  mistakes: Mistakes,
): Promise<Pick<ContractUseStore, 'list'>> {
  const none = { list: async(): Promise<Map<string, string>> => new Map() };
  if (!isPostgresUrl(records) && !existsSync(records)) {
    return none;
  }
  return (await mistakes.during(open))?.records.contractUses ?? none;
}

async function countRecords({ dataTypes, sources }: OperatorDocuments, mistakes: Mistakes): Promise<string[]> {
  const lines: string[] = [];
  for (const source of sources.all) {
    const found = await source.check?.();
    if (found) {
      mistakes.warnings.push(...found.problems);
      lines.push(`Records of ${dataTypes.find(source.dataType)?.slug ?? source.dataType}: ${found.records}.`);
    }
  }
  return lines;
}
