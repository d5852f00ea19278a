import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { BuildingNotFound, OriginUnavailable, Problem } from '../problems';
import { codeOf } from '../platform/errors';
import type { Building, Buildings } from './Buildings';
import { maxBuildingBytes } from './Buildings';

const segmentPattern = /^[\w-][\w.-]*$/u;
const extension = '.json';

/**
 * A building register in a folder: the document at `a/b` is the file `a/b.json`, and the root lists the available
 * paths. Names consist of the characters `A-Z a-z 0-9 . _ -` and do not begin with a point; other files are ignored.
 */
export class FileBuildings implements Buildings {
  public constructor(private readonly folder: string) {}

  public async find(path: string): Promise<Building> {
    try {
      const bytes = path === '' ?
          Buffer.from(JSON.stringify({ gebouwen: await this.list('') })) :
          await this.read(path);
      return { bytes, contentType: 'application/json' };
    } catch (cause: unknown) {
      throw cause instanceof Problem ? cause : new OriginUnavailable(undefined, { cause });
    }
  }

  private async read(path: string): Promise<Buffer> {
    if (path.length > 1024 || !path.split('/').every((segment): boolean => segmentPattern.test(segment))) {
      throw new BuildingNotFound();
    }
    const file = await this.locate(`${path}${extension}`);
    const { size } = await stat(file);
    if (size > maxBuildingBytes) {
      throw new OriginUnavailable('The document is too large.');
    }
    return readFile(file);
  }

  /** Returns the real path of a file; one that a link leads out of the folder does not count. */
  private async locate(path: string): Promise<string> {
    try {
      const root = await realpath(this.folder);
      const file = await realpath(join(root, path));
      if (file.startsWith(root + sep) && (await stat(file)).isFile()) {
        return file;
      }
    } catch (error: unknown) {
      if (![ 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG' ].includes(codeOf(error))) {
        throw error;
      }
    }
    throw new BuildingNotFound();
  }

  /** Lists the paths of documents, without links. */
  private async list(path: string): Promise<string[]> {
    const entries = await readdir(join(this.folder, path), { withFileTypes: true });
    const paths: string[] = [];
    for (const entry of entries.filter(({ name }): boolean => segmentPattern.test(name))) {
      const below = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        paths.push(...await this.list(below));
      } else if (entry.isFile() && entry.name.endsWith(extension) && entry.name !== extension) {
        paths.push(below.slice(0, -extension.length));
      }
    }
    return paths.sort();
  }
}
