import type { AuditFinding, ChainPlace, ChainRow } from './chain';

/** Events that the audit record keeps. */
export type AuditEventType =
  'webid.created' | 'webid.read' | 'webid.deleted' | 'webid.linked' | 'webid.unlinked' | 'citizen.relinked' |
  'login.succeeded' | 'login.refused' |
  'data.listed' | 'data.shared' | 'credential.invalid' |
  'resource.read' | 'resource.listed' |
  'resource.created' | 'resource.written' | 'resource.appended' | 'resource.deleted' |
  'grant.requested' | 'grant.issued' | 'grant.denied' | 'grant.revoked' |
  'grant.read' | 'grant.listed' | 'grant.exchanged' |
  'businesskey.verified' |
  'copy.reported' | 'copy.deleted' |
  'subscription.made' | 'subscription.removed' | 'subscription.paused' | 'subscription.replayed' |
  'building.read' |
  'plan.una.written' | 'plan.zone.registered' | 'plan.zone.changed' | 'plan.zone.removed' |
  'plan.request.filed' | 'plan.request.replied' | 'plan.request.archived' |
  'plan.package.uploaded' | 'plan.package.accepted' | 'plan.package.rejected' |
  'plan.pda.written' | 'plan.pda.removed' | 'plan.overlay.made' |
  'key.rotated' | 'key.retired' |
  'suspension.begun' | 'suspension.ended' | 'account.invited' | 'account.invitation.withdrawn' | 'sweep.begun' |
  'audit.exported' | 'citizen.exported' | 'backup.begun' | 'move.begun';

/** One thing that happened. Everything that can name a person goes into `personal`. */
export interface AuditEvent {
  type: AuditEventType;
  at: Date;
  /** Correlation id of the request. */
  correlationId?: string;
  /** Facts that name nobody: contract id and digest, outcome, client id of the app. */
  facts?: Record<string, string | number | boolean>;
  /**
   * Facts that can name a person: WebIDs, resources, grants. Encrypted under the key of the citizen they are about,
   * or under the service's own audit key when they are about none.
   */
  personal?: Record<string, string>;
  /** Id of the citizen (pod id) the event is about. */
  citizenId?: string;
}

/** Result of a walk along the chain. */
export interface AuditCheck {
  /** Rows that were looked at. */
  rows: number;
  /** End of the chain when the walk began. */
  end: ChainPlace;
  /** In the order of the rows; nothing, when all is well. */
  findings: AuditFinding[];
}

/**
 * Append-only record of what happened. Every row holds the SHA-256 of its own content and of the row before it, so that
 * an edited, removed or reordered row shows.
 */
export interface AuditLog {
  /** Appends within the transaction it is called in, or as one of its own: durable when the promise resolves. */
  append: (event: AuditEvent) => Promise<void>;
  /** Appends later, in a batch, at most 1 s behind: for reads. */
  enqueue: (event: AuditEvent) => void;
  /** Writes the queued rows. */
  flush: () => Promise<void>;
  /** Makes all personal facts about this citizen unreadable. The chain stays whole. */
  forget: (citizenId: string) => Promise<void>;
  /** Walks the chain, and returns its first fault: none when it is intact. */
  verify: () => Promise<AuditFinding[]>;
  /** The same, for any number of rows: stops when that many things are wrong, and holds one page of rows at a time. */
  check: (most: number) => Promise<AuditCheck>;
  /** The rows in order, exactly as they are chained: personal facts as ciphertext. */
  listRows: (afterSequence: number, limit: number) => Promise<ChainRow[]>;
  /** The rows in order, personal facts decrypted where their key still exists. */
  list: (afterSequence: number, limit: number) => Promise<{ sequence: number; event: AuditEvent; hash: string }[]>;
}
