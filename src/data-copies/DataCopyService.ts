import type { AuditEvent } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { contractFacts } from '../contracts/contractFacts';
import type { AccessDecision } from '../grants/AccessDecision';
import type { GrantTerms } from '../grants/AccessGrant';
import type { GrantStore } from '../grants/GrantStore';
import type { CitizenStore } from '../identity/CitizenStore';
import type { PodOwnerStore } from '../identity/PodOwnerStore';
import { DataCopyNotFound, PurposeRequired } from '../problems';
import type { Records } from '../platform/Records';
import type { WebId } from '../platform/webId';
import type { PodGateway } from '../pods/PodGateway';
import { findResourceUri, parseResourceUri } from '../pods/resourceUri';
import type { ResourceUri } from '../pods/resourceUri';
import { ResourceWatch } from '../personal-data/ResourceWatch';
import type { ShareStates } from '../personal-data/SharingStores';
import type { CopyEntry } from './CopyEntry';
import { copyEntry } from './CopyEntry';
import type { DeletionReason } from './copyStatus';
import { copyStatus, invalidSince } from './copyStatus';
import type { DataCopy, DataCopyStore } from './DataCopyStore';
import type { ListPosition } from './ListPosition';
import { following, readPosition, writePosition } from './ListPosition';
import type { CopyReport, ReportedFacts } from './readReport';
import { readReport } from './readReport';

/** Stores that reports of copies read and change. */
export interface CopyStores extends Omit<ShareStates, 'dataCopies'> {
  citizens: CitizenStore;
  dataCopies: DataCopyStore;
  grants: GrantStore;
  podOwners: PodOwnerStore;
}

/** Dependencies and settings of {@link DataCopyService}. */
export interface DataCopyServiceOptions {
  records: Records<CopyStores>;
  decision: Pick<AccessDecision, 'check'>;
  gateway: Pick<PodGateway, 'exists' | 'findBytes'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
  newId: NewId;
}

/** A report that a copy is no longer stored. */
export interface CopyDeletion {
  resource: string;
  /** May be left out when only one copy of the resource is open. */
  purpose?: string;
  reason?: DeletionReason;
}

/** Filter of copies, and the start of the page. */
export interface CopyQuery {
  status?: string;
  limit: number;
  cursor?: string;
}

/** A page of copies; `next` is the cursor of the following one. */
export interface CopyPage {
  entries: CopyEntry[];
  next?: string;
}

const maxScanned = 1000;

/**
 * Records local copies by data user and resource, and until when they may be kept.
 *
 * Records of copies outlive pod and citizen: the data user must be able to see that a copy is due, and to report its
 * deletion.
 */
export class DataCopyService {
  private readonly options: DataCopyServiceOptions;
  private readonly watch: ResourceWatch;

  public constructor(options: DataCopyServiceOptions) {
    this.options = options;
    this.watch = new ResourceWatch(options);
  }

  /**
   * Reports that the caller stores a copy of a resource, read with an effective grant.
   *
   * There is one open copy per data user, resource and purpose. Reporting it again under another grant, or with a later
   * `storedAt`, updates it.
   *
   * @param report - The report.
   * @param caller - WebID of the data user.
   * @param context - Context of the request.
   *
   * @returns The entry, and whether it is new.
   *
   * @throws ResourceUriInvalid, OriginNotHere, AccessGrantInvalid, and problems of the access decision on the grant.
   * @throws BodyInvalid, PurposeRequired
   */
  public async report(
    report: CopyReport,
    caller: WebId,
    context: CallContext,
  ): Promise<{ entry: CopyEntry; created: boolean }> {
    const resource = parseResourceUri(report.resource, this.options.baseUrl);
    const grant = await this.options.decision.check(report.accessGrant, caller, resource, 'Read');
    const facts = readReport(report, grant, this.options.now());
    const copy = this.newCopy(facts, resource, caller, grant);
    const { copy: current, created } = await this.options.records.transaction(async(stores): Promise<Stored> =>
      this.store(stores, copy, grant, report.storedAt ? facts : undefined, context));
    return { entry: await this.describe(current), created };
  }

  /**
   * Reports that the caller no longer stores a copy, even after the grant has ended. A repeated report returns the
   * latest deleted copy.
   *
   * @throws DataCopyNotFound
   * @throws PurposeRequired when copies for several purposes are open and none is named.
   */
  public async remove(deletion: CopyDeletion, caller: WebId, context: CallContext): Promise<CopyEntry> {
    const resource = findResourceUri(deletion.resource, this.options.baseUrl);
    if (resource === undefined) {
      throw new DataCopyNotFound();
    }
    const copy = await this.options.records.transaction(async(stores): Promise<DataCopy> => {
      const copies = await stores.dataCopies.listByKey(caller, resource, deletion.purpose);
      const open = copies.filter(({ deletedAt }): boolean => deletedAt === undefined);
      if (open.length > 1) {
        throw new PurposeRequired('Copies for several purposes are open.');
      }
      return open.length === 1 ? this.close(stores, open[0], deletion.reason, context) : lastDeleted(copies);
    });
    return this.describe(copy);
  }

  /**
   * Lists the caller's own copies, then other data users' copies of resources in the caller's pods, each newest first.
   *
   * A page filtered by status can be short or even empty and still have a next one, because the scan for each page is
   * bounded.
   *
   * @throws ParameterInvalid when the cursor is not one of this list.
   */
  public async list({ status, limit, cursor }: CopyQuery, caller: WebId): Promise<CopyPage> {
    const ownsPods = await this.options.records.podOwners.ownsAny(caller);
    const entries: CopyEntry[] = [];
    let position: ListPosition | undefined = readPosition(cursor);
    for (let scanned = 0; position && entries.length < limit && scanned < maxScanned;) {
      const { copies, next } = await this.read(position, limit - entries.length, caller);
      const described = await this.describeAll(copies);
      entries.push(...described.filter((entry): boolean => status === undefined || entry.status === status));
      scanned += copies.length;
      position = following(position, next, ownsPods);
    }
    return { entries, ...position && { next: writePosition(position) }};
  }

