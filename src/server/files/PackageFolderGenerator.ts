import { join } from 'node:path';
import { StaticFolderGenerator } from '@solid/community-server';
import type { TemplatedResourcesGenerator } from '@solid/community-server';

/**
 * Generates resources from a template folder of this package. The server's own generator knows only its own folders and
 * the working directory.
 */
export class PackageFolderGenerator extends StaticFolderGenerator {
  /**
   * @param resourcesGenerator - Generator that reads the folder.
   * @param folder - Folder below the root of this package.
   */
  public constructor(resourcesGenerator: TemplatedResourcesGenerator, folder: string) {
    super(resourcesGenerator, join(__dirname, '../../..', folder));
  }
}
