import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import type { AccessDecision } from '../grants/AccessDecision';
import type { GrantTerms } from '../grants/AccessGrant';
import type { Share } from '../personal-data/ShareStore';
import type { PodGateway } from '../pods/PodGateway';
import { AccessForbidden, ParameterInvalid } from '../problems';
import type { ResourceUri } from '../pods/resourceUri';
import { findResourceUri } from '../pods/resourceUri';
import type { PodOfCaller } from './getPod';
import { getPod } from './getPod';
import type { ReadingStores } from './ReadingStores';
import type { ListedResource, ListQuery, ResourcePage } from './ResourceListing';
import { listedResource, otherResource } from './ResourceListing';

/** Number of resources scanned at once for those that a data user may read. */
const scanSize = 200;

/** Prefix of cursors for resources without a contract; the base64url of a URI follows. */
const otherMark = '~';

/** Dependencies of {@link PodListing}. */
export interface PodListingOptions {
  records: ReadingStores;
  decision: Pick<AccessDecision, 'listUsable'>;
  gateway: Pick<PodGateway, 'find'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** A list and its caller. */
interface Listing {
  pod: PodOfCaller;
  caller: WebId;
  type?: string;
  all?: boolean;
}

/** A resource on a page; without a share if no contract made it. */
interface PageItem {
  uri: ResourceUri;
  share?: Share;
}

interface EntryPage {
  entries: PageItem[];
  /** Grants that let the caller read each resource; absent for the owner. */
  readable?: Map<ResourceUri, GrantTerms>;
  next?: string;
}

/** Lists the resources of pods that concern this service: shared data, and resources that access grants name. */
export class PodListing {
  private readonly options: PodListingOptions;

  public constructor(options: PodListingOptions) {
    this.options = options;
  }

  /**
   * Lists the shared data of a pod and, with `all`, the other resources that grants name. The owner sees everything,
   * with all grants; others see what they may read, with the grants they received. Resources no longer in the pod are
   * left out, so a page may be short.
   *
   * @throws AccessForbidden for callers who may read nothing in the pod, whether it exists or not.
   * @throws ParameterInvalid when the cursor is not one of this list.
   */
  public async list(query: ListQuery, caller: WebId, context: CallContext): Promise<ResourcePage> {
    const { all, cursor, limit, podId, type } = query;
    const pod = await getPod(this.options, podId, caller);
    const listing = { pod, caller, all, type };
    const page = pod.isOwner ?
        await this.scan(listing, cursor, limit) :
        await this.listReadable(listing, cursor, limit);
    const resources = await this.describe(page, listing);
    this.options.records.audit.enqueue({
      type: 'resource.listed',
      at: this.options.now(),
      ...ofCall(context, { resources: resources.length }),
      personal: { webId: caller },
      citizenId: pod.citizen?.id,
    });
    return { podId, resources, ...page.next !== undefined && { next: page.next }};
  }

  /** Lists shared data from a cursor on and, after its end, other resources. */
  private async scan(listing: Listing, cursor: string | undefined, limit: number): Promise<EntryPage> {
    const { all, pod: { citizen }, type } = listing;
    const listsOthers = all === true && type === undefined;
    if (cursor?.startsWith(otherMark) && listsOthers) {
      return this.scanOthers(listing, readOther(cursor, listing.pod.url), limit);
    }
    if (cursor !== undefined && !citizen) {
      throw notGiven();
    }
    const { shares, next } = citizen ?
        await this.options.records.shares.list(citizen.id, { dataType: type, limit, cursor }) :
        { shares: []};
    const entries = shares.map((share): PageItem => ({ uri: share.resource, share }));
    if (next !== undefined || !listsOthers) {
      return { entries, next };
    }
    const others = await this.scanOthers(listing, '', limit - entries.length);
    return { entries: [ ...entries, ...others.entries ], next: others.next };
  }

  private async scanOthers({ caller, pod }: Listing, after: string, limit: number): Promise<EntryPage> {
    const by = pod.isOwner ? { subjects: pod.owners } : { recipient: caller };
    const named = await this.options.records.grants.listNamed({ podUrl: pod.url, by, after, limit: limit + 1 });
    const page = named.slice(0, limit);
    const entries = page.map((uri): ResourceUri | undefined => findResourceUri(uri, this.options.baseUrl))
      .filter((uri): uri is ResourceUri => uri !== undefined)
      .map((uri): PageItem => ({ uri }));
    const last = page.at(-1) ?? after;
    return { entries, next: named.length > limit ? writeOther(last) : undefined };
  }

