import type { AuditLog } from '../audit/AuditLog';
import type { Outbox } from '../events/EventStore';
import type { Records } from '../platform/Records';
import type { Polygons } from './geometry/polygons';
import type { Zone } from './geometry/readZone';
import type { PackageReport } from './packages/Report';

/** A utility network authority: operates cables or pipes. */
export interface Una {
  id: string;
  organisationId: string;
  name: string;
  /** A member of the federal operators' registry: it has longer terms. */
  isKlim: boolean;
  /** Subject of the certificate that its packages are signed with. */
  signingSubject?: string;
}

/** Languages of mails. */
export const mailLanguages = [ 'nl', 'fr', 'de', 'en' ] as const;
/** Notices that mails are sent about, as settings name them. */
export const mailNames = [ 'Confirm', 'Reminder', 'Complete', 'Archived' ] as const;

/** A notice about a plan request. */
export type Notice = typeof mailNames[number];

/** Contact and mail settings of a zone. */
export interface ZoneSettings {
  contactEmail?: string;
  phone?: string;
  language: typeof mailLanguages[number];
  mails: Partial<Record<typeof mailNames[number], boolean>>;
}

/** Progress of announcing a zone to the regional registry; `NotAnnounced` where there is none. */
export type RegistryState = 'NotAnnounced' | 'Registering' | 'Registered' | 'RegistrationFailed';

/** The zone that a utility network authority manages. */
export interface UnaZone {
  id: string;
  unaId: string;
  name: string;
  settings: ZoneSettings;
  registryState: RegistryState;
}

/** A geometry of a zone. */
export interface ZoneGeometry extends Zone {
  id: string;
  zoneId: string;
}

/** A zone of a public domain authority. */
export interface PdaZone extends Zone {
  id: string;
  organisationId: string;
  name: string;
}

/** An operator that an overlay found, as it is answered. */
export interface FoundUna {
  unaId: string;
  name: string;
  unaZoneIds: string[];
  isKlim: boolean;
}

/** An answered overlay. */
export interface Overlay {
  id: string;
  organisationId: string;
  createdAt: Date;
  unas: FoundUna[];
}

/** A zone as the index of zones has it. */
export interface IndexedZone {
  id: string;
  /** Absent when the zone was removed. */
  polygons?: Polygons[];
}

/** Changes of zones after a version. */
export interface ZoneChanges {
  version: number;
  unas: Una[];
  unaZones: (IndexedZone & Pick<UnaZone, 'unaId'>)[];
  pdaZones: (IndexedZone & Pick<PdaZone, 'organisationId'>)[];
}

/** States of a plan request in a zone that are stored. */
export const unaZoneStates = [ 'ToConfirm', 'Confirmed', 'Validating', 'Responded', 'NotInvolved' ] as const;
/** The same, and what an operator is told that answers again. */
export type UnaZoneState = typeof unaZoneStates[number] | 'Invalid';

/** An authority that is asked about a plan request; names as on the wire. */
export interface ContactInfo {
  Name: string;
  Email: string;
  Phone?: string;
  Address?: Record<string, string>;
}

/** A plan request without its zone. Dates are days in Belgium. */
export interface MapRequestContent {
  reference: string;
  location?: string;
  description?: string;
  startDate: string;
  endDate: string;
  natureOfWorks: string;
  executionMethod?: string;
  /** Metres. */
  depth?: number;
  tags: string[];
  orderVectorData: boolean;
  contact: ContactInfo;
}

/** A plan request with its zone. */
export interface MapRequest extends ListedMapRequest, Zone {}

/** A plan request in a list: without its zone, which may be large. */
export interface ListedMapRequest {
  id: string;
  organisationId: string;
  receivedAt: Date;
  /** End of the term for all answers together. */
  packageBy: Date;
  archivedAt: Date;
  /** When the last operator answered. */
  closedAt?: Date;
  content: MapRequestContent;
  /** How many zones of operators it was sent to. */
  zones: number;
  /** How many of them were answered with plans. */
  plans: number;
}

/** States of a request, as who filed it sees it. */
export const mapRequestStates = [
  'NoUnaInvolved',
  'Waiting',
  'NoNetworksInZone',
  'IncompleteAnswerAvailable',
  'IncompletePackageAvailable',
  'PlansAvailable',
  'TermElapsed',
] as const;
/** State of a request, as who filed it sees it. */
export type MapRequestState = typeof mapRequestStates[number];

