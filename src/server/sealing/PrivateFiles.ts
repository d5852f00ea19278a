import { Initializer } from '@solid/community-server';
import { privateUmask } from '../../platform/privateUmask';

/** Makes all files of the server accessible to its own user only, however it was started. */
export class PrivateFiles extends Initializer {
  public constructor() {
    super();
    // As soon as it is made: before anything is written.
    process.umask(privateUmask);
  }

  public async handle(): Promise<void> {
    // All is done when it is made.
  }
}
