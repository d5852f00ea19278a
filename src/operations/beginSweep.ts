import type { AuditLog } from '../audit/AuditLog';
import type { Clock } from '../platform/clock';
import type { Transactions } from '../platform/Records';
import type { SweepStore } from '../resources/SweepStore';

/** Stores for beginning a sweep. */
export interface SweepStores {
  audit: AuditLog;
  sweeps: SweepStore;
}

/** Begins a sweep over all pods, instead of the current one. A serving process carries it out. */
export async function beginSweep(
  records: Transactions<SweepStores>,
  by: { operator: string; now: Clock },
): Promise<void> {
  await records.transaction(async({ audit, sweeps }): Promise<void> => {
    const at = by.now();
    await sweeps.begin(at, true);
    await audit.append({ type: 'sweep.begun', at, personal: { operator: by.operator }});
  });
}
