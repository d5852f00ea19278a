import type { NewId } from '../../platform/clock';
import type { RecordsTables } from '../../storage/openRecords';
import type { PlanRecords, PlanStores } from '../PlanStores';
import { SqlHoldingStore } from './SqlHoldingStore';
import { SqlJobStore } from './SqlJobStore';
import { SqlMapRequestStore } from './SqlMapRequestStore';
import { SqlOverlayStore } from './SqlOverlayStore';
import { SqlPackageStore } from './SqlPackageStore';
import { SqlPdaZoneStore } from './SqlPdaZoneStore';
import { SqlUnaStore } from './SqlUnaStore';
import { SqlUnaZoneStore } from './SqlUnaZoneStore';
import { SqlZoneVersionStore } from './SqlZoneVersionStore';

/** Opens the stores of plan requests on the tables of the records. */
export function openPlanRecords(tables: RecordsTables, newId: NewId): PlanRecords {
  return {
    ...storesOn(tables, newId),
    transaction: async<T>(work: (stores: PlanStores) => Promise<T>): Promise<T> =>
      tables.transaction(async(trx, stores): Promise<T> =>
        work(storesOn({ ...tables, db: trx, audit: stores.audit, events: stores.events }, newId))),
  };
}

function storesOn(
  { audit, db, engine, events, vault }: Pick<RecordsTables, 'db' | 'engine' | 'vault'> &
    Pick<PlanStores, 'audit' | 'events'>,
  newId: NewId,
): PlanStores {
  return {
    unas: new SqlUnaStore(db),
    unaZones: new SqlUnaZoneStore({ db, engine, vault }),
    pdaZones: new SqlPdaZoneStore(db),
    overlays: new SqlOverlayStore(db),
    holdings: new SqlHoldingStore(db),
    mapRequests: new SqlMapRequestStore(db, vault),
    packages: new SqlPackageStore(db, engine),
    jobs: new SqlJobStore(db, newId),
    zoneVersions: new SqlZoneVersionStore(db),
    events,
    audit,
  };
}
