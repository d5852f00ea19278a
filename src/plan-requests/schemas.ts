import { schemas as sharedSchemas } from '../api/schemas';
import type { JsonSchema } from '../platform/jsonSchema';
import { uuidPattern } from '../platform/uuid';
import { systems } from './geometry/systems';
import { packageSteps, stepStates } from './packages/Report';
import { mailLanguages, mailNames, mapRequestStates, packageStates, unaZoneStates } from './PlanStores';

const uuid = { type: 'string', pattern: uuidPattern, description: 'A UUID.' };
/** A line of text without control characters: PostgreSQL accepts no U+0000. */
const oneLine = '^[^\\u0000-\\u001F\\u007F]+$';
const name = { type: 'string', minLength: 1, maxLength: 200, pattern: oneLine };
const dateTime = { type: 'string', format: 'date-time', description: 'UTC.' };

/** References a schema of plan requests, both in the validator and in the OpenAPI document. */
function planRef(schema: string): JsonSchema {
  return { $ref: `#/components/schemas/${schema}` };
}

function object(properties: JsonSchema, required: string[] = Object.keys(properties), more: JsonSchema = {}):
JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false, ...more };
}

const settings = object({
  ContactEmail: { type: 'string', format: 'email', maxLength: 254 },
  Phone: { type: 'string', maxLength: 30, description: 'Digits, `+`, `/`, `.` and spaces.' },
  Language: { type: 'string', enum: mailLanguages },
  Mails: object(
    Object.fromEntries(mailNames.map((mail): [string, object] => [ mail, { type: 'boolean' }])),
    [],
    { description: 'The notices that mails are sent about.' },
  ),
}, [ 'Language' ]);

const day = {
  type: 'string',
  anyOf: [{ format: 'date' }, { format: 'date-time' }],
  description: 'A date, or a time, which stands for its date in Belgium.',
};
const line = { type: 'string', minLength: 1, maxLength: 200 };
/** A part of an address, such as a number or an empty box. */
const part = { type: [ 'string', 'number', 'null' ], maxLength: 200 };
const longText = { type: 'string', maxLength: 4000 };
const zoneState = { type: 'string', enum: [ ...unaZoneStates, 'Invalid' ]};
const requestMembers = {
  Reference: { ...line, maxLength: 100 },
  Location: longText,
  Description: longText,
  StartDate: day,
  EndDate: day,
  NatureOfWorks: { ...line, description: 'A code of the list that the operator of the server gives.' },
  ExecutionMethod: line,
  Depth: {
    type: [ 'number', 'string' ],
    minimum: 0,
    maximum: 10_000,
    minLength: 1,
    maxLength: 200,
    description: 'Metres, or in words.',
  },
  Tags: { type: 'array', items: line, maxItems: 50 },
  OrderVectorData: { type: 'boolean' },
  ContactInfo: object({
    Name: line,
    Email: { type: 'string', format: 'email', maxLength: 254 },
    Phone: { type: 'string', maxLength: 30 },
    Address: { type: 'object', propertyNames: { maxLength: 50 }, additionalProperties: part, maxProperties: 20 },
  }, [ 'Name', 'Email' ]),
};
const needed = [ 'Reference', 'StartDate', 'EndDate', 'NatureOfWorks', 'ContactInfo' ];
const answeredMembers = { ...requestMembers, MapRequestId: uuid, ReceivedOn: dateTime, CompleteBefore: dateTime };
const answeredNeeded = [ ...needed, 'Tags', 'OrderVectorData', 'MapRequestId', 'ReceivedOn', 'CompleteBefore' ];

function pageOf(schema: string): JsonSchema {
  return object({
    MapRequests: { type: 'array', items: planRef(schema) },
    NextOffset: { type: [ 'integer', 'null' ], description: 'Of the next page, if any.' },
  });
}

