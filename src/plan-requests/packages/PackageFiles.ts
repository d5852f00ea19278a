import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import { codeOf } from '../../platform/errors';
import { makeFolders } from '../../platform/makeFolders';
import { StorageFull } from '../../problems';

const orphanMs = 24 * 3600 * 1000;

/** The bytes of packages: a file for each, in a folder that all nodes share. */
export class PackageFiles {
  public constructor(private readonly folder: string) {}

  /** Makes the folder when it is missing. */
  public async prepare(): Promise<void> {
    await makeFolders(this.folder);
  }

  /** Returns the path of a package. */
  public pathOf(id: string): string {
    return join(this.folder, `${id}.zip`);
  }

  /**
   * Writes a package as its bytes arrive, and flushes it. An incomplete one leaves nothing behind.
   *
   * @returns The number of bytes.
   *
   * @throws StorageFull
   */
  public async receive(id: string, bytes: AsyncIterable<Buffer>): Promise<number> {
    const path = this.pathOf(id);
    let size = 0;
    try {
      const file = await open(path, 'w', 0o600);
      try {
        for await (const chunk of bytes) {
          await file.writeFile(chunk);
          size += chunk.length;
        }
        await file.sync();
      } finally {
        await file.close();
      }
      return size;
    } catch (error: unknown) {
      await this.remove(id);
      if ([ 'ENOSPC', 'EDQUOT' ].includes(codeOf(error))) {
        throw new StorageFull(undefined, { cause: error, headers: { Connection: 'close' }});
      }
      throw error;
    }
  }

  public read(id: string): Readable {
    return createReadStream(this.pathOf(id));
  }

  public async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  /**
   * Removes files that are a day old and not needed: those of rejected or removed packages, of tests, and of uploads
   * that a crash interrupted.
   *
   * @param listNeeded - Returns those of some ids whose files are needed.
   */
  public async sweep(now: Date, listNeeded: (ids: readonly string[]) => Promise<Set<string>>): Promise<void> {
    const ids = (await readdir(this.folder)).filter((name): boolean => name.endsWith('.zip'))
      .map((name): string => name.slice(0, -4));
    for (let at = 0; at < ids.length; at += 500) {
      const some = ids.slice(at, at + 500);
      const needed = await listNeeded(some);
      for (const id of some.filter((each): boolean => !needed.has(each))) {
        const facts = await stat(this.pathOf(id)).catch((): undefined => undefined);
        if (facts && facts.mtimeMs < now.getTime() - orphanMs) {
          await this.remove(id);
        }
      }
    }
  }
}
