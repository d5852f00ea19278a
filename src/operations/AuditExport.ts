import type { AuditEvent, AuditLog } from '../audit/AuditLog';
import type { ChainRow } from '../audit/chain';
import { lastOf } from '../platform/lists';

/** Selection of rows and of their members for an export. */
export interface AuditSelection {
  /** Earliest time, inclusive. */
  from?: Date;
  /** Latest time, exclusive. */
  to?: Date;
  /** True to include identities of persons, as far as their keys still exist. */
  withIdentities?: boolean;
  /** Only rows about this citizen. */
  citizenId?: string;
}

/**
 * A row of the audit record in an export. The chained members are unchanged, so that readers can verify the hashes;
 * `keyId` is a pseudonym of the citizen concerned.
 */
export interface ExportedRow extends ChainRow {
  /** The time `at` in ISO 8601. */
  time: string;
  /** Id of the citizen concerned. */
  citizen?: string;
  /** The decrypted facts in `personal`. */
  identities?: AuditEvent['personal'];
}

/** Number of rows in memory at a time. */
const pageSize = 500;

/**
 * Exports the audit record row by row in order.
 *
 * @param audit - Read page by page while others append to it.
 * @param selection - All rows without identities by default.
 */
export async function* exportAudit(
  audit: Pick<AuditLog, 'list' | 'listRows'>,
  selection: AuditSelection = {},
): AsyncGenerator<ExportedRow> {
  let last = 0;
  for (;;) {
    const rows = await audit.listRows(last, pageSize);
    if (rows.length === 0) {
      return;
    }
    const events = await eventsOf(audit, last, rows, selection);
    for (const row of rows) {
      const event = events.get(row.sequence);
      if (isSelected(row, event, selection)) {
        yield toExported(row, selection.withIdentities ? event : undefined);
      }
    }
    last = lastOf(rows).sequence;
  }
}

async function eventsOf(
  audit: Pick<AuditLog, 'list'>,
  after: number,
  rows: ChainRow[],
  { withIdentities, citizenId }: AuditSelection,
): Promise<Map<number, AuditEvent>> {
  if (!withIdentities && citizenId === undefined) {
    return new Map();
  }
  const listed = await audit.list(after, rows.length);
  return new Map(listed.map(({ sequence, event }): [number, AuditEvent] => [ sequence, event ]));
}

function isSelected({ at }: ChainRow, event: AuditEvent | undefined, { from, to, citizenId }: AuditSelection): boolean {
  return (!from || at >= from.getTime()) && (!to || at < to.getTime()) &&
    (citizenId === undefined || event?.citizenId === citizenId);
}

function toExported(row: ChainRow, event: AuditEvent | undefined): ExportedRow {
  return {
    sequence: row.sequence,
    time: new Date(row.at).toISOString(),
    at: row.at,
    type: row.type,
    correlationId: row.correlationId,
    facts: row.facts,
    keyId: row.keyId,
    personal: row.personal,
    previousHash: row.previousHash,
    hash: row.hash,
    ...event?.citizenId !== undefined && { citizen: event.citizenId },
    ...event?.personal && { identities: event.personal },
  };
}
