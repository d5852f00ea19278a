import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** Returns the real path of a file or folder, even if it does not exist yet. */
function realPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute));
  }
}

function contains(outer: string, inner: string): boolean {
  return outer === inner || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}

/**
 * Ensures that none of this package's own files is accessible as a pod resource.
 *
 * @param root - Root folder of the pods, if they are files.
 * @param paths - Files and folders by flag; empty paths are ignored.
 *
 * @throws Error that names the flag when its real path is in the root, equals it or contains it.
 */
export function keepApart(root: string | undefined, paths: Record<string, string>): void {
  if (root === undefined) {
    return;
  }
  const pods = realPath(root);
  for (const [ flag, path ] of Object.entries(paths)) {
    if (path === '') {
      continue;
    }
    const own = realPath(path);
    if (contains(pods, own) || contains(own, pods)) {
      throw new Error(
        `--${flag} (${path}) and the root folder of the pods, --rootFilePath (${root}), must not contain each other: ` +
        `clients could read these files as pod resources.`,
      );
    }
  }
}
