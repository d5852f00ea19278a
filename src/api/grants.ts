import type { JsonAnswer } from '../http/Answer';
import { ok, okText } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { Services } from './Services';

/** Revokes a grant on a shared resource. */
export async function revokeGrant(
  { caller, params, context }: Call<{ caller: WebIdCaller; params: 'podId' | 'resourceId' | 'accessGrantId' }>,
  { grants }: Services,
): Promise<JsonAnswer> {
  const { podId, resourceId, accessGrantId } = params;
  return ok(await grants.revoke({ podId, resourceId, grantId: accessGrantId }, caller.webId, context));
}

/** Returns the credential of an access request, grant or denial, byte for byte as it was issued. */
export async function getGrantCredential(
  { caller, params, context }: Call<{ caller: WebIdCaller; params: 'id' }>,
  { grants }: Services,
): Promise<JsonAnswer> {
  return okText(await grants.getDocument(params.id, caller.webId, context), 'application/ld+json');
}
