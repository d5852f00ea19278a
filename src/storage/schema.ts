import type { Generated, Kysely } from 'kysely';
import type { ResourceUri } from '../pods/resourceUri';
import type { WebId } from '../platform/webId';
import type { Brought, CitizenState } from '../identity/CitizenStore';
import type { AuditEventType } from '../audit/AuditLog';
import type { EventType } from '../events/Event';
import type { SubscriptionStatus } from '../events/SubscriptionStore';
import type { GrantKind } from '../grants/AccessGrant';
import type { InvalidReason } from '../personal-data/ShareStore';
import type { SweepStage } from '../resources/SweepStore';

/** A moment as an integer: milliseconds since 1970. */
export type Time = number;

/** A citizen; the national number is stored only as blind index and ciphertext. */
export interface CitizenTable {
  id: string;
  webId: WebId;
  podUrl: string;
  /** Parts that the citizen brought along: `WEBID`, or WebID and `POD`; null when both were made here. */
  brought: Brought | null;
  numberIndex: string;
  numberSealed: string;
  state: CitizenState;
  accountId: string | null;
  createdAt: Time;
}

/** A pod whose citizen was erased: its name is never reused. */
export interface PodTombstoneTable {
  podUrl: string;
  erasedAt: Time;
}

/** An owner of a pod, whoever made it. */
export interface PodOwnerTable {
  podUrl: string;
  /** As in the server's accounts, which may have owners from before this service that are no WebIDs. */
  webId: string;
}

/** A pod that is being made, or was until that was interrupted. */
export interface ExpectedPodTable {
  podUrl: string;
  since: Time;
}

/** The latest search of all accounts for pods: one row. */
export interface PodSearchTable {
  id: number;
  endedAt: Time;
}

/** A contract that has been used, and the digest of its terms at that time. */
export interface ContractUseTable {
  contractId: string;
  digest: string;
  firstUsedAt: Time;
}

/** A citizen whom the operator wants erased, and since when a process has been erasing them. */
export interface ErasureTable {
  citizenId: string;
  requestedAt: Time;
  claimedAt: Time | null;
}

/** A suspended data user or contract. */
export interface SuspensionTable {
  name: string;
  suspendedAt: Time;
}

/** A value that was shared: the credential in the pod, and the grant on it. */
export interface ShareTable {
  id: string;
  citizenId: string;
  contractId: string;
  dataType: string;
  /** Of an erased citizen, the id of the share. */
  recordId: string;
  /** Of an erased citizen, empty, as is the digest. */
  version: string;
  resource: ResourceUri;
  contentType: string;
  size: number;
  digest: string;
  statusListId: string | null;
  statusIndex: number | null;
  grantId: string;
  createdAt: Time;
  modifiedAt: Time;
  absentAt: Time | null;
  invalidAt: Time | null;
  invalidReason: InvalidReason | null;
  expiresAt: Time | null;
  checkedAt: Time | null;
  /** Null when it is never checked again. */
  checkAt: Time | null;
}

/** A share in progress: the writes announced, and the rows that will make them visible. */
export interface ShareIntentTable {
  id: string;
  citizenId: string;
  resource: ResourceUri;
  digest: string;
  existed: number;
  plan: string;
  createdAt: Time;
}

/**
 * State of an access request, grant or denial, except for expiry, which is recorded some time later. A revoked or
 * invalid grant has the state of its first ending: `lapsed` means that it had expired before.
 */
export type GrantState = 'open' | 'granted' | 'denied' | 'revoked' | 'expired' | 'lapsed' | 'invalid';

/** An access request, grant or denial; lists are JSON text. */
export interface AccessGrantTable {
  id: string;
  uri: string;
  kind: GrantKind;
  subject: WebId;
  /** Empty in a request template that is for everybody. */
  recipient: WebId | '';
  modes: string;
  resources: string;
  purposes: string;
  inherit: number;
  contractId: string | null;
  contractDigest: string | null;
  request: string | null;
  statusListId: string;
  statusIndex: number;
  issuedAt: Time;
  expiresAt: Time | null;
  revokedAt: Time | null;
  invalidAt: Time | null;
  document: string;
  state: GrantState;
  createdAt: Time;
  /** Issuer of the token of the client that requested it. */
  tokenIssuer: string | null;
}

