import { RefusedSetting } from './RefusedSetting';

/** Groups of people who can log in with a password; `others` are people without an assigned way to log in. */
export const passwordLogins = [ 'everybody', 'others', 'nobody' ] as const;

/** One of {@link passwordLogins}. */
export type PasswordLogin = typeof passwordLogins[number];

/**
 * Parses the setting for password log-in.
 *
 * @throws RefusedSetting
 */
export function readPasswordLogin(text: string): PasswordLogin {
  const found = passwordLogins.find((each): boolean => each === text);
  if (!found) {
    throw new RefusedSetting(`--passwordLogin must be one of ${passwordLogins.join(', ')}`);
  }
  return found;
}
