import type { CopyDeletion } from '../data-copies/DataCopyService';
import type { CopyReport } from '../data-copies/readReport';
import { ParameterInvalid } from '../problems';
import type { JsonAnswer } from './Answer';
import { created, ok } from './Answer';
import type { Call, WebIdCaller } from './Operation';
import { nextUrl, pageOf } from './paging';
import type { Services } from './Services';

/** Reports that a copy is stored. */
export async function reportDataCopy(
  { caller, body, context }: Call<WebIdCaller, CopyReport>,
  { dataCopies }: Services,
): Promise<JsonAnswer> {
  const result = await dataCopies.report(body, caller.webId, context);
  return (result.created ? created : ok)(result.entry);
}

/** Reports that a copy is no longer stored; which one stands in the body or the query. */
export async function removeDataCopy(
  { caller, body, query, context }: Call<WebIdCaller, CopyDeletion | undefined>,
  { dataCopies }: Services,
): Promise<JsonAnswer> {
  const deletion = body ?? query as Partial<CopyDeletion>;
  if (deletion.resource === undefined) {
    throw new ParameterInvalid('resource is required, in the body or as a query parameter.');
  }
  return ok(await dataCopies.remove(deletion as CopyDeletion, caller.webId, context));
}

/** The caller's copies, or the copies of the caller's resources. */
export async function listDataCopies(call: Call<WebIdCaller>, { dataCopies }: Services): Promise<JsonAnswer> {
  const request = { ...pageOf(call), status: call.query.status as string | undefined };
  const page = await dataCopies.list(request, call.caller.webId);
  return ok({ dataCopies: page.entries, next: nextUrl(call, page.next) });
}
