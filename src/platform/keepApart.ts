import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** The real path of a file or folder, also of one that does not exist yet. */
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
 * Makes sure that nothing of this package's own is reachable as a pod resource.
 *
 * @param root - Root folder of the pods, when they are files.
 * @param paths - Files and folders by the flag that names them; empty ones are not set.
 *
 * @throws Error that names the flag, when its real path lies in, equals or contains the root.
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
