import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { SuspensionStore } from '../contracts/SuspensionStore';
import type { I18nString } from '../data-types/DataType';
import type { GrantStatus, GrantTerms } from '../grants/AccessGrant';
import type { GrantRecord } from '../grants/grantRecord';
import { grantRecord } from '../grants/grantRecord';
import type { GrantFilter, GrantStore, TermsPage } from '../grants/GrantStore';
import type { ShareStore } from '../personal-data/ShareStore';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import type { Named, NamedResource, Names } from './Names';

/** Dependencies and settings of {@link GrantListing}. */
export interface GrantListingOptions {
  records: {
    audit: Pick<AuditLog, 'enqueue'>;
    grants: Pick<GrantStore, 'listTerms'>;
    shares: Pick<ShareStore, 'findTypes'>;
    suspensions: Pick<SuspensionStore, 'list'>;
  };
  names: Names;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** Filter of access grants, and the start of the page. */
export interface GrantListQuery {
  status?: GrantStatus;
  /** True for only the grants that the caller gave: others can give the caller any number. */
  given?: boolean;
  /** WebID. */
  grantee?: string;
  /** IRI. */
  purpose?: string;
  /** URI or id of the contract. */
  contract?: string;
  /** 1 to 200. */
  limit: number;
  /** `next` of the previous page. */
  cursor?: string;
}

/** The record of an access grant, with names of its data user, purpose and data types in the known languages. */
export interface NamedGrant extends GrantRecord {
  /** Empty when the operator does not describe the data user. */
  granteeNames: I18nString[];
  purposes: Named[];
  resources: NamedResource[];
  /** Since when it has no effect because its grantee or contract is suspended, ISO 8601; absent when neither is. */
  suspendedAt?: string;
}

/** A page of access grants; `next` is the cursor of the following one. */
export interface GrantListPage {
  grants: NamedGrant[];
  next?: string;
}

/** Lists access grants for their parties: resource owners and grantees. */
export class GrantListing {
  private readonly options: GrantListingOptions;

  public constructor(options: GrantListingOptions) {
    this.options = options;
  }

  /**
   * Returns a page of the grants that the caller gave or received, newest first, at a cost that does not depend on the
   * number of grants.
   *
   * @throws ParameterInvalid when the cursor is not one of this list.
   */
  public async list(query: GrantListQuery, caller: WebId, context: CallContext): Promise<GrantListPage> {
    const { audit, shares, suspensions } = this.options.records;
    const { grants, next } = await this.find(query, caller);
    const [ types, suspended ] = await Promise.all([
      shares.findTypes(grants.flatMap(({ resources }): string[] => resources)),
      suspensions.list(),
    ]);
    const since = new Map(suspended.map(({ name, suspendedAt }): [string, Date] => [ name, suspendedAt ]));
    audit.enqueue({
      type: 'grant.listed',
      at: this.options.now(),
      ...ofCall(context, { grants: grants.length }),
      personal: { webId: caller },
    });
    return { grants: grants.map((grant): NamedGrant => ({
      ...this.named(grant, types),
      suspendedAt: (since.get(grant.recipient) ?? since.get(grant.contract?.id ?? ''))?.toISOString(),
    })), next };
  }

  private async find(
    { contract, cursor, given, grantee, limit, purpose, status }: GrantListQuery,
    caller: WebId,
  ): Promise<TermsPage> {
    const { records: { grants }, now } = this.options;
    const from = given === true ? caller : undefined;
    const filter: GrantFilter = { party: caller, kinds: [ 'grant' ], from, to: grantee, purpose, status, now: now() };
    if (contract === undefined) {
      return grants.listTerms(filter, { size: limit, page: cursor });
    }
    // All grants of a contract have the same data user and purpose, so one of them is enough.
    const ofContract = { ...filter, to: undefined, purpose: undefined, contract: this.contractId(contract) };
    const sample = await grants.listTerms({ ...ofContract, status: undefined }, { size: 1 });
    const isOfBoth = sample.grants.some(({ recipient, purposes }): boolean =>
      recipient === (grantee ?? recipient) && purposes.includes(purpose ?? purposes[0]));
    return isOfBoth ? grants.listTerms(ofContract, { size: limit, page: cursor }) : { grants: []};
  }

  private contractId(contract: string): string {
    const prefix = `${this.options.baseUrl}v1/contracts/`;
    return contract.startsWith(prefix) ? contract.slice(prefix.length) : contract;
  }

  private named(grant: GrantTerms, types: ReadonlyMap<string, string>): NamedGrant {
    const { names, now } = this.options;
    return {
      ...grantRecord(grant, now()),
      granteeNames: names.ofParty(grant.recipient),
      purposes: grant.purposes.map((uri): Named => names.ofPurpose(uri)),
      resources: grant.resources.map((uri): NamedResource => names.ofResource(uri, types)),
    };
  }
}