/** A zone of an operator that a plan request was sent to. */
export interface RequestZone {
  requestId: string;
  zoneId: string;
  unaId: string;
  unaName: string;
  organisationId: string;
  receivedAt: Date;
  archivedAt: Date;
  state: UnaZoneState;
  confirmBy: Date;
  answerBy: Date;
}

/** Plan requests that a list has. */
export interface MapRequestFilter {
  reference?: string;
  receivedAfter?: Date;
  closed?: boolean;
  zoneId?: string;
  state?: UnaZoneState;
  offset: number;
  limit: number;
}

/** Plan requests that the list of a municipality has. */
export interface SeenMapRequestFilter extends Pick<MapRequestFilter, 'limit' | 'offset'> {
  from?: Date;
  to?: Date;
  status?: MapRequestState;
}

/** A request that was removed, and where it had been sent to. */
export interface ArchivedRequest extends Pick<MapRequest, 'id' | 'organisationId'> {
  sentTo: Pick<RequestZone, 'organisationId' | 'zoneId'>[];
}

/** Plan requests. Writes belong in a transaction. */
export interface MapRequestStore {
  /**
   * @param request - The request.
   * @param zones - Of operators that it is sent to.
   * @param pdas - Organisations of the municipalities that see it.
   */
  save: (request: MapRequest, zones: readonly RequestZone[], pdas: readonly string[]) => Promise<void>;
  find: (id: string) => Promise<MapRequest | undefined>;
  /** Finds one, and holds others off who would change it. */
  lock: (id: string) => Promise<MapRequest | undefined>;
  listZones: (requestIds: readonly string[]) => Promise<RequestZone[]>;
  /** Lists those of who filed them that are not archived, the latest first. */
  listFiled: (organisationId: string, filter: MapRequestFilter & { now: Date }) => Promise<ListedMapRequest[]>;
  /** Lists those in zones of an operator, likewise. */
  listReceived: (organisationId: string, filter: MapRequestFilter & { now: Date }) => Promise<ListedMapRequest[]>;
  /** Lists those that a municipality sees, likewise. */
  listSeen: (organisationId: string, filter: SeenMapRequestFilter & { now: Date }) => Promise<ListedMapRequest[]>;
  /** Checks whether a municipality sees one. */
  isSeenBy: (id: string, organisationId: string) => Promise<boolean>;
  setState: (zone: RequestZone, at: Date, closesRequest: boolean) => Promise<void>;
  /** Removes some that are archived, with all that belongs to them; returns them, each to one process. */
  removeArchived: (now: Date) => Promise<ArchivedRequest[]>;
  /** Checks whether a request is open in a zone. */
  isOpenIn: (zoneId: string, now: Date) => Promise<boolean>;
}

/** States of a package. */
export const packageStates = [ 'Validating', 'Accepted', 'Rejected' ] as const;

/** A package that an operator uploaded. */
export interface NetworkPackage {
  id: string;
  /** Absent for a test. */
  requestId?: string;
  zoneId?: string;
  organisationId: string;
  /** Bytes. */
  size: number;
  receivedAt: Date;
  finishedAt?: Date;
  state: typeof packageStates[number];
  report: PackageReport;
}

/** Packages. Writes belong in a transaction, but for progress. */
export interface PackageStore {
  find: (id: string) => Promise<NetworkPackage | undefined>;
  /** Lists those of a request, the latest first. */
  listOf: (requestId: string) => Promise<NetworkPackage[]>;
  save: (made: NetworkPackage) => Promise<void>;
  /** Notes progress, unless it is finished. */
  note: (id: string, report: PackageReport) => Promise<void>;
  finish: (done: NetworkPackage) => Promise<void>;
  /** Bytes of the tests of an organisation that are not judged. */
  sizeOfWaitingTests: (organisationId: string) => Promise<number>;
  /** Removes tests that were received before a moment. */
  removeTestsBefore: (moment: Date) => Promise<void>;
  /** Lists those of some ids whose bytes are needed: to be judged, or as an answer. */
  listNeeded: (ids: readonly string[]) => Promise<Set<string>>;
}