/** Columns of all tables by which grants are looked up. */
export interface GrantEntry {
  grantId: string;
  subject: WebId;
  recipient: WebId | '';
  issuedAt: Time;
  kind: GrantKind;
  /** The same as in `accessGrants`. */
  state: GrantState;
  expiresAt: Time | null;
}

/** The resources of `accessGrants`, with a row for each, by which grants are looked up. */
export interface GrantResourceTable extends GrantEntry {
  resource: string;
  /** 1 when the subject controlled the resource when the grant was stated: such grants are read first. */
  controlled: number;
}

/** The purposes of `accessGrants`, likewise. */
export interface GrantPurposeTable extends GrantEntry {
  purpose: string;
}

/** A status list, without its bits, which are in `statusEntries`. */
export interface StatusListTable {
  id: string;
  kind: string;
  /** 1, 2, 3 … for each kind: new places are taken from the newest list. */
  ordinal: number;
  createdAt: Time;
}

/** A taken place in a status list; its bit is set when the credential is revoked. */
export interface StatusEntryTable {
  listId: string;
  position: number;
  revokedAt: Time | null;
}

/** A data user's report that it keeps a copy; open until the copy is deleted. */
export interface DataCopyTable {
  id: string;
  dataUser: WebId;
  resource: ResourceUri;
  purpose: string;
  accessGrant: string;
  grantId: string;
  system: string | null;
  storedAt: Time;
  reportedAt: Time;
  deletedAt: Time | null;
  deletionReason: string | null;
  /** When to check next whether it is due; null when only its data user can still change it. */
  judgeAt: Time | null;
  /** When its data user was told that it is due for deletion. */
  dueAt: Time | null;
  /** Since when its credential is not valid, if the value was shared again since then. */
  invalidAt: Time | null;
  /** Since when its resource was missing, if the resource is back. */
  absentAt: Time | null;
}

/** A wrong business key, under blind indexes. */
export interface GuessTable {
  subjectIndex: string;
  /** Empty in rows from before callers were told apart. */
  callerIndex: string;
  numberIndex: string;
  guessedAt: Time;
}

/** A DPoP proof that was used. Both names are digests, so that callers cannot make rows large. */
export interface ProofTable {
  caller: string;
  jti: string;
  expiresAt: Time;
}

/** A row of the audit chain. */
export interface AuditRowTable {
  sequence: number;
  at: Time;
  type: AuditEventType;
  correlationId: string | null;
  /** JSON text, exactly as hashed. */
  facts: string;
  keyId: string | null;
  /** JSON text, encrypted under the key `keyId`. */
  personal: string | null;
  previousHash: string;
  hash: string;
}

/** A row of the audit chain that its citizen can see, or the first of several reads shown as one. */
export interface ActivityTable {
  sequence: number;
  keyId: string;
  /** A code that grouped reads share, under the key `keyId`; one of its own for other reads, null for other events. */
  reads: string | null;
  times: number;
  lastAt: Time;
}

/** One row: the end of the audit chain, which reveals missing rows at the end. */
export interface AuditHeadTable {
  id: number;
  sequence: number;
  hash: string;
  /** Authenticates sequence and hash under a key that is not in the records. */
  mac: string;
}

/** Id of the key of a citizen's personal facts; null once the citizen was forgotten. */
export interface AuditSubjectTable {
  citizenId: string;
  keyId: string | null;
}

/** Keys of personal facts, wrapped under the encryption key. */
export interface AuditKeyTable {
  id: string;
  wrapped: string;
}

/** Fingerprints of the key files that belong to these records. */
export interface KeyFingerprintTable {
  file: string;
  fingerprint: string;
  recordedAt: Time;
  /** When a signing key, published since `recordedAt`, begins to sign. */
  signsFrom: Time;
}

/** The secret in use. */
export interface CurrentKeyTable {
  name: string;
  file: string;
  since: Time;
}

/** A secret of Community Solid Server, sealed under the secret `encryption`. */
export interface ServerSecretTable {
  id: string;
  /** Purpose. Secrets with the same name replace each other. */
  name: string;
  sealed: string;
  recordedAt: Time;
  /** When it comes into use; every process knows it since `recordedAt`. */
  activeFrom: Time;
  /** Time from which neither the secret nor anything that it protects is stored unencrypted. */
  settledAt: Time | null;
}

