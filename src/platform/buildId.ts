import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

/** Folder of this package's code: `dist`, or `src` in tests. */
const ownCode = join(__dirname, '..');

/**
 * Returns an id of the running build: twelve hexadecimal digits, a digest of the code and of `package.json` beside it.
 * It is part of the version of the OpenAPI document.
 *
 * @param folder - Folder of the code.
 */
export function buildId(folder = ownCode): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry): boolean => entry.isFile() && extname(entry.name) === extname(__filename))
    .map(({ parentPath, name }): string => join(parentPath, name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [ join(folder, '../package.json'), ...files ]) {
    const content = readFileSync(file);
    hash.update(`${relative(folder, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 12);
}
