import { join } from 'node:path';
import { StaticAssetEntry } from '@solid/community-server';

/**
 * A file or folder of this package at a fixed URL. The server's own entries only support the server's folders and the
 * working directory.
 */
export class PageAsset extends StaticAssetEntry {
  /**
   * @param relativeUrl - Path below the base URL.
   * @param file - File or folder below the root of this package; a folder ends with a slash.
   */
  public constructor(relativeUrl: string, file: string) {
    super(relativeUrl, join(__dirname, '../../..', file));
  }
}
