import type { AuditFinding, ChainPlace, ChainRow } from './chain';

/** Event types of the audit record. */
export type AuditEventType =
  'webid.created' | 'webid.read' | 'webid.deleted' | 'webid.linked' | 'webid.unlinked' | 'citizen.relinked' |
  'login.succeeded' | 'login.refused' | 'login.ended' |
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

/** One event. Data that can identify a person belong in `personal`. */
export interface AuditEvent {
  type: AuditEventType;
  at: Date;
  /** Correlation id of the request. */
  correlationId?: string;
  /** Facts that identify nobody: contract id and digest, outcome, client id of the app. */
  facts?: Record<string, string | number | boolean>;
  /**
   * Facts that can identify a person: WebIDs, resources, grants. Encrypted with the key of the citizen they are about,
   * or with the service's own audit key when they are about none.
   */
  personal?: Record<string, string>;
  /** Id of the citizen (pod id) the event is about. */
  citizenId?: string;
}

/** Result of checking the chain. */
export interface AuditCheck {
  /** Number of rows examined. */
  rows: number;
  /** End of the chain when the check began. */
  end: ChainPlace;
  /** Faults in the order of the rows; empty for an intact chain. */
  findings: AuditFinding[];
}

/**
 * Append-only record of events. Every row contains the SHA-256 of its own content and of the row before it, so that an
 * edited, removed or reordered row is detected.
 */
export interface AuditLog {
  /** Appends within the current transaction, or in one of its own; durable when the promise resolves. */
  append: (event: AuditEvent) => Promise<void>;
  /** Appends in a batch, at most 1 s later; for reads. */
  enqueue: (event: AuditEvent) => void;
  /** Writes the queued rows. */
  flush: () => Promise<void>;
  /** Makes all personal facts about this citizen unreadable. The chain stays intact. */
  forget: (citizenId: string) => Promise<void>;
  /** Checks the chain, and returns its first fault, if any. */
  verify: () => Promise<AuditFinding[]>;
  /** Checks the chain with one page of rows in memory at a time; stops after `most` faults. */
  check: (most: number) => Promise<AuditCheck>;
  /** Lists the rows in order, exactly as chained: personal facts as ciphertext. */
  listRows: (afterSequence: number, limit: number) => Promise<ChainRow[]>;
  /** Lists the rows in order, with personal facts decrypted where their key still exists. */
  list: (afterSequence: number, limit: number) => Promise<{ sequence: number; event: AuditEvent; hash: string }[]>;
}
