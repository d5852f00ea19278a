import { randomUUID } from 'node:crypto';
import type { PlanLimits } from '../../src/plan-requests/limits';
import type { PlanRecords } from '../../src/plan-requests/PlanStores';
import { openPlanRecords } from '../../src/plan-requests/storage/openPlanRecords';
import type { Stores } from '../../src/storage/Stores';
import { openRecordsOf } from './openRecordsOf';
import { removeFolder, temporaryFolder } from './world';

/** Limits that no test reaches. */
export const noLimits: PlanLimits = { zones: 1_000_000, positions: 100_000_000, testBytes: 2 ** 40, tests: 1_000_000 };

/** Records of plan requests in their own folder. */
export interface OpenPlanRecords {
  records: PlanRecords;
  tables: Pick<Stores, 'events'>;
  folder: string;
  close: () => Promise<void>;
}

/** Makes records of plan requests. */
export async function makePlanRecords(clock: () => Date): Promise<OpenPlanRecords> {
  const folder = await temporaryFolder();
  const open = await openRecordsOf(folder, { clock });
  return {
    records: openPlanRecords(open.tables, randomUUID),
    tables: open.records,
    folder,
    async close(): Promise<void> {
      await open.close();
      await removeFolder(folder);
    },
  };
}
