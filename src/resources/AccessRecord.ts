import type { AuditEvent } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import { BoundedMap } from '../platform/BoundedMap';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import { contractFacts } from '../contracts/contractFacts';
import type { GrantTerms } from '../grants/AccessGrant';
import type { ReadingStores } from './ReadingStores';

const maxCitizenIds = 10_000;

/** Kinds of access to a resource. */
export type AccessKind = Extract<
  AuditEvent['type'],
  'resource.appended' | 'resource.created' | 'resource.deleted' | 'resource.read' | 'resource.written'
>;

/** One access to a resource. */
export interface Access {
  type: AccessKind;
  /** WebID. */
  caller: WebId;
  uri: string;
  /** Grant that allows the access; absent for the owner. */
  grant?: GrantTerms;
  /** Citizen that the resource is about, if known; otherwise looked up by the subject of the grant. */
  citizenId?: string;
  /** Further facts, without personal data. */
  facts?: AuditEvent['facts'];
}

/** Dependencies and settings of {@link AccessRecord}. */
export interface AccessRecordOptions {
  records: Pick<ReadingStores, 'audit' | 'citizens'>;
  now: Clock;
}

/** Records accesses to resources, with their grants, in the audit log, in batches, at most 1 s late. */
export class AccessRecord {
  private readonly citizenIds = new BoundedMap<string, string>(maxCitizenIds);

  public constructor(private readonly options: AccessRecordOptions) {}

  /** Records an access that took place. */
  public async note(access: Access, context: Partial<CallContext>): Promise<void> {
    const { caller, facts, grant, type, uri } = access;
    const citizenId = access.citizenId ?? (grant && await this.citizenId(grant.subject));
    this.options.records.audit.enqueue({
      type,
      at: this.options.now(),
      ...ofCall(context, { ...facts, ...grant?.contract && contractFacts(grant.contract) }),
      personal: { webId: caller, resource: uri, ...grant && { grant: grant.uri }},
      citizenId,
    });
  }

  /**
   * Caches the citizen of a WebID that was made here, which is never used again; a linked one may be linked again after
   * its citizen was erased. Nothing is recorded about erased citizens.
   */
  private async citizenId(webId: WebId): Promise<string | undefined> {
    const known = this.citizenIds.get(webId);
    if (known !== undefined) {
      return known;
    }
    const citizen = await this.options.records.citizens.findByWebId(webId);
    if (citizen && !citizen.brought) {
      this.citizenIds.set(webId, citizen.id);
    }
    return citizen?.id;
  }
}
