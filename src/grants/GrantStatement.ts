import { readDate } from '../credentials/credentialShape';
import { CONTEXTS } from '../platform/contextFiles';
import { asList } from '../credentials/json';
import { parseResourceUri } from '../pods/resourceUri';
import { BodyInvalid } from '../problems';
import { ACL, GCONSENT } from '../vocabulary';
import { isRecord } from '../platform/isRecord';
import { isWritable } from '../platform/clock';
import { isOneOf } from '../platform/lists';
import type { WebId } from '../platform/webId';
import { isWebId } from '../platform/webId';
import type { AccessMode, GrantKind } from './AccessGrant';
import { accessModes } from './AccessGrant';
import type { CustomFields } from './customFields';
import { readCustomFields } from './customFields';
import { credentialTypes, grantKinds } from './grantDocument';
import { isIri, isWebUrl } from './iris';

/** An access request, grant or denial that a client states for the caller. */
export interface GrantStatement {
  kind: GrantKind;
  /** WebID; empty for a request template that names nobody. */
  recipient: WebId | '';
  modes: AccessMode[];
  /** Canonical for resources of this server. */
  resources: string[];
  /** Resources as the client spelled them, in the same order. */
  statedResources: string[];
  templates: string[];
  purposes: string[];
  inherit: boolean;
  /** URI of the request that it answers. */
  request?: string;
  /** True when the client wants the answer compared with the request. */
  isRequestVerified: boolean;
  inbox?: string;
  customFields: CustomFields;
  issuedAt?: Date;
  expiresAt?: Date;
}

const maxResources = 50;
const maxPurposes = 50;

/** Accepted spellings of each consent status. */
const statuses: Record<GrantKind, string[]> = {
  request: spellings('ConsentStatusRequested', GCONSENT.Requested),
  grant: spellings('ConsentStatusExplicitlyGiven', GCONSENT.ExplicitlyGiven),
  denial: [ ...spellings('ConsentStatusDenied', GCONSENT.Denied), 'Consent:StatusDenied' ],
};

/**
 * Contexts that a statement may name: those whose terms are read here. None of them goes into the signed credential.
 */
const knownContexts: ReadonlySet<unknown> = new Set([
  CONTEXTS.credentialsV1,
  CONTEXTS.inruptV1,
  CONTEXTS.inruptV2,
  CONTEXTS.ed25519Suite,
  CONTEXTS.dataIntegrityV1,
  CONTEXTS.revocationList,
  CONTEXTS.statusList2021,
  'https://vc.inrupt.com/credentials/v1',
]);

/** Known members of a consent; any other is a custom field. */
const terms = new Set([
  'mode',
  'hasStatus',
  'forPersonalData',
  'forPurpose',
  'inherit',
  'isProvidedTo',
  'isConsentForDataSubject',
  'request',
  'verifiedRequest',
  'template',
]);

/**
 * Reads the credential that a client posts. Takes only the members of access credentials; a client cannot set id,
 * issuer or subject.
 *
 * @param credential - Outside data.
 * @param baseUrl - Base URL of this server: an origin with a trailing slash.
 *
 * @throws BodyInvalid naming the mistake, without quoting the input.
 * @throws ResourceUriInvalid when a resource of this server has no canonical form.
 */
export function readStatement(credential: unknown, baseUrl: string): GrantStatement {
  if (!isRecord(credential)) {
    refuse('credential must be an object');
  }
  checkContext(credential['@context'], baseUrl);
  const kind = readKind(credential.type);
  const subject = onlyRecord(credential.credentialSubject, 'credentialSubject');
  const name = kind === 'request' ? 'hasConsent' : 'providedConsent';
  const consent = onlyRecord(subject[name], `credentialSubject.${name}`);
  checkStatus(consent.hasStatus, kind);
  return {
    kind,
    ...readConsent(consent, kind, baseUrl),
    inbox: optional(subject.inbox, isWebUrl, 'inbox must be an http(s) URL'),
    issuedAt: readMoment(credential.issuanceDate, 'issuanceDate'),
    expiresAt: readMoment(credential.expirationDate, 'expirationDate'),
  };
}

type Consent = Omit<GrantStatement, 'kind' | 'inbox' | 'issuedAt' | 'expiresAt'>;

function readConsent(consent: Record<string, unknown>, kind: GrantKind, baseUrl: string): Consent {
  const templates = kind === 'request' ? readTemplates(consent.template) : [];
  const stated = listOf(consent.forPersonalData, isWebUrl, maxResources, 'forPersonalData', 'http(s) URLs');
  if (stated.length === 0 && templates.length === 0) {
    refuse('forPersonalData must name a resource');
  }
  const inherit = optional(readFlag(consent.inherit), isBoolean, 'inherit must be true or false');
  return {
    recipient: readRecipient(consent, kind, templates.length > 0),
    modes: readModes(consent.mode),
    ...readResources(stated, baseUrl),
    templates,
    purposes: listOf(consent.forPurpose, isIri, maxPurposes, 'forPurpose', 'IRIs'),
    inherit: inherit ?? true,
    ...readLink(consent, kind),
    customFields: readCustomFields(Object.fromEntries(
      Object.entries(consent).filter(([ name, value ]): boolean => !terms.has(name) && value !== null),
    )),
  };
}

/** Names each resource once, in its first spelling. */
function readResources(stated: string[], baseUrl: string): Pick<Consent, 'resources' | 'statedResources'> {
  const resources = stated.map((resource): string => canonical(resource, baseUrl));
  return {
    resources: [ ...new Set(resources) ],
    statedResources: stated.filter((_, at): boolean => resources.indexOf(resources[at]) === at),
  };
}

