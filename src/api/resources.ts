import { AccessGrantInvalid } from '../problems';
import type { PodResource } from '../platform/PodResource';
import type { JsonAnswer, RepresentationAnswer } from '../http/Answer';
import { ok, personalBytes } from '../http/Answer';
import type { Call } from '../http/Operation';
import type { WebIdCaller } from '../tokens/Caller';
import type { PageValues } from './paging';
import { nextUrl, pageOf } from './paging';
import type { Services } from './Services';

/** Reads a pod resource with an access grant. */
export async function readResource(
  { caller, query, headers, context }: Call<{ caller: WebIdCaller; query: { resource: string; verified?: string }}>,
  { resources }: Services,
): Promise<RepresentationAnswer> {
  const accessGrant = headers['x-access-grant'];
  if (typeof accessGrant !== 'string' || accessGrant === '') {
    throw new AccessGrantInvalid('The X-Access-Grant header is missing.');
  }
  const request = { resource: query.resource, accessGrant, verified: isTrue(query.verified) };
  return bytesOf(await resources.read(request, caller.webId, context));
}

/** Reads a resource by its path in a pod, for its owner or a consumer with a grant. */
export async function readPodResource(
  { caller, params, query, context }: Call<{
    caller: WebIdCaller;
    params: 'podId' | 'resourceId';
    query: { verified?: string };
  }>,
  { resources }: Services,
): Promise<RepresentationAnswer> {
  const { podId, resourceId } = params;
  const request = { podId, resourceId, verified: isTrue(query.verified) };
  return bytesOf(await resources.readInPod(request, caller.webId, context));
}

/** Summarises shared data in words, for its owner. */
export async function summarisePodResource(
  { caller, params, context }: Call<{ caller: WebIdCaller; params: 'podId' | 'resourceId' }>,
  { summaries }: Services,
): Promise<JsonAnswer> {
  return ok(await summaries.get(params, caller.webId, context));
}

/** Lists the resources of a pod that the caller may know of. */
export async function listPodResources(
  call: Call<{ caller: WebIdCaller; params: 'podId'; query: PageValues & { type?: string; all?: boolean }}>,
  { podListing }: Services,
): Promise<JsonAnswer> {
  const { podId } = call.params;
  const { all, type } = call.query;
  const request = { ...pageOf(call), podId, type, all };
  const page = await podListing.list(request, call.caller.webId, call.context);
  return ok({ podId, resources: page.resources, next: nextUrl(call, page.next) });
}

/** Parses a boolean parameter, whose text was checked against the operation's row. */
function isTrue(text = 'false'): boolean {
  return text === '1' || text.toLowerCase() === 'true';
}

function bytesOf({ contentType, etag, modified, size, body }: PodResource): RepresentationAnswer {
  return personalBytes({ contentType: contentType || 'application/octet-stream', etag, modified, size, body });
}
