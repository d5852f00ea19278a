import type { FormSpec, Operation, Parameter, SuccessDoc, UploadSpec } from '../http/Operation';
import type { JsonSchema } from '../platform/jsonSchema';
import type { SchemaName } from './schemas';
import { ref } from './schemas';

/** Content of the OpenAPI document other than the operations. */
export interface OpenApiInfo {
  baseUrl: string;
  buildId: string;
  audience?: string;
  /** Title, for an interface other than data sharing. */
  title?: string;
  /** Markdown that replaces the default introduction. */
  introduction?: string;
  schemas: Readonly<Record<string, JsonSchema>>;
}

const reasons: Record<number, string> = {
  400: 'The request is malformed; `detail` says where.',
  401: 'The token is missing or invalid.',
  403: 'The caller may not do this.',
  404: 'There is no such thing, or the caller may not know of it.',
  406: 'None of the accepted media types can be served.',
  408: 'The body did not arrive in time.',
  409: 'This contradicts what is stored; `detail` says how.',
  410: 'It no longer exists.',
  412: 'A condition of the request does not hold.',
  413: 'The body is too large.',
  414: 'The path is too long.',
  415: 'The body has an unsupported media type.',
  416: 'The requested range does not exist.',
  429: 'Too many requests; `Retry-After` says when to come back, when that is known.',
  500: 'Something went wrong here; the log knows it by the correlation id.',
  503: 'This service, or a system behind it, is away; `Retry-After` says when to come back, when that is known.',
  507: 'There is no room to store it.',
};

const headers: Record<string, { description: string; schema: JsonSchema }> = {
  'X-Correlation-Id': {
    description: 'The correlation id of the request, or a new one.',
    schema: { type: 'string', format: 'uuid' },
  },
  'WWW-Authenticate': { description: 'The accepted authentication schemes.', schema: { type: 'string' }},
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string' }},
  Link: {
    description: 'Of `/v1/webids`: the pod that the citizen\'s data goes to, with the relation ' +
      '`http://www.w3.org/ns/pim/space#storage`. Of `/v1`: OpenAPI document and page, with the relations ' +
      '`service-desc` and `service-doc`.',
    schema: { type: 'string' },
  },
  Location: { description: 'URL of what was made, or of the state of the work.', schema: { type: 'string' }},
  ETag: { description: 'Entity tag.', schema: { type: 'string' }},
  'Last-Modified': { description: 'When it was last changed.', schema: { type: 'string' }},
  'Content-Range': { description: 'Which bytes these are.', schema: { type: 'string' }},
  'Accept-Ranges': { description: '`bytes`.', schema: { type: 'string' }},
  Deprecation: { description: 'On answers to deprecated JWS tokens (RFC 9745).', schema: { type: 'string' }},
  Sunset: { description: 'When these tokens are no longer taken (RFC 8594).', schema: { type: 'string' }},
};

const dpopParameter: Parameter = {
  schema: { type: 'string' },
  description: 'DPoP proof (RFC 9449), with a token of the DPoP scheme.',
};

const conditions = [ 'If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'Range', 'If-Range' ];

/**
 * Describes a table of operations as an OpenAPI document.
 *
 * @see [OpenAPI Specification v3.1.1](https://spec.openapis.org/oas/v3.1.1.html)
 */
export function openApi(operations: readonly Operation[], info: OpenApiInfo): object {
  return {
    openapi: '3.1.0',
    info: {
      title: info.title ?? 'Citizen data sharing',
      version: info.buildId,
      description: info.introduction ?? introduction(info),
    },
    servers: [{ url: info.baseUrl.replace(/\/$/u, '') }],
    tags: [ ...new Set(operations.map(({ tag }): string => tag)) ].map((name): object => ({ name })),
    paths: paths(operations),
    components: {
      schemas: info.schemas,
      headers,
      parameters: { correlationId: correlationParameter(true), optionalCorrelationId: correlationParameter(false) },
      securitySchemes: securitySchemes(info.audience ?? 'solid'),
    },
  };
}

/** Markdown shown above the operations: everything that belongs to no single operation. */
function introduction({ baseUrl, audience = 'solid' }: OpenApiInfo): string {
  return [
    'Operations and problems marked `x-addition` are not in the interface; the description of an operation says why ' +
    'it is here. GET operations also take HEAD, which is listed where it is of use.',
    '**How to get a token.** Operations without a lock are public. All others take a JSON Web Token in ' +
    `\`Authorization\`, with \`${audience}\` in \`aud\`:`,
    `- An app logs people in by [Solid-OIDC](https://solidproject.org/TR/oidc) at an issuer that their WebID's ` +
    'profile lists, with a library that makes DPoP proofs.',
    `- A system that has its account here makes client credentials on [its account page](${baseUrl}.account/) and ` +
    `asks the \`token_endpoint\` of [this issuer](${baseUrl}.well-known/openid-configuration) for a token, with ` +
    '`grant_type=client_credentials` and `scope=webid`.',
    '- A citizen without a WebID comes with a token of a national issuer, which has a `citizen_national_id`.',
    'To call from this page, paste a token that is not bound to a key under *Authorize*.',
  ].join('\n\n');
}

function paths(operations: readonly Operation[]): Record<string, Record<string, object>> {
  const result: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = operation.path.replace('**', '{path}');
    result[path] ??= {};
    result[path][operation.method.toLowerCase()] = describe(operation);
    if (operation.representation) {
      result[path].head = describeHead(operation);
    }
  }
  return result;
}

