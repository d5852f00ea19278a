import { Readable } from 'node:stream';
import type { CallContext } from '../audit/CallContext';
import type { AccessDecision } from '../grants/AccessDecision';
import { AccessForbidden, ResourceNotFound } from '../problems';
import type { PodGateway } from '../pods/PodGateway';
import type { PodResource } from '../platform/PodResource';
import { findPodResourceUri, parseResourceUri, podPlace } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';
import type { Access, AccessRecord } from './AccessRecord';
import type { OriginVerifier } from './OriginVerifier';
import { getPod } from './getPod';
import type { ReadingStores } from './ReadingStores';

/** Dependencies and settings of {@link ResourceService}. */
export interface ResourceServiceOptions {
  records: Pick<ReadingStores, 'citizens' | 'podOwners'>;
  origin: Pick<OriginVerifier, 'read'>;
  accesses: Pick<AccessRecord, 'note'>;
  decision: Pick<AccessDecision, 'check' | 'usable'>;
  gateway: PodGateway;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
}

/** A read with an access grant. */
export interface GrantedRead {
  /** Value of `X-Access-Grant`. */
  accessGrant: string;
  /** URI, as the caller sent it. */
  resource: string;
  /** True when the resource must be verified at its origin. */
  verified: boolean;
}

/** A read of a resource, as named in the path. */
export interface PodRead {
  podId: string;
  resourceId: string;
  /** True when the resource must be verified at its origin. */
  verified: boolean;
}

/** A read: its caller and resource. */
type Read = Pick<Access, 'caller' | 'citizenId' | 'grant'> & { uri: ResourceUri; verified: boolean };

/** Reads resources for callers with a grant, and for the owner of the pod. */
export class ResourceService {
  private readonly options: ResourceServiceOptions;

  public constructor(options: ResourceServiceOptions) {
    this.options = options;
  }

  /**
   * Reads a resource with an access grant.
   *
   * @param caller - WebID of the data user.
   *
   * @returns The resource as stored; a stream must be read to its end or destroyed.
   *
   * @throws AccessGrantInvalid, ResourceUriInvalid, OriginNotHere
   * @throws GrantNotUsable, GrantRevoked, GrantExpired, GrantNotCovering from the access decision.
   * @throws ResourceNotFound; for a verified read also NotVerifiable, NotValidAtOrigin, OriginUnavailable.
   */
  public async read(request: GrantedRead, caller: WebId, context: CallContext): Promise<PodResource> {
    const uri = parseResourceUri(request.resource, this.options.baseUrl);
    const grant = await this.options.decision.check(request.accessGrant, caller, uri, 'Read');
    return this.open({ caller, uri, grant, verified: request.verified }, context);
  }

  /**
   * Reads a resource of a pod, shared data or not, for the owner of the pod and for holders of an effective grant.
   *
   * @throws AccessForbidden for everybody else, whether the pod and resource exist or not.
   * @throws ResourceNotFound; for a verified read also NotVerifiable, NotValidAtOrigin, OriginUnavailable.
   */
  public async readInPod(
    { podId, resourceId, verified }: PodRead,
    caller: WebId,
    context: CallContext,
  ): Promise<PodResource> {
    const { citizen, isOwner, url } = await getPod(this.options, podId, caller);
    const uri = findPodResourceUri(podPlace(citizen ?? { id: podId, podUrl: url }), resourceId);
    if (uri === undefined) {
      throw isOwner ? new ResourceNotFound() : new AccessForbidden();
    }
    const grant = isOwner ? undefined : await this.options.decision.usable(caller, uri, 'Read');
    if (!isOwner && !grant) {
      throw new AccessForbidden();
    }
    return this.open({ caller, uri, grant, citizenId: citizen?.id, verified }, context);
  }

  private async open(access: Read, context: CallContext): Promise<PodResource> {
    const resource = access.verified ?
        await this.options.origin.read(access.uri) :
        await this.options.gateway.find(access.uri);
    if (!resource) {
      throw new ResourceNotFound();
    }
    const { verified, ...rest } = access;
    try {
      await this.options.accesses.note({ type: 'resource.read', ...rest, facts: { verified }}, context);
      return resource;
    } catch (error: unknown) {
      if (resource.body instanceof Readable) {
        resource.body.destroy();
      }
      throw error;
    }
  }
}
