import type { NewId } from '../../platform/clock';
import type { RecordsTables } from '../../storage/openRecords';
import type { Database } from '../../storage/schema';
import type { PlanRecords, PlanStores } from '../PlanStores';
import { SqlJobStore } from './SqlJobStore';
import { SqlMapRequestStore } from './SqlMapRequestStore';
import { SqlOverlayStore } from './SqlOverlayStore';
import { SqlPackageStore } from './SqlPackageStore';
import { SqlPdaZoneStore } from './SqlPdaZoneStore';
import { SqlUnaStore } from './SqlUnaStore';
import { SqlUnaZoneStore } from './SqlUnaZoneStore';
import { SqlZoneVersionStore } from './SqlZoneVersionStore';

/**
 * The stores of plan requests, on the tables of the records.
 */
export function openPlanRecords(tables: RecordsTables, newId: NewId): PlanRecords {
  return {
    ...storesOn(tables.db, tables.audit, newId),
    transaction: async<T>(work: (stores: PlanStores) => Promise<T>): Promise<T> =>
      tables.transaction(async(trx, stores): Promise<T> => work(storesOn(trx, stores.audit, newId))),
  };
}

function storesOn(db: Database, audit: PlanStores['audit'], newId: NewId): PlanStores {
  return {
    unas: new SqlUnaStore(db),
    unaZones: new SqlUnaZoneStore(db),
    pdaZones: new SqlPdaZoneStore(db),
    overlays: new SqlOverlayStore(db),
    mapRequests: new SqlMapRequestStore(db),
    packages: new SqlPackageStore(db),
    jobs: new SqlJobStore(db, newId),
    zoneVersions: new SqlZoneVersionStore(db),
    audit,
  };
}
