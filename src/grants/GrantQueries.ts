import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock } from '../clock';
import { asList } from '../credentials/json';
import { findResourceUri } from '../pods/resourceUri';
import { BodyInvalid } from '../problems';
import { ACL, ownIris } from '../vocabulary';
import { isRecord } from '../isRecord';
import type { GrantKind } from './AccessGrant';
import { isParty } from './AccessGrant';
import { accessModes } from './coverage';
import { credentialTypes, grantKinds } from './grantDocument';
import type { GrantFilter, GrantStore, ListedGrant, ListedPage, PageRequest } from './GrantStore';
import { wholeStatus } from './isSameCredential';
import { findGrantId } from './grantUri';
import { isMode } from './Statement';

/** What {@link GrantQueries} works with. */
export interface GrantQueriesOptions {
  grants: Pick<GrantStore, 'findById' | 'list'>;
  audit: Pick<AuditLog, 'enqueue'>;
  /** Of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** What a caller filters by; the rest is known. */
export type GrantQuestion = Omit<GrantFilter, 'party' | 'now'>;

const derivedPage = 200;
const maxDerivedPages = 5;
const maxExamples = 5;

/** Finds the requests, grants and denials that a WebID made or received. */
export class GrantQueries {
  private readonly options: GrantQueriesOptions;

  public constructor(options: GrantQueriesOptions) {
    this.options = options;
  }

  /**
   * A page of what the caller made or received, newest first.
   *
   * @throws ParameterInvalid when the page is none of ours.
   */
  public async query(
    question: GrantQuestion,
    request: PageRequest,
    caller: string,
    context: CallContext,
  ): Promise<ListedPage> {
    this.note(caller, context);
    return this.options.grants.list(this.filterOf(question, caller), request);
  }

