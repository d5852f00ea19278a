import { RefusedSetting } from '../../platform/RefusedSetting';

/** Groups of people who can log in with a password; `others`: those to whom no other way is assigned. */
export const passwordLogins = [ 'everybody', 'others', 'nobody' ] as const;

/** One of {@link passwordLogins}. */
export type PasswordLogin = typeof passwordLogins[number];

/** Decides which accounts can use a password for log-in. */
export interface PasswordRule {
  /** Checks whether an account may have a password, and be logged in to with it. */
  mayHavePassword: (accountId: string) => Promise<boolean>;
  /**
   * Makes sure that it may.
   *
   * @throws HttpError otherwise.
   */
  requirePassword: (accountId: string) => Promise<void>;
}

/**
 * Reads the setting of who can log in with a password.
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
