import { activityTypes } from '../audit/Activity';
import { eventTypes } from '../events/Event';
import type { JsonSchema } from '../platform/jsonSchema';

/** Refers to a schema, both in the validator and in the OpenAPI document. */
export function ref(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Type of the business keys that are Belgian national numbers. */
export const belgianKey = 'NATIONAL_NUMBER_BE';

/** Name of a schema in {@link schemas}. */
export type SchemaName =
  'WebId' | 'Error' | 'Contract' | 'PersonalDataResponse' | 'PersonalDataValue' | 'ResourceSummary' | 'I18nString' |
  'PersonalDataValueSummary' | 'SummaryField' | 'StringField' | 'GroupField' | 'DateField' | 'TimestampField' |
  'BooleanField' | 'NumberField' | 'ErrorField' | 'ShareRequest' | 'SharedPersonalData' | 'ResourceList' |
  'ResourceRecord' | 'ResourceGrant' | 'AccessGrantStatus' | 'AccessGrantRecord' | 'BusinessKeyRequest' |
  'BusinessKeyResult' | 'DataCopyReport' | 'DataCopyDeletion' | 'DataCopy' | 'DataCopyStatus' | 'DataCopyList' |
  'DeletionReason' | 'Building' | 'IssueRequest' | 'StatusChange' | 'VerificationRequest' | 'VerificationResult' |
  'CredentialPage' | 'DeriveRequest' | 'PresentationRequest' | 'VcConfiguration' | 'Credential' |
  'ControllerDocument' | 'ContractList' | 'ListedContract' | 'DataTypeList' | 'ServiceIndex' |
  'OpenApi' | 'UmaConfiguration' | 'JwkSet' | 'UmaToken' | 'OAuthError' |
  'DataUserList' | 'DataUser' | 'NamedAccessGrant' | 'AccessGrantList' | 'EventList' | 'Event' |
  'App' | 'AppList' | 'NamedResource' | 'Activity' | 'ActivityList' |
  'SubscriptionRequest' | 'Subscription' | 'NewSubscription' | 'SubscriptionList' | 'ReplayRequest';

const uri = { type: 'string', format: 'uri' };
const iri = { type: 'string', format: 'iri' };
const dateTime = { type: 'string', format: 'date-time' };
const fields = { type: 'object', additionalProperties: ref('SummaryField') };
const i18n = { type: 'array', items: ref('I18nString') };

function object(properties: JsonSchema, required: string[], more: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties, required, ...more };
}

function orNull(schema: JsonSchema, description: string): JsonSchema {
  return { anyOf: [ schema, { type: 'null' }], description };
}

function field(format: string, members: JsonSchema, description: string): JsonSchema {
  const properties = { label: i18n, format: { type: 'string', const: format }, ...members };
  return object(properties, Object.keys(properties), { description });
}

const fieldVariants = {
  string: 'StringField',
  group: 'GroupField',
  date: 'DateField',
  timestamp: 'TimestampField',
  boolean: 'BooleanField',
  number: 'NumberField',
  error: 'ErrorField',
} as const;

const eventTypeList = { type: 'array', items: { type: 'string', enum: [ ...eventTypes ]}, minItems: 1, maxItems: 20 };
const subscriptionMembers = {
  id: { type: 'string', format: 'uuid' },
  endpoint: uri,
  events: { ...eventTypeList, description: 'Types that are pushed: all when absent.' },
  status: { type: 'string', enum: [ 'ACTIVE', 'PAUSED', 'FAILING', 'ENDED' ]},
  createdAt: dateTime,
  attempts: { type: 'integer', description: 'Attempts in a row that failed.' },
  failingSince: dateTime,
  lastFailure: { type: 'string', description: 'Why the last attempt failed.' },
};
const subscriptionRequired = [ 'id', 'endpoint', 'status', 'createdAt', 'attempts' ];

