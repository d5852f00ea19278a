import type { DocumentKinds } from '../operations/DocumentKinds';
import type { AddedService } from './AddedService';

/** Options of {@link Extensions}. */
export interface ExtensionsArgs extends DocumentKinds {
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
