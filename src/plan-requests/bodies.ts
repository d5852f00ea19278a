import type { GivenZone } from './geometry/readZone';
import { writeZone } from './geometry/readZone';
import type { System } from './geometry/systems';
import type { ListedSent, SentMapRequest } from './MapRequests';
import { packageSteps } from './packages/Report';
import type {
  ContactInfo,
  FoundUna,
  MapRequestContent,
  MapRequestState,
  NetworkPackage,
  Overlay,
  PdaZone,
  RequestZone,
  Una,
  UnaZone,
  ZoneSettings,
} from './PlanStores';

/** Settings of a zone on the wire. */
export interface GivenSettings {
  ContactEmail?: string;
  Phone?: string;
  Language: ZoneSettings['language'];
  Mails?: ZoneSettings['mails'];
}

/** A utility network authority on the wire. */
export interface GivenUna {
  UnaId: string;
  Name: string;
  OrganisationId: string;
  IsKlim?: boolean;
  SigningCertificateSubject?: string | null;
}

/** A zone of a utility network authority, as it is registered. */
export interface GivenUnaZone {
  UnaZoneId?: string;
  UnaId: string;
  Name: string;
  Settings: GivenSettings;
  Geometries: GivenZone[];
}

/** A zone of a utility network authority on the wire. */
export interface WrittenUnaZone {
  UnaZoneId: string;
  UnaId: string;
  Name: string;
  Settings: GivenSettings;
  RegistryState: UnaZone['registryState'];
}

/** A zone of a public domain authority, as it is created or replaced. */
export interface GivenPdaZone {
  PdaZoneId?: string;
  Name: string;
  OrganisationId?: string;
  Zone: GivenZone;
}

/** A plan request, as it is filed. */
export interface GivenMapRequest {
  Reference: string;
  Location?: string;
  Description?: string;
  StartDate: string;
  EndDate: string;
  NatureOfWorks: string;
  ExecutionMethod?: string;
  Depth?: number | string;
  Tags?: string[];
  OrderVectorData?: boolean;
  ContactInfo: ContactInfo;
  MapRequestZone: GivenZone;
}

/** An operator's answer about a plan request in a zone. */
export interface GivenReply {
  MapRequestId: string;
  UnaZoneId: string;
}

/** Types of bodies by the names of their schemas. */
export interface PlanBodies {
  Zone: GivenZone;
  Una: GivenUna;
  UnaZoneSettings: GivenSettings;
  UnaZoneRegistration: GivenUnaZone;
  NewPdaZone: GivenPdaZone;
  NewMapRequest: GivenMapRequest;
  MapRequestReply: GivenReply;
}

export function readUna(una: GivenUna): Una {
  return {
    id: una.UnaId.toLowerCase(),
    name: una.Name,
    organisationId: una.OrganisationId.toLowerCase(),
    isKlim: una.IsKlim ?? false,
    ...typeof una.SigningCertificateSubject === 'string' && { signingSubject: una.SigningCertificateSubject },
  };
}

export function readSettings(settings: GivenSettings): ZoneSettings {
  return {
    ...settings.ContactEmail !== undefined && { contactEmail: settings.ContactEmail },
    ...settings.Phone !== undefined && { phone: settings.Phone },
    language: settings.Language,
    mails: settings.Mails ?? {},
  };
}

export function writeUna({ id, isKlim, name, organisationId, signingSubject }: Una): object {
  return {
    UnaId: id,
    Name: name,
    OrganisationId: organisationId,
    IsKlim: isKlim,
    SigningCertificateSubject: signingSubject ?? null,
  };
}

export function writeUnaZone({ id, name, registryState, settings, unaId }: UnaZone): WrittenUnaZone {
  const { contactEmail, language, mails, phone } = settings;
  return {
    UnaZoneId: id,
    UnaId: unaId,
    Name: name,
    Settings: {
      ...contactEmail !== undefined && { ContactEmail: contactEmail },
      ...phone !== undefined && { Phone: phone },
      Language: language,
      Mails: mails,
    },
    RegistryState: registryState,
  };
}

export function writeFoundUna({ isKlim, name, unaId, unaZoneIds }: FoundUna): object {
  return { UnaId: unaId, Name: name, UnaZoneIds: unaZoneIds, IsKlim: isKlim };
}

