import type { Quad, Store, Term } from 'n3';

/** The statements of a credential, or of a draft of one, about its subject. */
export interface Claims {
  subject: Term;
  /** All that is stated of the subject, and of what that leads to. Its blank nodes have names that no shape has. */
  data: Store;
  /** The other statements: of the credential itself. */
  others: Quad[];
  /** The whole document as it came. */
  json: object;
}
