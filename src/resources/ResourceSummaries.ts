import type { CallContext } from '../audit/CallContext';
import type { I18nString, Summary } from '../data-types/DataType';
import type { Candidates } from '../personal-data/Candidates';
import { maxCredentialBytes } from '../personal-data/digest';
import { parseObject } from '../platform/parseJson';
import type { WebId } from '../platform/webId';
import type { PodGateway } from '../pods/PodGateway';
import { findPodResourceUri, podPlace } from '../pods/resourceUri';
import { AccessForbidden, ResourceNotFound } from '../problems';
import type { AccessRecord } from './AccessRecord';
import { getPod } from './getPod';
import type { ReadingStores } from './ReadingStores';

/** Dependencies of {@link ResourceSummaries}. */
export interface ResourceSummariesOptions {
  records: Pick<ReadingStores, 'citizens' | 'podOwners' | 'shares'>;
  candidates: Pick<Candidates, 'summarise'>;
  accesses: Pick<AccessRecord, 'note'>;
  gateway: Pick<PodGateway, 'findBytes'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
}

/** Summary of shared data. */
export interface ResourceSummary {
  /** IRI of the data type. */
  type: string;
  summary: Summary | null;
  /** Its fault, in each language; absent when there is none. */
  error?: I18nString[];
}

/** Summarises shared data for citizens, as it is in their pod. */
export class ResourceSummaries {
  public constructor(private readonly options: ResourceSummariesOptions) {}

  /**
   * Returns the summary of shared data, for the citizen whose pod it is in. Recorded as a read.
   *
   * @throws AccessForbidden for everybody else, whether the pod and resource exist or not.
   * @throws ResourceNotFound when it is missing, or no contract made it.
   */
  public async get(
    { podId, resourceId }: { podId: string; resourceId: string },
    caller: WebId,
    context: CallContext,
  ): Promise<ResourceSummary> {
    const { accesses, candidates, gateway, records } = this.options;
    const { citizen, isOwner } = await getPod(this.options, podId, caller);
    if (!isOwner) {
      throw new AccessForbidden();
    }
    const uri = citizen && findPodResourceUri(podPlace(citizen), resourceId);
    const share = uri === undefined ? undefined : await records.shares.findByResource(uri);
    const found = share && await gateway.findBytes(share.resource, maxCredentialBytes);
    if (!citizen || !found) {
      throw new ResourceNotFound();
    }
    await accesses.note({ type: 'resource.read', caller, uri: share.resource, citizenId: citizen.id }, context);
    const { errors, summary } =
      await candidates.summarise(citizen, share.dataType, parseObject(found.bytes) ?? {});
    return { type: share.dataType, summary, ...errors.length > 0 && { error: errors }};
  }
}