/** Schemas of bodies and answers, by name. */
export const planSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: sharedSchemas.Error,
  // Part of an error.
  I18nString: sharedSchemas.I18nString,
  OpenApi: sharedSchemas.OpenApi,
  Zone: object({
    Srs: { type: 'string', enum: systems, default: systems[0] },
    Geometry: {
      type: 'object',
      description: 'A GeoJSON Polygon or MultiPolygon in metres of the system, with at most 10,000 positions of two ' +
        'coordinates.',
    },
    Wkt: { type: 'string', description: 'The same as well-known text, in the place of `Geometry`.' },
  }, [], { description: 'Either `Geometry` or `Wkt`.' }),
  Overlay: object({
    MapRequestId: uuid,
    Status: { type: 'string', enum: [ 'Completed' ]},
    CreatedOn: dateTime,
    Unas: { type: 'array', items: planRef('FoundUna') },
  }),
  FoundUna: object({
    UnaId: uuid,
    Name: name,
    UnaZoneIds: { type: 'array', items: uuid },
    IsKlim: { type: 'boolean' },
  }),
  Una: object({
    UnaId: uuid,
    Name: name,
    OrganisationId: uuid,
    IsKlim: { type: 'boolean', description: 'A member of the federal operators\' registry: its terms are longer.' },
    SigningCertificateSubject: {
      type: [ 'string', 'null' ],
      minLength: 1,
      maxLength: 500,
      pattern: oneLine,
      description: 'Subject of the certificate that its packages are signed with; null when they are not.',
    },
  }, [ 'UnaId', 'Name', 'OrganisationId' ]),
  UnaList: { type: 'array', items: planRef('Una') },
  UnaZoneSettings: settings,
  UnaZoneRegistration: object({
    UnaZoneId: { ...uuid, description: 'Of a zone that is there: it is announced again.' },
    UnaId: uuid,
    Name: name,
    Settings: planRef('UnaZoneSettings'),
    Geometries: { type: 'array', items: planRef('Zone'), minItems: 1, maxItems: 100 },
  }, [ 'UnaId', 'Name', 'Settings', 'Geometries' ]),
  UnaZone: object({
    UnaZoneId: uuid,
    UnaId: uuid,
    Name: name,
    Settings: planRef('UnaZoneSettings'),
    RegistryState: { type: 'string', enum: [ 'NotAnnounced', 'Registering', 'Registered', 'RegistrationFailed' ]},
  }),
  ZoneGeometryId: object({ UtilityNetworkAuthorityZoneGeometryId: uuid }),
  NewPdaZone: object({
    PdaZoneId: { ...uuid, description: 'Of the zone; else it gets one.' },
    Name: name,
    OrganisationId: uuid,
    Zone: planRef('Zone'),
  }, [ 'Name', 'Zone' ]),
  PdaZone: object({ PdaZoneId: uuid, Name: name, OrganisationId: uuid, Zone: planRef('Zone') }),
  PdaZoneList: { type: 'array', items: planRef('PdaZone') },
  NewMapRequest: object(
    { ...requestMembers, MapRequestZone: planRef('Zone') },
    [ ...needed, 'MapRequestZone' ],
    // Accepted here, because each of them is refused with its own problem.
    { patternProperties: { '^Delivery': {}}},
  ),
  FiledMapRequest: object({
    ...answeredMembers,
    Status: { type: 'string', enum: mapRequestStates },
    Unas: {
      type: 'array',
      items: object({ UnaId: uuid, Name: name, UnaZoneId: uuid, State: zoneState }),
    },
    MapRequestZone: planRef('Zone'),
  }, [ ...answeredNeeded, 'Status', 'Unas' ]),
  FiledMapRequestList: pageOf('FiledMapRequest'),
  ReceivedMapRequest: object({
    ...answeredMembers,
    UnaZones: { type: 'array', items: object({
      UnaZoneId: uuid,
      UnaId: uuid,
      State: zoneState,
      ConfirmBefore: dateTime,
      AnswerBefore: dateTime,
    }) },
    MapRequestZone: planRef('Zone'),
  }, [ ...answeredNeeded, 'UnaZones' ]),
  SeenMapRequest: object({
    ...answeredMembers,
    Status: { type: 'string', enum: mapRequestStates },
    Unas: { type: 'array', items: object({ UnaId: uuid, Name: name, UnaZoneId: uuid }) },
    MapRequestZone: planRef('Zone'),
  }, [ ...answeredNeeded, 'Status', 'Unas' ]),
  SeenMapRequestList: pageOf('SeenMapRequest'),
  ReceivedMapRequestList: pageOf('ReceivedMapRequest'),
  PackageReport: object({
    TestId: uuid,
    MapRequestId: uuid,
    UnaZoneId: uuid,
    PackageId: uuid,
    State: { type: 'string', enum: packageStates },
    Size: { type: 'integer', description: 'Bytes.' },
    ReceivedOn: dateTime,
    FinishedOn: { ...dateTime, type: [ 'string', 'null' ]},
    Progress: { type: 'integer', minimum: 0, maximum: 100 },
    Steps: {
      type: 'array',
      description: 'In their order; after one that fails, the others are skipped.',
      items: object({ Name: { type: 'string', enum: packageSteps }, State: { type: 'string', enum: stepStates }}),
    },
    Findings: {
      type: 'array',
      items: object({
        Step: { type: 'string', enum: packageSteps },
        Rule: { type: 'string' },
        Message: { type: 'string' },
        File: { type: 'string', description: 'Name in the package.' },
        Line: { type: 'integer' },
      }, [ 'Step', 'Rule', 'Message' ]),
    },
    Credential: {
      type: 'object',
      description: 'After validation: a verifiable credential of this server about the report without this member. ' +
        'The `digestSRI` of its subject is the SHA-256 of that as canonical JSON (RFC 8785).',
    },
  }, [ 'State', 'Size', 'ReceivedOn', 'FinishedOn', 'Progress', 'Steps', 'Findings' ]),
  MapRequestReply: object({ MapRequestId: uuid, UnaZoneId: uuid }),
  MapRequestState: object({ MapRequestId: uuid, UnaZoneId: uuid, State: zoneState }),
  FoundUnaList: { type: 'array', items: planRef('FoundUna') },
};
