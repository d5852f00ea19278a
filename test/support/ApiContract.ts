import type { ValidateFunction } from 'ajv/dist/2020';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Client } from './world';

/** An operation as the OpenAPI document of a running server describes it. */
export interface DescribedOperation {
  operationId: string;
  /** Upper case. */
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  parameters: string[];
  needsToken: boolean;
  takesJson: boolean;
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, unknown> }>;
}

/** A call to an operation. */
export interface OperationCall {
  client: Client;
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A response that matches the document. */
export interface CheckedAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when it is not JSON. */
  json: any;
}

interface Described {
  operationId: string;
  parameters: { name?: string; $ref?: string }[];
  requestBody?: { content: object };
  responses: DescribedOperation['responses'];
  security: object[];
}

const correlationId = '0f8e4a52-7b61-4f0c-9d3e-5a2b1c7d8e90';

/** Headers that only some responses of a status have. */
const sometimes = new Set([ 'Deprecation', 'Sunset', 'Retry-After', 'Last-Modified', 'Accept-Ranges' ]);

/**
 * The OpenAPI document of a running server as a contract: calls use its paths, and every response is compared with its
 * declaration. Records which responses occurred.
 */
export class ApiContract {
  public readonly operations: ReadonlyMap<string, DescribedOperation>;
  /** `{operationId} {status}` of every response that matched its declaration. */
  public readonly seen = new Set<string>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });

  private constructor(private readonly base: string, document: { paths: object }) {
    addFormats(this.ajv);
    this.ajv.addFormat('int32', true);
    this.ajv.addFormat('iri', true);
    this.ajv.addSchema(document, 'openapi', undefined, false);
    this.operations = new Map(describedOperations(document).map((each): [string, DescribedOperation] =>
      [ each.operationId, each ]));
  }

  /** Fetches the document of a server. */
  public static async of(base: string): Promise<ApiContract> {
    const response = await fetch(`${base}v1/openapi.json`);
    return new ApiContract(base, await response.json() as { paths: object });
  }

  /** Every declared response with one of these statuses, as `{operationId} {status}`. */
  public declared(matches: (status: number) => boolean): string[] {
    return [ ...this.operations.values() ].flatMap(({ operationId, responses }): string[] =>
      Object.keys(responses).filter((status): boolean => matches(Number(status)))
        .map((status): string => `${operationId} ${status}`));
  }

  /**
   * Calls an operation.
   *
   * @throws Error with the differences from the declaration, or the unexpected status.
   */
  public async call(operationId: string, status: number, call: OperationCall): Promise<CheckedAnswer> {
    const operation = this.operation(operationId);
    const response = await call.client.request(operation.method, this.url(operation, call), {
      body: call.body,
      headers: { 'x-correlation-id': correlationId, ...call.headers },
    });
    const answer = await read(response);
    if (answer.status !== status) {
      throw new Error(`${operationId} answered ${answer.status}, not ${status}: ${answer.text.slice(0, 500)}`);
    }
    const findings = this.check(operation, answer, call.headers?.['x-correlation-id'] ?? correlationId);
    if (findings.length > 0) {
      throw new Error(`${operationId} ${status}: ${findings.join('; ')}\n${answer.text.slice(0, 500)}`);
    }
    this.seen.add(`${operationId} ${status}`);
    return answer;
  }

  /** Differences of a response from its declaration. */
  private check(operation: DescribedOperation, answer: CheckedAnswer, sentId: string): string[] {
    const declared = operation.responses[answer.status];
    if (!declared) {
      return [ 'the status is not declared' ];
    }
    const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(sentId);
    return [
      ...Object.keys(declared.headers ?? {})
        .filter((name): boolean => !sometimes.has(name) && !answer.headers.has(name))
        .map((name): string => `the header ${name} is missing`),
      ...isUuid && answer.headers.get('x-correlation-id') !== sentId ? [ 'the correlation id is another' ] : [],
      ...this.checkBody(operation, answer, declared.content),
    ];
  }

  private checkBody(
    { operationId, path, method }: DescribedOperation,
    { status, headers, text, json }: CheckedAnswer,
    content: Record<string, unknown> | undefined,
  ): string[] {
    if (!content) {
      return text === '' ? [] : [ 'there is a body, and none is declared' ];
    }
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    const declaredType = [ type, '*/*' ].find((each): boolean => each in content);
    if (!declaredType) {
      return [ `the media type ${type} is not declared` ];
    }
    const isJson = /[/+]json$/u.test(type);
    if (isJson && !headers.has('content-length')) {
      return [ 'Content-Length is missing' ];
    }
    const place = [ 'paths', path, method.toLowerCase(), 'responses', String(status), 'content' ];
    const validate = this.schema([ ...place, declaredType, 'schema' ]);
    return isJson && status !== 206 && !validate(json) ?
        [ `${operationId}: ${this.ajv.errorsText(validate.errors)}` ] :
        [];
  }

  private schema(pointer: string[]): ValidateFunction {
    const reference = pointer.map((part): string =>
      encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.ajv.getSchema(`openapi#/${reference}`);
    if (!validate) {
      throw new Error(`There is no schema at ${reference}`);
    }
    return validate as ValidateFunction;
  }

  private operation(operationId: string): DescribedOperation {
    const operation = this.operations.get(operationId);
    if (!operation) {
      throw new Error(`There is no operation ${operationId}`);
    }
    return operation;
  }

  private url({ path }: DescribedOperation, { params = {}, query = {}}: OperationCall): string {
    const filled = path.slice(1).replaceAll(/\{(\w+)\}/gu, (_match, name: string): string => {
      const value = params[name];
      if (value === undefined) {
        throw new Error(`${path} needs ${name}`);
      }
      return name === 'path' ? value : encodeURIComponent(value);
    });
    const search = new URLSearchParams(query).toString();
    return `${this.base}${filled}${search === '' ? '' : `?${search}`}`;
  }
}

function describedOperations({ paths }: { paths: object }): DescribedOperation[] {
  return Object.entries(paths).flatMap(([ path, methods ]: [string, Record<string, Described>]): DescribedOperation[] =>
    Object.entries(methods).map(([ method, described ]): DescribedOperation => ({
      operationId: described.operationId,
      method: method.toUpperCase(),
      path,
      parameters: described.parameters.map(({ name, $ref }): string => name ?? String($ref).split('/').at(-1)!),
      needsToken: described.security.length > 0 && described.security.every(isScheme),
      takesJson: 'application/json' in (described.requestBody?.content ?? {}),
      responses: described.responses,
    })));
}

/** An empty requirement means that no credentials are needed. */
function isScheme(requirement: object): boolean {
  return Object.keys(requirement).length > 0;
}

async function read(response: Response): Promise<CheckedAnswer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
