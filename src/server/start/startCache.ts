import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { CacheFolder } from './CacheFolder';
import { PlanCache } from './PlanCache';

/** Environment variable with another folder for plans, or `off`. */
const startCacheVariable = 'DATA_SHARING_START_CACHE';

/**
 * Opens the plans of this machine: beside the code, or in the cache folder of the user if that is not writable.
 *
 * @param packageRoot - Folder of this package.
 * @param environment - Environment of the process.
 *
 * @throws Error when the variable is neither `off` nor an absolute path.
 */
export function openStartCache(packageRoot: string, environment: NodeJS.ProcessEnv): PlanCache {
  const setting = environment[startCacheVariable];
  // Trust needs the owners of files.
  if (setting === 'off' || process.geteuid === undefined) {
    return new PlanCache([]);
  }
  const { uid } = statSync(join(packageRoot, 'package.json'));
  if (setting !== undefined && setting !== '') {
    if (!isAbsolute(setting)) {
      throw new Error(`${startCacheVariable} must be an absolute path, or off`);
    }
    return new PlanCache([ new CacheFolder(setting, uid, false) ]);
  }
  const userCache = environment.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return new PlanCache([
    new CacheFolder(join(modulesFolder(packageRoot), '.css-data-sharing'), uid, true),
    new CacheFolder(join(userCache, 'css-data-sharing'), uid, false),
  ]);
}

/** Returns the `node_modules` that contains this package, or the package's own. */
function modulesFolder(packageRoot: string): string {
  const above = [ dirname(packageRoot), dirname(dirname(packageRoot)) ];
  const installed = above.find((folder): boolean => basename(folder) === 'node_modules');
  return installed ?? join(packageRoot, 'node_modules');
}
