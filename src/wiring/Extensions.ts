import type { BuildingKind } from '../buildings/BuildingKind';
import type { NationalNumbers } from '../identity/NationalNumbers';
import type { SourceKind } from '../sources/SourceKind';
import type { AddedService } from './AddedService';

/** Options of {@link Extensions}. */
export interface ExtensionsArgs {
  /** National numbers that citizens may have. */
  nationalNumbers: NationalNumbers;
  /** Kinds of sources that the file of `--sources` may name. */
  sourceKinds: SourceKind[];
  /** Kinds of building registers that the file of `--buildings` may name. */
  buildingKinds: BuildingKind[];
  /** Services besides data sharing. */
  services?: AddedService[];
}

/**
 * The parts of this package that a configuration may add to or replace. Commands read them without the rest of the
 * server.
 */
export class Extensions {
  public readonly args: ExtensionsArgs;

  public constructor(args: ExtensionsArgs) {
    this.args = args;
  }
}
