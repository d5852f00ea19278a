import type { AuditLog } from '../../audit/AuditLog';
import type { Clock, NewId } from '../../platform/clock';
import { isPostgresUrl, openDatabase } from '../../storage/database/engine';
import type { OpenDatabase } from '../../storage/database/engine';
import { requireMigrated } from '../../storage/migrate';
import type { Opening } from '../../storage/openRecords';
import { podsOn, recordsOn } from '../../storage/openRecords';
import { RecordsCopy } from '../../storage/copies/RecordsCopy';
import { requirePods } from '../backup/checkPods';
import { keepApart } from '../../platform/keepApart';
import { messageOf } from '../../platform/errors';
import { DatabaseSide } from './DatabaseSide';
import { FolderSide } from './FolderSide';
import type { PodCount, PodMove } from './movePods';
import { comparePods, movePods, requireNames } from './movePods';
import { compareValues, moveValues } from './moveValues';
import type { PodSide } from './PodSide';

/** Source and target of a move: one is an SQLite file, the other a PostgreSQL database. */
export interface InstallationMove {
  /** Records that are there. */
  from: string;
  /** Where they are to be: nothing may be there. */
  to: string;
  /** Folder of key files, for both. */
  keys: string;
  /** Root of the pods, beside the SQLite file. */
  rootFilePath: string;
  /** Hears how far the work is. */
  tell: (line: string) => void;
  /** Name of the operator, for the audit record. */
  operator: string;
  now: Clock;
  newId: NewId;
}

/** Counts of what was moved and compared. */
export interface Moved extends PodCount {
  rows: number;
  values: number;
  /** Of the audit record at the target. */
  audit: { rows: number; hash: string; problem?: string };
}

function nothing(): void {
  // Whatever is wrong ends the move.
}

const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing };

/** Where the server notes its base URL. */
const baseUrlKey = 'setup/current-base-url';

/**
 * Moves records, pods and the server's own values from files to PostgreSQL, or back, and compares both sides.
 *
 * Nobody else can use the one or the other meanwhile. The source stays as it is, but for a row in its audit record.
 * When it is interrupted, servers refuse the target, and the next run goes on.
 *
 * @returns Nothing when an earlier run has done it all.
 *
 * @throws Error when something is in use, when the target is not empty, or when both sides are not the same afterwards.
 */
export async function moveInstallation(move: InstallationMove): Promise<Moved | undefined> {
  const { from, to, keys, rootFilePath } = move;
  keepApart(rootFilePath, { records: isPostgresUrl(from) ? to : from, keys });
  const source = await openDatabase(from, { alone: true, mustExist: true });
  try {
    await requireMigrated(source);
    // Nothing is made at the target for a source that cannot be moved.
    const origin = await checkSource(source, move);
    const target = await openDatabase(to, { alone: true }).catch((error: unknown): never => {
      throw new Error(messageOf(error).replace(/^--records/u, '--to'), { cause: error });
    });
    try {
      return await moveBetween(source, target, origin, move);
    } finally {
      await target.db.destroy();
    }
  } finally {
    await source.db.destroy();
  }
}

/** Facts about the source. */
interface Origin {
  opening: Opening;
  log: AuditLog;
  baseUrl: string;
}

async function checkSource(source: OpenDatabase, move: InstallationMove): Promise<Origin> {
  const opening: Opening = { keys: move.keys, clock: move.now, newId: move.newId, logger: silent };
  // The keys are those of the records, and known to them.
  const { records: { audit: log, citizens }, serverSecrets } = await recordsOn(source, opening);
  if (source.engine.name === 'sqlite') {
    await requirePods(move.rootFilePath, { citizens, serverSecrets });
  }
  const baseUrl = await sideOf(source, move).values.get(baseUrlKey);
  if (typeof baseUrl !== 'string') {
    throw new TypeError('There are no pods at the source, or no server has ever run on them');
  }
  return { opening, log, baseUrl };
}

async function moveBetween(
  source: OpenDatabase,
  target: OpenDatabase,
  { opening, log, baseUrl }: Origin,
  move: InstallationMove,
): Promise<Moved | undefined> {
  const { now, operator, tell } = move;
  const [ from, to ] = [ source, target ].map((database): PodSide => sideOf(database, move));
  await from.tidy();
  if (to.namesOf) {
    await requireNames(from.tree(baseUrl), to.namesOf(baseUrl), baseUrl);
  }
  const copy = new RecordsCopy(source, target, tell, now);
  const isLeftToDo = await copy.begin(
    async(): Promise<boolean> => to.isEmpty(),
    async(): Promise<void> => log.append({ type: 'move.begun', at: now(), personal: { operator }}),
  );
  if (!isLeftToDo) {
    return undefined;
  }
  await to.tidy();
  const pods: PodMove = { from: from.tree(baseUrl), to: to.tree(baseUrl), baseUrl, tell };
  await copy.copy();
  tell('Copying the values of the server');
  await moveValues(from.values, to.values);
  tell('Copying the pods');
  await movePods(pods);
  tell('Comparing both sides');
  const rows = await copy.compare();
  const values = await compareValues(from.values, to.values);
  const count = await comparePods(pods);
  const audit = await checkAudit(target, opening);
  await copy.finish();
  return { rows, values, ...count, audit };
}

function sideOf(database: OpenDatabase, { rootFilePath, now, newId }: InstallationMove): PodSide {
  return database.engine.name === 'postgres' ?
      new DatabaseSide(podsOn(database, { clock: now, newId })) :
      new FolderSide(rootFilePath);
}

async function checkAudit(database: OpenDatabase, opening: Opening): Promise<Moved['audit']> {
  const { records } = await recordsOn(database, opening);
  const { rows, end: { hash }, findings: [ finding ] } = await records.audit.check(1);
  return { rows, hash, problem: finding && `row ${finding.sequence}: ${finding.problem}` };
}