const answers = {
  WebId: object({ uri: { ...uri, description: 'The WebId URI.' }}, [ 'uri' ]),

  Error: object({
    type: { type: 'string', format: 'uri-reference', default: 'about:blank', description: 'Problem type.' },
    title: { type: 'string', description: 'Short summary of the problem type.' },
    status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599 },
    detail: { type: [ 'string', 'null' ], description: 'Explanation specific to this occurrence.' },
    instance: { type: 'string', format: 'uri-reference', description: 'Identifies this occurrence.' },
    timestamp: { ...dateTime, description: 'UTC.' },
    dataValues: {
      type: 'array',
      items: object({
        index: { type: 'integer', description: 'Place in the request, from 0.' },
        id: { type: 'string', description: 'Id of the data value; absent when it is none.' },
        problem: { type: 'string', format: 'uri-reference', description: 'Name of the problem type.' },
        error: { type: 'array', items: ref('I18nString'), description: 'What is wrong with the value.' },
      }, [ 'index', 'problem' ]),
      description: 'Of a refused share: the values that it is about, and why.',
    },
  }, [ 'type', 'title', 'status', 'detail', 'instance', 'timestamp' ], { description: 'RFC 9457 problem document.' }),

  Contract: object({
    '@context': { type: 'string', description: 'JSON-LD context URI.' },
    '@id': { ...uri, description: 'URL of this contract.' },
    '@type': { type: 'string', description: 'Type URI of the contract class.' },
    startDate: { type: 'string', format: 'date', description: 'The contract cannot be consumed before it.' },
    endDate: {
      type: [ 'string', 'null' ],
      format: 'date',
      description: 'If present, the contract cannot be consumed after it.',
    },
    accessMode: { type: 'string', enum: [ 'READ', 'WRITE' ]},
    accessDuration: {
      type: 'string',
      format: 'duration',
      description: 'ISO 8601 duration during which the data user can consume the data.',
    },
    forDataUser: { ...uri, description: 'WebId of the entity the contract was created for.' },
    forDataType: { type: 'array', items: uri, minItems: 1 },
    forPurpose: { ...uri, description: 'URI of an RDF document that describes the purpose.' },
  }, [ '@context', '@type', 'accessDuration', 'forDataUser', 'forDataType', 'forPurpose' ]),

  I18nString: object({
    value: { type: 'string' },
    language: { type: [ 'string', 'null' ], description: 'IETF BCP 47 tag.' },
  }, [ 'value', 'language' ]),

  PersonalDataResponse: object({ dataValues: { type: 'array', items: ref('PersonalDataValue') }}, [ 'dataValues' ]),

  PersonalDataValue: object({
    id: { type: 'string', description: 'Opaque; covers the record and its version.' },
    type: { ...uri, description: 'Data type.' },
    value: { type: 'string', description: 'Credential as a JSON-LD document. Absent when its source is down.' },
    summary: orNull(ref('PersonalDataValueSummary'), 'Generated from the raw data.'),
    error: { ...i18n, description: 'When present, the value is invalid and must not be selected.' },
    unavailable: {
      type: 'boolean',
      const: true,
      description: 'An addition: the value stands for a source that did not answer, and may have data.',
    },
  }, [ 'id', 'type', 'summary' ]),

  ResourceSummary: object({
    type: { ...uri, description: 'Data type.' },
    summary: orNull(ref('PersonalDataValueSummary'), 'Null when it cannot be read as its data type.'),
    error: { ...i18n, description: 'What is wrong with it. Absent when nothing is.' },
  }, [ 'type', 'summary' ]),

  PersonalDataValueSummary: object({
    title: i18n,
    subtitle: i18n,
    details: fields,
  }, [ 'title', 'subtitle', 'details' ]),

  SummaryField: {
    oneOf: Object.values(fieldVariants).map(ref),
    discriminator: {
      propertyName: 'format',
      mapping: Object.fromEntries(
        Object.entries(fieldVariants).map(([ format, name ]): [string, unknown] => [ format, ref(name).$ref ]),
      ),
    },
  },
  StringField: field('string', { items: { type: 'array', items: i18n }}, 'One or more internationalized string items.'),
  GroupField: field('group', { items: fields }, 'Grouped fields.'),
  DateField: field('date', { value: { type: 'string' }}, 'Must be rendered as a date.'),
  TimestampField: field('timestamp', { value: { type: 'string' }}, 'Must be rendered as a timestamp.'),
  BooleanField: field('boolean', { value: { type: 'string' }}, 'Must be rendered as a boolean.'),
  NumberField: field('number', { value: { type: 'string' }}, 'Must be rendered as a number.'),
  ErrorField: field('error', { value: i18n }, 'The field could not be generated; the value says why.'),

  SharedPersonalData: object({
    podResource: { ...uri, description: 'Pod resource to which the data was written.' },
    accessGrant: { ...uri, description: 'Access grant of the contract\'s data user on that resource.' },
  }, [ 'podResource', 'accessGrant' ]),

  ResourceList: object({
    podId: { type: 'string' },
    resources: { type: 'array', items: ref('ResourceRecord') },
    next: orNull(uri, 'URL of the next page.'),
  }, [ 'podId', 'resources', 'next' ]),

  DataUserList: object({ dataUsers: { type: 'array', items: ref('DataUser') }}, [ 'dataUsers' ]),

  DataUser: object({
    uri: { ...uri, description: 'Where its description is, as linked data.' },
    webId: uri,
    names: i18n,
    descriptions: i18n,
    logo: uri,
    contacts: { type: 'array', items: { type: 'string' }},
    privacyStatement: uri,
    redirectUris: { type: 'array', items: uri, description: 'Where citizens may be sent back to.' },
    agreement: { ...i18n, description: 'What it promised the operator; empty when that is not known.' },
  }, [ 'uri', 'webId', 'names', 'descriptions', 'contacts', 'redirectUris', 'agreement' ], {
    description: 'A data user, as the operator describes it.',
  }),

  ResourceRecord: object({
    id: { type: 'string' },
    uri,
    type: orNull(uri, 'Data type; null when no contract made the resource.'),
    contentType: { type: 'string' },
    size: { type: [ 'integer', 'null' ], minimum: 0, description: 'Bytes; null when not known.' },
    etag: { type: [ 'string', 'null' ]},
    created: orNull(dateTime, 'When it was shared first; null when no contract made the resource.'),
    modified: dateTime,
    contract: orNull(uri, 'The contract under which it was shared; null when no contract made the resource.'),
    originInvalidSince: { ...dateTime, description: 'Since when its origin does not stand by it; for the owner.' },
    accessGrants: { type: 'array', items: ref('ResourceGrant') },
  }, [ 'id', 'uri', 'type', 'contentType', 'size', 'created', 'modified', 'accessGrants' ]),

  ResourceGrant: object({
    id: { ...uri, description: 'URI of the access grant.' },
    grantee: { ...uri, description: 'WebId.' },
    mode: { type: 'array', items: { type: 'string', enum: [ 'Read', 'Write', 'Append' ]}},
    status: ref('AccessGrantStatus'),
    expiresAt: orNull(dateTime, 'Null: no end.'),
  }, [ 'id', 'grantee', 'mode', 'status', 'expiresAt' ]),

  AccessGrantStatus: { type: 'string', enum: [ 'ACTIVE', 'REVOKED', 'EXPIRED', 'INVALID' ]},

  AccessGrantRecord: object({
    id: { ...uri, description: 'URI of the access grant.' },
    status: ref('AccessGrantStatus'),
    owner: { ...uri, description: 'WebId of the person who gave it.' },
    grantee: { ...uri, description: 'WebId of the recipient.' },
    resource: uri,
    mode: { type: 'array', items: { type: 'string', enum: [ 'Read', 'Write', 'Append' ]}},
    purpose: { type: 'array', items: iri },
    contract: orNull(uri, 'Null for a grant made without a contract.'),
    issuedAt: dateTime,
    expiresAt: orNull(dateTime, 'Null: no end.'),
    revokedAt: orNull(dateTime, 'Null: not revoked.'),
  }, [
    'id',
    'status',
    'owner',
    'grantee',
    'resource',
    'mode',
    'purpose',
    'contract',
    'issuedAt',
    'expiresAt',
    'revokedAt',
  ]),

  NamedAccessGrant: {
    allOf: [ ref('AccessGrantRecord'), object({
      granteeNames: { ...i18n, description: 'Names of the grantee; empty when this server does not describe it.' },
      purposes: {
        type: 'array',
        items: object({ uri: iri, labels: i18n }, [ 'uri', 'labels' ]),
        description: 'The purposes and their names; empty when this server does not describe them.',
      },
      resources: { type: 'array', items: ref('NamedResource') },
      suspendedAt: {
        ...dateTime,
        description: 'Since when the operator has suspended its grantee or contract; absent: it is not suspended.',
      },
    }, [ 'granteeNames', 'purposes', 'resources' ]) ],
  },
  App: object({
    id: { type: 'string', description: 'Opaque, for the path.' },
    clientId: { type: 'string', description: 'Client identifier, often a URL.' },
    name: { type: 'string', description: 'As the app calls itself: nobody checked it. Absent when it cannot be read.' },
    since: { ...dateTime, description: 'When it was first allowed to act.' },
    lastUsedAt: { ...dateTime, description: 'When it was last logged in to, or last got a new refresh token.' },
  }, [ 'id', 'clientId', 'since', 'lastUsedAt' ]),
  AppList: object({ apps: { type: 'array', items: ref('App') }}, [ 'apps' ]),

  NamedResource: object({
    uri,
    type: orNull(uri, 'Data type; null when no contract made the resource.'),
    labels: { ...i18n, description: 'Names of the data type.' },
  }, [ 'uri', 'type', 'labels' ]),
  Activity: object({
    type: { type: 'string', enum: activityTypes, description: 'What happened.' },
    at: { ...dateTime, description: 'When; of several reads, when the first was.' },
    lastAt: { ...dateTime, description: 'Of several reads, when the last was.' },
    count: {
      type: 'integer',
      minimum: 1,
      description: 'Reads of one party on one resource in one hour are one entry; 1 for anything else.',
    },
    by: orNull(uri, 'WebId of who did it; null: the service, or its operator.'),
    byNames: { ...i18n, description: 'Their names, when this server describes them.' },
    to: orNull(uri, 'WebId of who it was done for, such as the data user that something was shared with.'),
    toNames: { ...i18n, description: 'Their names, when this server describes them.' },
    app: { type: [ 'string', 'null' ], description: 'Client id of the app that acted, when its token names it.' },
    resources: { type: 'array', items: ref('NamedResource') },
    grant: orNull(uri, 'The access grant that it was done with, or done to.'),
    contract: orNull(uri, 'The contract under which it was done.'),
    details: {
      type: 'object',
      description: 'Further details, such as the provider of a log-in or the app that was logged out.',
      additionalProperties: { type: [ 'string', 'number', 'boolean' ]},
    },
  }, [
    'type',
    'at',
    'lastAt',
    'count',
    'by',
    'byNames',
    'to',
    'toNames',
    'app',
    'resources',
    'grant',
    'contract',
    'details',
  ]),
  ActivityList: object({
    activities: { type: 'array', items: ref('Activity') },
    next: orNull(uri, 'URL of the next page.'),
  }, [ 'activities', 'next' ]),
  AccessGrantList: object({
    accessGrants: { type: 'array', items: ref('NamedAccessGrant') },
    next: orNull(uri, 'URL of the next page.'),
  }, [ 'accessGrants', 'next' ]),

  BusinessKeyResult: object({ valid: { type: 'boolean' }}, [ 'valid' ]),

  DataCopyStatus: { type: 'string', enum: [ 'STORED', 'DELETION_DUE', 'DELETED' ]},

  DataCopy: object({
    id: { type: 'string' },
    resource: uri,
    purpose: iri,
    dataUser: { ...uri, description: 'WebId.' },
    accessGrant: uri,
    system: { type: 'string' },
    status: ref('DataCopyStatus'),
    storedAt: dateTime,
    reportedAt: dateTime,
    deletionDueSince: { ...dateTime, description: 'When the earliest reason to delete the copy arose.' },
    deletionReason: ref('DeletionReason'),
    deletedAt: dateTime,
  }, [ 'id', 'resource', 'purpose', 'dataUser', 'accessGrant', 'status', 'storedAt', 'reportedAt' ]),

  ListedContract: object({
    id: { type: 'string', description: 'Its id, in the paths of operations.' },
    uri: { ...uri, description: 'URL of the contract document.' },
    forDataUser: { ...uri, description: 'WebID of the data user.' },
    dataUserNames: { ...i18n, description: 'Names of the data user, when this server describes it.' },
    forDataType: { type: 'array', items: uri },
    forPurpose: uri,
    purposeLabels: { ...i18n, description: 'Names of the purpose, when this server describes it.' },
    accessMode: { type: 'string', enum: [ 'READ', 'WRITE' ]},
    accessDuration: { type: 'string', format: 'duration' },
    startDate: { type: 'string', format: 'date' },
    endDate: { type: 'string', format: 'date' },
  }, [ 'id', 'uri', 'forDataUser', 'forDataType', 'forPurpose', 'accessMode', 'accessDuration' ]),
  ContractList: object({
    contracts: { type: 'array', items: ref('ListedContract') },
    next: orNull(uri, 'URL of the next page.'),
  }, [ 'contracts', 'next' ]),
  DataTypeList: object({
    dataTypes: {
      type: 'array',
      items: object({
        uri: { ...uri, description: 'URI of its description.' },
        labels: i18n,
        source: { ...i18n, description: 'Name of where its records come from. Absent when the operator gives none.' },
      }, [ 'uri', 'labels' ]),
    },
    next: orNull(uri, 'URL of the next page.'),
  }, [ 'dataTypes', 'next' ]),
  ServiceIndex: object({
    contracts: { ...uri, description: 'The contracts that can be used now.' },
    dataTypes: { ...uri, description: 'The data types.' },
    openApi: { ...uri, description: 'The OpenAPI document.' },
    docs: { ...uri, description: 'A page that shows it.' },
    vocabulary: uri,
    credentialIssuer: uri,
    accessIssuer: uri,
    wellKnown: { type: 'array', items: uri },
    more: { type: 'array', items: uri, description: 'Operations that this server has of its own.' },
  }, [ 'dataTypes', 'openApi', 'docs', 'vocabulary', 'credentialIssuer', 'accessIssuer', 'wellKnown' ]),

  DataCopyList: object({
    dataCopies: { type: 'array', items: ref('DataCopy') },
    next: orNull(uri, 'URL of the next page.'),
  }, [ 'dataCopies', 'next' ]),

  Event: object({
    specversion: { type: 'string', const: '1.0' },
    id: { type: 'string', format: 'uuid', description: 'Identical when an event is delivered twice.' },
    source: { ...uri, description: 'URL of the feed.' },
    type: { type: 'string', enum: [ ...eventTypes ]},
    time: { ...dateTime, description: 'Moment of the cause.' },
    sequence: { type: 'string', pattern: String.raw`^\d{16}$`, description: 'Orders the events of one caller.' },
    datacontenttype: { type: 'string', const: 'application/json' },
    data: object({
      accessGrant: uri,
      accessRequest: uri,
      contract: uri,
      resources: { type: 'array', items: uri },
      resource: uri,
      purpose: iri,
      planRequest: uri,
    }, [], { description: 'URIs of what it is about: never personal data.' }),
  }, [ 'specversion', 'id', 'source', 'type', 'time', 'sequence', 'datacontenttype', 'data' ], {
    description: 'An event in the JSON format of CloudEvents 1.0.',
  }),
  EventList: object({
    events: { type: 'array', items: ref('Event'), description: 'In the order of their causes.' },
    next: { ...uri, description: 'URL of what follows: ask it again later when there is no more yet.' },
    more: { type: 'boolean', description: 'Whether more events are available already.' },
  }, [ 'events', 'next', 'more' ]),

  Subscription: object(subscriptionMembers, [ ...subscriptionRequired ]),
  NewSubscription: object({
    ...subscriptionMembers,
    secret: { type: 'string', description: 'For `v1` signatures of Standard Webhooks. Shown once.' },
  }, [ ...subscriptionRequired, 'secret' ]),
  SubscriptionList: object({
    subscriptions: { type: 'array', items: ref('Subscription') },
  }, [ 'subscriptions' ]),

  CredentialPage: object({ items: { type: 'array', items: ref('Credential') }}, [ 'items' ]),
  VerificationResult: object({
    checks: { type: 'array', items: { type: 'string' }},
    warnings: { type: 'array', items: { type: 'string' }},
    errors: { type: 'array', items: { type: 'string' }, description: 'Empty: it is valid.' },
  }, [ 'checks', 'warnings', 'errors' ]),
  VcConfiguration: object({
    '@context': { type: 'array' },
    issuerService: uri,
    statusService: uri,
    verifierService: uri,
    derivationService: uri,
    queryService: uri,
  }, [ '@context', 'issuerService', 'statusService', 'verifierService', 'derivationService', 'queryService' ]),

  Building: { description: 'A document of the building register, unchanged.' },
  Credential: { type: 'object', description: 'A signed verifiable credential.' },
  ControllerDocument: {
    type: 'object',
    description: 'Verification methods of an issuer.',
    properties: { id: uri, verificationMethod: { type: 'array' }},
  },
  UmaConfiguration: object({
    issuer: uri,
    token_endpoint: uri,
    verifiable_credential_issuer: uri,
    jwks_uri: uri,
  }, [ 'issuer', 'token_endpoint', 'verifiable_credential_issuer' ], { description: 'UMA 2.0 discovery document.' }),
  JwkSet: object({ keys: { type: 'array', items: { type: 'object' }}}, [ 'keys' ]),
  UmaToken: object({
    access_token: { type: 'string' },
    token_type: { type: 'string', const: 'Bearer' },
    expires_in: { type: 'integer', description: 'Seconds.' },
  }, [ 'access_token', 'token_type', 'expires_in' ]),
  OAuthError: object({
    error: { type: 'string' },
    error_description: { type: 'string' },
    ticket: { type: 'string', description: 'With `need_info`: a new ticket.' },
    required_claims: {
      type: 'array',
      items: object({ claim_token_format: { type: 'array', items: { type: 'string' }}}, []),
      description: 'With `need_info`: the formats of claim tokens that are accepted.',
    },
  }, [ 'error' ], { description: 'RFC 6749, section 5.2.' }),
  OpenApi: object({ openapi: { type: 'string' }, paths: { type: 'object' }}, [ 'openapi', 'paths' ]),
} satisfies Partial<Record<SchemaName, JsonSchema>>;

