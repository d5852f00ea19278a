import type { Client } from 'openapi-fetch';
import createClient from 'openapi-fetch';
import type { components, paths } from '../../../client';
import type { Session } from './session';
import type { Translated } from './words';

type Schemas = components['schemas'];

/** Problem of the service (RFC 9457), or of the way to it. */
export class ServiceProblem extends Error {
  /**
   * @param status - Of the answer; 0 without one.
   * @param type - Last part of the problem type, such as `contract-not-found`; empty when there is none.
   * @param number - Correlation id of the request, for whoever helps the citizen.
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

/** Contract, as far as these pages read it; all IRIs are absolute. */
export type Contract = Schemas['Contract'] & { forDataType: string[] };

/** Field of a value in words, by its format. */
export type Field = Schemas['SummaryField'];

/** Data in words. */
export type Summary = Schemas['PersonalDataValueSummary'];

/** Value of the citizen that a contract covers. */
export type DataValue = Schemas['PersonalDataValue'];

/** URIs of a shared value and of the grant on it. */
export type Shared = Schemas['SharedPersonalData'];

/** Description of a data user by the operator. */
export type DataUser = Schemas['DataUser'];

/** Data in the citizen's vault that was shared, and the grants on it. */
export type Resource = Schemas['ResourceRecord'];

/** Access grant that the citizen gave. */
export type Grant = Schemas['NamedAccessGrant'];

/** Copy that a data user reported. */
export type Copy = Schemas['DataCopy'];

/** Something that is described in several languages: a purpose or data type. */
export interface Described {
  labels: Translated[];
  /** The form that fits a sentence: "your diploma", "to assess your loan application". */
  phrases: Translated[];
  definitions: Translated[];
}

/** The place where a citizen's data is (a Solid pod). */
export interface Vault {
  /** URL, with a trailing slash. */
  url: string;
  /** Its id in the paths of the service. */
  id: string;
}

/** Pages of a list that are read at most: 2,000 rows. */
const maxPages = 10;
const pageSize = 200;

/** Client of the public interface, for these pages. */
export class Service {
  private readonly public: Client<paths>;
  private readonly dataUsers = new Map<string, Promise<DataUser | undefined>>();
  private readonly descriptions = new Map<string, Promise<Described>>();

  /**
   * @param base - Base URL of the service, with a trailing slash.
   */
  public constructor(public readonly base: string) {
    this.public = createClient<paths>({ baseUrl: base });
  }

  /** @throws ServiceProblem `contract-not-found` or `contract-id-invalid`. */
  public async getContract(contractId: string): Promise<Contract> {
    const params = { path: { contractId }};
    const contract = await dataOf(this.public.GET('/v1/contracts/{contractId}', { params })) as Schemas['Contract'];
    return { ...contract, forDataType: [ contract.forDataType ].flat() };
  }

  /** The description of a data user, if the operator made one. */
  public async findDataUser(webid: string): Promise<DataUser | undefined> {
    return remembered(this.dataUsers, webid, async(): Promise<DataUser | undefined> => {
      const answer = this.public.GET('/v1/data-users', { params: { query: { webid }}});
      return (await dataOf(answer) as Schemas['DataUserList']).dataUsers[0];
    });
  }

  /** Describes a purpose or data type of this server; nothing is asked elsewhere. */
  public async describe(iri: string): Promise<Described> {
    return remembered(this.descriptions, iri, async(): Promise<Described> => this.readDescription(iri));
  }

  /** The citizen's values that a contract covers. */
  public async listValues(session: Session, contractId: string): Promise<DataValue[]> {
    const answer = this.as(session).GET('/v1/contracts/{contractId}/data', { params: { path: { contractId }}});
    return (await dataOf(answer)).dataValues;
  }

  /** Shares values under a contract; a repeated call shares nothing twice. */
  public async share(session: Session, contractId: string, ids: readonly string[]): Promise<Shared[]> {
    return dataOf(this.as(session).POST('/v1/contracts/{contractId}/data', {
      params: { path: { contractId }},
      body: { dataValues: [ ...ids ]},
    }));
  }

  /** The citizen's vault; none for who is not on record. */
  public async findVault(session: Session): Promise<Vault | undefined> {
    const answer = await this.as(session).GET('/v1/webids').catch(unreachable);
    if (answer.response.status === 404) {
      return;
    }
    await dataOf(Promise.resolve(answer));
    const [ , url ] = /<([^>]+)>;\s*rel="[^"]*#storage"/u.exec(answer.response.headers.get('Link') ?? '') ?? [];
    return url === undefined ? undefined : { url, id: new URL(url).pathname.split('/')[1] };
  }

  /** The shared data of a vault, newest first, with all grants. */
  public async listResources(session: Session, { id: podId }: Vault): Promise<Resource[]> {
    return allPages(async(cursor): Promise<Page<Resource>> => {
      const query = { all: true, limit: pageSize, cursor };
      const answer = this.as(session).GET('/v1/pods/{podId}/resources', { params: { path: { podId }, query }});
      const { next, resources } = await dataOf(answer);
      return { items: resources, next };
    });
  }

  /** Shared data in words; nothing when it cannot be read as its data type. */
  public async summarise(session: Session, { id: podId }: Vault, resourceId: string): Promise<Summary | undefined> {
    const params = { path: { podId, resourceId }};
    const answer = await dataOf(this.as(session).GET('/v1/pods/{podId}/resources/{resourceId}/summary', { params }));
    return answer.summary ?? undefined;
  }

  /** The grants that the citizen gave, newest first. */
  public async listGrants(session: Session): Promise<Grant[]> {
    const grants = await allPages(async(cursor): Promise<Page<Grant>> => {
      const answer = this.as(session).GET('/v1/access-grants', { params: { query: { limit: pageSize, cursor }}});
      const { accessGrants, next } = await dataOf(answer);
      return { items: accessGrants, next };
    });
    return grants.filter(({ owner }): boolean => owner === session.webId);
  }

  /** The copies of the citizen's data that data users reported. */
  public async listCopies(session: Session): Promise<Copy[]> {
    return allPages(async(cursor): Promise<Page<Copy>> => {
      const answer = this.as(session).GET('/v1/data-copies', { params: { query: { limit: pageSize, cursor }}});
      const { dataCopies, next } = await dataOf(answer);
      return { items: dataCopies, next };
    });
  }

  /** Revokes a grant; one that is revoked already stays so. */
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
        const { headers, method, signal, url } = request;
        const body = request.body ? await request.text() : undefined;
        return session.fetch(url, { method, headers: Object.fromEntries(headers), body, signal });
      },
    });
  }

  private async readDescription(iri: string): Promise<Described> {
    const nothing: Described = { labels: [], phrases: [], definitions: []};
    if (!iri.startsWith(`${this.base}v1/`)) {
      return nothing;
    }
    const response = await fetch(iri, { headers: { Accept: 'application/ld+json' }});
    if (!response.ok) {
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
        };
  }
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

/** Kept while the page is open, unless it failed. */
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
    cursor = next === null ? undefined : new URL(next).searchParams.get('cursor') ?? undefined;
    if (cursor === undefined) {
      break;
    }
  }
  return found;
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
