import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import type { AccessDecision } from '../grants/AccessDecision';
import type { GrantTerms } from '../grants/AccessGrant';
import { isUuid } from '../grants/grantUri';
import type { Citizen } from '../identity/CitizenStore';
import type { Share, SharePage } from '../personal-data/ShareStore';
import { AccessForbidden, ResourceNotFound } from '../problems';
import type { Records } from '../records';
import type { PodGateway, PodResource } from '../pods/PodGateway';
import { findPodResourceUri, parseResourceUri } from '../pods/resourceUri';
import type { Access, AccessRecord } from './AccessRecord';
import type { OriginVerifier } from './OriginVerifier';
import type { ListedResource, ListQuery, PageQuery, ResourcePage } from './ResourceListing';
import { listedResource } from './ResourceListing';

/** How many shares are looked through at once for those that a data user may read. */
const scanSize = 200;

/** What {@link ResourceService} works with. */
export interface ResourceServiceOptions {
  records: Pick<Records, 'audit' | 'citizens' | 'grants' | 'shares'>;
  origin: Pick<OriginVerifier, 'read'>;
  accesses: Pick<AccessRecord, 'note'>;
  decision: Pick<AccessDecision, 'check' | 'listUsable' | 'usable'>;
  gateway: PodGateway;
  /** Of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** A read with an access grant. */
export interface GrantedRead {
  /** Value of `X-Access-Grant`. */
  accessGrant: string;
  /** URI, as the caller sent it. */
  resource: string;
  /** Whether the resource must be verified at its origin. */
  verified: boolean;
}

/** A read of shared data, as the path names it. */
export interface PodRead {
  podId: string;
  resourceId: string;
  /** Whether the resource must be verified at its origin. */
  verified: boolean;
}

/** A page of shares, with the grants by which a data user may read each of them. */
interface ReadablePage extends SharePage {
  readable: Map<string, GrantTerms>;
}

/** What is read by whom. */
type Read = Pick<Access, 'caller' | 'citizenId' | 'grant' | 'uri'> & { verified: boolean };

/**
 * Reads resources for those who may: with a grant, or as the owner of the pod.
 */
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
   * @returns The resource as it is stored; a body that is a stream must be read or destroyed.
   *
   * @throws AccessGrantInvalid, ResourceUriInvalid, OriginNotHere
   * @throws GrantNotUsable, GrantRevoked, GrantExpired, GrantNotCovering as the access decision says.
   * @throws ResourceNotFound, and when it must be verified NotVerifiable, NotValidAtOrigin, OriginUnavailable.
   */
  public async read(request: GrantedRead, caller: string, context: CallContext): Promise<PodResource> {
    const uri = parseResourceUri(request.resource, this.options.baseUrl);
    const grant = await this.options.decision.check(request.accessGrant, caller, uri, 'Read');
    return this.open({ caller, uri, grant, verified: request.verified }, context);
  }

  /**
   * Reads a resource of a citizen's pod, shared data or any other: for the owner of the pod, and for whoever has an
   * effective grant.
   *
   * @throws AccessForbidden for everybody else, whether there is such a pod and resource or not.
   * @throws ResourceNotFound, and when it must be verified NotVerifiable, NotValidAtOrigin, OriginUnavailable.
   */
  public async readInPod(
    { podId, resourceId, verified }: PodRead,
    caller: string,
    context: CallContext,
  ): Promise<PodResource> {
    const citizen = await this.getPod(podId);
    const isOwner = citizen.webId === caller;
    const uri = findPodResourceUri(citizen.podUrl, resourceId);
    if (uri === undefined) {
      throw isOwner ? new ResourceNotFound() : new AccessForbidden();
    }
    const grant = isOwner ? undefined : await this.options.decision.usable(caller, uri, 'Read');
    if (!isOwner && !grant) {
      throw new AccessForbidden();
    }
    return this.open({ caller, uri, grant, citizenId: citizen.id, verified }, context);
  }

  /**
   * Lists the shared data of a pod: all of it and all grants for the owner; for others what they may read, with the
   * grants that were given to them. What is no longer in the pod is left out, so a page may be short.
   *
   * @throws AccessForbidden for who may read none of it, whether there is such a pod or not.
   */
  public async list(query: ListQuery, caller: string, context: CallContext): Promise<ResourcePage> {
    const { podId } = query;
    const citizen = await this.getPod(podId);
    const isOwner = citizen.webId === caller;
    const page = isOwner ?
        await this.sharesOf(citizen, query) :
        await this.readableShares(citizen, caller, query);
    const grants = await this.grantsOn(page, isOwner ? undefined : caller);
    const resources = await this.describe(page.shares, grants, isOwner);
    this.options.records.audit.enqueue({
      type: 'resource.listed',
      at: this.options.now(),
      ...ofCall(context, { resources: resources.length }),
      personal: { webId: caller },
      citizenId: citizen.id,
    });
    return { podId, resources, ...page.next && { next: page.next }};
  }

