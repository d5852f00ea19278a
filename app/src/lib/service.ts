import type { Client } from 'openapi-fetch';
import createClient from 'openapi-fetch';
import type { components, paths } from '../../../client';
import type { Session } from './session';
import type { AccessMode, Translated } from './terms';

type Schemas = components['schemas'];

/** Problem that the service reports (RFC 9457), or failure to reach it. */
export class ServiceProblem extends Error {
  /**
   * @param status - Status of the response; 0 without one.
   * @param type - Last part of the problem type, such as `contract-not-found`; empty when there is none.
   * @param number - Correlation id of the request, for the helpdesk.
   */
  public constructor(
    public readonly status: number,
    public readonly type: string,
    public readonly number: string,
    options?: ErrorOptions,
  ) {
    super(`The service answered ${status} ${type}`, options);
  }
}

/** Checks whether the service refused a request because the log-in has ended. */
export function hasEndedLogIn(error: unknown): boolean {
  return error instanceof ServiceProblem && error.status === 401;
}

/** The parts of a contract that these pages read. All IRIs are absolute. */
export type Contract = Schemas['Contract'] & { forDataType: string[] };

/** Field of a summary, by its format. */
export type Field = Schemas['SummaryField'];

/** Summary of data. */
export type Summary = Schemas['PersonalDataValueSummary'];

/** Value of the citizen that a contract covers. */
export type DataValue = Schemas['PersonalDataValue'];

/** Filter for listing access grants. */
export interface GrantFilter {
  contract?: string;
  status?: Grant['status'];
}

/** URIs of a shared value and of the grant on it. */
export type Shared = Schemas['SharedPersonalData'];

/** The operator's description of a data user. */
export type DataUser = Schemas['DataUser'];

/** Shared data in the citizen's vault, and the grants on it. */
export type Resource = Schemas['ResourceRecord'];

/** Access grant that the citizen gave. */
export type Grant = Schemas['NamedAccessGrant'];

/** Copy that a data user reported. */
export type Copy = Schemas['DataCopy'];

/** Activity that concerns the citizen's data. */
export type Activity = Schemas['Activity'];

/** App that may act as the citizen, because of log-ins at this server. */
export type LoggedInApp = Schemas['App'];

/** Access request from somebody without a contract. */
export interface AccessRequest {
  uri: string;
  /** WebID of the requestor. */
  requestor: string;
  modes: AccessMode[];
  /** URIs of files and folders. */
  resources: string[];
  /** IRIs of the purposes. */
  purposes: string[];
  /** True when a request for a folder includes its contents. */
  inherit: boolean;
  /** ISO 8601 moment at which access would end. */
  expiresAt?: string;
}

/** A purpose or data type, described in several languages. */
export interface Described {
  labels: Translated[];
  /** Phrases that fit into a sentence: "your diploma", "to assess your loan application". */
  phrases: Translated[];
  definitions: Translated[];
  /** Name of the source of a data type; empty when the operator gives none. */
  source: Translated[];
}

/** The citizen's vault, a Solid pod. */
export interface Vault {
  /** URL, with a trailing slash. */
  url: string;
  /** Id of the vault in paths of the service. */
  id: string;
}

/**
 * Checks whether this service made a WebID together with its vault, which is then named by a UUID, rather than linking
 * an existing one.
 */
export function isMadeHere(webId: string, { id, url }: Vault): boolean {
  return webId.startsWith(url) && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u.test(id);
}

/** Maximum pages to read of a list: 2,000 rows. */
const maxPages = 10;
const pageSize = 200;

/** Client of the public API for these pages. */
export class Service {
  private readonly public: Client<paths>;
  private readonly dataUsers = new Map<string, Promise<DataUser | undefined>>();
  private readonly descriptions = new Map<string, Promise<Described>>();
  private readonly sources = new Map<string, Promise<Map<string, Translated[]>>>();

  /**
   * @param base - Base URL of the service, with a trailing slash.
   */
  public constructor(public readonly base: string) {
    this.public = createClient<paths>({ baseUrl: base });
  }

