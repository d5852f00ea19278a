import { HttpBuildingKind } from '../buildings/HttpBuildingKind';
import { SelectedNationalNumbers } from '../identity/SelectedNationalNumbers';
import { FilesSourceKind } from '../sources/files/FilesSourceKind';
import { HttpSourceKind } from '../sources/http/HttpSourceKind';
import type { ExtensionsArgs } from './Extensions';

/**
 * The parts that `config/data-sharing/extensions.json` names, for commands that read no configuration.
 *
 * @param nationalNumbers - The setting.
 */
export function shippedExtensions(nationalNumbers: string): ExtensionsArgs {
  return {
    nationalNumbers: new SelectedNationalNumbers({ nationalNumbers }),
    sourceKinds: [ new FilesSourceKind(), new HttpSourceKind() ],
    buildingKinds: [ new HttpBuildingKind() ],
  };
}
