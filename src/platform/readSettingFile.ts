import { readRegularText, whyUnreadable } from './readRegularFile';
import { RefusedSetting } from './RefusedSetting';

/**
 * Reads a file that a setting names, as UTF-8.
 *
 * @param setting - The setting in the operator's words: a flag such as `--sources`, or file and member.
 * @param path - Path of the file.
 *
 * @throws RefusedSetting that names the setting and the path, and says why the file cannot be read.
 */
export async function readSettingFile(setting: string, path: string): Promise<string> {
  try {
    return await readRegularText(path);
  } catch (cause: unknown) {
    throw new RefusedSetting(`${setting}: ${path} ${whyUnreadable(cause)}`, { cause });
  }
}
