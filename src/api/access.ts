import { DateTime, Duration } from 'luxon';
import type { GrantQuestion } from '../grants/GrantQueries';
import type { ListedGrant, ListedPage } from '../grants/GrantStore';
import type { VerificationRequest } from '../grants/GrantVerifier';
import { credentialTypes, grantKinds } from '../grants/grantDocument';
import { findGrantId } from '../grants/AccessGrant';
import { GrantNotFound, NotAcceptable } from '../problems';
import { accessServices, accessStatements, ownIris, SOLID, VC } from '../vocabulary';
import { preferredMediaType } from '../platform/accept';
import type { JsonAnswer, RepresentationAnswer } from '../http/Answer';
import { ok, okText, publicDocument } from '../http/Answer';
import type { Call, Parameter, ValuesOf } from '../http/Operation';
import { parseOwn } from '../platform/ownJson';
import type { WebIdCaller } from '../tokens/Caller';
import type { Services } from './Services';

/** Body of a request to issue a credential. */
export interface IssueRequest {
  credential: Record<string, unknown>;
}

/** Body of a request to revoke a credential. */
export interface StatusChange {
  credentialId: string;
  credentialStatus: { type: string; status: string }[];
}

/** Body of a request for credentials like an example. */
export interface DeriveRequest {
  verifiableCredential: Record<string, unknown>;
  options?: { include?: string | string[] };
}

/** Body of a verifiable presentation request for credentials. */
export interface PresentationRequest {
  query: unknown;
}

/** Schema of an IRI to search by. */
export const searchedIri = { type: 'string', maxLength: 2048, pattern: '^[^\\u0000-\\u0020\\u007f]+$' };
const period = { type: 'string', enum: [ 'P1D', 'P7D', 'P1M', 'P3M' ]};
const defaultPageSize = 20;
const maxPageSize = 100;

/** Query parameters that filter access credentials. Links to other pages repeat them. */
export const credentialFilters = {
  type: { schema: { type: 'string', enum: Object.values(credentialTypes) }, description: 'Type of credential.' },
  status: {
    schema: { type: 'string', enum: [ 'Pending', 'Granted', 'Denied', 'Canceled', 'Expired', 'Active', 'Revoked' ]},
    description: 'Requests are pending, granted, denied, canceled or expired; grants and denials are active, ' +
      'expired or revoked.',
  },
  fromAgent: { schema: searchedIri, description: 'WebID of who made it.' },
  toAgent: { schema: searchedIri, description: 'WebID of the addressee.' },
  resource: { schema: searchedIri, description: 'One of its resources.' },
  purpose: { schema: searchedIri, description: 'One of its purposes.' },
  issuedWithin: { schema: period, description: 'Issued this long ago at most.' },
  revokedWithin: { schema: period, description: 'Revoked this long ago at most.' },
  pageSize: {
    schema: { type: 'integer', minimum: 1, default: defaultPageSize },
    description: `Most credentials on a page; more than ${maxPageSize} are taken for ${maxPageSize}.`,
  },
  page: {
    schema: { type: 'string', minLength: 1, maxLength: 512 },
    description: 'From a link of another page, never made by the caller.',
  },
} as const satisfies Record<string, Parameter>;

type FilterValues = ValuesOf<typeof credentialFilters>;

/** Describes all endpoints of the access-grant issuer, so that clients need no other document. */
export function getVcConfiguration({ site }: Call): RepresentationAnswer {
  const { accessIssuer } = ownIris(site.baseUrl);
  const services = Object.entries(accessServices);
  const terms = services.map(([ name ]): [string, object] => [ name, { '@id': `vc:${name}`, '@type': '@id' }]);
  return publicDocument(JSON.stringify({
    '@context': [{ '@version': 1.1, vc: VC.prefix, ...Object.fromEntries(terms) }],
    ...Object.fromEntries(services.map(([ name, path ]): [string, string] => [ name, `${accessIssuer}${path}` ])),
  }), 'application/ld+json', 60);
}

/**
 * Describes the services of this server to clients that look at its root, as the description of a storage does.
 *
 * @throws NotAcceptable
 */
export function getServerDescription({ headers, site: { baseUrl }}: Call): RepresentationAnswer {
  const statements: [predicate: string, object: string][] = [
    [ SOLID.oidcIssuer, baseUrl ],
    ...accessStatements(ownIris(baseUrl)),
  ];
  const type = preferredMediaType(headers.accept, [ 'text/turtle', 'application/ld+json' ]);
  if (type === undefined) {
    throw new NotAcceptable('The media types are text/turtle and application/ld+json.');
  }
  const members = statements.map(([ predicate, object ]): [string, object] => [ predicate, { '@id': object }]);
  const text = type === 'text/turtle' ?
      statements.map(([ predicate, object ]): string => `<${baseUrl}> <${predicate}> <${object}> .\n`).join('') :
      JSON.stringify({ '@id': baseUrl, ...Object.fromEntries(members) });
  return publicDocument(text, type, 60);
}

