import type { AccessGrant } from './AccessGrant';

/** Makes the signed credential of an access request, grant or denial. */
export interface GrantSigner {
  /** The JSON text of the credential: stored and answered byte for byte. */
  sign: (grant: Omit<AccessGrant, 'document'>) => Promise<string>;
}
