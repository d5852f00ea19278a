import type { GrantTerms } from './AccessGrant';
import type { GrantExtras } from './grantDocument';

/** Makes the signed credential of an access request, grant or denial. */
export interface GrantSigner {
  /** The JSON text of the credential: stored and answered byte for byte. */
  sign: (grant: GrantTerms, extras?: GrantExtras) => Promise<string>;
}
