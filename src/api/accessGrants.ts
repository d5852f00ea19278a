import type { GrantStatus } from '../grants/AccessGrant';
import type { JsonAnswer } from '../http/Answer';
import { ok, okText } from '../http/Answer';
import type { Call, Parameter, ValuesOf } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import { searchedIri } from './access';
import { nextUrl, pageOf, pageParameters } from './paging';
import type { Services } from './Services';

const statuses: readonly GrantStatus[] = [ 'ACTIVE', 'REVOKED', 'EXPIRED', 'INVALID' ];

/** Query parameters that filter access grants. */
export const grantFilters = {
  status: { schema: { type: 'string', enum: statuses }, description: 'Only grants with this status.' },
  given: { schema: { type: 'boolean' }, description: 'True for only the grants that the caller gave.' },
  grantee: { schema: searchedIri, description: 'Only grants to this WebId.' },
  purpose: { schema: searchedIri, description: 'Only grants for this purpose, by its URI.' },
  contract: { schema: searchedIri, description: 'Only grants under this contract, by its URI or id.' },
  ...pageParameters,
} as const satisfies Record<string, Parameter>;

/** Lists the access grants that the caller gave or received. */
export async function listAccessGrants(
  call: Call<{ caller: WebIdCaller; query: ValuesOf<typeof grantFilters> }>,
  { grantListing }: Services,
): Promise<JsonAnswer> {
  const { status, given, grantee, purpose, contract } = call.query;
  const request = { ...pageOf(call), status, given, grantee, purpose, contract };
  const page = await grantListing.list(request, call.caller.webId, call.context);
  return ok({ accessGrants: page.grants, next: nextUrl(call, page.next) });
}

/** Returns an access grant as a signed consent receipt. */
export async function getReceipt(
  { caller, context, params: { id }}: Call<{ caller: WebIdCaller; params: 'id' }>,
  { receipts }: Services,
): Promise<JsonAnswer> {
  return okText(JSON.stringify(await receipts.make(id, caller.webId, context)), 'application/ld+json');
}