  private async open(access: Read, context: CallContext): Promise<PodResource> {
    const resource = access.verified ?
        await this.options.origin.read(access.uri) :
        await this.options.gateway.find(access.uri);
    if (!resource) {
      throw new ResourceNotFound();
    }
    const { verified, ...rest } = access;
    await this.options.accesses.note({ type: 'resource.read', ...rest, facts: { verified }}, context);
    return resource;
  }

  private async getPod(podId: string): Promise<Citizen> {
    const citizen = isUuid(podId) ? await this.options.records.citizens.findById(podId) : undefined;
    if (citizen?.state !== 'ACTIVE') {
      throw new AccessForbidden();
    }
    return citizen;
  }

  private async sharesOf(citizen: Citizen, { cursor, limit, type }: PageQuery): Promise<SharePage> {
    return this.options.records.shares.list(citizen.id, { dataType: type, limit, cursor });
  }

  private async readableShares(citizen: Citizen, caller: string, query: PageQuery): Promise<ReadablePage> {
    const page = await this.findReadable(citizen, caller, query);
    const isNarrowed = query.type !== undefined || query.cursor !== undefined;
    if (page.shares.length === 0 &&
      !(isNarrowed && (await this.findReadable(citizen, caller, { limit: 1 })).shares.length > 0)) {
      throw new AccessForbidden();
    }
    return page;
  }

  /** The first shares from a place on that the caller may read, out of the first scan that has any. */
  private async findReadable(citizen: Citizen, caller: string, query: PageQuery): Promise<ReadablePage> {
    let { cursor } = query;
    do {
      const scanned = await this.sharesOf(citizen, { ...query, limit: scanSize, cursor });
      const readable = await this.options.decision.listUsable(caller, scanned.shares.map(resourceOf), 'Read');
      const shares = scanned.shares.filter(({ resource }): boolean => readable.has(resource));
      if (shares.length > query.limit) {
        const last = scanned.shares.indexOf(shares[query.limit - 1]);
        const { next } = await this.sharesOf(citizen, { ...query, limit: last + 1, cursor });
        return { shares: shares.slice(0, query.limit), readable, next };
      }
      if (shares.length > 0 || !scanned.next) {
        return { ...scanned, readable, shares };
      }
      cursor = scanned.next;
    } while (cursor);
    return { shares: [], readable: new Map() };
  }

  /**
   * The grants to be shown with a page, by resource.
   *
   * @param recipient - Whose grants: everybody's when left out.
   */
  private async grantsOn(
    page: SharePage & Partial<ReadablePage>,
    recipient?: string,
  ): Promise<Map<string, GrantTerms[]>> {
    const uris = page.shares.map(resourceOf);
    const stored = uris.length > 0 ? await this.options.records.grants.listByResources(uris, recipient) : [];
    const byResource = byResources(stored);
    return new Map(uris.map((uri): [string, GrantTerms[]] => {
      const named = byResource.get(uri) ?? [];
      const used = page.readable?.get(uri);
      return [ uri, used && !named.some(({ id }): boolean => id === used.id) ? [ used, ...named ] : named ];
    }));
  }

  private async describe(
    shares: Share[],
    grants: Map<string, GrantTerms[]>,
    isOwner: boolean,
  ): Promise<ListedResource[]> {
    const now = this.options.now();
    const described = await inTurns(shares, async(share): Promise<ListedResource | undefined> => {
      const found = await this.options.gateway.find(share.resource);
      if (found && !Buffer.isBuffer(found.body)) {
        found.body.destroy();
      }
      return found && listedResource(share, found, grants.get(share.resource) ?? [], { isOwner, now });
    });
    return described.filter((entry): entry is ListedResource => entry !== undefined);
  }
}

function byResources(grants: GrantTerms[]): Map<string, GrantTerms[]> {
  const found = new Map<string, GrantTerms[]>();
  for (const grant of grants) {
    for (const resource of grant.resources) {
      const named = found.get(resource) ?? [];
      named.push(grant);
      found.set(resource, named);
    }
  }
  return found;
}

function resourceOf({ resource }: Share): string {
  return resource;
}

/** Maps with at most 8 at work at a time: each may hold a file open. */
async function inTurns<TItem, TResult>(
  items: TItem[],
  work: (item: TItem) => Promise<TResult>,
): Promise<TResult[]> {
  const results: TResult[] = [];
  for (let start = 0; start < items.length; start += 8) {
    results.push(...await Promise.all(items.slice(start, start + 8).map(work)));
  }
  return results;
}
