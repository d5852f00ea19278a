import type { Quad, Store, Term } from 'n3';

/** The statements of a credential, or of a draft of one, about its subject. */
export interface Claims {
  subject: Term;
  /** All statements about the subject, and about nodes reachable from it. Its blank node ids occur in no shape. */
  data: Store;
  /** All other statements, about the credential itself. */
  others: Quad[];
  /** The whole document as received. */
  json: object;
}