  private async listReadable(listing: Listing, cursor: string | undefined, limit: number): Promise<EntryPage> {
    const page = await this.findReadable(listing, cursor, limit);
    if (page.entries.length === 0 && !await this.mayReadMore(listing, cursor)) {
      throw new AccessForbidden();
    }
    return page;
  }

  /** Checks whether the caller may read anything in the pod that a list without entries did not cover. */
  private async mayReadMore(listing: Listing, cursor: string | undefined): Promise<boolean> {
    const isNarrowed = listing.type !== undefined || cursor !== undefined;
    if (listing.all === true && !isNarrowed) {
      return false;
    }
    const everything = { ...listing, all: true, type: undefined };
    const { entries } = await this.findReadable(everything, isNarrowed ? undefined : writeOther(''), 1);
    return entries.length > 0;
  }

  /** Returns the readable entries of the first scan that has any, from a cursor on. */
  private async findReadable(listing: Listing, from: string | undefined, limit: number): Promise<EntryPage> {
    let cursor = from;
    do {
      const scanned = await this.scan(listing, cursor, scanSize);
      const readable = await this.options.decision.listUsable(listing.caller, scanned.entries.map(uriOf), 'Read');
      const entries = scanned.entries.filter(({ uri }): boolean => readable.has(uri));
      if (entries.length > limit) {
        const last = scanned.entries.indexOf(entries[limit - 1]);
        const { next } = await this.scan(listing, cursor, last + 1);
        return { entries: entries.slice(0, limit), readable, next };
      }
      if (entries.length > 0 || scanned.next === undefined) {
        return { ...scanned, readable, entries };
      }
      cursor = scanned.next;
    } while (cursor);
    return { entries: []};
  }

  /** Describes the existing entries with their grants: all grants for the owner, their own for others. */
  private async describe(page: EntryPage, { caller, pod }: Listing): Promise<ListedResource[]> {
    const now = this.options.now();
    const grants = await this.grantsOn(page, pod.isOwner ? undefined : caller);
    const described = await inTurns(page.entries, async({ share, uri }): Promise<ListedResource | undefined> => {
      const found = await this.options.gateway.find(uri);
      if (!found) {
        return;
      }
      if (!Buffer.isBuffer(found.body)) {
        found.body.destroy();
      }
      const named = grants.get(uri) ?? [];
      return share ?
          listedResource(share, found, named, { isOwner: pod.isOwner, now }) :
          otherResource(pod.url, uri, found, named, now);
    });
    return described.filter((entry): entry is ListedResource => entry !== undefined);
  }

  /**
   * Returns the grants to show on a page, by resource.
   *
   * @param recipient - Only grants to this recipient; all grants when left out.
   */
  private async grantsOn(page: EntryPage, recipient?: WebId): Promise<Map<string, GrantTerms[]>> {
    const uris = page.entries.map(uriOf);
    const stored = uris.length > 0 ? await this.options.records.grants.listByResources(uris, recipient) : [];
    const byResource = byResources(stored);
    return new Map(uris.map((uri): [string, GrantTerms[]] => {
      const named = byResource.get(uri) ?? [];
      const used = page.readable?.get(uri);
      return [ uri, used && !named.some(({ id }): boolean => id === used.id) ? [ used, ...named ] : named ];
    }));
  }
}

/** Returns the cursor for resources without a contract after a URI; from the first one on when it is empty. */
function writeOther(uri: string): string {
  return otherMark + Buffer.from(uri).toString('base64url');
}

/** @throws ParameterInvalid when {@link writeOther} did not make the cursor for this pod. */
function readOther(cursor: string, podUrl: string): string {
  const uri = Buffer.from(cursor.slice(otherMark.length), 'base64url').toString();
  if (writeOther(uri) !== cursor || uri.includes('\0') || !(uri === '' || uri.startsWith(podUrl))) {
    throw notGiven();
  }
  return uri;
}

function notGiven(): ParameterInvalid {
  return new ParameterInvalid('cursor was not given by this operation');
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

function uriOf({ uri }: PageItem): ResourceUri {
  return uri;
}

/** Maps with at most 8 calls at a time: each may hold a file open. */
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
