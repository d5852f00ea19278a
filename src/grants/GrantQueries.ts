import type { AuditLog } from '../audit/AuditLog';
import type { CallContext } from '../audit/CallContext';
import type { Clock } from '../clock';
import { asList, isRecord } from '../credentials/json';
import { findResourceUri } from '../pods/resourceUri';
import { BodyInvalid } from '../problems';
import { ACL } from '../vocabulary';
import type { AccessGrant, GrantKind } from './AccessGrant';
import { accessModes } from './coverage';
import { credentialTypes, grantKinds } from './grantDocument';
import type { GrantFilter, GrantStore, ListedPage, PageRequest } from './GrantStore';
import { wholeStatus } from './isSameCredential';
import { isMode } from './Statement';

/** What {@link GrantQueries} works with. */
export interface GrantQueriesOptions {
  grants: Pick<GrantStore, 'list'>;
  audit: Pick<AuditLog, 'enqueue'>;
  /** Of this server: an origin with a trailing slash. */
  baseUrl: string;
  now: Clock;
}

/** What a caller filters by; the rest is known. */
export type GrantQuestion = Omit<GrantFilter, 'party' | 'now'>;

const derivedPage = 200;
const maxDerivedPages = 5;

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
  ): Promise<AccessGrant[]> {
    const { kinds, subject, consent } = readExample(example);
    this.note(caller, context);
    const question = this.questionOf(kinds, subject, consent);
    const found: AccessGrant[] = [];
    let next: string | undefined;
    for (let pages = 0; pages < maxDerivedPages; pages += 1) {
      const listed = await this.options.grants.list(this.filterOf(question, caller), { size: derivedPage, page: next });
      found.push(...listed.grants.filter((grant): boolean =>
        (withExpired || this.isCurrent(grant)) && this.matches(grant, subject, consent)));
      ({ next } = listed);
      if (next === undefined) {
        break;
      }
    }
    return found;
  }

  /** What of an example an index can find; {@link matches} sees to all of it. */
  private questionOf(
    kinds: GrantKind[],
    subject: Record<string, unknown>,
    consent: Record<string, unknown>,
  ): GrantQuestion {
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

  private isCurrent({ issuedAt, expiresAt }: AccessGrant): boolean {
    const now = this.options.now();
    return issuedAt <= now && (!expiresAt || expiresAt > now);
  }

  private matches(grant: AccessGrant, subject: Record<string, unknown>, consent: Record<string, unknown>): boolean {
    const { credentialSubject: issued } = JSON.parse(grant.document) as { credentialSubject: Record<string, unknown> };
    const issuedConsent = issued[grant.kind === 'request' ? 'hasConsent' : 'providedConsent'];
    return contains(issued, subject, wholeTerm) && isRecord(issuedConsent) &&
      contains(issuedConsent, consent, (value): unknown => wholeTerm(this.spell(value)));
  }

  /** A resource of this server in its one spelling, as it is stored; anything else as it is. */
  private spell<T>(value: T): T | string {
    return typeof value === 'string' ? findResourceUri(value, this.options.baseUrl) ?? value : value;
  }

  private note(caller: string, { app, correlationId }: CallContext): void {
    this.options.audit.enqueue({
      type: 'grant.listed',
      at: this.options.now(),
      correlationId,
      facts: app === undefined ? {} : { app },
      personal: { webId: caller },
    });
  }
}

interface Example {
  kinds: GrantKind[];
  /** Of the subject all but the consent. */
  subject: Record<string, unknown>;
  consent: Record<string, unknown>;
}

function readExample(example: unknown): Example {
  const { type, credentialSubject } = recordOf(example, 'verifiableCredential');
  const { providedConsent, hasConsent, ...subject } = recordOf(credentialSubject ?? {}, 'credentialSubject');
  const consent = recordOf(providedConsent ?? hasConsent ?? {}, 'the consent');
  return { kinds: kindsOf(type, providedConsent !== undefined, hasConsent !== undefined), subject, consent };
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
