import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Clock, NewId } from '../../platform/clock';
import { RowConflict, RowSuperseded } from '../../platform/ResourceRows';
import type {
  FoundRow,
  ReadRow,
  ResourceRow,
  ResourceRows,
  RowConflictReason,
  RowDescription,
  RowMember,
  RowPlace,
  SeenRevision,
} from '../../platform/ResourceRows';
import { uniqueViolation } from '../database/engine';
import type { Engine } from '../database/engine';
import { LookUp } from '../database/LookUp';
import { Statement } from '../database/Statement';
import type { Database, PodResourceTable } from '../schema';
import { codeOf } from '../../platform/errors';
import { lastOf } from '../../platform/lists';
import { isTooLongToIndex } from '../../platform/tooLong';

/** Size of chunks. Bodies up to this size are in their row, longer ones in chunks. */
export const chunkBytes = 256 * 1024;
/** Maximum size of a document that is read together with others. */
const maxReadTogether = 64 * 1024;
const nextRevision = sql<number>`nextval('pod_revisions')`;
const membersAtOnce = 1000;
/** Attempts to remove a tree that others are writing to. Each attempt waits for them. */
const maxTreeAttempts = 100;
const foreignKeyViolation = '23503';
/** Age at which chunks without a row count as abandoned: no upload takes so long. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

const shortBody = sql<Buffer | null>`case when size <= ${sql.lit(maxReadTogether)} then body end`.as('body');

const entryAt = new Statement((db, path: string) => db.selectFrom('podResources')
  .select([ 'contentType', 'metadata', 'modified', 'size', 'revision' ])
  .where('path', '=', path));

const shortDocumentAt = new LookUp(({ db }, path: string) => db.selectFrom('podResources')
  .select([ 'contentType', 'metadata', 'modified', 'size' ])
  .select(shortBody)
  .where('path', '=', path));

const documentAt = new Statement((db, path: string) => db.selectFrom('podResources')
  .select([ 'contentType', 'metadata', 'modified', 'size', 'body' ])
  .where('path', '=', path));

const entriesAt = new Statement((db, paths: readonly string[]) => db.selectFrom('podResources')
  .select([ 'path', 'contentType', 'metadata', 'modified', 'size', 'revision' ])
  .select(shortBody)
  .where(sql<SqlBool>`path = any(${paths})`));

const bytesAt = new Statement((db, path: string) => db.selectFrom('podResources')
  .select([ 'body', 'version', 'size' ])
  .where('path', '=', path));

const membersOf = new Statement((db, container: string, after: string) => db.selectFrom('podResources')
  .select([ 'path', 'contentType', 'modified', 'size' ])
  .where('parent', '=', container)
  .where('path', '>', after)
  .orderBy('path')
  .limit(sql.lit(membersAtOnce)));

/** A sum, because the order of the members does not matter. */
const listingOf = new Statement((db, container: string, hidden: readonly string[]) => db.selectFrom('podResources')
  .select([
    sql<string | null>`sum(hashtextextended(path, modified # (size << 20)) & 1099511627775)::text`.as('sum'),
    sql<number | null>`max(modified)`.as('modified'),
  ])
  .where('parent', '=', container)
  .where(sql<SqlBool>`path not like all (${hidden})`));

/**
 * Pods in PostgreSQL, with one row for each resource. One statement replaces a document after all of its bytes have
 * arrived, so that readers find the old document or the new one. Whichever node writes, constraints of the database
 * keep a container that has members, and prevent a document and a container of the same name.
 */
export class SqlPodStore implements ResourceRows {
  public constructor(
    private readonly db: Database,
    private readonly engine: Engine,
    private readonly clock: Clock,
    private readonly newId: NewId,
  ) {}

  /** Finds a resource, without its bytes. */
  public async find(path: string): Promise<FoundRow | undefined> {
    const row = await entryAt.first(this.db, path);
    return row && { ...entryOf(row), revision: row.revision };
  }

  /** Finds resources by path, all as of the same moment. */
  public async findTogether(paths: readonly string[]): Promise<Map<string, ReadRow>> {
    const rows = await entriesAt.run(this.db, paths);
    return new Map(rows.map((row): [string, ReadRow] =>
      [ row.path, { ...entryOf(row), revision: row.revision, body: row.body ?? undefined }]));
  }

  /** Finds a document with its bytes, when these are few enough to be in its row. */
  public async findWhole(path: string): Promise<ResourceRow & { body: Buffer } | undefined> {
    let row = await shortDocumentAt.first(this.db, this.engine, path);
    if (row && !row.body && row.size > maxReadTogether && row.size <= chunkBytes) {
      row = await documentAt.first(this.db, path);
    }
    return row?.body ? { ...entryOf(row), body: row.body } : undefined;
  }

