import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { openApi } from '../../../src/api/openApi';
import { operations } from '../../../src/api/routes';
import { schemas } from '../../../src/api/schemas';
import type { JsonSchema } from '../../../src/platform/jsonSchema';
import { openApiErrors } from '../../support/openApiErrors';

interface Described {
  operationId: string;
  parameters: { $ref?: string; name: string; in: string; required: boolean }[];
  responses: Record<string, { headers: object; content?: Record<string, object>; 'x-addition'?: true }>;
  requestBody?: object;
  security: Record<string, []>[];
  'x-addition'?: true;
  description?: string;
}

const document = openApi(operations, { baseUrl: 'https://pods.example/', buildId: '1.2.3+abc', audience: 'solid', schemas }) as {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Described>>;
  components: Record<string, Record<string, object>>;
};
const described = Object.entries(document.paths)
  .flatMap(([ path, item ]): [string, Described][] => Object.entries(item)
    .map(([ method, operation ]): [string, Described] => [ `${method.toUpperCase()} ${path}`, operation ]));

/** Declarations of the interface: `docs` may add to them, never lack one. */
const declared: [string, string[]][] = [
  [ 'GET /v1/webids', [ '200', '401', '403', '404' ]],
  [ 'PUT /v1/webids', [ '200', '201', '401', '403' ]],
  [ 'DELETE /v1/webids', [ '200', '201', '401', '403' ]],
  [ 'GET /v1/contracts/{contractId}', [ '200', '400', '404' ]],
  [ 'GET /v1/contracts/{contractId}/data', [ '200', '400', '401', '403', '404' ]],
  [ 'POST /v1/contracts/{contractId}/data', [ '200', '400', '401', '403', '404' ]],
  [ 'GET /v1/resources', [ '200', '400', '401', '403', '404' ]],
  [ 'GET /v1/pods/{podId}/resources/{resourceId}', [ '200', '400', '401', '403', '404' ]],
  [ 'GET /v1/pods/{podId}/resources', [ '200' ]],
  [ 'GET /v1/gebouwen/{path}', [ '200' ]],
  [ 'DELETE /v1/pods/{podId}/resources/{resourceId}/access-grants/{accessGrantId}', [ '200' ]],
  [ 'POST /v1/verifications/business-key', [ '200', '400', '403' ]],
  [ 'POST /v1/data-copies', [ '201' ]],
  [ 'DELETE /v1/data-copies', [ '200' ]],
];

interface Fields {
  properties: Record<string, JsonSchema>;
  required: string[];
}

/** Fields of the interface's resources with their types; `?` where a field may be absent. */
const resources: Record<string, Record<string, string>> = {
  WebId: { uri: 'string uri' },
  Error: {
    type: 'string uri-reference',
    title: 'string',
    status: 'integer int32',
    detail: 'string or null',
    instance: 'string uri-reference',
    timestamp: 'string date-time',
    'dataValues?': 'array',
  },
  Contract: {
    '@context': 'string',
    '@type': 'string',
    'startDate?': 'string date',
    'endDate?': 'string or null date',
    'accessMode?': 'string',
    accessDuration: 'string duration',
    forDataUser: 'string uri',
    forDataType: 'array',
    forPurpose: 'string uri',
  },
  PersonalDataResponse: { dataValues: 'array' },
  PersonalDataValue: {
    id: 'string',
    type: 'string uri',
    'value?': 'string',
    summary: 'object or null',
    'error?': 'array',
  },
  I18nString: { value: 'string', language: 'string or null' },
  PersonalDataValueSummary: { title: 'array', subtitle: 'array', details: 'object' },
  StringField: { label: 'array', format: 'string', items: 'array' },
  GroupField: { label: 'array', format: 'string', items: 'object' },
  DateField: { label: 'array', format: 'string', value: 'string' },
  TimestampField: { label: 'array', format: 'string', value: 'string' },
  BooleanField: { label: 'array', format: 'string', value: 'string' },
  NumberField: { label: 'array', format: 'string', value: 'string' },
  ErrorField: { label: 'array', format: 'string', value: 'array' },
  SharedPersonalData: { podResource: 'string uri', accessGrant: 'string uri' },
  BusinessKeyRequest: { businessKey: 'object', accessGrantVc: 'string' },
  BusinessKeyResult: { valid: 'boolean' },
};

/** Enumerations and constants of the interface. */
const values: Record<string, unknown> = {
  'Contract.accessMode': [ 'READ', 'WRITE' ],
  'StringField.format': 'string',
  'GroupField.format': 'group',
  'DateField.format': 'date',
  'TimestampField.format': 'timestamp',
  'BooleanField.format': 'boolean',
  'NumberField.format': 'number',
  'ErrorField.format': 'error',
};

/** A schema in short: its type, whether it may be null, its format. */
function typesOf({ type, format, anyOf, $ref }: JsonSchema): string {
  if (anyOf) {
    return `${typesOf((anyOf as JsonSchema[])[0])} or null`;
  }
  if ($ref) {
    return typesOf(schemas[($ref as string).split('/').at(-1) as keyof typeof schemas]);
  }
  return [ [ type ].flat().join(' or '), format ].filter(Boolean).join(' ');
}

