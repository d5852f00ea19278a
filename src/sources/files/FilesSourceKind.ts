import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Source } from '../Source';
import type { SourceKind, SourcePlace } from '../SourceKind';
import { FilesSource } from './FilesSource';

/** Sources in folders: `{"kind": "files", "dataType", "folder"}`. The folder is relative to the settings file. */
export class FilesSourceKind implements SourceKind {
  public readonly kind = 'files';
  public readonly schema = { properties: { folder: { type: 'string', minLength: 1 }}, required: [ 'folder' ]};

  public async open({ folder }: { folder: string }, place: SourcePlace): Promise<Source> {
    const path = resolve(place.folder, folder);
    const found = await stat(path).catch((): undefined => undefined);
    if (!found?.isDirectory()) {
      throw place.mistake('folder', `is not a folder: ${path}`);
    }
    const { dataType, logger, numbers, trustedIssuers } = place;
    return FilesSource.open({ dataType, folder: path, trustedIssuers, numbers, logger });
  }
}