function describe(operation: Operation): object {
  const { operationId, tag, summary, addition, body, form, upload } = operation;
  return {
    operationId,
    tags: [ tag ],
    summary,
    ...addition && { description: addition, 'x-addition': true },
    parameters: parameters(operation),
    ...body && { requestBody: requestBody(body) },
    ...form && { requestBody: formBody(form) },
    ...upload && { requestBody: uploadBody(upload) },
    responses: { ...successes(operation), ...failures(operation) },
    security: security(operation),
  };
}

/**
 * Describes HEAD like GET, without content. The summary says that it is an addition, because the interface does not
 * list it.
 */
function describeHead(operation: Operation): object {
  const responses: Record<string, { content?: object }> = { ...successes(operation), ...failures(operation) };
  const bare = Object.entries(responses)
    .filter(([ status ]): boolean => ![ '206', '416' ].includes(status))
    .map(([ status, { content, ...rest }]): [string, object] => [ status, rest ]);
  return {
    ...describe(operation),
    operationId: operation.operationId.replace(/^(?:find|get|list|read)/u, 'head'),
    summary: `${operation.summary}: headers only`,
    description: 'The headers that GET would have.',
    'x-addition': true,
    responses: Object.fromEntries(bare),
  };
}

function parameters(operation: Operation): object[] {
  const required = operation.addition === undefined;
  return [
    { $ref: `#/components/parameters/${required ? 'correlationId' : 'optionalCorrelationId'}` },
    ...pathParameters(operation.path),
    ...listed('query', operation.query),
    ...listed('header', operation.headers),
    ...operation.caller === 'none' ? [] : listed('header', { DPoP: dpopParameter }),
    ...operation.representation ? conditions.map(conditionParameter) : [],
  ];
}

function pathParameters(path: string): object[] {
  const names = [ ...path.replace('**', '{path}').matchAll(/\{(\w+)\}/gu) ];
  return names.map(([ , name ]): object => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...name === 'path' && { description: 'Any number of path segments.' },
  }));
}

function listed(place: string, given: Record<string, Parameter> = {}): object[] {
  return Object.entries(given).map(([ name, { schema, required, description }]): object => ({
    name,
    in: place,
    required: required ?? false,
    description,
    schema,
  }));
}

function conditionParameter(name: string): object {
  return { name, in: 'header', required: false, schema: { type: 'string' }};
}

function correlationParameter(required: boolean): object {
  return {
    name: 'X-Correlation-Id',
    in: 'header',
    required,
    description: 'Ties the logs of several systems together. When it is absent the server generates one.',
    schema: { type: 'string', format: 'uuid' },
  };
}

function requestBody({ schema, documentedAs, optional }: NonNullable<Operation['body']>): object {
  return {
    required: !optional,
    content: { 'application/json': { schema: documentedAs ?? named(schema) }},
  };
}

function formBody({ fields }: FormSpec): object {
  const properties = mapValues(fields, ({ schema, description }): object => ({ ...schema, description }));
  const required = Object.keys(fields).filter((name): boolean => fields[name].required === true);
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties, required }}},
  };
}

function uploadBody({ mediaTypes }: UploadSpec): object {
  const schema = { type: 'string', format: 'binary' };
  return {
    required: true,
    content: Object.fromEntries(mediaTypes.map((type): [string, object] => [ type, { schema }])),
  };
}

function successes({ success, representation, caller }: Operation): Record<string, object> {
  const names = [
    ...representation ? [ 'ETag', 'Last-Modified', 'Accept-Ranges' ] : [],
    ...caller === 'citizen' ? [ 'Deprecation', 'Sunset' ] : [],
  ];
  const partTypes = Object.keys(success[200]?.content ?? {}).map((type): [string, 'bytes'] => [ type, 'bytes' ]);
  return {
    ...mapValues(success, (doc): object => successAnswer(doc, names)),
    ...representation && {
      206: {
        description: 'The requested part.',
        headers: responseHeaders([ 'ETag', 'Last-Modified', 'Content-Range' ]),
        content: content(Object.fromEntries(partTypes)),
      },
      304: { description: 'The caller has it already.', headers: responseHeaders([ 'ETag', 'Last-Modified' ]) },
    },
  };
}

