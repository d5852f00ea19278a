import type { StatusListStore } from '../credentials/StatusListStore';
import type { NewId } from '../platform/clock';
import type { OwnIris } from '../vocabulary';
import type { AccessGrant, GrantTerms } from './AccessGrant';
import type { GrantExtras } from './grantDocument';
import type { GrantSigner } from './GrantSigner';
import { grantUri } from './grantUri';

/** Dependencies of a {@link GrantIssuer}. */
export interface GrantIssuerOptions {
  statusLists: Pick<StatusListStore, 'allocate'>;
  signer: GrantSigner;
  iris: Pick<OwnIris, 'accessIssuer'>;
  newId: NewId;
}

/** The terms of a request, grant or denial that has no URI yet. */
export type NewGrant = Omit<GrantTerms, 'id' | 'status' | 'uri'>;

/** Gives new requests, grants and denials a URI, a place in a status list and a signature. */
export class GrantIssuer {
  public constructor(private readonly options: GrantIssuerOptions) {}

  /**
   * Signs new terms. Nothing is stored but the place in the status list: whoever calls inserts the result.
   *
   * @throws NotCanonicalizable when a member is no IRI where one is needed.
   */
  public async issue(terms: NewGrant, extras?: GrantExtras): Promise<AccessGrant> {
    const { iris, newId, signer, statusLists } = this.options;
    const id = newId();
    const uri = grantUri(iris.accessIssuer, id);
    const grant: GrantTerms = { id, uri, ...terms, status: await statusLists.allocate('grants') };
    return { ...grant, document: await signer.sign(grant, extras) };
  }
}
