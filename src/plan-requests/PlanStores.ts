import type { AuditLog } from '../audit/AuditLog';
import type { Outbox } from '../events/EventStore';
import type { Records } from '../platform/Records';
import type { Polygons } from './geometry/polygons';
import type { Zone } from './geometry/readZone';
import type { PackageReport } from './packages/Report';

/** A utility network authority, which operates cables or pipes. */
export interface Una {
  id: string;
  organisationId: string;
  name: string;
  /** True for members of the federal operators' registry, who have more time to answer. */
  isKlim: boolean;
  /** Subject of the certificate that signs its packages. */
  signingSubject?: string;
}

/** Languages of mails. */
export const mailLanguages = [ 'nl', 'fr', 'de', 'en' ] as const;
/** Notices that are sent by mail, as named in the settings. */
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

/** An operator in an overlay, as on the wire. */
export interface FoundUna {
  unaId: string;
  name: string;
  unaZoneIds: string[];
  isKlim: boolean;
}

/** An overlay that was returned. */
export interface Overlay {
  id: string;
  organisationId: string;
  createdAt: Date;
  unas: FoundUna[];
}

/** A zone in the index of zones. */
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

/** Stored states of a plan request in a zone. */
export const unaZoneStates = [ 'ToConfirm', 'Confirmed', 'Validating', 'Responded', 'NotInvolved' ] as const;
/** Those, and `Invalid` as the response to an operator that answers twice. */
export type UnaZoneState = typeof unaZoneStates[number] | 'Invalid';

/** An authority to contact about a plan request; names as on the wire. */
export interface ContactInfo {
  Name: string;
  Email: string;
  Phone?: string;
  Address?: Record<string, number | string | null>;
}

/** Content of a plan request, without its zone. Dates are days in Belgium, or times in them. */
export interface MapRequestContent {
  reference: string;
  location?: string;
  description?: string;
  startDate: string;
  endDate: string;
  natureOfWorks: string;
  executionMethod?: string;
  /** In metres, or in words. */
  depth?: number | string;
  tags: string[];
  orderVectorData: boolean;
  contact: ContactInfo;
}

/** A plan request with its zone. */
export interface MapRequest extends ListedMapRequest, Zone {}

/** A plan request in a list, without its zone, which may be large. */
export interface ListedMapRequest {
  id: string;
  organisationId: string;
  receivedAt: Date;
  /** Deadline for the complete answer. */
  packageBy: Date;
  archivedAt: Date;
  /** When the last operator answered. */
  closedAt?: Date;
  content: MapRequestContent;
  /** Number of operators' zones that it was sent to. */
  zones: number;
  /** Number of those that were answered with plans. */
  plans: number;
}

/** States of a request, as its initiator sees it. */
export const mapRequestStates = [
  'NoUnaInvolved',
  'Waiting',
  'NoNetworksInZone',
  'IncompleteAnswerAvailable',
  'IncompletePackageAvailable',
  'PlansAvailable',
  'TermElapsed',
] as const;
/** State of a request, as its initiator sees it. */
export type MapRequestState = typeof mapRequestStates[number];

/** An operator's zone that a plan request was sent to. */
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

/** Filter of a list of plan requests. */
export interface MapRequestFilter {
  reference?: string;
  receivedAfter?: Date;
  closed?: boolean;
  zoneId?: string;
  state?: UnaZoneState;
  offset: number;
  limit: number;
}

/** Filter of a municipality's list of plan requests. */
export interface SeenMapRequestFilter extends Pick<MapRequestFilter, 'limit' | 'offset'> {
  from?: Date;
  to?: Date;
  status?: MapRequestState;
}

/** A removed request, and the zones that it had been sent to. */
export interface ArchivedRequest extends Pick<MapRequest, 'id' | 'organisationId'> {
  sentTo: Pick<RequestZone, 'organisationId' | 'zoneId'>[];
}

/** Store of plan requests. Writes belong in a transaction. */
export interface MapRequestStore {
  /**
   * @param request - The request.
   * @param zones - Operators' zones that it is sent to.
   * @param pdas - Organisations of the municipalities that see it.
   */
  save: (request: MapRequest, zones: readonly RequestZone[], pdas: readonly string[]) => Promise<void>;
  find: (id: string) => Promise<MapRequest | undefined>;
  /** Finds a request and locks it. */
  lock: (id: string) => Promise<MapRequest | undefined>;
  listZones: (requestIds: readonly string[]) => Promise<RequestZone[]>;
  /** Lists the requests that an organisation filed and that are not archived, newest first. */
  listFiled: (organisationId: string, filter: MapRequestFilter & { now: Date }) => Promise<ListedMapRequest[]>;
  /** Lists those in an operator's zones, likewise. */
  listReceived: (organisationId: string, filter: MapRequestFilter & { now: Date }) => Promise<ListedMapRequest[]>;
  /** Lists those that a municipality sees, likewise. */
  listSeen: (organisationId: string, filter: SeenMapRequestFilter & { now: Date }) => Promise<ListedMapRequest[]>;
  /** Checks whether a municipality sees a request. */
  isSeenBy: (id: string, organisationId: string) => Promise<boolean>;
  setState: (zone: RequestZone, at: Date, closesRequest: boolean) => Promise<void>;
  /** Removes some archived requests with all that belongs to them. Returns each to only one process. */
  removeArchived: (now: Date) => Promise<ArchivedRequest[]>;
  /** Checks whether a zone has an open request. */
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
  /** In bytes. */
  size: number;
  receivedAt: Date;
  finishedAt?: Date;
  state: typeof packageStates[number];
  report: PackageReport;
}