function successAnswer(doc: SuccessDoc, names: string[]): object {
  const all = [ ...names, ...doc.headers ?? [] ];
  return { description: doc.description, headers: responseHeaders(all), content: content(doc.content) };
}

function content(types: SuccessDoc['content']): object {
  return mapValues(types, (held): object => ({ schema: schemaOf(held) }));
}

function mapValues<T>(entries: Record<string, T>, map: (value: T) => object): Record<string, object> {
  return Object.fromEntries(Object.entries(entries).map(([ key, value ]): [string, object] => [ key, map(value) ]));
}

/** Rows name only schemas of this interface: the types of `operation` ensure it. */
function named(schema: string): JsonSchema {
  return ref(schema as SchemaName);
}

function schemaOf(held: string | JsonSchema): JsonSchema {
  if (held === 'bytes') {
    return { description: 'Bytes.' };
  }
  return typeof held === 'string' ? named(held) : held;
}

function failures(operation: Operation): Record<string, object> {
  const held = operation.form ? 'OAuthError' : 'Error';
  const types = problemTypes(operation);
  return Object.fromEntries(failureStatuses(operation).map((status): [string, object] => [ String(status), {
    description: reasons[status],
    ...operation.addedErrors?.includes(status) && { 'x-addition': true },
    headers: responseHeaders([
      ...status === 401 ? [ 'WWW-Authenticate' ] : [],
      ...status === 429 || status === 503 ? [ 'Retry-After' ] : [],
    ]),
    content: content(Object.fromEntries(types.map((type): [string, SchemaName] => [ type, held ]))),
  }]));
}

function problemTypes({ path, form, problemMediaType }: Operation): string[] {
  if (form) {
    return [ 'application/json' ];
  }
  return path.startsWith('/.access/') ?
      [ 'application/problem+json' ] :
      [ problemMediaType ?? 'application/json', 'application/problem+json' ];
}

/**
 * Lists the failure statuses that an operation names, and those that follow from its path, caller, body and kind of
 * response.
 */
function failureStatuses(operation: Operation): number[] {
  const { method, path, caller, body, form, upload } = operation;
  const { errors, addedErrors, representation, tokenRefusedAs403 } = operation;
  const statuses = [
    400,
    429,
    500,
    503,
    ...errors ?? [],
    ...addedErrors ?? [],
    ...pathParameters(path).length > 0 ? [ 414 ] : [],
    ...caller === 'none' ? [] : [ ...tokenRefusedAs403 ? [] : [ 401 ], 403 ],
    ...body ? [ 408, 413, 415 ] : [],
    ...upload ? [ 413, 415 ] : [],
    ...form ? [ 401, 403, 408, 413 ] : [],
    ...representation ? [ 412, 416 ] : [],
    ...method === 'GET' || form ? [] : [ 412 ],
  ];
  return [ ...new Set(statuses) ].sort((left, right): number => left - right);
}

function responseHeaders(names: string[]): object {
  return Object.fromEntries([ 'X-Correlation-Id', ...names ].map((name): [string, object] =>
    [ name, { $ref: `#/components/headers/${name}` }]));
}

function security({ caller, form }: Operation): object[] {
  if (form) {
    return [{ solidOidcAuthentication: []}, { dpopAuthentication: []}, {}];
  }
  if (caller === 'none') {
    return [];
  }
  const scheme = caller === 'citizen' ? 'citizenAuthentication' : 'solidOidcAuthentication';
  return [{ [scheme]: []}, { dpopAuthentication: []}];
}

function securitySchemes(audience: string): object {
  const bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
  return {
    citizenAuthentication: {
      ...bearer,
      description: 'A Solid OIDC token with a `citizen_national_id` claim from a national issuer, or a deprecated ' +
        'JWS token that represents a citizen. `DELETE` also takes a Solid OIDC token with `webid` alone.',
    },
    solidOidcAuthentication: {
      ...bearer,
      description: `A Solid OIDC token with a \`webid\` claim and \`${audience}\` in \`aud\`, not bound to a key, ` +
        'from an issuer that is trusted with such tokens.',
    },
    dpopAuthentication: {
      type: 'http',
      scheme: 'DPoP',
      description: 'The same tokens, bound to a key: `Authorization: DPoP`, with a proof in the `DPoP` ' +
        'header (RFC 9449).',
    },
  };
}