  /** @throws ServiceProblem `contract-not-found` or `contract-id-invalid`. */
  public async getContract(contractId: string): Promise<Contract> {
    const params = { path: { contractId }};
    const answer = dataOf(this.public.GET('/v1/contracts/{contractId}', { params }));
    const contract = await answer.catch(unknownContract) as Schemas['Contract'];
    return { ...contract, forDataType: [ contract.forDataType ].flat() };
  }

  /** Finds the operator's description of a data user. */
  public async findDataUser(webid: string): Promise<DataUser | undefined> {
    return remembered(this.dataUsers, webid, async(): Promise<DataUser | undefined> => {
      const answer = this.public.GET('/v1/data-users', { params: { query: { webid }}});
      return (await dataOf(answer) as Schemas['DataUserList']).dataUsers[0];
    });
  }

  /** Describes a purpose or data type of this server. Asks no other server. */
  public async describe(iri: string): Promise<Described> {
    return remembered(this.descriptions, iri, async(): Promise<Described> => this.readDescription(iri));
  }

  /** Lists the citizen's values that a contract covers. */
  public async listValues(session: Session, contractId: string): Promise<DataValue[]> {
    const answer = this.as(session).GET('/v1/contracts/{contractId}/data', { params: { path: { contractId }}});
    return (await dataOf(answer)).dataValues;
  }

  /** Shares values under a contract. Idempotent. */
  public async share(session: Session, contractId: string, ids: readonly string[]): Promise<Shared[]> {
    return dataOf(this.as(session).POST('/v1/contracts/{contractId}/data', {
      params: { path: { contractId }},
      body: { dataValues: [ ...ids ]},
    }));
  }

