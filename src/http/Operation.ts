import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../audit/CallContext';
import type { JsonSchema } from '../platform/jsonSchema';
import type { WebId } from '../platform/webId';
import type { Caller } from '../tokens/Caller';
import type { Answer } from './Answer';

/** Methods that operations are listed under; HEAD comes with GET, OPTIONS with every path. */
export const methods = [ 'GET', 'PUT', 'POST', 'DELETE' ] as const;

/** One of them. */
export type Method = typeof methods[number];

/**
 * Kinds of callers: anyone, a citizen by national number or WebID, anyone with a WebID, or a client that the token of a
 * listed issuer names, with or without one.
 */
export type CallerKind = 'none' | 'citizen' | 'webid' | 'client';

/** A caller whose token names a WebID. */
export type WebIdCaller = Caller & { webId: WebId };

/** The caller that a handler is given, by the kind that its operation takes. */
export interface Callers {
  none: undefined;
  citizen: Caller;
  webid: WebIdCaller;
  client: Caller;
}

/** Facts that are the same for every call to one server. */
export interface ApiSite {
  /** An origin with a trailing slash. */
  baseUrl: string;
  /** The OpenAPI document of all that is mounted, as JSON. */
  openApi: () => string;
  /** Paths that GET can be asked for, as they are mounted. */
  paths: readonly string[];
  /** Those of them that the index shows beside what it always has. */
  indexed: readonly string[];
}

/** The parts of a {@link Call} whose types an operation chooses. */
export interface CallTypes {
  caller: unknown;
  /** Names of the path parameters; `**` stands for the rest of the path. */
  params: string;
  /** Values of the query parameters. */
  query: object;
  body: unknown;
}

/** A request, parsed and checked. What a handler does not declare, it can't use. */
export interface Call<T extends Partial<CallTypes> = object> {
  caller: T extends { caller: infer TCaller } ? TCaller : unknown;
  params: Record<T extends { params: infer TName extends string } ? TName : never, string>;
  query: T extends { query: infer TQuery } ? TQuery : unknown;
  body: T extends { body: infer TBody } ? TBody : unknown;
  headers: IncomingHttpHeaders;
  context: CallContext;
  /** Decoded path, as it was matched. */
  path: string;
  /** URL of the request under the configured base URL, query included. */
  url: string;
  site: ApiSite;
}

/** A call as it is read by its operation, whatever the types of that. */
export type AnyCall = Call<{ params: string; query: QueryValues }>;

/** Query parameters by name, converted to the type of their schema. */
export type QueryValues = Record<string, string | number | boolean | undefined>;

/** A query or header parameter. */
export interface Parameter {
  /** Of type string, integer or boolean. */
  schema: JsonSchema;
  required?: boolean;
  description: string;
}

type ValueOf<TSchema> =
  TSchema extends { type: 'integer' } ? number :
    TSchema extends { type: 'boolean' } ? boolean :
      TSchema extends { enum: readonly (infer Value)[] } ? Value & string : string;

/** Values of parameters, as their schemas declare them. */
export type ValuesOf<T extends Record<string, Parameter>> =
  {[K in keyof T as T[K] extends { required: true } ? K : never]: ValueOf<T[K]['schema']> } &
  {[K in keyof T as T[K] extends { required: true } ? never : K]?: ValueOf<T[K]['schema']> };

/** The JSON body that an operation takes. */
export interface BodySpec {
  /** Name of a schema. */
  schema: string;
  /** The schema for OpenAPI, when `schema` is only one of the forms that are accepted. */
  documentedAs?: JsonSchema;
  /** The operation can be called without a body. */
  optional?: boolean;
  /** Brings other accepted forms into the one that `schema` describes. */
  normalise?: (json: unknown) => unknown;
  maxBytes?: number;
}

/** The form that an OAuth endpoint takes. */
export interface FormSpec {
  /** Fields by name; others are ignored. */
  fields: Record<string, Parameter>;
  maxBytes?: number;
}

/** Bytes that an operation takes as they come: its handler gets the stream, and nothing of it is kept in memory. */
export interface UploadSpec {
  mediaTypes: readonly string[];
  maxBytes: number;
}

/** One success answer, for OpenAPI. */
export interface SuccessDoc {
  description: string;
  /** Media types and what they hold: the name of a schema, a schema, or `bytes`. */
  content: Record<string, string | JsonSchema>;
  /** Names of headers, beside those that follow from the operation. */
  headers?: readonly string[];
}

/** An operation: path, caller, input, and the handler that answers it with some services. */
export interface Operation<TServices = never> {
  method: Method;
  /** `{name}` stands for one segment, a final `**` for any number of them. */
  path: string;
  caller: CallerKind;
  /** Refuses callers by throwing a problem, before the query and the body are read. */
  admit?: (call: Pick<AnyCall, 'caller' | 'headers' | 'params'>, services: TServices) => void;
  query?: Record<string, Parameter>;
  /** The query is for the page that is answered, not for the service: no parameter is refused. */
  anyQuery?: boolean;
  headers?: Record<string, Parameter>;
  body?: BodySpec;
  /** Instead of JSON: an OAuth endpoint, whose errors are those of OAuth, and which looks at tokens itself. */
  form?: FormSpec;
  /** Instead of JSON: bytes. The body of the call is an `AsyncIterable<Buffer>`. */
  upload?: UploadSpec;
  answer: (call: AnyCall, services: TServices) => Answer | Promise<Answer>;

  operationId: string;
  tag: string;
  summary: string;
  success: Record<number, SuccessDoc>;
  /** Statuses of problems that follow from what the operation does; those every operation has are added. */
  errors?: number[];
  /** The same for those that the interface does not declare for the operation. */
  addedErrors?: number[];
  /** Why this is here, when the interface does not have it. */
  addition?: string;
  /** Media type of problems; `application/json` unless the interface says otherwise. */
  problemMediaType?: string;
  /** A missing or invalid token is 403, not 401. */
  tokenRefusedAs403?: boolean;
  /** The index shows it: for GET, without parameters in its path. */
  indexed?: boolean;
  /** The answer has an entity tag, and can be asked for conditionally and in ranges. */
  representation?: boolean;
}
