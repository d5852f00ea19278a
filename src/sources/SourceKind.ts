import type { NationalNumbers } from '../identity/NationalNumbers';
import type { Clock } from '../platform/clock';
import type { Logger } from '../platform/logger';
import type { SettingsKind, SettingsPlace } from './SettingsKind';
import type { Source } from './Source';

/** Place of the settings of a source, and tools for it. */
export interface SourcePlace extends SettingsPlace {
  /** IRI of the data type whose records the source has. */
  dataType: string;
  /** Issuers whose credentials the settings accept for the data type. */
  trustedIssuers: readonly string[];
  /** National numbers that citizens may have: those in records are to be brought into their normal form. */
  numbers: NationalNumbers;
  now: Clock;
  /** Hears of records that are wrong. No message may hold personal data. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A kind of sources that the JSON file of `--sources` may name. A configuration adds one to `sourceKinds` of the
 * `Extensions`.
 *
 * An object of the file has `kind`, `dataType`, `name` and `trustedIssuers` if there are any, and the members of
 * `schema`.
 */
export interface SourceKind extends SettingsKind {
  /**
   * Opens a source. The records themselves are read when a citizen's are asked for.
   *
   * @param settings - The object of the settings file, which `schema` holds for.
   * @param place - Its place.
   *
   * @throws Error made by `place.mistake` when a member is wrong: the start ends with it, and `check` prints it.
   */
  open: (settings: never, place: SourcePlace) => Source | Promise<Source>;
}