/** Reasons for deleting a copy. */
export const deletionReason = {
  type: 'string',
  enum: [ 'GRANT_EXPIRED', 'GRANT_REVOKED', 'GRANT_INVALID', 'RESOURCE_ABSENT', 'VC_INVALID', 'NO_LONGER_NEEDED' ],
} as const;

/** Bounded by the bounds on paths, as where it is read. */
const copiedResource = { ...iri, description: 'URI of the resource.' };

const requests = {
  ShareRequest: object({
    dataValues: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 1024 },
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'Ids of the data values to share.',
    },
  }, [ 'dataValues' ]),

  BusinessKeyRequest: businessKeyRequest(belgianKey),

  DataCopyReport: object({
    resource: copiedResource,
    accessGrant: { ...uri, maxLength: 2048 },
    purpose: { ...iri, maxLength: 2048, description: 'May be left out when the access grant has one purpose.' },
    storedAt: {
      ...dateTime,
      description: 'When the copy was made, by default now. Needed to report it again after reading a new version.',
    },
    system: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      // PostgreSQL accepts no U+0000.
      pattern: '^[^\\u0000]*$',
      description: 'Where the copy is.',
    },
  }, [ 'resource', 'accessGrant' ]),

  DeletionReason: deletionReason,

  IssueRequest: object({
    credential: {
      type: 'object',
      description: 'A SolidAccessRequest, SolidAccessGrant or SolidAccessDenial without id, issuer and proof. ' +
        'Its subject is the caller, whatever it says.',
    },
  }, [ 'credential' ]),

  StatusChange: object({
    credentialId: { type: 'string', maxLength: 2048 },
    credentialStatus: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: object({
        type: { type: 'string', enum: [ 'RevocationList2020Status' ]},
        status: { type: 'string', enum: [ '1' ], description: 'Revoked: nothing else can be set.' },
      }, [ 'type', 'status' ]),
    },
  }, [ 'credentialId', 'credentialStatus' ]),

  VerificationRequest: {
    type: 'object',
    properties: {
      verifiableCredential: { type: 'object' },
      verifiablePresentation: { type: 'object' },
      options: { type: 'object' },
    },
    oneOf: [{ required: [ 'verifiableCredential' ]}, { required: [ 'verifiablePresentation' ]}],
  },

  DeriveRequest: object({
    verifiableCredential: { type: 'object', description: 'A credential with only the members that matter.' },
    options: {
      type: 'object',
      properties: {
        include: { description: 'ExpiredVerifiableCredential, to have those that are not in force as well.' },
      },
    },
  }, [ 'verifiableCredential' ]),

  PresentationRequest: object({
    query: { description: 'Queries of type `QueryByExample`, 1 to 5 examples in all.' },
  }, [ 'query' ], { description: 'Verifiable presentation request; its other members mean nothing here.' }),

  SubscriptionRequest: object({
    endpoint: {
      type: 'string',
      format: 'uri',
      maxLength: 2048,
      pattern: '^https?://[^@#]+$',
      description: 'Public https URL that takes events.',
    },
    events: { ...eventTypeList, uniqueItems: true },
  }, [ 'endpoint' ], { additionalProperties: false }),
  ReplayRequest: object({
    after: { type: 'string', minLength: 1, maxLength: 128, description: 'A cursor: `after` in `next` of the feed.' },
  }, [], { additionalProperties: false }),
  DataCopyDeletion: object({
    resource: copiedResource,
    purpose: { ...iri, maxLength: 2048, description: 'May be left out when one copy of the resource is open.' },
    reason: ref('DeletionReason'),
  }, [ 'resource' ]),
} satisfies Partial<Record<SchemaName, JsonSchema>>;

/** Every schema of the interface, used to check bodies and in the OpenAPI document. */
export const schemas: Record<SchemaName, JsonSchema> = { ...answers, ...requests };

/** Body of `POST /v1/contracts/{contractId}/data`: the values that the citizen chose. */
export interface ShareRequest {
  dataValues: string[];
}

/** Returns the schemas for a server with this type of business key. */
export function schemasFor(businessKeyType: string): Record<SchemaName, JsonSchema> {
  if (businessKeyType === belgianKey) {
    return schemas;
  }
  return { ...schemas, BusinessKeyRequest: businessKeyRequest(businessKeyType) };
}

/** Schema of the request to verify a business key of this type. */
function businessKeyRequest(type: string): JsonSchema {
  return object({
    businessKey: object({
      type: { type: 'string', enum: [ type ]},
      value: { type: 'string', minLength: 1, maxLength: 64, description: 'Separators are ignored.' },
    }, [ 'type', 'value' ]),
    accessGrantVc: {
      type: 'string',
      minLength: 1,
      description: 'The access grant, or a presentation with it, as JSON text or as base64 or base64url of that.',
    },
  }, [ 'businessKey', 'accessGrantVc' ]);
}
