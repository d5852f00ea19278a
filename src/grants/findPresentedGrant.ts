import type { CredentialDocument } from '../credentials/Credential';
import { parseOwn } from '../platform/ownJson';
import type { AccessGrant } from './AccessGrant';
import { findGrantId } from './AccessGrant';
import type { GrantStore } from './GrantStore';
import { isSameCredential } from './isSameCredential';

/**
 * Finds the stored request, grant or denial of a presented credential by id and compares the two, so that nothing in
 * the presented one has to be trusted. Returns `undefined` when it was not issued here, or was altered.
 *
 * @param presented - Credential as somebody sent it.
 * @param grants - Issued credentials.
 * @param issuer - Issuer URL of access grants, with a trailing slash.
 */
export async function findPresentedGrant(
  presented: CredentialDocument,
  grants: Pick<GrantStore, 'findById'>,
  issuer: string,
): Promise<AccessGrant | undefined> {
  const id = typeof presented.id === 'string' ? findGrantId(presented.id, issuer) : undefined;
  const grant = id === undefined ? undefined : await grants.findById(id);
  return grant && isSameCredential(presented, parseOwn(grant.document)) ? grant : undefined;
}
