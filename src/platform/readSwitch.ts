import { RefusedSetting } from './RefusedSetting';

/**
 * Reads a setting that is on or off; environment variables are text.
 *
 * @throws RefusedSetting that names the flag.
 */
export function readSwitch(flag: string, value: unknown): boolean {
  if (value === true || value === 'true') {
    return true;
  }
  if (value === false || value === 'false') {
    return false;
  }
  throw new RefusedSetting(`--${flag} must be true or false`);
}
