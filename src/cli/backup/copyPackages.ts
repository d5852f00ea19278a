import { mkdir, readdir } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { codeOf, messageOf } from '../../platform/errors';
import { copyToDisk } from './copyToDisk';

/**
 * Copies the packages of plan requests that records need: one file each, named by id. Packages are written before the
 * records name them and never changed, so those of a moment can be copied later, unless the server has removed them
 * since: tests and rejected answers after their validation, and answers to archived requests.
 *
 * @param from - Folder of `--planPackages`.
 * @param into - Created if there are any.
 * @param needed - Ids of the packages.
 * @param isStillNeeded - Checks whether a package that is gone should be there.
 *
 * @throws Error that names the flag when one is missing.
 */
export async function copyPackages(
  from: string,
  into: string,
  needed: ReadonlySet<string>,
  isStillNeeded: (id: string) => boolean,
): Promise<void> {
  if (needed.size === 0) {
    return;
  }
  const names = await readdir(from).catch((cause: unknown): never => {
    throw new Error(`--planPackages: ${from} cannot be read: ${messageOf(cause)}`, { cause });
  });
  const files = new Map(names.map((name): [string, string] => [ parse(name).name, name ]));
  await mkdir(into, { mode: 0o700 });
  for (const id of needed) {
    const name = files.get(id);
    const isThere = name !== undefined && await copyIfThere(join(from, name), join(into, name));
    if (!isThere && isStillNeeded(id)) {
      throw new Error(`--planPackages: the package ${id}, which the records need, is not in ${from}`);
    }
  }
}

/** @returns False when there is no such file. */
async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    await copyToDisk(from, to);
    return true;
  } catch (cause: unknown) {
    if (codeOf(cause) === 'ENOENT') {
      return false;
    }
    throw new Error(`--planPackages: ${basename(from)} cannot be copied (${codeOf(cause)})`, { cause });
  }
}
