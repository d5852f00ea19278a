import type { DocumentLoader } from '../credentials/documentLoader';
import { verificationMethodOf } from '../credentials/KeyDocuments';
import type { KeyStore } from '../credentials/KeyStore';
import { addProof } from '../credentials/proofs';
import type { OwnIris } from '../vocabulary';
import type { GrantTerms } from './AccessGrant';
import type { GrantExtras } from './grantDocument';
import { grantDocument } from './grantDocument';

/** Dependencies and settings of {@link GrantCredentials}. */
export interface GrantCredentialsOptions {
  keys: KeyStore;
  iris: OwnIris;
  load: DocumentLoader;
}

/** The `domain` of every proof on an access credential, which clients of access grants require. */
const proofDomain = 'solid';

/**
 * Signs access requests, grants and denials with the newest key, as `Ed25519Signature2020`.
 *
 * @see [Data Integrity EdDSA Cryptosuites v1.0, appendix A.1](https://www.w3.org/TR/vc-di-eddsa/#ed25519signature2020)
 */
export class GrantCredentials {
  private readonly options: GrantCredentialsOptions;

  public constructor(options: GrantCredentialsOptions) {
    this.options = options;
  }

  /**
   * Returns the JSON text of the signed credential, which is stored and served byte for byte.
   *
   * @throws NotCanonicalizable when a member that must be an IRI is not.
   */
  public async sign(grant: GrantTerms, extras?: GrantExtras): Promise<string> {
    const { keys, iris, load } = this.options;
    await keys.refresh();
    const [ key ] = keys.getSigningKeys('grants');
    return JSON.stringify(await addProof(grantDocument(grant, iris, extras), {
      form: 'Ed25519Signature2020',
      verificationMethod: verificationMethodOf('grants', key, iris),
      created: grant.made?.at ?? grant.issuedAt,
      domain: proofDomain,
    }, key, load));
  }
}
