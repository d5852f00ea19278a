import { stat } from 'node:fs/promises';
import { schemaCompiler } from '../platform/jsonSchema';
import { readSettingFile } from '../platform/readSettingFile';
import { NotEnabled } from '../problems';
import { parseSettings, placeIn, requireDistinct, schemaOfKinds, settingsProblem } from '../sources/settings';
import type { BuildingKind } from './BuildingKind';
import type { Building, Buildings } from './Buildings';
import { FileBuildings } from './FileBuildings';

/** Stands in for a missing building register: every document is the problem NotEnabled. */
export const noBuildings: Buildings = {
  find: async(): Promise<Building> => {
    throw new NotEnabled();
  },
};

/**
 * Opens the building register that `--buildings` names: a folder, or a JSON file with an object of one of the kinds.
 *
 * @param setting - Path of the folder or file.
 * @param kinds - Kinds that a file may name.
 * @param env - Environment variables.
 *
 * @throws Error that names the flag, or file and member.
 */
export async function openBuildings(
  setting: string,
  kinds: readonly BuildingKind[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Buildings> {
  requireDistinct('buildings', kinds);
  return await isFolder(setting) ? new FileBuildings(setting) : openFile(setting, kinds, env);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch((): undefined => undefined))?.isDirectory() === true;
}

async function openFile(
  file: string,
  kinds: readonly BuildingKind[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Buildings> {
  const isSettings = schemaCompiler({ strict: false }).compile<{ kind: string }>(schemaOfKinds(kinds));
  const settings = parseSettings(file, await readSettingFile('--buildings', file));
  if (!isSettings(settings)) {
    throw settingsProblem(file, isSettings.errors);
  }
  // The schema has no other kinds.
  const kind = kinds.find((one): boolean => one.kind === settings.kind)!;
  // Validated against the schema of the kind.
  return kind.open(settings as never, placeIn(file, '', env));
}