function checkContext(context: unknown, baseUrl: string): void {
  const contexts = asList(context);
  // Older clients name a server's context by its host.
  const ofServer = `https://${new URL(baseUrl).hostname}/credentials/v1`;
  if (contexts[0] !== CONTEXTS.credentialsV1) {
    refuse('the first @context must be that of verifiable credentials 1.1');
  }
  if (!contexts.every((one): boolean => knownContexts.has(one) || one === ofServer)) {
    refuse('@context names a context that is not known here');
  }
}

function readKind(type: unknown): GrantKind {
  const types = asList(type).filter((one): boolean => one !== 'VerifiableCredential');
  const kind = grantKinds.find((one): boolean => credentialTypes[one] === types[0]);
  if (!kind || types.length > 1) {
    refuse('type must be VerifiableCredential and one of SolidAccessRequest, SolidAccessGrant, SolidAccessDenial');
  }
  return kind;
}

function checkStatus(status: unknown, kind: GrantKind): void {
  const [ one, ...more ] = asList(status);
  if (more.length > 0 || !isOneOf(statuses[kind], one)) {
    refuse('hasStatus must be the consent status of this type of credential');
  }
}

function readRecipient(consent: Record<string, unknown>, kind: GrantKind, isTemplate: boolean): WebId | '' {
  const name = kind === 'request' ? 'isConsentForDataSubject' : 'isProvidedTo';
  const [ recipient, ...more ] = asList(consent[name]);
  if (recipient === undefined && isTemplate) {
    return '';
  }
  if (more.length > 0 || !isWebUrl(recipient) || !isWebId(recipient)) {
    refuse(`${name} must be one WebID`);
  }
  return recipient;
}

function readModes(mode: unknown): AccessMode[] {
  const given = asList(mode);
  const modes = accessModes.filter((name): boolean => given.some((one): boolean => isMode(one, name)));
  if (modes.length === 0 || !given.every((one): boolean => accessModes.some((name): boolean => isMode(one, name)))) {
    refuse('mode must be one or more of Read, Write and Append');
  }
  return modes;
}

/** Checks whether this is a spelling of a mode that clients use. */
export function isMode(value: unknown, mode: AccessMode): boolean {
  return value === ACL[mode] || value === mode || value === `acl:${mode}`;
}

/** Returns the templates of a request, as clients state them or as an issued request has them. */
export function statedTemplates(template: unknown): unknown[] {
  return asList(isRecord(template) && '@list' in template ? template['@list'] : template);
}

function readTemplates(template: unknown): string[] {
  const templates = statedTemplates(template);
  if (templates.length > maxResources || !templates.every(isTemplate)) {
    refuse(`template must be at most ${maxResources} URI templates`);
  }
  return templates;
}

/** Literals, and expressions in braces. */
const literal = '[^\\u0000-\\u0020\\u007F<>"|\\\\^`{}\\p{Surrogate}]';
const templateForm = new RegExp(`^(?:${literal}|\\{${literal}+\\})+$`, 'u');

/** @see [RFC 6570, section 2](https://www.rfc-editor.org/rfc/rfc6570#section-2) */
function isTemplate(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2048 && templateForm.test(value);
}

function readLink(
  consent: Record<string, unknown>,
  kind: GrantKind,
): Pick<GrantStatement, 'request' | 'isRequestVerified'> {
  const problem = 'request and verifiedRequest must be the URI of one access request';
  const request = optional(consent.request, isWebUrl, problem);
  const verified = optional(consent.verifiedRequest, isWebUrl, problem);
  if ((request ?? verified) !== undefined && kind === 'request') {
    refuse('a request answers no request');
  }
  if (request !== undefined && verified !== undefined && request !== verified) {
    refuse(problem);
  }
  return { request: verified ?? request, isRequestVerified: verified !== undefined };
}

function readMoment(value: unknown, name: string): Date | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  const moment = new Date(readDate(value));
  if (!isWritable(moment)) {
    refuse(`${name} must be a date with time, from year 0 to 9999 in UTC`);
  }
  return moment;
}

/** Some clients write an RDF literal as a JSON string. */
function readFlag(value: unknown): unknown {
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/**
 * Returns the canonical form of a resource of this server, or a foreign URI unchanged: a grant on it has no effect
 * here.
 */
function canonical(resource: string, baseUrl: string): string {
  return new URL(resource).origin === new URL(baseUrl).origin ? parseResourceUri(resource, baseUrl) : resource;
}

function listOf(
  value: unknown,
  isRight: (item: unknown) => item is string,
  most: number,
  name: string,
  what: string,
): string[] {
  const items = asList(value);
  if (items.length > most || !items.every((item): item is string => isRight(item))) {
    refuse(`${name} must be at most ${most} ${what}`);
  }
  return [ ...new Set(items) ];
}

function optional<T>(value: unknown, isRight: (item: unknown) => item is T, problem: string): T | undefined {
  const [ item, ...more ] = asList(value);
  if (item === undefined) {
    return undefined;
  }
  if (more.length > 0 || !isRight(item)) {
    refuse(problem);
  }
  return item;
}

function onlyRecord(value: unknown, name: string): Record<string, unknown> {
  const [ record, ...more ] = asList(value);
  if (more.length > 0 || !isRecord(record)) {
    refuse(`${name} must be one object`);
  }
  return record;
}

function spellings(name: string, iri: string): string[] {
  return [ iri, name, `gc:${name}` ];
}

function refuse(problem: string): never {
  throw new BodyInvalid(`In the credential, ${problem}.`);
}