  /** Opens the bytes of a document, of which one chunk at a time is in memory. */
  public async open(path: string): Promise<AsyncIterable<Buffer> | undefined> {
    const row = await bytesAt.first(this.db, path);
    if (row?.version) {
      return this.chunks(row.version, row.size);
    }
    return row?.body ? once(row.body) : undefined;
  }

  /** Iterates over the members of a container, in the order of their paths. */
  public async* listMembers(container: string): AsyncIterableIterator<RowMember> {
    let after = '';
    for (;;) {
      const rows = await membersOf.run(this.db, container, after);
      yield* rows.map((row): RowMember => memberOf(row));
      if (rows.length < membersAtOnce) {
        return;
      }
      after = lastOf(rows).path;
    }
  }

  /**
   * Finds the state of the listing of a container.
   *
   * @param container - Path of the container.
   * @param hidden - Suffixes of paths that are not listed.
   */
  public async findListing(
    container: string,
    hidden: readonly string[],
  ): Promise<{ version: string; modified?: Date }> {
    const row = await listingOf.first(this.db, container, hidden.map((suffix): string => `%${suffix}`));
    return {
      version: BigInt(row?.sum ?? 0).toString(36),
      modified: row?.modified ? new Date(row.modified) : undefined,
    };
  }

  /**
   * Creates or replaces a document once all of its bytes have arrived. An incomplete body changes nothing.
   *
   * @throws RowConflict
   * @throws RowSuperseded
   */
  public async writeDocument(
    place: RowPlace,
    entry: RowDescription,
    body: AsyncIterable<Buffer>,
    seen?: SeenRevision,
  ): Promise<void> {
    const version = this.newId();
    try {
      const stored = await this.store(version, body);
      await (seen === undefined ? this.replace(place, entry, stored) : this.replaceSeen(place, entry, stored, seen));
    } catch (error: unknown) {
      await this.db.deleteFrom('podChunks').where('version', '=', version).execute().catch(() => []);
      throw error;
    }
  }

  /**
   * Creates a container, or replaces its description.
   *
   * @throws RowConflict
   */
  public async writeContainer(place: RowPlace, entry: RowDescription): Promise<void> {
    await this.replace(place, entry, { size: 0 });
  }

  /**
   * Creates a container unless it exists. An existing one keeps its description.
   *
   * @throws RowConflict
   */
  public async makeContainer(place: RowPlace, entry: RowDescription): Promise<void> {
    await this.besideOthers(place, async() => this.make(place, entry, { size: 0 }));
  }

  /** Creates the root container when it is missing: searches for a parent end there, as they do on files. */
  public async makeRoot(): Promise<void> {
    await this.makeContainer({ path: '/' }, { metadata: '', modified: this.clock() });
  }