/** Issues an access request, grant or denial of the caller. */
export async function issueCredential(
  { caller, body, context }: Call<{ caller: WebIdCaller; body: IssueRequest }>,
  { clientGrants }: Services,
): Promise<JsonAnswer> {
  const document = await clientGrants.issue(body.credential, caller, context);
  const { headers, text } = okText(document, 'application/ld+json');
  return { status: 201, headers: { ...headers, Location: parseOwn<{ id: string }>(document).id }, text };
}

/** Revokes a grant or denial, or cancels a request. */
export async function changeCredentialStatus(
  { caller, body, context, site }: Call<{ caller: WebIdCaller; body: StatusChange }>,
  { grants }: Services,
): Promise<JsonAnswer> {
  const id = findGrantId(body.credentialId, ownIris(site.baseUrl).accessIssuer);
  if (id === undefined) {
    throw new GrantNotFound();
  }
  const { uri } = await grants.revokeById(id, caller.webId, context);
  return ok({ credentialId: uri, credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }]});
}

/** Verifies a credential, or those in a presentation, for any holder of it. */
export async function verifyCredential(
  { body }: Call<{ body: VerificationRequest }>,
  { grantVerifier }: Services,
): Promise<JsonAnswer> {
  return ok(await grantVerifier.verify(body));
}

/** Lists the credentials that the caller made or received, one page at a time. */
export async function queryCredentials(
  call: Call<{ caller: WebIdCaller; query: FilterValues }>,
  { grantQueries, now }: Services,
): Promise<JsonAnswer> {
  const { caller, query, context } = call;
  const size = Math.min(query.pageSize ?? defaultPageSize, maxPageSize);
  const question = questionOf(query, now());
  const page = { size, page: query.page };
  const listed = await grantQueries.query(question, page, caller.webId, context);
  const { headers, text } = okText(`{"items":${arrayOf(listed.grants)}}`);
  return { status: 200, headers: { ...headers, Link: linksOf(call, listed) }, text };
}

/** Finds the caller's credentials that match an example, and returns them as a presentation. */
export async function deriveCredentials(
  { caller, body, context, site }: Call<{ caller: WebIdCaller; body: DeriveRequest }>,
  { grantQueries }: Services,
): Promise<JsonAnswer> {
  const withExpired = [ body.options?.include ].flat().includes('ExpiredVerifiableCredential');
  return presentationOf(await grantQueries.derive(body.verifiableCredential, withExpired, caller.webId, context), site);
}

/** Finds the caller's credentials that match a verifiable presentation request, and returns them as a presentation. */
export async function presentCredentials(
  { caller, body, context, site }: Call<{ caller: WebIdCaller; body: PresentationRequest }>,
  { grantQueries }: Services,
): Promise<JsonAnswer> {
  return presentationOf(await grantQueries.deriveAll(body.query, caller.webId, context), site);
}

function presentationOf(found: ListedGrant[], site: Call['site']): JsonAnswer {
  const presentation = JSON.stringify({
    '@context': [ 'https://www.w3.org/2018/credentials/v1' ],
    type: [ 'VerifiablePresentation' ],
    holder: ownIris(site.baseUrl).accessIssuer,
  });
  return okText(`${presentation.slice(0, -1)},"verifiableCredential":${arrayOf(found)}}`, 'application/ld+json');
}

/** A JSON array of the credentials, byte for byte as they were issued. */
function arrayOf(grants: ListedGrant[]): string {
  return `[${grants.map(({ document }): string => document).join(',')}]`;
}

function questionOf(query: FilterValues, now: Date): GrantQuestion {
  return {
    ...query.type && { kinds: grantKinds.filter((kind): boolean => credentialTypes[kind] === query.type) },
    status: query.status,
    from: query.fromAgent,
    to: query.toAgent,
    resource: query.resource,
    purpose: query.purpose,
    issuedSince: before(now, query.issuedWithin),
    revokedSince: before(now, query.revokedWithin),
  };
}

function before(now: Date, duration: string | undefined): Date | undefined {
  return duration === undefined ?
    undefined :
      DateTime.fromJSDate(now, { zone: 'utc' })
        .minus(Duration.fromISO(duration)).toJSDate();
}

/** @see [RFC 8288, section 3](https://www.rfc-editor.org/rfc/rfc8288#section-3) */
function linksOf({ query, url }: Call<{ query: FilterValues }>, { prev, next, last }: ListedPage): string {
  const target = new URL(url);
  target.search = '';
  for (const [ name, value ] of Object.entries(query)) {
    if (value !== undefined && name !== 'page') {
      target.searchParams.set(name, String(value));
    }
  }
  return Object.entries({ first: '', prev, next, last })
    .flatMap(([ rel, page ]): string[] => page === undefined ? [] : [ `<${withPage(target, page)}>; rel="${rel}"` ])
    .join(', ');
}

function withPage(target: URL, page: string): string {
  const url = new URL(target);
  if (page !== '') {
    url.searchParams.set('page', page);
  }
  return url.href;
}