describe('The OpenAPI document', (): void => {
  it('is valid by the schema published with its specification.', (): void => {
    expect(openApiErrors(document)).toBeNull();
    expect(document.info.version).toBe('1.2.3+abc');
  });

  it('has no dangling references.', (): void => {
    const references = [ ...JSON.stringify(document).matchAll(/"#(\/components\/[^"]+)"/gu) ]
      .map(([ , path ]): string => path);
    expect(references.length).toBeGreaterThan(50);
    for (const path of new Set(references)) {
      expect(document).toHaveProperty(path.split('/').slice(1));
    }
  });

  it('has schemas that compile.', (): void => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    ajv.addFormat('int32', true);
    ajv.addFormat('iri', true);
    ajv.addSchema({ $id: 'document', ...document });
    for (const name of Object.keys(schemas)) {
      expect(ajv.compile({ $ref: `document#/components/schemas/${name}` })).toBeInstanceOf(Function);
    }
  });

  it('has a summary schema that tells its variants apart.', (): void => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    ajv.addFormat('int32', true);
    ajv.addFormat('iri', true);
    ajv.addSchema({ $id: 'document', ...document });
    const validate = ajv.compile({ $ref: 'document#/components/schemas/SummaryField' });
    const label = [{ value: 'Naam', language: 'nl' }];
    const date = { label, format: 'date', value: '2024-01-01' };
    for (const field of [
      date,
      { label, format: 'string', items: [ label ]},
      { label, format: 'group', items: { date, more: { label, format: 'group', items: {}}}},
      { label, format: 'error', value: label },
    ]) {
      expect(validate(field)).toBe(true);
    }
    expect(validate({ label, format: 'date', value: label })).toBe(false);
    expect(validate({ label, format: 'string', items: label })).toBe(false);
    expect(validate({ label, format: 'colour', value: 'red' })).toBe(false);
  });

  it('describes every operation once.', (): void => {
    const ids = described.map(([ , { operationId }]): string => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(operations.map(({ operationId }): string => operationId)));
  });

  it.each(declared)('has the status codes that the interface declares for %s.', (name, statuses): void => {
    const { parameters, responses, 'x-addition': addition } = Object.fromEntries(described)[name];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses));
    expect(addition).toBeUndefined();
    expect(parameters[0]).toEqual({ $ref: '#/components/parameters/correlationId' });
  });

  it.each(Object.entries(resources))('gives %s the fields of the interface, and no others as required.', (name, fields):
  void => {
    const { properties, required } = schemas[name as keyof typeof schemas] as unknown as Fields;
    for (const [ field, type ] of Object.entries(fields)) {
      expect([ field, typesOf(properties[field.replace(/\?$/u, '')]) ]).toEqual([ field, type ]);
    }
    const needed = Object.keys(fields).filter((field): boolean => !field.endsWith('?'));
    expect([ ...required ].sort()).toEqual(needed.sort());
  });

  it.each(Object.entries(values))('has the values of %s as in the interface.', (field, expected): void => {
    const [ name, member ] = field.split('.');
    const { properties } = schemas[name as keyof typeof schemas] as unknown as Fields;
    expect(properties[member].enum ?? properties[member].const).toEqual(expected);
  });

  it('marks as additions exactly what the interface does not declare.', (): void => {
    const names = new Set(declared.map(([ name ]): string => name));
    for (const [ name, { 'x-addition': addition, description }] of described) {
      expect([ name, addition ]).toEqual([ name, names.has(name) ? undefined : true ]);
      expect([ name, description !== undefined ]).toEqual([ name, !names.has(name) ]);
    }
  });

  it('marks the problems that the interface does not declare for an operation.', (): void => {
    const marked = described.filter(([ name ]): boolean => !name.startsWith('HEAD'))
      .flatMap(([ name, { responses }]): string[] => Object.entries(responses)
        .filter(([ , answer ]): boolean => answer['x-addition'] === true)
        .map(([ status ]): string => `${name} ${status}`));
    expect(marked).toEqual([
      'DELETE /v1/webids 404',
      'POST /v1/contracts/{contractId}/data 503',
      'GET /v1/resources 503',
      'GET /v1/pods/{podId}/resources/{resourceId} 503',
    ]);
  });

  it.each(described)('says that %s can fail, be limited or be unavailable.', (_name, { responses }): void => {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([ '400', '429', '500', '503' ]));
    expect(responses[503]).toHaveProperty('headers.Retry-After');
  });

  it('has every member of an OAuth error, such as the claims that need_info requires.', (): void => {
    expect(Object.keys(schemas.OAuthError.properties as object))
      .toEqual([ 'error', 'error_description', 'ticket', 'required_claims' ]);
  });

  it.each(described)('has every path parameter of %s, and no other.', (name, { parameters }): void => {
    const named = parameters.flatMap((parameter): string[] => parameter.in === 'path' ? [ parameter.name ] : []);
    expect(named).toEqual([ ...name.matchAll(/\{(\w+)\}/gu) ].map(([ , parameter ]): string => parameter));
  });

  it('has 403 and no 401 for a bad token on business-key verification.', (): void => {
    const { responses } = Object.fromEntries(described)['POST /v1/verifications/business-key'];
    expect(responses).toHaveProperty('403');
    expect(responses).not.toHaveProperty('401');
  });

  it('names the media types with which problems are sent.', (): void => {
    for (const [ name, types ] of [
      [ 'GET /v1/webids', [ 'application/json', 'application/problem+json' ]],
      [ 'GET /v1/contracts/{contractId}', [ 'application/ld+json', 'application/problem+json' ]],
      [ 'GET /.access/vc/{id}', [ 'application/problem+json' ]],
    ] as const) {
      expect(Object.keys(Object.fromEntries(described)[name].responses['404'].content!)).toEqual(types);
    }
  });
});