  /** Updates the time of a container, but not its description. Returns false when it does not exist. */
  public async touch(path: string, { modified }: Pick<RowDescription, 'modified'>): Promise<boolean> {
    const { numUpdatedRows } = await this.db.updateTable('podResources')
      .set({ modified: sql<number>`greatest(${modified.getTime()}, modified + 1)`, revision: nextRevision })
      .where('path', '=', path)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /**
   * Replaces the description of a resource. Returns false when it does not exist.
   *
   * @param path - Of the resource.
   * @param entry - The new description.
   * @param seen - The revision to replace, or the description to replace.
   *
   * @throws RowSuperseded
   */
  public async writeMetadata(path: string, entry: RowDescription, seen?: SeenRevision | string): Promise<boolean> {
    const update = this.db.updateTable('podResources')
      .set({
        contentType: entry.contentType ?? null,
        metadata: entry.metadata,
        modified: sql<number>`greatest(${entry.modified.getTime()}, modified + 1)`,
        revision: nextRevision,
      })
      .where('path', '=', path);
    const ofRevision = typeof seen === 'number' ? update.where('revision', '=', seen) : update;
    const { numUpdatedRows } = await (typeof seen === 'string' ? ofRevision.where('metadata', '=', seen) : ofRevision)
      .executeTakeFirst();
    return tookPlace(numUpdatedRows > 0n, seen ?? undefined);
  }

  /**
   * Removes a document or an empty container. Returns false when it does not exist.
   *
   * @param path - Of the resource.
   * @param others - Documents that are removed together with the resource.
   * @param seen - Revision of the document to remove.
   *
   * @throws RowConflict
   * @throws RowSuperseded
   */
  public async delete(path: string, others: readonly string[] = [], seen?: SeenRevision): Promise<boolean> {
    const isMeant = isRevision(seen) ? sql<SqlBool>`revision = ${seen}` : sql<SqlBool>`true`;
    const isGone = await this.remove(sql<SqlBool>`path = ${path} and ${isMeant}`, others);
    return tookPlace(isGone, seen ?? undefined);
  }

  /** Removes a container and everything below it, including what is being written there now. */
  public async deleteTree(path: string): Promise<void> {
    // All paths with this prefix, in byte order: `0` is the character after the slash.
    const isBelow = sql<SqlBool>`path >= ${path} and path < ${path.replace(/\/$/u, '0')}`;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.remove(isBelow);
        return;
      } catch (error: unknown) {
        if (attempt === maxTreeAttempts || !(error instanceof RowConflict)) {
          throw error;
        }
      }
    }
  }

  /**
   * Removes chunks of uploads that a crash interrupted.
   *
   * @param olderThanMs - Minimum age of the chunks. May be 0 when no other process is running.
   */
  public async sweep(olderThanMs = abandonedAfterMs): Promise<void> {
    await this.db.deleteFrom('podChunks')
      .where('writtenAt', '<=', this.clock().getTime() - olderThanMs)
      .where(query => query.not(query.exists(query.selectFrom('podResources')
        .select('path')
        .whereRef('podResources.version', '=', 'podChunks.version'))))
      .execute();
  }

  /** Removes resources by one statement, and `others` if it removed any. Returns whether it did. */
  private async remove(condition: Expression<SqlBool>, others: readonly string[] = []): Promise<boolean> {
    return translated(async(): Promise<boolean> => {
      const gone = await this.db
        .with('gone', db => db.deleteFrom('podResources').where(condition).returning([ 'path', 'version' ]))
        .with('others', db => db.deleteFrom('podResources')
          .where(sql<SqlBool>`path = any(${others})`)
          .where(query => query.exists(query.selectFrom('gone').select('path')))
          .returning('version'))
        .with('chunks', db => db.deleteFrom('podChunks')
          .where(sql<SqlBool>`version in (select version from gone union all select version from others)`))
        .selectFrom('gone').select('path').limit(1)
        .execute();
      return gone.length > 0;
    }, 'notEmpty');
  }

  private async store(version: string, body: AsyncIterable<Buffer>): Promise<Stored> {
    let size = 0;
    let part = 0;
    let held: Buffer | undefined;
    for await (const chunk of inChunks(body)) {
      if (held) {
        await this.storeChunk(version, part, held);
        part += 1;
      }
      held = chunk;
      size += chunk.length;
    }
    if (!held || part === 0) {
      return { size, body: held ?? Buffer.alloc(0) };
    }
    await this.storeChunk(version, part, held);
    return { size, version };
  }

  private async storeChunk(version: string, part: number, bytes: Buffer): Promise<void> {
    await this.db.insertInto('podChunks')
      .values({ version, part, bytes, writtenAt: this.clock().getTime() })
      .execute();
  }

  /** Creates or replaces a resource, even if somebody else creates it at the same moment. */
  private async replace(place: RowPlace, entry: RowDescription, stored: Stored): Promise<void> {
    await this.besideOthers(place, async() => this.put(place, entry, stored));
  }

  /**
   * Writes again when somebody else created the same resource at the same moment: PostgreSQL then reports a conflict of
   * names instead of paths, or a deadlock between the two indexes.
   */
  private async besideOthers({ path }: RowPlace, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error: unknown) {
      const isTaken = error instanceof RowConflict && error.reason === 'nameTaken';
      if (!(isTaken ? await this.find(path) : this.engine.isConflict(error))) {
        throw error;
      }
      await write();
    }
  }

  /**
   * Writes by one statement. Two versions of a document never have the same time, because entity tags derive from it.
   */
  private async put(
    { path, parent }: RowPlace,
    entry: RowDescription,
    stored: Stored,
  ): Promise<void> {
    const row = rowOf(entry, stored);
    await translated(async() => this.db
      .with('chunks', db => db.deleteFrom('podChunks').where('version', 'in', sub => sub
        .selectFrom('podResources')
        .select(sql<string>`version`.as('version'))
        .where('path', '=', path)
        .where('version', 'is not', null)))
      .insertInto('podResources')
      .values({ path, parent: parent ?? null, modified: entry.modified.getTime(), ...row })
      .onConflict(conflict => conflict.column('path').doUpdateSet({
        ...row,
        modified: sql<number>`greatest(excluded.modified, pod_resources.modified + 1)`,
        revision: nextRevision,
      }))
      .execute());
  }

  /** Replaces, by one statement, a document that was read before. */
  private async replaceSeen(
    place: RowPlace,
    entry: RowDescription,
    stored: Stored,
    seen: number | null,
  ): Promise<void> {
    const written = await (seen === null ? this.make(place, entry, stored) : this.update(place, entry, stored, seen));
    tookPlace(written > 0n, seen);
  }

  private async make({ path, parent }: RowPlace, entry: RowDescription, stored: Stored): Promise<bigint> {
    const { numInsertedOrUpdatedRows = 0n } = await translated(async() => this.db.insertInto('podResources')
      .values({ path, parent: parent ?? null, modified: entry.modified.getTime(), ...rowOf(entry, stored) })
      .onConflict(conflict => conflict.column('path').doNothing())
      .executeTakeFirst());
    return numInsertedOrUpdatedRows;
  }

  private async update({ path }: RowPlace, entry: RowDescription, stored: Stored, seen: number): Promise<bigint> {
    const { numUpdatedRows } = await this.db
      .with('chunks', db => db.deleteFrom('podChunks').where('version', 'in', sub => sub
        .selectFrom('podResources')
        .select(sql<string>`version`.as('version'))
        .where('path', '=', path)
        .where('revision', '=', seen)
        .where('version', 'is not', null)))
      .updateTable('podResources')
      .set({
        ...rowOf(entry, stored),
        modified: sql<number>`greatest(${entry.modified.getTime()}, modified + 1)`,
        revision: nextRevision,
      })
      .where('path', '=', path)
      .where('revision', '=', seen)
      .executeTakeFirst();
    return numUpdatedRows;
  }

  private async* chunks(version: string, size: number): AsyncIterableIterator<Buffer> {
    let read = 0;
    for (let part = 0; read < size; part += 1) {
      const { bytes } = await this.db.selectFrom('podChunks').select('bytes')
        .where('version', '=', version)
        .where('part', '=', part)
        .executeTakeFirstOrThrow(() => new Error('The document was replaced while it was being read'));
      read += bytes.length;
      yield bytes;
    }
  }
}