  /** Finds the citizen's vault; `undefined` for anybody who is not on record. */
  public async findVault(session: Session): Promise<Vault | undefined> {
    const answer = await this.as(session).GET('/v1/webids').catch(unreachable);
    if (answer.response.status === 404) {
      return;
    }
    await dataOf(Promise.resolve(answer));
    const [ , url ] = /<([^>]+)>;\s*rel="[^"]*#storage"/u.exec(answer.response.headers.get('Link') ?? '') ?? [];
    return url === undefined ? undefined : { url, id: new URL(url).pathname.split('/')[1] };
  }

  /** Lists the shared data of a vault, newest first, with all grants. */
  public async listResources(session: Session, { id: podId }: Vault): Promise<Resource[]> {
    return allPages(async(cursor): Promise<Page<Resource>> => {
      const query = { all: true, limit: pageSize, cursor };
      const answer = this.as(session).GET('/v1/pods/{podId}/resources', { params: { path: { podId }, query }});
      const { next, resources } = await dataOf(answer);
      return { items: resources, next };
    });
  }

  /** Finds the summary of shared data; `undefined` when the data does not match its data type. */
  public async summarise(session: Session, { id: podId }: Vault, resourceId: string): Promise<Summary | undefined> {
    const params = { path: { podId, resourceId }};
    const answer = await dataOf(this.as(session).GET('/v1/pods/{podId}/resources/{resourceId}/summary', { params }));
    return answer.summary ?? undefined;
  }

  /** Lists the grants that the citizen gave, newest first. */
  public async listGrants(session: Session, filter: GrantFilter = {}): Promise<Grant[]> {
    return allPages(async(cursor): Promise<Page<Grant>> => {
      const query = { ...filter, given: true, limit: pageSize, cursor };
      const answer = this.as(session).GET('/v1/access-grants', { params: { query }});
      const { accessGrants, next } = await dataOf(answer);
      return { items: accessGrants, next };
    });
  }

  /**
   * Gets a receipt for the consent of a grant, which the service signs for this call.
   *
   * @throws ServiceProblem `grant-not-found` when the citizen has no such grant.
   */
  public async getReceipt(session: Session, grantUri: string): Promise<string> {
    const start = `${this.base}.access/vc/`;
    const id = grantUri.startsWith(start) ? grantUri.slice(start.length) : '';
    if (!/^[\da-f-]{36}$/u.test(id)) {
      throw new ServiceProblem(404, 'grant-not-found', '');
    }
    return dataOf(this.as(session).GET('/v1/access-grants/{id}/receipt', {
      params: { path: { id }},
      headers: { Accept: 'application/ld+json' },
      parseAs: 'text',
    }));
  }

  /** Lists the copies of the citizen's data that data users reported. */
  public async listCopies(session: Session): Promise<Copy[]> {
    return allPages(async(cursor): Promise<Page<Copy>> => {
      const answer = this.as(session).GET('/v1/data-copies', { params: { query: { limit: pageSize, cursor }}});
      const { dataCopies, next } = await dataOf(answer);
      return { items: dataCopies, next };
    });
  }

  /**
   * Lists activity, newest first.
   *
   * @param session - Of the citizen.
   * @param query - Which ones.
   * @param query.after - `next` of the page before.
   * @param query.limit - Number of lines; 50 by default.
   * @param query.reads - True for what was seen only.
   */
  public async listActivity(
    session: Session,
    query: { after?: string; limit?: number; reads?: boolean },
  ): Promise<{ activities: Activity[]; next?: string }> {
    const { activities, next } = await dataOf(this.as(session).GET('/v1/activity', { params: { query }}));
    return { activities, next: cursorOf(next, 'after') };
  }

  /**
   * Finds the citizen's whole activity, newest first, unless there is too much to read at once.
   *
   * @param session - Of the citizen.
   * @param reads - True for what was seen only.
   *
   * @returns Nothing when there is too much.
   */
  public async findHistory(session: Session, reads?: boolean): Promise<Activity[] | undefined> {
    const found: Activity[] = [];
    let after: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const { activities, next } = await this.listActivity(session, { after, limit: pageSize, reads });
      found.push(...activities);
      after = next;
      if (after === undefined) {
        return found;
      }
    }
  }

  /**
   * Finds the last time that the citizen logged in with the national identity.
   *
   * @returns Nothing when there was none, or too much has happened since to read at once.
   */
  public async findLastLogIn(session: Session): Promise<Activity | undefined> {
    let after: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const { activities, next } = await this.listActivity(session, { after, limit: pageSize });
      const found = activities.find(({ type }): boolean => type === 'login.succeeded');
      if (found !== undefined || next === undefined) {
        return found;
      }
      after = next;
    }
  }

  /** Lists access requests that await the citizen's answer, newest first, at most 100. */
  public async listRequests(session: Session): Promise<AccessRequest[]> {
    const query = { type: 'SolidAccessRequest', status: 'Pending', toAgent: session.webId, pageSize: 100 } as const;
    const { items } = await dataOf(this.as(session).GET('/.access/query', { params: { query }}));
    return items.map((document): AccessRequest => requestOf(document as unknown as RequestDocument));
  }

  /**
   * Gets an access request, and whether it is still open.
   *
   * @throws ServiceProblem `grant-not-found` when this service has no such request to this citizen, or it names no
   *   resource but templates, which only an app can fill in.
   */
  public async getRequest(session: Session, uri: string): Promise<AccessRequest & { isOpen: boolean }> {
    const start = `${this.base}.access/vc/`;
    const id = uri.slice(start.length);
    if (!uri.startsWith(start) || !/^[\da-f-]{36}$/u.test(id)) {
      throw new ServiceProblem(404, 'grant-not-found', '');
    }
    const params = { path: { id }};
    const document = await dataOf(this.as(session).GET('/.access/vc/{id}', { params })) as unknown as RequestDocument;
    const { forPersonalData = [], isConsentForDataSubject } = document.credentialSubject.hasConsent ?? {};
    const [ resource ] = forPersonalData;
    if (isConsentForDataSubject !== session.webId || forPersonalData.length === 0) {
      throw new ServiceProblem(404, 'grant-not-found', '');
    }
    const request = requestOf(document);
    const query = { type: 'SolidAccessRequest', status: 'Pending', fromAgent: request.requestor, resource } as const;
    const { items } =
      await dataOf(this.as(session).GET('/.access/query', { params: { query: { ...query, pageSize: 100 }}}));
    return { ...request, isOpen: items.some((each): boolean => (each as { id?: string }).id === uri) };
  }

  /**
   * Grants or denies an access request, once: with a grant of at most what it asks for, or with a denial.
   *
   * @param session - Of the citizen.
   * @param request - The request.
   * @param given - Allowed access; nothing for a denial.
   *
   * @returns URI of the answer.
   *
   * @throws ServiceProblem `request-mismatch` when it is no longer open.
   */
  public async answerRequest(
    session: Session,
    request: AccessRequest,
    given?: Pick<AccessRequest, 'modes' | 'resources'>,
  ): Promise<string> {
    // The service takes another answer for a change of mind. Here it is one from a page that shows an old state.
    if (!(await this.getRequest(session, request.uri)).isOpen) {
      throw new ServiceProblem(409, 'request-mismatch', '');
    }
    const { modes, resources } = given ?? request;
    // The API describes a credential only as an object.
    const credential: object = {
      '@context': [ 'https://www.w3.org/2018/credentials/v1', 'https://schema.inrupt.com/credentials/v2.jsonld' ],
      type: [ 'VerifiableCredential', given ? 'SolidAccessGrant' : 'SolidAccessDenial' ],
      ...request.expiresAt !== undefined && { expirationDate: request.expiresAt },
      credentialSubject: { providedConsent: {
        mode: modes,
        hasStatus: given ? 'ConsentStatusExplicitlyGiven' : 'ConsentStatusDenied',
        forPersonalData: resources,
        ...request.purposes.length > 0 && { forPurpose: request.purposes },
        isProvidedTo: request.requestor,
        inherit: request.inherit,
        verifiedRequest: request.uri,
      }},
    };
    const answer = await dataOf(this.as(session).POST('/.access/issue', { body: { credential }}));
    return (answer as { id: string }).id;
  }

  /** Lists the apps that may act as the citizen, last used first. */
  public async listApps(session: Session): Promise<LoggedInApp[]> {
    return (await dataOf(this.as(session).GET('/v1/apps'))).apps;
  }

  /** Logs an app out. Idempotent. */
  public async logOutApp(session: Session, { id: appId }: LoggedInApp): Promise<void> {
    const answer = await this.as(session).DELETE('/v1/apps/{appId}', { params: { path: { appId }}}).catch(unreachable);
    if (answer.response.status !== 404) {
      await dataOf(Promise.resolve(answer));
    }
  }

  /** Erases everything that this service has about the citizen. Idempotent. */
  public async erase(session: Session): Promise<void> {
    const answer = await this.as(session).DELETE('/v1/webids').catch(unreachable);
    if (answer.response.status !== 404) {
      await dataOf(Promise.resolve(answer));
    }
  }

  /** Revokes a grant. Idempotent. */
  public async revoke(session: Session, grantUri: string): Promise<void> {
    await dataOf(this.as(session).POST('/.access/status', { body: {
      credentialId: grantUri,
      credentialStatus: [{ type: 'RevocationList2020Status', status: '1' }],
    }}));
  }

  private as(session: Session): Client<paths> {
    return createClient<paths>({
      baseUrl: this.base,
      async fetch(request: Request): Promise<Response> {
        const { method, signal, url } = request;
        const headers = new Map<string, string>();
        for (const [ name, value ] of request.headers.entries()) {
          headers.set(name, value);
        }
        // Firefox does not support `Request.body`.
        const body = await request.text();
        return session.fetch(url, { method, headers: Object.fromEntries(headers), body: body || undefined, signal });
      },
    });
  }

  private async readDescription(iri: string): Promise<Described> {
    const nothing: Described = { labels: [], phrases: [], definitions: [], source: []};
    // An IRI such as `/v1/../pod/purpose` leads to a document of anybody.
    if (!iri.startsWith(`${this.base}v1/`) || new URL(iri).href !== iri) {
      return nothing;
    }
    const [ response, source ] =
      await Promise.all([ fetch(iri, { headers: { Accept: 'application/ld+json' }}), this.findSource(iri) ]);
    // Any app can state a grant for a purpose that is a page of this server.
    if (!response.ok || !response.headers.get('Content-Type')?.includes('json')) {
      return nothing;
    }
    const { '@graph': graph = []} = await response.json() as { '@graph'?: Node[] };
    const node = graph.find((item): boolean => new URL(item['@id'] ?? '', iri).href === iri);
    return node === undefined ?
      nothing :
        {
          labels: [ ...texts(node['skos:prefLabel']), ...texts(node['rdfs:label']) ],
          phrases: texts(node['core:phrase']),
          definitions: texts(node['skos:definition']),
          source,
        };
  }

  /** Finds the name of a data type's source. Pages do without it when it cannot be read. */
  private async findSource(iri: string): Promise<Translated[]> {
    if (!iri.startsWith(`${this.base}v1/data-types/`)) {
      return [];
    }
    const names = await remembered(this.sources, '', async(): Promise<Map<string, Translated[]>> => {
      const types = await allPages(async(cursor): Promise<Page<Schemas['DataTypeList']['dataTypes'][number]>> => {
        const query = { limit: pageSize, cursor };
        const answer = this.public.GET('/v1/data-types', { params: { query }});
        const { dataTypes, next } = await dataOf(answer) as Schemas['DataTypeList'];
        return { items: dataTypes, next };
      });
      return new Map(types.map(({ source = [], uri }): [string, Translated[]] => [ uri, source ]));
    }).catch((): undefined => undefined);
    return names?.get(iri) ?? [];
  }
}

