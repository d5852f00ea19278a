import { resolve } from 'node:path';
import { isPostgresUrl } from '../../storage/database/engine';
import type { CommandOption, CommandSettings } from './Command';
import { UsageError } from './Command';

interface Setting extends CommandOption {
  environment: string;
  default: string;
}

/** The settings of the server that commands take, as `config/data-sharing/variables.json` and the server have them. */
export const settings: Record<keyof CommandSettings, Setting> = {
  records: {
    value: 'file or URL',
    environment: 'CSS_RECORDS',
    default: './css-data-sharing/records.sqlite',
    describe: 'SQLite file, or a postgres:// URL (with a password: set CSS_RECORDS instead).',
  },
  keys: {
    value: 'folder',
    environment: 'CSS_KEYS',
    default: './css-data-sharing/keys',
    describe: 'Folder of key files.',
  },
  rootFilePath: {
    value: 'folder',
    environment: 'CSS_ROOT_FILE_PATH',
    default: './pods',
    describe: 'Root folder of the pods.',
  },
};

/** The settings of a call: as given, else of the environment, else as the server has them. */
export function readCommandSettings(values: Record<string, unknown>, environment: NodeJS.ProcessEnv): CommandSettings {
  function read(name: keyof CommandSettings): string {
    const given = values[name];
    return typeof given === 'string' ? given : environment[settings[name].environment] ?? settings[name].default;
  }
  const records = read('records');
  // It may have a password in it, so that it is not shown.
  if (/^[\w+.-]+:\/\//u.test(records) && !isPostgresUrl(records)) {
    throw new UsageError('--records must be a file, or a postgres:// URL');
  }
  return {
    records: isPostgresUrl(records) ? records : resolve(records),
    keys: resolve(read('keys')),
    rootFilePath: resolve(read('rootFilePath')),
  };
}
