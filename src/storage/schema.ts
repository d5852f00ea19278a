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

/** Moments are integers: milliseconds since 1970. */
export type Time = number;

/** A citizen; the national number only as blind index and ciphertext. */
export interface CitizenTable {
  id: string;
  webId: WebId;
  podUrl: string;
  /** Property from before the citizen: `WEBID`, or WebID and `POD`; null when both were made here. */
  brought: Brought | null;
  numberIndex: string;
  numberSealed: string;
  state: CitizenState;
  accountId: string | null;
  createdAt: Time;
}

/** A pod whose citizen was erased: its name never returns. */
export interface PodTombstoneTable {
  podUrl: string;
  erasedAt: Time;
}

/** An owner of a pod, whoever made it. */
export interface PodOwnerTable {
  podUrl: string;
  webId: string;
}

/** A contract that has been used, and the digest of what was agreed then. */
export interface ContractUseTable {
  contractId: string;
  digest: string;
  firstUsedAt: Time;
}

/** A citizen whom the operator wants erased, and since when a process is at it. */
export interface ErasureTable {
  citizenId: string;
  requestedAt: Time;
  claimedAt: Time | null;
}

/** A data user or contract that is suspended. */
export interface SuspensionTable {
  name: string;
  suspendedAt: Time;
}

/** A value that was shared: what stands in the pod, and the grant on it. */
export interface ShareTable {
  id: string;
  citizenId: string;
  contractId: string;
  dataType: string;
  recordId: string;
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
  /** Null when it is not to be checked any more. */
  checkAt: Time | null;
}

/** A share in progress: what it is about to write, and the rows that will make it visible. */
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
 * State of an access request, grant or denial, but for its expiry, which is recorded some time later. Of a grant that
 * was revoked or lost its meaning, what came first: `lapsed` had expired before.
 */
export type GrantState = 'open' | 'granted' | 'denied' | 'revoked' | 'expired' | 'lapsed' | 'invalid';

/** An access request, grant or denial; lists are JSON text. */
export interface AccessGrantTable {
  id: string;
  uri: string;
  kind: GrantKind;
  subject: WebId;
  /** Empty in a request template that is addressed to everybody. */
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
  /** Issuer of the token of the client that had it made. */
  tokenIssuer: string | null;
}

/** Columns that all rows for looking up grants have. */
export interface GrantEntry {
  grantId: string;
  subject: WebId;
  recipient: WebId | '';
  issuedAt: Time;
  kind: GrantKind;
  /** Always as in `accessGrants`. */
  state: GrantState;
  expiresAt: Time | null;
}

/** The resources of `accessGrants` once more, a row each, to look them up by. */
export interface GrantResourceTable extends GrantEntry {
  resource: string;
  /** 1 when the subject controlled the resource as it was stated: those are looked at first. */
  controlled: number;
}

/** The same for their purposes. */
export interface GrantPurposeTable extends GrantEntry {
  purpose: string;
}

/** A status list. Its bits are in `statusEntries`. */
export interface StatusListTable {
  id: string;
  kind: string;
  /** 1, 2, 3 … within its kind: the newest is the one that places are taken from. */
  ordinal: number;
  createdAt: Time;
}

/** A place in a status list that is taken: its bit is set once it was revoked. */
export interface StatusEntryTable {
  listId: string;
  position: number;
  revokedAt: Time | null;
}

/** A report that a data user keeps a copy; open while it is not deleted. */
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
  /** Null when nothing but its data user changes it any more. */
  judgeAt: Time | null;
  /** When its data user was told that it is due. */
  dueAt: Time | null;
}

/** A wrong business key: its names are blind indexes. */
export interface GuessTable {
  subjectIndex: string;
  /** Empty for those from before callers were told apart. */
  callerIndex: string;
  numberIndex: string;
  guessedAt: Time;
}

/** A DPoP proof that was used: both names are digests, so that no caller decides how large a row is. */
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
  /** JSON text, as it was hashed. */
  facts: string;
  keyId: string | null;
  /** JSON text under the key `keyId`. */
  personal: string | null;
  previousHash: string;
  hash: string;
}

/** A row of the audit chain that a citizen is shown, or the first of the reads that are shown as one. */
export interface ActivityTable {
  sequence: number;
  keyId: string;
  /** A code that these reads share, under the key `keyId`; null for anything else. */
  reads: string | null;
  times: number;
  lastAt: Time;
}

/** One row: the end of the audit chain, so that rows missing at the end show. */
export interface AuditHeadTable {
  id: number;
  sequence: number;
  hash: string;
  /** Over sequence and hash, under a key that is not in the records. */
  mac: string;
}

