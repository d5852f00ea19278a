import type { BuildingKind } from '../buildings/BuildingKind';
import type { NationalNumbers } from '../identity/NationalNumbers';
import type { SourceKind } from '../sources/SourceKind';

/** Kinds of what the documents may name. */
export interface DocumentKinds {
  /** National numbers that citizens may have. */
  nationalNumbers: NationalNumbers;
  /** Kinds of sources that the file of `--sources` may name. */
  sourceKinds: SourceKind[];
  /** Kinds of building registers that the file of `--buildings` may name. */
  buildingKinds: BuildingKind[];
}