/** Kinds of work that outlives a process. */
export const jobKinds = [ 'announce', 'mail', 'remind', 'validate' ] as const;
/** One of them. */
export type JobKind = typeof jobKinds[number];

/** Work that a process has. */
export interface Job {
  id: string;
  kind: JobKind;
  /** Id of what it is about. */
  subject: string;
  /** How often it was begun, this time included. */
  attempts: number;
}

/** Work that is done once over all processes: by the one that has it, which goes on saying so. */
export interface JobStore {
  /** Adds work; one of this kind about the same is begun anew. */
  add: (kind: JobKind, subject: string, dueAt: Date) => Promise<void>;
  /**
   * Gives work that is due and that nobody has to a process.
   *
   * @param holder - The process.
   * @param now - The moment.
   * @param kinds - Of work that it may be.
   * @param until - When another process may take over.
   */
  claim: (holder: string, now: Date, kinds: readonly JobKind[], until: (kind: JobKind) => Date) =>
  Promise<Job | undefined>;
  /** Goes on having it; false when another process has it by now. */
  keep: (id: string, holder: string, until: Date) => Promise<boolean>;
  /** Removes it, or leaves it for later; false when another process has it by now. */
  end: (id: string, holder: string, again?: Date) => Promise<boolean>;
}

/** Utility network authorities. Writes belong in a transaction. */
export interface UnaStore {
  find: (id: string) => Promise<Una | undefined>;
  listOf: (organisationId: string) => Promise<Una[]>;
  save: (una: Una) => Promise<void>;
}

/** Their zones. Writes belong in a transaction. */
export interface UnaZoneStore {
  /** Finds a zone that was not removed. */
  find: (id: string) => Promise<UnaZone | undefined>;
  listGeometries: (zoneId: string) => Promise<ZoneGeometry[]>;
  /** Finds a zone with the version of its latest change, also one that was removed. */
  findVersion: (id: string) => Promise<{ zone: UnaZone; version: number; isRemoved: boolean } | undefined>;
  save: (zone: UnaZone) => Promise<void>;
  /** Counts as no change of the zone. */
  setRegistryState: (id: string, state: RegistryState) => Promise<void>;
  addGeometry: (geometry: ZoneGeometry) => Promise<void>;
  /** Returns false when the zone has no such geometry. */
  removeGeometry: (zoneId: string, id: string) => Promise<boolean>;
  removeGeometries: (zoneId: string) => Promise<void>;
  /** Removes a zone with its geometries. */
  remove: (id: string, at: Date) => Promise<void>;
  /** Counts which zones are not removed; until the transaction ends, they stay. */
  keep: (ids: readonly string[]) => Promise<number>;
}

/** Zones of public domain authorities. Writes belong in a transaction. */
export interface PdaZoneStore {
  find: (id: string) => Promise<PdaZone | undefined>;
  listOf: (organisationId: string) => Promise<PdaZone[]>;
  save: (zone: PdaZone) => Promise<void>;
  remove: (id: string, at: Date) => Promise<void>;
}

/** What an organisation has. */
export interface Holdings {
  /** Utility network authorities. */
  unas: number;
  /** Zones of both kinds. */
  zones: number;
  /** Positions of those zones. */
  positions: number;
}

/** What organisations have. */
export interface HoldingStore {
  get: (organisationId: string) => Promise<Holdings>;
}

/** Answered overlays. */
export interface OverlayStore {
  find: (id: string) => Promise<Overlay | undefined>;
  save: (overlay: Overlay) => Promise<void>;
  removeBefore: (moment: Date) => Promise<void>;
}

/** Changes of zones, for the index of each process. */
export interface ZoneVersionStore {
  current: () => Promise<number>;
  listAfter: (version: number) => Promise<ZoneChanges>;
}

/** Every store of plan requests. */
export interface PlanStores {
  unas: UnaStore;
  unaZones: UnaZoneStore;
  pdaZones: PdaZoneStore;
  overlays: OverlayStore;
  holdings: HoldingStore;
  mapRequests: MapRequestStore;
  packages: PackageStore;
  jobs: JobStore;
  zoneVersions: ZoneVersionStore;
  events: Outbox;
  audit: Pick<AuditLog, 'append'>;
}

/** The stores, and several calls as one. */
export type PlanRecords = Records<PlanStores>;