/** Access request as this service signs it. */
interface RequestDocument {
  id: string;
  expirationDate?: string;
  credentialSubject: { id: string; hasConsent: {
    mode: string[];
    forPersonalData?: string[];
    forPurpose?: string[];
    inherit: boolean;
    isConsentForDataSubject?: string;
  }; };
}

function requestOf({ id, expirationDate, credentialSubject }: RequestDocument): AccessRequest {
  const consent = credentialSubject.hasConsent;
  return {
    uri: id,
    requestor: credentialSubject.id,
    modes: consent.mode.map((mode): AccessMode => mode.split('#').at(-1) as AccessMode),
    resources: consent.forPersonalData ?? [],
    purposes: consent.forPurpose ?? [],
    inherit: consent.inherit,
    expiresAt: expirationDate,
  };
}

interface Page<T> {
  items: T[];
  /** URL of the next page. */
  next: string | null;
}

interface Node {
  '@id'?: string;
  'skos:prefLabel'?: unknown;
  'rdfs:label'?: unknown;
  'skos:definition'?: unknown;
  'core:phrase'?: unknown;
}

/** Text in JSON-LD, with or without a language. */
type Literal = string | { '@value': string; '@language'?: string };

function texts(value: unknown): Translated[] {
  return [ (value ?? []) as Literal | Literal[] ].flat().map((text): Translated => typeof text === 'string' ?
      { value: text, language: null } :
      { value: text['@value'], language: text['@language'] ?? null });
}

