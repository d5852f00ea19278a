import { RefusedSetting } from './RefusedSetting';

/**
 * Reads a setting that is a count; environment variables are text.
 *
 * @throws Error that names the flag.
 */
export function readWholeNumber(flag: string, value: unknown, least = 1): number {
  if (!/^\d{1,9}$/u.test(String(value)) || Number(value) < least) {
    throw new RefusedSetting(`--${flag} must be a whole number from ${least} on`);
  }
  return Number(value);
}
