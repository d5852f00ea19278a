import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The build that runs: what the OpenAPI document has as its version. */
export function buildId(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
  return version;
}
