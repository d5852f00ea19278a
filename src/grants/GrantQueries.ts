import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../platform/clock';
import type { WebId } from '../platform/webId';
import { findResourceUri } from '../pods/resourceUri';
import { ownIris } from '../vocabulary';
import { findGrantId, isParty } from './AccessGrant';
import type { Example } from './examples';
import { isLike, readExample, readExamples } from './examples';
import type { GrantFilter, GrantStore, ListedGrant, ListedPage, PageRequest } from './GrantStore';

/** Dependencies and settings of {@link GrantQueries}. */
export interface GrantQueriesOptions {
  grants: Pick<GrantStore, 'findById' | 'list'>;
  audit: Pick<AuditLog, 'enqueue'>;
  /** Base URL of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** Conditions that a caller may set. */
export type GrantQuestion = Omit<GrantFilter, 'party' | 'now'>;

const walkPage = 50;
/** Maximum number of credentials read for one example. */
const maxWalkRows = 1000;
/** Maximum number of credentials, and of their characters, read for all examples of one request. */
const maxRows = 2000;
const maxLength = 4 * 1024 * 1024;
/** Maximum number of characters of the credentials in one response. */
const maxAnswerLength = 2 * 1024 * 1024;

/** A walk through the credentials that may match some examples. */
interface Walk {
  examples: Example[];
  filter: GrantFilter;
  page?: string;
  rows: number;
}

/** Collects results within the bounds of one request. */
class Findings {
  private readonly found = new Map<string, ListedGrant>();
  private rows = 0;
  private length = 0;
  private foundLength = 0;

  public get areFull(): boolean {
    return this.rows >= maxRows || this.length >= maxLength || this.foundLength >= maxAnswerLength;
  }

  /** Counts a credential that was read, and keeps it if it matches. */
  public look(grant: ListedGrant, isWanted: boolean): void {
    this.rows += 1;
    this.length += grant.document.length;
    if (isWanted && !this.found.has(grant.id)) {
      this.found.set(grant.id, grant);
      this.foundLength += grant.document.length;
    }
  }

  public list(): ListedGrant[] {
    return [ ...this.found.values() ];
  }
}

function lengthOf(grants: ListedGrant[]): number {
  return grants.reduce((sum, { document }): number => sum + document.length, 0);
}

/** Finds the requests, grants and denials to which a WebID is a party. */
export class GrantQueries {
  private readonly options: GrantQueriesOptions;

  public constructor(options: GrantQueriesOptions) {
    this.options = options;
  }

  /**
   * Returns a page of the caller's requests, grants and denials, newest first. A page of large credentials has fewer
   * than requested.
   *
   * @throws ParameterInvalid when the page cursor is not valid.
   */
  public async query(
    question: GrantQuestion,
    request: PageRequest,
    caller: WebId,
    context: CallContext,
  ): Promise<ListedPage> {
    this.note(caller, context);
    const filter = this.filterOf(question, caller);
    let { size } = request;
    let listed = await this.options.grants.list(filter, request);
    while (size > 1 && lengthOf(listed.grants) > maxAnswerLength) {
      size = Math.floor(size / 2);
      listed = await this.options.grants.list(filter, { ...request, size });
    }
    return listed;
  }

  /**
   * Returns those that have all members of an example, including revoked ones, among the newest thousand on its
   * resource or purpose, up to a full response. An example with the consent of a grant matches no requests.
   *
   * @param example - A credential with some of its members: outside data.
   * @param withExpired - Includes those that have ended or not yet begun.
   *
   * @throws BodyInvalid
   */
  public async derive(
    example: unknown,
    withExpired: boolean,
    caller: WebId,
    context: CallContext,
  ): Promise<ListedGrant[]> {
    const read = readExample(example, (value): unknown => this.toCanonical(value));
    return this.find([ read ], withExpired, caller, context);
  }

