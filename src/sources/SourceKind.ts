import type { NationalNumbers } from '../identity/NationalNumbers';
import type { Clock } from '../platform/clock';
import type { Logger } from '../platform/logger';
import type { SettingsKind, SettingsPlace } from './SettingsKind';
import type { Source } from './Source';

/** Location of the settings of a source, and tools for the source. */
export interface SourcePlace extends SettingsPlace {
  /** IRI of the data type of the records. */
  dataType: string;
  /** Issuers whose credentials the settings accept for the data type. */
  trustedIssuers: readonly string[];
  /** Accepted national numbers. The numbers in records must be converted to their normal form. */
  numbers: NationalNumbers;
  now: Clock;
  /** Log for invalid records. Messages must not contain personal data. */
  logger: Pick<Logger, 'warn'>;
}

/**
 * A kind of source that the JSON file of `--sources` may name. A configuration adds it to the `sourceKinds` of the
 * `Extensions`.
 *
 * An object of the file has `kind`, `dataType`, optional `name` and `trustedIssuers`, and the members in `schema`.
 */
export interface SourceKind extends SettingsKind {
  /**
   * Opens a source. Records are read only when a citizen's are requested.
   *
   * @param settings - The object of the settings file, which has been validated against `schema`.
   * @param place - Location of the object.
   *
   * @throws Error from `place.mistake` when a member is invalid: a start fails with it, and `check` prints it.
   */
  open: (settings: never, place: SourcePlace) => Source | Promise<Source>;
}