/** Tests of an organisation that are not validated yet. */
export interface WaitingTests {
  bytes: number;
  count: number;
}

/** Store of packages. Writes belong in a transaction, except for progress. */
export interface PackageStore {
  find: (id: string) => Promise<NetworkPackage | undefined>;
  /** Lists the packages of a request, newest first. */
  listOf: (requestId: string) => Promise<NetworkPackage[]>;
  save: (made: NetworkPackage) => Promise<void>;
  /** Records progress, unless the package is finished. */
  note: (id: string, report: PackageReport) => Promise<void>;
  finish: (done: NetworkPackage) => Promise<void>;
  /** Waits for others who add a test of an organisation, and makes later ones wait until the transaction ends. */
  lockTests: (organisationId: string) => Promise<void>;
  /** Counts an organisation's tests that are not validated yet. */
  countWaitingTests: (organisationId: string) => Promise<WaitingTests>;
  /** Removes tests that were received before a moment. */
  removeTestsBefore: (moment: Date) => Promise<void>;
  /** Lists those of the given packages whose bytes are needed: not validated yet, or part of an answer. */
  listNeeded: (ids: readonly string[]) => Promise<Set<string>>;
}

/** Kinds of jobs that outlive a process. */
export const jobKinds = [ 'announce', 'mail', 'remind', 'test', 'validate' ] as const;
/** Kind of a job. */
export type JobKind = typeof jobKinds[number];

/** A job that a process holds. */
export interface Job {
  id: string;
  kind: JobKind;
  /** Id of the subject of the job. */
  subject: string;
  /** Number of attempts, including this one. */
  attempts: number;
}

/** Jobs, each done once by one of all processes: the one that holds it and keeps renewing its hold. */
export interface JobStore {
  /** Adds a job; one of the same kind and subject starts again, once an attempt that is under way has ended. */
  add: (kind: JobKind, subject: string, dueAt: Date) => Promise<void>;
  /**
   * Gives a due job that nobody holds to a process.
   *
   * @param holder - The process.
   * @param now - The moment.
   * @param kinds - Accepted kinds of jobs.
   * @param until - Returns the end of the hold, after which another process may take over.
   */
  claim: (holder: string, now: Date, kinds: readonly JobKind[], until: (kind: JobKind) => Date) =>
  Promise<Job | undefined>;
  /** Renews the hold; false when another process holds the job by now. */
  keep: (id: string, holder: string, until: Date) => Promise<boolean>;
  /** Removes the job, or leaves it for later; false when another process holds it by now. */
  end: (id: string, holder: string, again?: Date) => Promise<boolean>;
  /** Ends the hold of an attempt on a job that was added again meanwhile, so that the new job can start. */
  release: (earlier: Job, holder: string) => Promise<void>;
}

/** Store of utility network authorities. Writes belong in a transaction. */
export interface UnaStore {
  find: (id: string) => Promise<Una | undefined>;
  listOf: (organisationId: string) => Promise<Una[]>;
  save: (una: Una) => Promise<void>;
}

/** Store of the zones of utility network authorities. Writes belong in a transaction. */
export interface UnaZoneStore {
  /** Finds a zone, unless it was removed. */
  find: (id: string) => Promise<UnaZone | undefined>;
  listGeometries: (zoneId: string) => Promise<ZoneGeometry[]>;
  /** Finds a zone, removed ones included, with the version of its latest change. */
  findVersion: (id: string) => Promise<{ zone: UnaZone; version: number; isRemoved: boolean } | undefined>;
  save: (zone: UnaZone) => Promise<void>;
  /** Sets the state without counting it as a change of the zone. */
  setRegistryState: (id: string, state: RegistryState) => Promise<void>;
  addGeometry: (geometry: ZoneGeometry) => Promise<void>;
  /** Returns false when the zone has no such geometry. */
  removeGeometry: (zoneId: string, id: string) => Promise<boolean>;
  removeGeometries: (zoneId: string) => Promise<void>;
  /** Removes a zone with its geometries and its settings. */
  remove: (id: string, at: Date) => Promise<void>;
  /** Counts the zones that are not removed, and keeps them until the transaction ends. */
  keep: (ids: readonly string[]) => Promise<number>;
}

/** Store of zones of public domain authorities. Writes belong in a transaction. */
export interface PdaZoneStore {
  find: (id: string) => Promise<PdaZone | undefined>;
  listOf: (organisationId: string) => Promise<PdaZone[]>;
  save: (zone: PdaZone) => Promise<void>;
  remove: (id: string, at: Date) => Promise<void>;
}

/** Number of things that an organisation has. */
export interface Holdings {
  /** Number of utility network authorities. */
  unas: number;
  /** Number of zones of both kinds. */
  zones: number;
  /** Number of positions of those zones. */
  positions: number;
}

/** Counts the holdings of organisations. */
export interface HoldingStore {
  get: (organisationId: string) => Promise<Holdings>;
}

/** Store of overlays. */
export interface OverlayStore {
  find: (id: string) => Promise<Overlay | undefined>;
  save: (overlay: Overlay) => Promise<void>;
  removeBefore: (moment: Date) => Promise<void>;
}

/** Changes of zones, for the index of each process. */
export interface ZoneVersionStore {
  current: () => Promise<number>;
  /** Waits for other changes of zones, and makes later ones wait until the transaction ends. */
  lock: () => Promise<void>;
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

/** The stores, and transactions over them. */
export type PlanRecords = Records<PlanStores>;
