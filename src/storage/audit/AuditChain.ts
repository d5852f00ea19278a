import { sql } from 'kysely';
import type { AuditCheck, AuditEvent } from '../../audit/AuditLog';
import { chainStart, checkEnd, checkRow, contentOf, hashRow } from '../../audit/chain';
import type { AuditFinding, ChainPlace, ChainRow } from '../../audit/chain';
import type { NewId } from '../../platform/clock';
import { parseOwn } from '../../platform/ownJson';
import { toDate } from '../columns';
import type { ActivityTable, AuditHeadTable, AuditRowTable, Database } from '../schema';
import type { Engine } from '../database/engine';
import { Statement } from '../database/Statement';
import type { Vault } from '../keys/Vault';
import { seal, unseal } from '../keys/Vault';
import type { AuditKey } from './AuditKeys';
import { AuditKeys } from './AuditKeys';
import { checkBindings } from './checkBindings';
import { ActivityInsertion, activityOf } from './SqlActivityStore';

/** Changes to the chain: append an event, or destroy the key of a citizen's personal facts. */
export type AuditChange = { append: AuditEvent } | { forget: string };

/** A row with its event decrypted. */
export interface ListedEvent {
  sequence: number;
  event: AuditEvent;
  hash: string;
}

/** Id of the only row of `audit_head`. */
const headId = 1;

/** Rows checked at a time. */
const pageSize = 1000;

/** Locks the only row, by a statement that both engines understand. */
const headLock = new Statement(db => db.updateTable('auditHead').set(eb => ({ sequence: eb.ref('sequence') }))
  .where('id', '=', sql.lit(headId))
  .returningAll());
const headUpdate = new Statement((db, sequence: number, hash: string, mac: string) =>
  db.updateTable('auditHead').set({ sequence, hash, mac }).where('id', '=', sql.lit(headId)));

/** The audit chain in the database. Changes are made within a transaction that the caller opens. */
export class AuditChain {
  private readonly insertion: Statement<[string], unknown>;
  private readonly activityInsertion: ActivityInsertion;

  public constructor(
    private readonly vault: Vault,
    private readonly newId: NewId,
    engine: Engine,
  ) {
    // All rows are one JSON parameter, so that the statement can be prepared once. Columns are in the order of
    // contentOf.
    this.insertion = new Statement((db, rows: string) => db.insertInto('auditRows')
      .columns([
        'sequence',
        'at',
        'type',
        'correlationId',
        'facts',
        'keyId',
        'personal',
        'previousHash',
        'hash',
      ])
      .expression(sql`select cast(value ->> 0 as bigint), cast(value ->> 1 as bigint), value ->> 2, value ->> 3,
        value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8 from ${engine.elementsOf(rows)}`));
    this.activityInsertion = new ActivityInsertion(engine);
  }

  /** Records the end of the empty chain. Called once, when the records are new. */
  public async start(trx: Database): Promise<void> {
    await trx.insertInto('auditHead').values({ id: headId, ...chainStart, mac: this.mac(chainStart) }).execute();
  }

  /** Makes the changes in order. The chain stays locked until the transaction ends. */
  public async change(trx: Database, changes: AuditChange[]): Promise<void> {
    const head = await lockHead(trx);
    await this.vault.lock(trx);
    const keys = new AuditKeys(trx, this.vault, this.newId);
    await keys.loadAll(changes.flatMap((change): (string | undefined)[] =>
      'append' in change && isAbout(change.append) ? [ change.append.citizenId ] : []));
    const rows: ChainRow[] = [];
    const activities: (ActivityTable | undefined)[] = [];
    let last: ChainPlace = head;
    for (const change of changes) {
      if ('forget' in change) {
        await keys.destroy(change.forget);
      } else {
        const row = await this.toRow(change.append, last, keys);
        rows.push(row);
        last = row;
        activities.push(activityOf(change.append, row.sequence, await this.keyOf(change.append, keys)));
      }
    }
    await this.insert(trx, rows);
    await this.activityInsertion.run(trx, activities.filter((row): row is ActivityTable => row !== undefined));
    await headUpdate.run(trx, last.sequence, last.hash, this.mac(last));
  }

  /** Checks the chain, up to `most` findings. Rows appended during the check are ignored. */
  public async check(db: Database, most: number): Promise<AuditCheck> {
    const head = await db.selectFrom('auditHead').selectAll().where('id', '=', headId).executeTakeFirst();
    if (!head) {
      const findings = [{ sequence: 0, problem: 'the note of the end of the chain is missing' }];
      return { rows: 0, end: chainStart, findings };
    }
    const check: AuditCheck = { rows: 0, end: { sequence: head.sequence, hash: head.hash }, findings: []};
    if (!await this.isAuthentic(db, head)) {
      check.findings.push({ sequence: head.sequence, problem: 'the note of the end of the chain was changed' });
    }
    let last = chainStart;
    let read = Number.MIN_SAFE_INTEGER;
    while (check.findings.length < most) {
      const rows = await readRows(db, read, pageSize, head.sequence);
      read = rows.at(-1)?.sequence ?? read;
      for (const row of rows) {
        check.findings.push(...checkRow(last, row));
        last = row;
      }
      check.rows += rows.length;
      if (rows.length === 0) {
        check.findings.push(...checkEnd(last, head), ...await checkBeyond(db));
        break;
      }
    }
    if (check.findings.length < most) {
      check.findings.push(...await checkBindings(db, this.vault, most - check.findings.length));
    }
    return { ...check, findings: inOrder(check.findings).slice(0, most) };
  }

