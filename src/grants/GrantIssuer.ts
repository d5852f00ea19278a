import type { WebId } from '../platform/webId';
import type { Contract, ContractCatalogue } from '../contracts/Contract';
import type { StatusListStore } from '../credentials/StatusListStore';
import type { NewId } from '../platform/clock';
import type { ResourceUri } from '../pods/resourceUri';
import type { OwnIris } from '../vocabulary';
import type { AccessGrant, AccessMode, GrantTerms } from './AccessGrant';
import { grantUri } from './AccessGrant';
import type { GrantCredentials } from './GrantCredentials';
import type { GrantExtras } from './grantDocument';

/** Dependencies of a {@link GrantIssuer}. */
export interface GrantIssuerOptions {
  statusLists: Pick<StatusListStore, 'allocate'>;
  contracts: Pick<ContractCatalogue, 'grantExpiry'>;
  signer: Pick<GrantCredentials, 'sign'>;
  iris: Pick<OwnIris, 'accessIssuer'>;
  newId: NewId;
}

/** The terms of a request, grant or denial without a URI. */
export type NewGrant = Omit<GrantTerms, 'id' | 'status' | 'uri'>;

/**
 * Gives new requests, grants and denials a URI, an entry in a status list and a signature. Stores only that entry: the
 * caller inserts the result.
 */
export class GrantIssuer {
  public constructor(private readonly options: GrantIssuerOptions) {}

  /**
   * Signs new terms.
   *
   * @throws NotCanonicalizable when a member that must be an IRI is not.
   */
  public async issue(terms: NewGrant, extras?: GrantExtras): Promise<AccessGrant> {
    const { iris, newId, signer, statusLists } = this.options;
    const id = newId();
    const uri = grantUri(iris.accessIssuer, id);
    const grant: GrantTerms = { id, uri, ...terms, status: await statusLists.allocate('grants') };
    return { ...grant, document: await signer.sign(grant, extras) };
  }

  /**
   * Signs the grant that a contract gives its data user on one resource.
   *
   * @param owner - WebID of the citizen.
   */
  public async issueUnder(
    contract: Contract,
    owner: WebId,
    resource: ResourceUri,
    issuedAt: Date,
  ): Promise<AccessGrant> {
    return this.issue({
      kind: 'grant',
      subject: owner,
      recipient: contract.forDataUser,
      modes: modesUnder(contract),
      resources: [ resource ],
      purposes: [ contract.forPurpose ],
      inherit: false,
      contract: { id: contract.id, digest: contract.digest },
      issuedAt,
      expiresAt: this.options.contracts.grantExpiry(contract, issuedAt),
    });
  }
}

/** Returns the modes of a contract's grant. Data users must read, so a contract for writing alone gives Read, too. */
export function modesUnder({ accessMode }: Pick<Contract, 'accessMode'>): AccessMode[] {
  return accessMode === 'WRITE' ? [ 'Read', 'Write' ] : [ 'Read' ];
}
