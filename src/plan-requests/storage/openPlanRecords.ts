import type { RecordsTables } from '../../storage/openRecords';
import type { Database } from '../../storage/schema';
import type { PlanRecords, PlanStores } from '../PlanStores';
import { SqlMapRequestStore } from './SqlMapRequestStore';
import { SqlOverlayStore } from './SqlOverlayStore';
import { SqlPdaZoneStore } from './SqlPdaZoneStore';
import { SqlUnaStore } from './SqlUnaStore';
import { SqlUnaZoneStore } from './SqlUnaZoneStore';
import { SqlZoneVersionStore } from './SqlZoneVersionStore';

/**
 * The stores of plan requests, on the tables of the records.
 */
export function openPlanRecords(tables: RecordsTables): PlanRecords {
  return {
    ...storesOn(tables.db, tables.audit),
    transaction: async<T>(work: (stores: PlanStores) => Promise<T>): Promise<T> =>
      tables.transaction(async(trx, stores): Promise<T> => work(storesOn(trx, stores.audit))),
  };
}

function storesOn(db: Database, audit: PlanStores['audit']): PlanStores {
  return {
    unas: new SqlUnaStore(db),
    unaZones: new SqlUnaZoneStore(db),
    pdaZones: new SqlPdaZoneStore(db),
    overlays: new SqlOverlayStore(db),
    mapRequests: new SqlMapRequestStore(db),
    zoneVersions: new SqlZoneVersionStore(db),
    audit,
  };
}
