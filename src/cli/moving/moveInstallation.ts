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
import { privateUmask } from '../../platform/privateUmask';
import { DatabaseSide } from './DatabaseSide';
import { FolderSide } from './FolderSide';
import type { PodCount, PodMove } from './movePods';
import { comparePods, movePods, requireNames } from './movePods';
import { compareValues, moveValues } from './moveValues';
import type { PodSide } from './PodSide';

/** Source and target of a move: one is an SQLite file, the other a PostgreSQL database. */
export interface InstallationMove {
  /** Existing records. */
  from: string;
  /** Records to create, where nothing may exist yet. */
  to: string;
  /** Folder of key files, used for both. */
  keys: string;
  /** Root folder of the pods that belong to the SQLite file. */
  rootFilePath: string;
  /** Receives reports of progress. */
  report: (line: string) => void;
  /** Name of the operator, for the audit record. */
  operator: string;
  now: Clock;
  newId: NewId;
}

/** Counts of moved and compared items. */
export interface Moved extends PodCount {
  rows: number;
  values: number;
  /** State of the audit record at the target. */
  audit: { rows: number; hash: string; problem?: string };
}

function nothing(): void {
  // Not logged: any problem ends the move.
}

const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing };

/** Key of the server's base URL among its own values. */
const baseUrlKey = 'setup/current-base-url';

/**
 * Moves records, pods and the server's own values from files to PostgreSQL, or back, and compares both sides.
 *
 * Nobody else can use either side meanwhile. The source stays unchanged, except for a row in its audit record. After an
 * interrupted move, servers refuse the target, and the next run continues. Nobody else can read what it writes.
 *
 * @returns Nothing when an earlier run has completed the move.
 *
 * @throws Error when either side is in use, when the target is not empty, or when the sides differ afterwards.
 */
export async function moveInstallation(move: InstallationMove): Promise<Moved | undefined> {
  const { from, to, keys, rootFilePath } = move;
  keepApart(rootFilePath, { records: isPostgresUrl(from) ? to : from, keys });
  const umask = process.umask(privateUmask);
  try {
    return await moveAlone(move);
  } finally {
    process.umask(umask);
  }
}

async function moveAlone(move: InstallationMove): Promise<Moved | undefined> {
  const { from, to } = move;
  const source = await openDatabase(from, { alone: true, mustExist: true });
  try {
    await requireMigrated(source);
    // Checked first, so that nothing is created at the target for a source that cannot be moved.
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
  // Opening the records checks that the keys belong to them.
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
  const { now, operator, report } = move;
  const [ from, to ] = [ source, target ].map((database): PodSide => sideOf(database, move));
  await from.tidy();
  if (to.namesOf) {
    await requireNames(from.tree(baseUrl), to.namesOf(baseUrl), baseUrl);
  }
  const copy = new RecordsCopy(source, target, report, now);
  const isLeftToDo = await copy.begin(
    async(): Promise<boolean> => to.isEmpty(),
    async(): Promise<void> => log.append({ type: 'move.begun', at: now(), personal: { operator }}),
  );
  if (!isLeftToDo) {
    return undefined;
  }
  await to.tidy();
  const pods: PodMove = { from: from.tree(baseUrl), to: to.tree(baseUrl), baseUrl, report };
  await copy.copy();
  report('Copying the values of the server');
  await moveValues(from.values, to.values);
  report('Copying the pods');
  await movePods(pods);
  report('Comparing both sides');
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
