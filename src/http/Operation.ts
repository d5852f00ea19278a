import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../audit/CallContext';
import type { JsonSchema } from '../platform/jsonSchema';
import type { Caller, WebIdCaller } from '../tokens/Caller';
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

/** Type of the caller, by the kind of caller that an operation accepts. */
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
  /** The OpenAPI document of all operations, as JSON. */
  openApi: () => string;
  /** Paths that support GET, as mounted. */
  paths: readonly string[];
  /** Those of them that the index lists in addition to its fixed links. */
  indexed: readonly string[];
}

/** Parts of a {@link Call} whose types an operation chooses. */
export interface CallTypes {
  caller: unknown;
  /** Names of the path parameters; `**` stands for the rest of the path. */
  params: string;
  /** Values of the query parameters. */
  query: object;
  body: unknown;
}

/** Names of the parameters in a path, as in {@link CallTypes}. */
export type ParameterNames<TPath extends string> =
  TPath extends `${string}{${infer Name}}${infer Rest}` ?
    Name | ParameterNames<Rest> :
    TPath extends `${string}**` ? '**' : never;

/** A request, parsed and checked. Handlers can only use the inputs that their operation declares. */
export interface Call<T extends Partial<CallTypes> = object> {
  caller: T extends { caller: infer TCaller } ? TCaller : unknown;
  params: Record<T extends { params: infer TName extends string } ? TName : never, string>;
  query: T extends { query: infer TQuery } ? TQuery : unknown;
  body: T extends { body: infer TBody } ? TBody : unknown;
  headers: IncomingHttpHeaders;
  context: CallContext;
  /** Decoded path, as matched. */
  path: string;
  /** URL of the request under the configured base URL, including the query. */
  url: string;
  site: ApiSite;
}

/** A call of any operation, without its specific types. */
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

/** JSON body of an operation. */
export interface BodySpec {
  /** Name of a schema. */
  schema: string;
  /** Schema for OpenAPI, when `schema` is only one of the accepted forms. */
  documentedAs?: JsonSchema;
  /** True when the body may be missing. */
  optional?: boolean;
  /** Converts other accepted forms to the one of `schema`. */
  normalise?: (json: unknown) => unknown;
  maxBytes?: number;
}

/** Form of an OAuth endpoint. */
export interface FormSpec {
  /** Fields by name; others are ignored. */
  fields: Record<string, Parameter>;
  maxBytes?: number;
}

/** Bytes that an operation receives as a stream, never buffered in memory. */
export interface UploadSpec {
  mediaTypes: readonly string[];
  maxBytes: number;
}

/** A success response, for OpenAPI. */
export interface SuccessDoc {
  description: string;
  /** Media types with the name of a schema, a schema, or `bytes`. */
  content: Record<string, string | JsonSchema>;
  /** Names of headers, in addition to those that follow from the operation. */
  headers?: readonly string[];
}

/** An operation: path, caller, input, and handler. */
export interface Operation<TServices = never> {
  method: Method;
  /** `{name}` stands for one segment, a final `**` for any number of them. */
  path: string;
  caller: CallerKind;
  /** Refuses callers by throwing a problem, before the query and the body are read. */
  admit?: (call: Pick<AnyCall, 'caller' | 'headers' | 'params'>, services: TServices) => void;
  query?: Record<string, Parameter>;
  /** True when the query belongs to a page, not to the service: no parameter is refused. */
  anyQuery?: boolean;
  headers?: Record<string, Parameter>;
  body?: BodySpec;
  /** Form instead of JSON, for an OAuth endpoint, which has the errors of OAuth and checks tokens itself. */
  form?: FormSpec;
  /** Bytes instead of JSON. The body of the call is an `AsyncIterable<Buffer>`. */
  upload?: UploadSpec;
  answer: (call: AnyCall, services: TServices) => Answer | Promise<Answer>;
  /** True for a PUT that may create its target: its handler checks `*` in `If-Match` and `If-None-Match`. */
  mayCreate?: boolean;

  operationId: string;
  tag: string;
  summary: string;
  success: Record<number, SuccessDoc>;
  /** Statuses of problems specific to the operation; those of every operation are added. */
  errors?: number[];
  /** Statuses of further problems, which the interface does not declare for the operation. */
  addedErrors?: number[];
  /** Reason for an operation that the interface does not have. */
  addition?: string;
  /** Media type of problems; `application/json` unless the interface says otherwise. */
  problemMediaType?: string;
  /** True when a missing or invalid token is 403, not 401. */
  tokenRefusedAs403?: boolean;
  /** True when the index lists it: for GET, without parameters in its path. */
  indexed?: boolean;
  /** True when the response has an entity tag, and supports conditions and ranges. */
  representation?: boolean;
}