  /**
   * Returns those in force that match at least one of several examples, each once.
   *
   * @param queries - The queries of a verifiable presentation request: outside data.
   *
   * @throws BodyInvalid
   *
   * @see [Verifiable Presentation Request v0.2, Query By Example](https://w3c-ccg.github.io/vp-request-spec/#query-by-example)
   */
  public async deriveAll(queries: unknown, caller: WebId, context: CallContext): Promise<ListedGrant[]> {
    return this.find(readExamples(queries, (value): unknown => this.toCanonical(value)), false, caller, context);
  }

  /**
   * Reads a page of each walk in turn, so that no example uses up the budget of all of them. Yields to other requests
   * between pages.
   */
  private async find(
    examples: Example[],
    withExpired: boolean,
    caller: WebId,
    context: CallContext,
  ): Promise<ListedGrant[]> {
    this.note(caller, context);
    const findings = new Findings();
    for (const grant of await this.named(examples, caller)) {
      findings.look(grant, this.isWanted(grant, examples, withExpired));
    }
    let walks = this.walksOf(examples, caller);
    while (walks.length > 0 && !findings.areFull) {
      for (const walk of walks) {
        for (const grant of await this.nextPage(walk)) {
          findings.look(grant, !findings.areFull && this.isWanted(grant, walk.examples, withExpired));
        }
        await nextTurn();
      }
      walks = walks.filter(({ page, rows }): boolean => page !== undefined && rows < maxWalkRows);
    }
    return findings.list();
  }

  /** Returns the credentials that examples name by `id`, if the caller is a party to them. */
  private async named(examples: Example[], caller: WebId): Promise<ListedGrant[]> {
    const { grants, baseUrl } = this.options;
    const uris = examples.map(({ id }): string | undefined => id).filter((id): id is string => id !== undefined);
    const ids = uris.map((uri): string | undefined => findGrantId(uri, ownIris(baseUrl).accessIssuer));
    const found = await Promise.all(ids.map(async(id): Promise<ListedGrant | undefined> => {
      const grant = id === undefined ? undefined : await grants.findById(id);
      return grant && isParty(grant, caller) ? grant : undefined;
    }));
    return found.filter((grant): grant is ListedGrant => grant !== undefined);
  }

  /** Makes one walk for all examples that the same index serves. */
  private walksOf(examples: Example[], caller: WebId): Walk[] {
    const walks = new Map<string, Walk>();
    for (const example of examples.filter(({ id }): boolean => id === undefined)) {
      const { kinds, from, to, resource, purpose } = example;
      const question = { kinds, from, to, resource, purpose };
      const key = JSON.stringify(question);
      const walk = walks.get(key) ?? { examples: [], filter: this.filterOf(question, caller), rows: 0 };
      walk.examples.push(example);
      walks.set(key, walk);
    }
    return [ ...walks.values() ];
  }

  private async nextPage(walk: Walk): Promise<ListedGrant[]> {
    const listed = await this.options.grants.list(walk.filter, { size: walkPage, page: walk.page });
    walk.page = listed.next;
    walk.rows += walkPage;
    return listed.grants;
  }

  private filterOf(question: GrantQuestion, party: WebId): GrantFilter {
    const { resource } = question;
    return { ...question, resource: resource && this.toCanonical(resource), party, now: this.options.now() };
  }

  private isWanted(grant: ListedGrant, examples: Example[], withExpired: boolean): boolean {
    return (withExpired || this.isCurrent(grant)) &&
      isLike(grant, examples, (value): unknown => this.toCanonical(value));
  }

  private isCurrent({ issuedAt, expiresAt }: ListedGrant): boolean {
    const now = this.options.now();
    return issuedAt <= now && (!expiresAt || expiresAt > now);
  }

  /** Returns the canonical form of a resource of this server, as it is stored; any other value unchanged. */
  private toCanonical<T>(value: T): T | string {
    return typeof value === 'string' ? findResourceUri(value, this.options.baseUrl) ?? value : value;
  }

  private note(caller: WebId, context: CallContext): void {
    this.options.audit.enqueue({
      type: 'grant.listed',
      at: this.options.now(),
      ...ofCall(context),
      personal: { webId: caller },
    });
  }
}