/** Caches a result while the page is open, unless it failed. */
async function remembered<T>(kept: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const found = kept.get(key) ?? read().catch((error: unknown): never => {
    kept.delete(key);
    throw error;
  });
  kept.set(key, found);
  return found;
}

async function allPages<T>(read: (cursor?: string) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const { items, next } = await read(cursor);
    found.push(...items);
    cursor = cursorOf(next, 'cursor');
    if (cursor === undefined) {
      break;
    }
  }
  return found;
}

/** Returns the cursor in the URL of the next page. */
function cursorOf(next: string | null, parameter: string): string | undefined {
  return next === null ? undefined : new URL(next).searchParams.get(parameter) ?? undefined;
}

/** Treats an id that cannot be one, such as an empty or overlong one, as that of an unknown contract. */
function unknownContract(error: unknown): never {
  if (error instanceof ServiceProblem && [ 400, 404, 414 ].includes(error.status)) {
    throw new ServiceProblem(error.status, 'contract-not-found', error.number, { cause: error });
  }
  throw error;
}

function unreachable(error: unknown): never {
  throw new ServiceProblem(0, '', '', { cause: error });
}

async function dataOf<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await answer.catch(unreachable);
  if (!response.ok || data === undefined || data === null) {
    const { type } = (typeof error === 'object' ? error ?? {} : {}) as { type?: string };
    const number = response.headers.get('X-Correlation-Id') ?? '';
    throw new ServiceProblem(response.status, type?.split('/').pop() ?? '', number);
  }
  return data;
}