export function writeOverlay({ createdAt, id, unas }: Overlay): object {
  return {
    MapRequestId: id,
    Status: 'Completed',
    CreatedOn: createdAt.toISOString(),
    Unas: unas.map(writeFoundUna),
  };
}

export function writePdaZone({ id, name, organisationId, ...zone }: PdaZone, srs: System): object {
  return { PdaZoneId: id, Name: name, OrganisationId: organisationId, Zone: writeZone(zone, srs) };
}

export function readMapRequest(given: GivenMapRequest): MapRequestContent {
  return {
    reference: given.Reference,
    location: given.Location,
    description: given.Description,
    startDate: inUtc(given.StartDate),
    endDate: inUtc(given.EndDate),
    natureOfWorks: given.NatureOfWorks,
    executionMethod: given.ExecutionMethod,
    depth: given.Depth,
    tags: given.Tags ?? [],
    orderVectorData: given.OrderVectorData ?? false,
    contact: given.ContactInfo,
  };
}

/** Writes a plan request for its initiator; with its zone when a system is given. */
export function writeFiled(
  { request, zones }: ListedSent | SentMapRequest,
  state: MapRequestState,
  srs?: System,
): object {
  return {
    ...writeRequest({ request, zones }, srs),
    Status: state,
    Unas: zones.map(({ state: zoneState, unaId, unaName, zoneId }): object =>
      ({ UnaId: unaId, Name: unaName, UnaZoneId: zoneId, State: zoneState })),
  };
}

/** Writes a plan request for an operator whose zones it meets. */
export function writeReceived({ request, zones }: ListedSent | SentMapRequest, srs?: System): object {
  return {
    ...writeRequest({ request, zones }, srs),
    UnaZones: zones.map(({ answerBy, confirmBy, state, unaId, zoneId }: RequestZone): object => ({
      UnaZoneId: zoneId,
      UnaId: unaId,
      State: state,
      ConfirmBefore: confirmBy.toISOString(),
      AnswerBefore: answerBy.toISOString(),
    })),
  };
}

/** Writes a plan request for a municipality: with the operators that are asked, but without their answers. */
export function writeSeen(
  { request, zones }: ListedSent | SentMapRequest,
  state: MapRequestState,
  srs?: System,
): object {
  return {
    ...writeRequest({ request, zones }, srs),
    Status: state,
    Unas: zones.map(({ unaId, unaName, zoneId }): object => ({ UnaId: unaId, Name: unaName, UnaZoneId: zoneId })),
  };
}

/** Writes the report of a package; a test has an id instead of a request and a zone. */
export function writePackage({ finishedAt, id, receivedAt, report, requestId, size, state, zoneId }: NetworkPackage):
object {
  return {
    ...requestId === undefined ? { TestId: id } : { MapRequestId: requestId, UnaZoneId: zoneId, PackageId: id },
    State: state,
    Size: size,
    ReceivedOn: receivedAt.toISOString(),
    FinishedOn: finishedAt?.toISOString() ?? null,
    Progress: report.progress,
    Steps: packageSteps.map((step): object => ({ Name: step, State: report.steps[step] })),
    Findings: report.findings.map(({ file, line, message, rule, step }): object =>
      ({ Step: step, Rule: rule, Message: message, File: file, Line: line })),
  };
}

function writeRequest({ request }: ListedSent | SentMapRequest, srs: System | undefined): object {
  const { content, id, packageBy, receivedAt } = request;
  return {
    MapRequestId: id,
    Reference: content.reference,
    Location: content.location,
    Description: content.description,
    StartDate: content.startDate,
    EndDate: content.endDate,
    NatureOfWorks: content.natureOfWorks,
    ExecutionMethod: content.executionMethod,
    Depth: content.depth,
    Tags: content.tags,
    OrderVectorData: content.orderVectorData,
    ContactInfo: content.contact,
    ReceivedOn: receivedAt.toISOString(),
    CompleteBefore: packageBy.toISOString(),
    ...srs && 'given' in request && { MapRequestZone: writeZone(request, srs) },
  };
}

/** Writes a time in UTC; dates stay. */
function inUtc(day: string): string {
  const time = new Date(day);
  // Times that match the format but no date are refused later.
  return /T.*Z$|^[\d-]*$/u.test(day) || Number.isNaN(time.getTime()) ? day : time.toISOString();
}
