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

/** Parts and settings of {@link GrantQueries}. */
export interface GrantQueriesOptions {
  grants: Pick<GrantStore, 'findById' | 'list'>;
  audit: Pick<AuditLog, 'enqueue'>;
  /** Of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** Conditions that a caller may set. */
export type GrantQuestion = Omit<GrantFilter, 'party' | 'now'>;

const walkPage = 50;
/** Maximum of credentials read for one example. */
const maxWalkRows = 1000;
/** Maximum of credentials, and of their characters, read for all examples of a request together. */
const maxRows = 2000;
const maxLength = 4 * 1024 * 1024;
/** Characters of the credentials in one answer. */
const maxAnswerLength = 2 * 1024 * 1024;

/** One walk through what may be like some examples. */
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

  /** Counts a credential that was looked at, and keeps it when it is wanted. */
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

/** Finds the requests, grants and denials that a WebID made or received. */
export class GrantQueries {
  private readonly options: GrantQueriesOptions;

  public constructor(options: GrantQueriesOptions) {
    this.options = options;
  }

  /**
   * A page of what the caller made or received, newest first. It has fewer credentials than were asked for when these
   * are large.
   *
   * @throws ParameterInvalid when the page is none of ours.
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
   * Those that have all members of an example, revoked ones too, among the newest thousand on its resource or purpose,
   * until the answer is full.
   * An example with the consent of a grant finds no requests.
   *
   * @param example - A credential with some of its members: outside data.
   * @param withExpired - Whether those that have ended, or have not begun, count.
   *
   * @throws BodyInvalid
   */
  public async derive(
    example: unknown,
    withExpired: boolean,
    caller: WebId,
    context: CallContext,
  ): Promise<ListedGrant[]> {
    return this.find([ readExample(example, (value): unknown => this.spell(value)) ], withExpired, caller, context);
  }

  /**
   * The same for several examples: those that are like one of them, each once, without those that are not in force.
   *
   * @param queries - The queries of a verifiable presentation request: outside data.
   *
   * @throws BodyInvalid
   *
   * @see [Verifiable Presentation Request v0.2, Query By Example](https://w3c-ccg.github.io/vp-request-spec/#query-by-example)
   */
  public async deriveAll(queries: unknown, caller: WebId, context: CallContext): Promise<ListedGrant[]> {
    return this.find(readExamples(queries, (value): unknown => this.spell(value)), false, caller, context);
  }

  /**
   * Takes a page of each walk in turn, so that no example uses up what all of them may cost. Other requests get their
   * turn between pages.
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

  /** The credentials that examples name by `id`, of those that the caller made or received. */
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

  /** One walk for all examples that the same index finds. */
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
    return { ...question, resource: resource && this.spell(resource), party, now: this.options.now() };
  }

  private isWanted(grant: ListedGrant, examples: Example[], withExpired: boolean): boolean {
    return (withExpired || this.isCurrent(grant)) &&
      isLike(grant, examples, (value): unknown => this.spell(value));
  }

  private isCurrent({ issuedAt, expiresAt }: ListedGrant): boolean {
    const now = this.options.now();
    return issuedAt <= now && (!expiresAt || expiresAt > now);
  }

  /** A resource of this server in its one spelling, as it is stored; anything else as it is. */
  private spell<T>(value: T): T | string {
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
