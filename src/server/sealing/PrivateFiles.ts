import { Initializer } from '@solid/community-server';
import { privateUmask } from '../../platform/privateUmask';

/** Makes all files of the server accessible to its own user only, however it was started. */
export class PrivateFiles extends Initializer {
  public constructor() {
    super();
    // In the constructor: before anything is written.
    process.umask(privateUmask);
  }

  public async handle(): Promise<void> {
    // Nothing to do.
  }
}
