import { RefusedSetting } from './RefusedSetting';

/**
 * Reads a setting that is a count of at least 1; environment variables are text.
 *
 * @throws RefusedSetting that names the flag.
 */
export function readWholeNumber(flag: string, value: unknown): number {
  if (!/^\d{1,9}$/u.test(String(value)) || Number(value) < 1) {
    throw new RefusedSetting(`--${flag} must be a whole number from 1 on`);
  }
  return Number(value);
}
