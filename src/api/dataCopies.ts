import type { CopyDeletion } from '../data-copies/DataCopyService';
import type { CopyReport } from '../data-copies/readReport';
import { ParameterInvalid } from '../problems';
import type { JsonAnswer } from '../http/Answer';
import { created, ok } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { PageValues } from './paging';
import { nextUrl, pageOf } from './paging';
import type { Services } from './Services';

/** Records that the caller stores a copy. */
export async function reportDataCopy(
  { caller, body, context }: Call<{ caller: WebIdCaller; body: CopyReport }>,
  { dataCopies }: Services,
): Promise<JsonAnswer> {
  const result = await dataCopies.report(body, caller.webId, context);
  return (result.created ? created : ok)(result.entry);
}

/** Records that the caller no longer stores a copy, which the body or the query names. */
export async function removeDataCopy(
  { caller, body, query, context }: Call<{
    caller: WebIdCaller;
    query: Partial<CopyDeletion>;
    body: CopyDeletion | undefined;
  }>,
  { dataCopies }: Services,
): Promise<JsonAnswer> {
  if (body && Object.values(query).some((value): boolean => value !== undefined)) {
    throw new ParameterInvalid('The copy is named by the body or by query parameters, not by both.');
  }
  const { resource, ...deletion } = body ?? query;
  if (resource === undefined) {
    throw new ParameterInvalid('resource is required, in the body or as a query parameter.');
  }
  return ok(await dataCopies.remove({ ...deletion, resource }, caller.webId, context));
}

/** Lists the caller's copies, or the copies of the caller's resources. */
export async function listDataCopies(
  call: Call<{ caller: WebIdCaller; query: PageValues & { status?: string }}>,
  { dataCopies }: Services,
): Promise<JsonAnswer> {
  const request = { ...pageOf(call), status: call.query.status };
  const page = await dataCopies.list(request, call.caller.webId);
  return ok({ dataCopies: page.entries, next: nextUrl(call, page.next) });
}
