/** Invitations of the operator to make an account. */
export interface Invitations {
  /**
   * Returns true when an invitation is good.
   *
   * @param code - Code in the link.
   * @param address - E-mail address of who shows it.
   */
  isGoodInvitation: (code: string, address: string) => Promise<boolean>;
  /** Uses an invitation up; returns false when it is not good (any more). */
  takeInvitation: (code: string, address: string) => Promise<boolean>;
}
