import { resolve } from 'node:path';
import { foreignUrlMessage, isForeignUrl, isPostgresUrl } from '../../storage/database/engine';
import type { CommandOption, CommandSettings } from './Command';
import { UsageError } from './Command';

interface Setting extends CommandOption {
  environment: string;
  default: string;
}

/** The server settings that commands take, as in `config/data-sharing/variables.json` and the server itself. */
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

/** Reads the settings of a call: as given, otherwise from the environment, otherwise the server's default. */
export function readCommandSettings(values: Record<string, unknown>, environment: NodeJS.ProcessEnv): CommandSettings {
  function read(name: keyof CommandSettings): string {
    const given = values[name];
    return typeof given === 'string' ? given : environment[settings[name].environment] ?? settings[name].default;
  }
  const records = read('records');
  if (isForeignUrl(records)) {
    throw new UsageError(foreignUrlMessage);
  }
  return {
    records: isPostgresUrl(records) ? records : resolve(records),
    keys: resolve(read('keys')),
    rootFilePath: resolve(read('rootFilePath')),
  };
}
