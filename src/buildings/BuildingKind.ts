import type { SettingsKind, SettingsPlace } from '../sources/SettingsKind';
import type { Buildings } from './Buildings';

/**
 * A kind of building registers that the JSON file of `--buildings` may name. A configuration adds one to
 * `buildingKinds` of the `Extensions`.
 */
export interface BuildingKind extends SettingsKind {
  /**
   * Opens the register.
   *
   * @param settings - The object of the settings file, which `schema` holds for.
   * @param place - Its place.
   *
   * @throws Error made by `place.mistake` when a member is wrong: the start ends with it, and `check` prints it.
   */
  open: (settings: never, place: SettingsPlace) => Buildings | Promise<Buildings>;
}
