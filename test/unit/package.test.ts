import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An installed package, as the lock file has it. */
interface Locked {
  dev?: boolean;
  hasInstallScript?: boolean;
}

const root = join(__dirname, '../..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as
  { packages: Record<string, Locked> };

describe('Installation of the package', (): void => {
  it('runs no script but the one that compiles SQLite.', (): void => {
    const scripted = Object.entries(packages)
      .filter(([ , { dev, hasInstallScript }]): boolean => Boolean(hasInstallScript) && !dev)
      .map(([ path ]): string => path);
    expect(scripted).toEqual([ 'node_modules/better-sqlite3' ]);
  });
});