  /**
   * Those that have all members of an example, revoked ones too, among the newest thousand on its resource or purpose.
   * Whoever gave an example with the consent of a grant wants no requests.
   *
   * @param example - A credential with some of its members: outside data.
   * @param withExpired - Whether those that have ended, or have not begun, count.
   *
   * @throws BodyInvalid
   */
  public async derive(
    example: unknown,
    withExpired: boolean,
    caller: string,
    context: CallContext,
  ): Promise<ListedGrant[]> {
    const read = readExample(example);
    this.note(caller, context);
    const found: ListedGrant[] = [];
    for await (const grants of this.candidates(read, caller)) {
      found.push(...grants.filter((grant): boolean =>
        (withExpired || this.isCurrent(grant)) && this.matches(grant, read)));
    }
    return found;
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
  public async deriveAll(queries: unknown, caller: string, context: CallContext): Promise<ListedGrant[]> {
    const found = new Map<string, ListedGrant>();
    for (const example of readExamples(queries)) {
      for (const grant of await this.derive(example, false, caller, context)) {
        found.set(grant.id, grant);
      }
    }
    return [ ...found.values() ];
  }

  /** What may be like an example: the one that it names, or page by page those that an index finds. */
  private async* candidates(example: Example, caller: string): AsyncGenerator<ListedGrant[]> {
    const { grants, baseUrl } = this.options;
    if (example.members.id !== undefined) {
      const id = findGrantId(firstText(example.members.id) ?? '', ownIris(baseUrl).accessIssuer);
      const named = id === undefined ? undefined : await grants.findById(id);
      yield named && isParty(named, caller) ? [ named ] : [];
      return;
    }
    const filter = this.filterOf(this.questionOf(example), caller);
    let page: string | undefined;
    for (let pages = 0; pages < maxDerivedPages && (pages === 0 || page !== undefined); pages += 1) {
      const listed = await grants.list(filter, { size: derivedPage, page });
      yield listed.grants;
      page = listed.next;
    }
  }

  /** What of an example an index can find; {@link matches} sees to all of it. */
  private questionOf({ kinds, subject, consent }: Example): GrantQuestion {
    const to = consent.isProvidedTo ?? consent.isConsentForDataSubject;
    return {
      kinds,
      from: firstText(subject.id),
      to: firstText(to),
      resource: firstText(consent.forPersonalData),
      purpose: firstText(consent.forPurpose),
    };
  }

  private filterOf(question: GrantQuestion, party: string): GrantFilter {
    const { resource } = question;
    return { ...question, resource: resource && this.spell(resource), party, now: this.options.now() };
  }

  private isCurrent({ issuedAt, expiresAt }: ListedGrant): boolean {
    const now = this.options.now();
    return issuedAt <= now && (!expiresAt || expiresAt > now);
  }

  private matches(grant: ListedGrant, { kinds, members, subject, consent }: Example): boolean {
    const document = JSON.parse(grant.document) as { credentialSubject: Record<string, unknown> };
    const { credentialSubject: issued } = document;
    const issuedConsent = issued[grant.kind === 'request' ? 'hasConsent' : 'providedConsent'];
    return kinds.includes(grant.kind) && contains(document, members, wholeTerm) &&
      contains(issued, subject, wholeTerm) && isRecord(issuedConsent) &&
      contains(issuedConsent, consent, (value): unknown => wholeTerm(this.spell(value)));
  }

  /** A resource of this server in its one spelling, as it is stored; anything else as it is. */
  private spell<T>(value: T): T | string {
    return typeof value === 'string' ? findResourceUri(value, this.options.baseUrl) ?? value : value;
  }

  private note(caller: string, context: CallContext): void {
    this.options.audit.enqueue({
      type: 'grant.listed',
      at: this.options.now(),
      ...ofCall(context),
      personal: { webId: caller },
    });
  }
}

interface Example {
  kinds: GrantKind[];
  /** Of the credential those members that are one value and not about its subject. */
  members: Record<string, unknown>;
  /** Of the subject all but the consent. */
  subject: Record<string, unknown>;
  consent: Record<string, unknown>;
}

function readExample(example: unknown): Example {
  const { type, credentialSubject, id, issuer, issuanceDate, expirationDate } = recordOf(example, 'the credential');
  const { providedConsent, hasConsent, ...subject } = recordOf(credentialSubject ?? {}, 'credentialSubject');
  const consent = recordOf(providedConsent ?? hasConsent ?? {}, 'the consent');
  const members = Object.fromEntries(Object.entries({ id, issuer, issuanceDate, expirationDate })
    .filter(([ , value ]): boolean => value !== undefined));
  return { kinds: kindsOf(type, providedConsent !== undefined, hasConsent !== undefined), members, subject, consent };
}

/** The examples of queries of the one type that is answered here. */
function readExamples(queries: unknown): unknown[] {
  const examples = asList(queries).flatMap((query): unknown[] => {
    const { type, credentialQuery } = recordOf(query, 'the query');
    if (type !== 'QueryByExample') {
      throw new BodyInvalid('The type of a query must be QueryByExample.');
    }
    return asList(credentialQuery).map((one): unknown => recordOf(one, 'credentialQuery').example);
  });
  if (examples.length === 0 || examples.length > maxExamples) {
    throw new BodyInvalid(`There must be 1 to ${maxExamples} examples.`);
  }
  return examples;
}

function kindsOf(type: unknown, isProvided: boolean, isRequested: boolean): GrantKind[] {
  const types = asList(type);
  return grantKinds.filter((kind): boolean =>
    types.every((one): boolean => one === 'VerifiableCredential' || one === credentialTypes[kind]) &&
    !(isProvided && kind === 'request') && !(isRequested && kind !== 'request'));
}

/** Whether an issued object has every value that an example has, of every member. */
function contains(
  issued: Record<string, unknown>,
  example: Record<string, unknown>,
  normalise: (value: unknown) => unknown,
): boolean {
  return Object.entries(example).every(([ name, values ]): boolean => {
    const present = Object.hasOwn(issued, name) ? asList(issued[name]).map(normalise) : [];
    return asList(values).every((value): boolean => present.includes(normalise(value)));
  });
}

/** A mode or status as the whole IRI that credentials of this service have. */
function wholeTerm(value: unknown): unknown {
  const mode = accessModes.find((name): boolean => isMode(value, name));
  return mode ? ACL[mode] : wholeStatus(value);
}

function firstText(value: unknown): string | undefined {
  return asList(value).find((item): item is string => typeof item === 'string' && !item.includes('\0'));
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (!isRecord(value)) {
    throw new BodyInvalid(`In the example, ${name} must be an object.`);
  }
  return value;
}