/** When tokens of the server's own identity provider were ended. */
export interface EndedTokenTable {
  /** WebID or client id. */
  subject: string;
  endedAt: Time;
}

/** An invitation to create an account. */
export interface InvitationTable {
  /** SHA-256 of the code and the e-mail address, neither of which is stored. */
  digest: string;
  lapsesAt: Time;
}

/** A document or container of a pod, on PostgreSQL. Small bodies are in the row, others in chunks of one version. */
export interface PodResourceTable {
  path: string;
  parent: string | null;
  contentType: string | null;
  metadata: string;
  modified: Time;
  size: number;
  body: Buffer | null;
  version: string | null;
  /** Unique for each version; generated by the database. */
  revision: Generated<number>;
}

/** A chunk of a document's body, of the version that its row names. */
export interface PodChunkTable {
  version: string;
  part: number;
  writtenAt: Time;
  bytes: Buffer;
}

/** The server's own values: accounts, sessions, channels. */
export interface KeyValueTable {
  key: string;
  value: string;
}

/** One row, on SQLite only: counts the changes of tables that decide on access. */
export interface AccessVersionTable {
  id: number;
  version: number;
}

/** A duty that one node has at a time, and until when. */
export interface DutyTable {
  name: string;
  holder: string;
  until: Time;
}

/** One row: progress of the latest sweep over all pods. */
export interface SweepTable {
  id: number;
  beganAt: Time;
  /** Null while it is running. */
  endedAt: Time | null;
  hurried: number;
  stage: SweepStage;
  position: string;
  pods: number;
  removed: number;
  marked: number;
  failed: number;
}

/** The feed of a data user: the number of its events, and which are still kept. */
export interface EventFeedTable {
  dataUser: WebId;
  /** Number of the last event. */
  last: number;
  /** Number of the last event that is no longer kept. */
  forgotten: number;
  /** Number of the last event that the pushing process has noticed. */
  noticed: number;
}

/** An event of a data user. */
export interface EventTable {
  dataUser: WebId;
  /** 1, 2, 3 … for each data user. */
  number: number;
  id: string;
  type: EventType;
  /** Time of its cause. */
  at: Time;
  /** Null when a node of an earlier version wrote it: `at` counts then. */
  writtenAt: Time | null;
  /** JSON text. */
  data: string;
}

/** One row: counts the changes of zones, in the order of their commits. */
export interface PlanVersionTable {
  id: number;
  version: number;
}

/** A utility network authority. */
export interface PlanUnaTable {
  id: string;
  organisationId: string;
  name: string;
  isKlim: number;
  signingSubject: string | null;
  /** Version of its latest change. */
  version: number;
}

/** A zone of a utility network authority. */
export interface PlanUnaZoneTable {
  id: string;
  unaId: string;
  name: string;
  /** JSON, encrypted. */
  settings: string;
  registryState: string;
  removedAt: Time | null;
  /** Number of positions of all its geometries. */
  positions: number;
  /** Version of its latest change, or of its geometries. */
  version: number;
}

/** A geometry of such a zone, as JSON: as given, and as compared. */
export interface PlanZoneGeometryTable {
  id: string;
  zoneId: string;
  srs: string;
  given: string;
  polygons: string;
  positions: number;
}

/** A zone of a public domain authority. */
export interface PlanPdaZoneTable {
  id: string;
  organisationId: string;
  name: string;
  srs: string;
  given: string;
  polygons: string;
  positions: number;
  removedAt: Time | null;
  version: number;
}

/** A plan request. */
export interface PlanRequestTable {
  id: string;
  organisationId: string;
  /** Blind index. */
  reference: string;
  receivedAt: Time;
  packageBy: Time;
  archivedAt: Time;
  closedAt: Time | null;
  /** JSON, encrypted. */
  content: string;
  srs: string;
  given: string;
  polygons: string;
  /** Number of operators' zones that it was sent to. */
  zones: number;
  /** Number of those that were answered with plans. */
  plans: number;
}

