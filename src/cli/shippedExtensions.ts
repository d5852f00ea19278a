import { HttpBuildingKind } from '../buildings/HttpBuildingKind';
import { SelectedNationalNumbers } from '../identity/SelectedNationalNumbers';
import { FilesSourceKind } from '../sources/files/FilesSourceKind';
import { HttpSourceKind } from '../sources/http/HttpSourceKind';
import type { ExtensionsArgs } from '../wiring/Extensions';

/**
 * The extensions in `config/data-sharing/extensions.json`, for commands that do not read the configuration.
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
