/* eslint-disable @typescript-eslint/naming-convention -- names on the wire */
import type { Session } from './session';
import type { Translated } from './words';

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
export interface Contract {
  '@id': string;
  accessMode: 'READ' | 'WRITE';
  accessDuration: string;
  startDate?: string;
  endDate?: string;
  forDataUser: string;
  forDataType: string[];
  forPurpose: string;
}

/** Field of a value in words, by its format. */
export type Field = { label: Translated[] } & (
  { format: 'string'; items: Translated[][] } |
  { format: 'group'; items: Record<string, Field> } |
  { format: 'date' | 'timestamp' | 'boolean' | 'number'; value: string } |
  { format: 'error'; value: Translated[] }
);

/** Value of the citizen that a contract covers. */
export interface DataValue {
  id: string;
  type: string;
  value?: string;
  summary: { title: Translated[]; subtitle: Translated[]; details: Record<string, Field> } | null;
  error?: Translated[];
}

/** URIs of a shared value and of the grant on it. */
export interface Shared {
  podResource: string;
  accessGrant: string;
}

/** Something that is described in several languages: a purpose or data type. */
export interface Described {
  labels: Translated[];
  /** The form that fits a sentence: "your diploma", "to assess your loan application". */
  phrases: Translated[];
  definitions: Translated[];
}

/** Description of a data user by the operator. */
export interface DataUser {
  webId: string;
  names: Translated[];
  logo?: string;
  contacts: string[];
  privacyStatement?: string;
  redirectUris: string[];
}

/** Client of the public interface, for these pages. */
export class Service {
  /**
   * @param base - Base URL of the service, with a trailing slash.
   */
  public constructor(private readonly base: string) {}

  /** @throws ServiceProblem `contract-not-found` or `contract-id-invalid`. */
  public async getContract(id: string): Promise<Contract> {
    const contract = await json<Contract>(fetch(`${this.base}v1/contracts/${encodeURIComponent(id)}`));
    return { ...contract, forDataType: [ contract.forDataType ].flat() };
  }

  /** The description of a data user, if the operator made one. */
  public async findDataUser(webId: string): Promise<DataUser | undefined> {
    const query = new URLSearchParams({ webid: webId });
    const { dataUsers } = await json<{ dataUsers: DataUser[] }>(fetch(`${this.base}v1/data-users?${query}`));
    return dataUsers[0];
  }

  /** Describes a purpose or data type of this server; nothing is asked elsewhere. */
  public async describe(iri: string): Promise<Described> {
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

  /** The citizen's values that a contract covers. */
  public async listValues(session: Session, contractId: string): Promise<DataValue[]> {
    const url = `${this.base}v1/contracts/${encodeURIComponent(contractId)}/data`;
    return (await json<{ dataValues: DataValue[] }>(session.fetch(url))).dataValues;
  }

  /** Shares values under a contract; a repeated call shares nothing twice. */
  public async share(session: Session, contractId: string, ids: readonly string[]): Promise<Shared[]> {
    return json(session.fetch(`${this.base}v1/contracts/${encodeURIComponent(contractId)}/data`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ dataValues: ids }),
    }));
  }
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

async function json<T>(answer: Promise<Response>): Promise<T> {
  let response;
  try {
    response = await answer;
  } catch (error: unknown) {
    throw new ServiceProblem(0, '', '', { cause: error });
  }
  if (!response.ok) {
    const problem = await response.json().catch((): object => ({})) as { type?: string };
    const number = response.headers.get('X-Correlation-Id') ?? '';
    throw new ServiceProblem(response.status, problem.type?.split('/').pop() ?? '', number);
  }
  return await response.json() as T;
}