  /** Lists rows after a sequence number, in order, as hashed. */
  public async listRows(db: Database, afterSequence: number, limit: number): Promise<ChainRow[]> {
    return readRows(db, afterSequence, limit);
  }

  /** Lists events after a sequence number, in order. */
  public async list(db: Database, afterSequence: number, limit: number): Promise<ListedEvent[]> {
    const keys = new AuditKeys(db, this.vault, this.newId);
    const listed: ListedEvent[] = [];
    for (const row of await readRows(db, afterSequence, limit)) {
      listed.push({ sequence: row.sequence, hash: row.hash, event: toEvent(row, await keyIn(row, keys)) });
    }
    return listed;
  }

  /** Finds the key of the facts about a citizen; none once it is destroyed. */
  public async findKey(db: Database, citizenId: string): Promise<AuditKey | undefined> {
    return new AuditKeys(db, this.vault, this.newId).findFor(citizenId);
  }

  /** Reads the event of a row, decrypting its personal facts with the key. */
  public read(row: AuditRowTable, key: AuditKey | undefined): AuditEvent {
    return toEvent(row, key);
  }

  private async toRow(event: AuditEvent, last: ChainPlace, keys: AuditKeys): Promise<ChainRow> {
    const sequence = last.sequence + 1;
    const key = await this.keyOf(event, keys);
    const content = {
      sequence,
      at: event.at.getTime(),
      type: event.type,
      correlationId: event.correlationId ?? null,
      facts: JSON.stringify(event.facts ?? {}),
      keyId: key?.id ?? null,
      personal: key && event.personal ?
          seal(key.secret, personalPlace(sequence), Buffer.from(JSON.stringify(event.personal))) :
        null,
      previousHash: last.hash,
    };
    return { ...content, hash: hashRow(content) };
  }

  private async insert(trx: Database, rows: ChainRow[]): Promise<void> {
    if (rows.length > 0) {
      await this.insertion.run(trx, JSON.stringify(rows.map((row): unknown[] => [ ...contentOf(row), row.hash ])));
    }
  }

  private async keyOf(event: AuditEvent, keys: AuditKeys): Promise<AuditKey | undefined> {
    return isAbout(event) ? keys.forWriting(event.citizenId) : undefined;
  }

  private async isAuthentic(db: Database, head: AuditHeadTable): Promise<boolean> {
    const isKnown = (): boolean => this.vault.blindIndexes('audit-head', macText(head)).includes(head.mac);
    return isKnown() || (await this.vault.findsNewKeys(db) && isKnown());
  }

  /** Authenticates the end of the chain: access to the database without the keys is not enough to forge it. */
  private mac(place: ChainPlace): string {
    return this.vault.blindIndex('audit-head', macText(place));
  }
}

function macText({ sequence, hash }: ChainPlace): string {
  return `${sequence}\0${hash}`;
}

/** Checks whether an event needs a key: it is about a citizen, or has personal facts. */
function isAbout(event: AuditEvent): boolean {
  return event.citizenId !== undefined || event.personal !== undefined;
}

/** Sorts by sequence number: the finding about the end was made first. */
function inOrder(findings: AuditFinding[]): AuditFinding[] {
  return findings.sort((left, right): number => left.sequence - right.sequence);
}

async function lockHead(trx: Database): Promise<AuditHeadTable> {
  const [ head ] = await headLock.run(trx);
  if (!head) {
    throw new Error('The note of the end of the audit chain is missing');
  }
  return head;
}

async function readRows(db: Database, after: number, limit: number, upTo?: number): Promise<AuditRowTable[]> {
  const query = db.selectFrom('auditRows').selectAll()
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit);
  return (upTo === undefined ? query : query.where('sequence', '<=', upTo)).execute();
}

/** Finds rows beyond the end. Reads the rows before the end, so that rows appended in between do not count. */
async function checkBeyond(db: Database): Promise<AuditFinding[]> {
  const last = await db.selectFrom('auditRows').select('sequence').orderBy('sequence', 'desc').executeTakeFirst();
  const head = await db.selectFrom('auditHead').select('sequence').where('id', '=', headId).executeTakeFirst();
  return last && head && last.sequence > head.sequence ?
      [{ sequence: last.sequence, problem: 'there are rows after the end of the chain' }] :
      [];
}

async function keyIn({ keyId }: AuditRowTable, keys: AuditKeys): Promise<AuditKey | undefined> {
  return keyId === null ? undefined : keys.forReading(keyId);
}

function toEvent(row: AuditRowTable, key: AuditKey | undefined): AuditEvent {
  return {
    type: row.type,
    at: toDate(row.at),
    correlationId: row.correlationId ?? undefined,
    facts: parseOwn(row.facts),
    personal: key && row.personal !== null ?
        parseOwn(unseal(key.secret, personalPlace(row.sequence), row.personal).toString()) :
      undefined,
    citizenId: key?.citizenId,
  };
}

function personalPlace(sequence: number): string {
  return `audit_rows/${sequence}`;
}
