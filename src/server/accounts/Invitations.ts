/** Invitations by the operator to create an account. */
export interface Invitations {
  /**
   * Checks whether an invitation is valid.
   *
   * @param code - Code in the link.
   * @param address - E-mail address of the person who uses it.
   */
  isGoodInvitation: (code: string, address: string) => Promise<boolean>;
  /** Uses up an invitation; returns false when it is not valid (any more). */
  takeInvitation: (code: string, address: string) => Promise<boolean>;
}
