import { resolve } from 'node:path';
import { isRecord } from '../platform/isRecord';
import { readSettingFile } from '../platform/readSettingFile';
import { NotJson, parseJson } from '../platform/parseJson';
import { valueOf } from './valuesOf';

const flags = [ '--seedConfig', '--seed-config' ];

/**
 * Checks the file of accounts to make, before the server is loaded: its own messages, which are logged, quote the file
 * near a mistake, and thereby passwords.
 *
 * @param argv - Arguments of the start.
 * @param environment - Environment; `CSS_SEED_CONFIG` applies when no flag is given.
 *
 * @throws Error that names the flag, and the place of a mistake. It quotes nothing of the file.
 */
export async function requireSeed(argv: string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const file = valueOf(argv, flags, environment.CSS_SEED_CONFIG);
  // A path within a package is found by the server.
  if (file === undefined || file.startsWith('@css:')) {
    return;
  }
  const path = resolve(file);
  const mistake = findMistake(path, await readSettingFile('--seedConfig', path));
  if (mistake !== undefined) {
    throw new Error(`--seedConfig: ${mistake}`);
  }
}

function findMistake(path: string, text: string): string | undefined {
  let accounts: unknown;
  try {
    accounts = parseJson(text.replace(/^\uFEFF/u, ''));
  } catch (error: unknown) {
    if (error instanceof NotJson) {
      return `${error.in(path)}: ${error.message}`;
    }
    throw error;
  }
  if (!Array.isArray(accounts)) {
    return `${path}: must be a list of accounts`;
  }
  for (const [ index, account ] of accounts.entries()) {
    for (const member of [ 'email', 'password' ]) {
      if (!isRecord(account) || typeof account[member] !== 'string') {
        return `${path}: /${index}/${member} must be a text`;
      }
    }
  }
}