/** A municipality that sees a plan request. */
export interface PlanRequestPdaTable {
  requestId: string;
  organisationId: string;
  receivedAt: Time;
  archivedAt: Time;
  packageBy: Time;
  /**
   * `nobody` when no operator was asked; `none` or `some` have answered so far; or all have, with `nothing` or with
   * `plans`.
   */
  progress: string;
}

/** An operator's zone that a plan request was sent to. */
export interface PlanRequestZoneTable {
  requestId: string;
  zoneId: string;
  unaId: string;
  unaName: string;
  organisationId: string;
  receivedAt: Time;
  archivedAt: Time;
  state: string;
  confirmBy: Time;
  answerBy: Time;
  closedAt: Time | null;
  /** The reference of the plan request, copied. */
  reference: string;
}

/** An operator's package: its answer to a plan request in a zone, or a test without either. */
export interface PlanPackageTable {
  id: string;
  requestId: string | null;
  zoneId: string | null;
  organisationId: string;
  size: number;
  receivedAt: Time;
  finishedAt: Time | null;
  state: string;
  /** JSON. */
  report: string;
}

/** A job that is done once, by the process that holds it. */
export interface PlanJobTable {
  id: string;
  kind: string;
  subject: string;
  dueAt: Time;
  attempts: number;
  /** Null until a process first takes it. */
  holder: string | null;
  heldUntil: Time;
}

/** The result of an overlay. */
export interface PlanOverlayTable {
  id: string;
  organisationId: string;
  createdAt: Time;
  /** JSON. */
  unas: string;
}

/** An endpoint that receives a data user's events. */
export interface SubscriptionTable {
  id: string;
  dataUser: WebId;
  endpoint: string;
  /** JSON text of a list; null for all types. */
  events: string | null;
  status: SubscriptionStatus;
  position: number;
  revision: number;
  /** Null when there is nothing to push. */
  dueAt: Time | null;
  attempts: number;
  failingSince: Time | null;
  lastFailure: string | null;
  createdAt: Time;
}

/** Migrations that have run. */
export interface MigrationTable {
  name: string;
  runAt: Time;
}

/** The tables of the records. The database has the same names in snake_case. */
export interface Tables {
  citizens: CitizenTable;
  podTombstones: PodTombstoneTable;
  podOwners: PodOwnerTable;
  expectedPods: ExpectedPodTable;
  podSearches: PodSearchTable;
  contractUses: ContractUseTable;
  suspensions: SuspensionTable;
  erasures: ErasureTable;
  shares: ShareTable;
  shareIntents: ShareIntentTable;
  accessGrants: AccessGrantTable;
  grantResources: GrantResourceTable;
  grantPurposes: GrantPurposeTable;
  statusLists: StatusListTable;
  statusEntries: StatusEntryTable;
  dataCopies: DataCopyTable;
  guesses: GuessTable;
  proofs: ProofTable;
  auditRows: AuditRowTable;
  activity: ActivityTable;
  auditHead: AuditHeadTable;
  auditSubjects: AuditSubjectTable;
  auditKeys: AuditKeyTable;
  keyFingerprints: KeyFingerprintTable;
  podResources: PodResourceTable;
  podChunks: PodChunkTable;
  keyValues: KeyValueTable;
  currentKeys: CurrentKeyTable;
  serverSecrets: ServerSecretTable;
  endedTokens: EndedTokenTable;
  invitations: InvitationTable;
  accessVersion: AccessVersionTable;
  duties: DutyTable;
  sweeps: SweepTable;
  eventFeeds: EventFeedTable;
  events: EventTable;
  subscriptions: SubscriptionTable;
  planVersions: PlanVersionTable;
  planUnas: PlanUnaTable;
  planUnaZones: PlanUnaZoneTable;
  planZoneGeometries: PlanZoneGeometryTable;
  planPdaZones: PlanPdaZoneTable;
  planOverlays: PlanOverlayTable;
  planRequests: PlanRequestTable;
  planRequestZones: PlanRequestZoneTable;
  planRequestPdas: PlanRequestPdaTable;
  planPackages: PlanPackageTable;
  planJobs: PlanJobTable;
  migrations: MigrationTable;
}

/** A connection to the records, or a transaction on one. */
export type Database = Kysely<Tables>;
