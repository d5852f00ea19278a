import { basename, dirname } from 'node:path';
import { ExtensionBasedMapper, joinFilePath, NotFoundHttpError } from '@solid/community-server';
import type { ResourceIdentifier, ResourceLink } from '@solid/community-server';
import { systemClock } from '../../platform/clock';
import { isThere } from '../../platform/fileState';
import { FolderIndex } from './FolderIndex';
import { internalFolder } from './internalFolder';

/** The server's own values are always JSON documents. */
const internalMark = '$.json';

/**
 * Maps a resource to the same file as the server's own mapper, so that an existing folder can be used with either. The
 * server's mapper lists the whole folder for each document; this one tries the exact name first, and then an index of
 * the folder.
 */
export class IndexedFileMapper extends ExtensionBasedMapper {
  /** Cached contents of folders, which must be told of changes if it trusts them. */
  public readonly index: FolderIndex;
  private readonly internalRoot: string;

  /**
   * @param base - Base URL of the server.
   * @param rootFilepath - Root of the pods.
   * @param index - Cached contents of folders. Default: a new index.
   */
  public constructor(base: string, rootFilepath: string, index?: FolderIndex) {
    super(base, rootFilepath);
    this.index = index ?? new FolderIndex({ now: systemClock });
    this.internalRoot = joinFilePath(this.rootFilepath, internalFolder);
  }

  protected override async mapUrlToDocumentPath(
    identifier: ResourceIdentifier,
    filePath: string,
    contentType?: string,
  ): Promise<ResourceLink> {
    if (/\$\.\w+$/u.test(filePath)) {
      // This file belongs to a document with another name, and this type.
      throw new NotFoundHttpError();
    }
    if (contentType) {
      return super.mapUrlToDocumentPath(identifier, filePath, contentType);
    }
    const found = await this.existing(filePath) ?? filePath;
    return {
      identifier,
      filePath: found,
      contentType: await this.getContentTypeFromPath(found),
      isMetadata: this.isMetadataPath(found),
    };
  }

  protected override async getContainerUrl(relative: string): Promise<string> {
    return inOneForm(await super.getContainerUrl(relative));
  }

  protected override async getDocumentUrl(relative: string): Promise<string> {
    return inOneForm(await super.getDocumentUrl(relative));
  }

  private async existing(filePath: string): Promise<string | undefined> {
    if (isThere(filePath)) {
      return filePath;
    }
    if (filePath.startsWith(this.internalRoot)) {
      return isThere(filePath + internalMark) ? filePath + internalMark : undefined;
    }
    const folder = dirname(filePath);
    const file = await this.index.find(folder, basename(filePath));
    return file === undefined ? undefined : joinFilePath(folder, file);
  }
}

/**
 * Returns the URL with the characters that stay escaped in file names escaped once. The server's own mapper escapes
 * them again, and would list another resource.
 */
function inOneForm(url: string): string {
  return url.replaceAll(/%25(22|2A|3A|3C|3E|3F|7C)/gu, '%$1').replaceAll('%2A', '*');
}