/** Place of the bytes of a resource: its row, or chunks of a version. */
interface Stored {
  size: number;
  body?: Buffer;
  version?: string;
}

type EntryRow = Pick<PodResourceTable, 'contentType' | 'metadata' | 'modified' | 'size'>;
type MemberRow = Pick<PodResourceTable, 'contentType' | 'modified' | 'path' | 'size'>;

function entryOf({ contentType, metadata, modified, size }: EntryRow): ResourceRow {
  return { contentType: contentType ?? undefined, metadata, modified: new Date(modified), size };
}

function memberOf({ path, contentType, modified, size }: MemberRow): RowMember {
  return { path, contentType: contentType ?? undefined, modified: new Date(modified), size };
}

type StoredRow = Pick<PodResourceTable, 'body' | 'contentType' | 'metadata' | 'size' | 'version'>;

function rowOf({ contentType, metadata }: RowDescription, { body, size, version }: Stored): StoredRow {
  return { contentType: contentType ?? null, metadata, size, body: body ?? null, version: version ?? null };
}

/** @throws RowSuperseded when a change that expects a version found another one. */
function tookPlace(isDone: boolean, seen: SeenRevision | string): boolean {
  if (!isDone && seen !== undefined) {
    throw new RowSuperseded();
  }
  return isDone;
}

function isRevision(seen: SeenRevision | string): seen is number {
  return typeof seen === 'number';
}

async function* once(bytes: Buffer): AsyncIterableIterator<Buffer> {
  yield bytes;
}

/** Splits bytes into chunks of {@link chunkBytes}; only the last one is shorter. */
async function* inChunks(body: AsyncIterable<Buffer>): AsyncIterableIterator<Buffer> {
  let held: Buffer[] = [];
  let length = 0;
  for await (let bytes of body) {
    while (length + bytes.length >= chunkBytes) {
      const taken = chunkBytes - length;
      yield Buffer.concat([ ...held, bytes.subarray(0, taken) ]);
      bytes = bytes.subarray(taken);
      held = [];
      length = 0;
    }
    held.push(bytes);
    length += bytes.length;
  }
  if (length > 0) {
    yield Buffer.concat(held);
  }
}

async function translated<T>(work: () => Promise<T>, missing: RowConflictReason = 'noParent'): Promise<T> {
  try {
    return await work();
  } catch (error: unknown) {
    const code = codeOf(error);
    if (code === uniqueViolation) {
      throw new RowConflict('nameTaken', { cause: error });
    }
    if (isTooLongToIndex(error)) {
      throw new RowConflict('tooLong', { cause: error });
    }
    throw code === foreignKeyViolation ? new RowConflict(missing, { cause: error }) : error;
  }
}
