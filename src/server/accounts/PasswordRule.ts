/** Decides which accounts can use a password for log-in. */
export interface PasswordRule {
  /** Checks whether an account may have a password and be used with it. */
  mayHavePassword: (accountId: string) => Promise<boolean>;
  /**
   * Requires that an account may have a password.
   *
   * @throws HttpError otherwise.
   */
  requirePassword: (accountId: string) => Promise<void>;
}