  private async read(
    { of, cursor }: ListPosition,
    limit: number,
    caller: WebId,
  ): Promise<StoredPage> {
    const { dataCopies } = this.options.records;
    return of === 'user' ?
        dataCopies.listByDataUser(caller, { limit, cursor }) :
        dataCopies.listByOwner(caller, { limit, cursor });
  }

  private newCopy(facts: ReportedFacts, resource: ResourceUri, dataUser: WebId, grant: GrantTerms): DataCopy {
    const { newId, now } = this.options;
    return { ...facts, id: newId(), dataUser, resource, accessGrant: grant.uri, grantId: grant.id, reportedAt: now() };
  }

  private async store(
    stores: CopyStores,
    reported: DataCopy,
    grant: GrantTerms,
    facts: ReportedFacts | undefined,
    context: CallContext,
  ): Promise<Stored> {
    const { copy, inserted } = await stores.dataCopies.insertOrGet(reported);
    if (inserted) {
      await stores.audit.append(await this.event('copy.reported', stores, copy, context));
      return { copy, created: true };
    }
    const current = await this.refresh(stores, copy, grant, facts);
    // Closed meanwhile: another copy can be stored.
    return current ? { copy: current, created: false } : this.store(stores, reported, grant, facts, context);
  }

  /**
   * @param stores - Stores of the transaction.
   * @param copy - The copy as read before.
   * @param grant - Its grant from now on.
   * @param facts - Facts reported now, if they say when the copy was made.
   *
   * @returns `undefined` when the copy was closed meanwhile.
   */
  private async refresh(
    stores: CopyStores,
    copy: DataCopy,
    grant: GrantTerms,
    facts: ReportedFacts | undefined,
  ): Promise<DataCopy | undefined> {
    const isLater = facts !== undefined && facts.storedAt > copy.storedAt;
    if (copy.grantId === grant.id && !isLater) {
      return copy;
    }
    const { absentAt, invalidAt, storedAt, system } = isLater ?
        { ...facts, system: facts.system ?? copy.system, absentAt: undefined, invalidAt: undefined } :
      copy;
    const updated: DataCopy = {
      ...copy,
      accessGrant: grant.uri,
      grantId: grant.id,
      absentAt,
      invalidAt,
      storedAt,
      system,
      reportedAt: this.options.now(),
    };
    return await stores.dataCopies.update(updated) ? updated : undefined;
  }

  private async close(
    stores: CopyStores,
    copy: DataCopy,
    reason: DeletionReason | undefined,
    context: CallContext,
  ): Promise<DataCopy> {
    if (await stores.dataCopies.close(copy.id, this.options.now(), reason)) {
      await stores.audit.append(await this.event('copy.deleted', stores, copy, context, reason));
    }
    const copies = await stores.dataCopies.listByKey(copy.dataUser, copy.resource, copy.purpose);
    // A closed copy keeps its key.
    return copies.find(({ id }): boolean => id === copy.id)!;
  }

  private async event(
    type: 'copy.reported' | 'copy.deleted',
    { citizens, grants }: Pick<CopyStores, 'citizens' | 'grants'>,
    { dataUser, resource, accessGrant, purpose, grantId }: DataCopy,
    context: CallContext,
    reason?: DeletionReason,
  ): Promise<AuditEvent> {
    const grant = await grants.findById(grantId);
    const citizen = grant && await citizens.findByWebId(grant.subject);
    return {
      type,
      at: this.options.now(),
      ...ofCall(context, {
        purpose,
        ...reason && { reason },
        ...grant?.contract && contractFacts(grant.contract),
      }),
      personal: { webId: dataUser, resource, accessGrant },
      citizenId: citizen?.id,
    };
  }

  /** Describes copies one after the other: each may read a resource. */
  private async describeAll(copies: DataCopy[]): Promise<CopyEntry[]> {
    const entries: CopyEntry[] = [];
    for (const copy of copies) {
      entries.push(await this.describe(copy));
    }
    return entries;
  }

  private async describe(copy: DataCopy): Promise<CopyEntry> {
    const { share, absentAt } = await this.observe(copy);
    // Grants are never removed; without one, nothing would allow the copy.
    const grant = await this.options.records.grants.findById(copy.grantId) ?? { invalidAt: copy.reportedAt };
    const facts = { grant, absentAt, invalidAt: share && invalidSince(copy, share) };
    return copyEntry(copy, copyStatus(copy, facts, this.options.now()));
  }

  /** Returns the state of the resource. For a deleted copy, it no longer matters. */
  private async observe({ resource, deletedAt }: DataCopy): ReturnType<ResourceWatch['observe']> {
    if (!deletedAt) {
      return this.watch.observe(resource);
    }
    const share = await this.options.records.shares.findByResource(resource);
    return { share, absentAt: share?.absentAt };
  }
}

interface Stored {
  copy: DataCopy;
  created: boolean;
}

interface StoredPage {
  copies: DataCopy[];
  next?: string;
}

function lastDeleted(copies: DataCopy[]): DataCopy {
  const [ last ] = [ ...copies ].sort((one, other): number => Number(other.deletedAt) - Number(one.deletedAt));
  if (!last) {
    throw new DataCopyNotFound();
  }
  return last;
}