/** Key of the personal facts about a citizen; none once the citizen was forgotten. */
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
  /** For a signing key: published from `recordedAt` on, and the one that signs from here on. */
  signsFrom: Time;
}

/** The secret in use. */
export interface CurrentKeyTable {
  name: string;
  file: string;
  since: Time;
}

/** A secret of the server beneath, sealed under the secret `encryption`. */
export interface ServerSecretTable {
  id: string;
  /** Its purpose: several of one name replace each other. */
  name: string;
  sealed: string;
  recordedAt: Time;
  /** Known to every process from `recordedAt` on, and the one in use from here on. */
  activeFrom: Time;
  /** When nothing was left in clear of the data that it protects, or of itself. */
  settledAt: Time | null;
}

/** From when on tokens of the server's own identity provider are good no more. */
export interface EndedTokenTable {
  /** WebID or client id. */
  subject: string;
  endedAt: Time;
}

/** An invitation to make an account. */
export interface InvitationTable {
  /** SHA-256 of the code and the e-mail address that it is for, neither of which is kept. */
  digest: string;
  lapsesAt: Time;
}

/** A document or container of a pod, on PostgreSQL. Small bodies stand in the row, others in chunks of one version. */
export interface PodResourceTable {
  path: string;
  parent: string | null;
  contentType: string | null;
  metadata: string;
  modified: Time;
  size: number;
  body: Buffer | null;
  version: string | null;
  /** Another one for each version; made by the database. */
  revision: Generated<number>;
}

/** A piece of the body of a document, of the version that its row names. */
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

/** One row, on SQLite alone: counts the changes of what decides on access. */
export interface AccessVersionTable {
  id: number;
  version: number;
}

/** Work that one node does at a time, and until when that node holds it. */
export interface DutyTable {
  name: string;
  holder: string;
  until: Time;
}

/** One row: how far the latest sweep over all pods is. */
export interface SweepTable {
  id: number;
  beganAt: Time;
  /** Null while it goes on. */
  endedAt: Time | null;
  hurried: number;
  stage: SweepStage;
  position: string;
  pods: number;
  removed: number;
  marked: number;
  failed: number;
}

/** The feed of a data user: how many events it has had, and which are kept. */
export interface EventFeedTable {
  dataUser: WebId;
  /** Number of the last event. */
  last: number;
  /** Number of the last event that is no longer kept. */
  forgotten: number;
  /** Number of the last event that was seen by whoever pushes events. */
  noticed: number;
}

/** An event of a data user. */
export interface EventTable {
  dataUser: WebId;
  /** 1, 2, 3 … for each data user. */
  number: number;
  id: string;
  type: EventType;
  at: Time;
  /** JSON text. */
  data: string;
}

/** One row: counts the changes of zones, in the order in which they are committed. */
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
  /** Of its latest change. */
  version: number;
}

/** A zone of a utility network authority. */
export interface PlanUnaZoneTable {
  id: string;
  unaId: string;
  name: string;
  /** JSON, sealed. */
  settings: string;
  registryState: string;
  removedAt: Time | null;
  /** How many positions its geometries have in all. */
  positions: number;
  /** Of its latest change, or that of its geometries. */
  version: number;
}

/** A geometry of such a zone: JSON, as it was given and as it is compared. */
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
  /** JSON, sealed. */
  content: string;
  srs: string;
  given: string;
  polygons: string;
  /** How many zones of operators it was sent to. */
  zones: number;
  /** How many of them were answered with plans. */
  plans: number;
}

/** A municipality that sees a plan request. */
export interface PlanRequestPdaTable {
  requestId: string;
  organisationId: string;
  receivedAt: Time;
  archivedAt: Time;
  packageBy: Time;
  /** `nobody` was asked; of those who were, `none` or `some` have answered, or all with `nothing` or with `plans`. */
  progress: string;
}

/** A zone of an operator that a plan request was sent to. */
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
  /** The same as that of the plan request. */
  reference: string;
}

/** A package of an operator: its answer to a plan request in a zone, or a test without either. */
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

/** Work that is done once, by whichever process has it. */
export interface PlanJobTable {
  id: string;
  kind: string;
  subject: string;
  dueAt: Time;
  attempts: number;
  /** Null when no process has had it. */
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

/** An endpoint that events of a data user are pushed to. */
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

/** The tables of the records. In the database, tables and columns have the same names in snake_case. */
export interface Tables {
  citizens: CitizenTable;
  podTombstones: PodTombstoneTable;
  podOwners: PodOwnerTable;
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
