import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { AuditEventType } from '../audit/AuditLog';
import type { Clock, NewId } from '../platform/clock';
import { NotOfOrganisation, UnaZoneNotFound, ZoneGeometryNotFound, ZoneInUse } from '../problems';
import { changeZones } from './changeZones';
import type { Zone } from './geometry/readZone';
import type { PlanLimits } from './limits';
import { withinLimits } from './limits';
import type { Organisation } from './Organisations';
import type { PlanRecords, PlanStores, UnaZone, ZoneSettings } from './PlanStores';
import type { Announcements } from './registry/Announcements';
import { getOwnUna, requirePhone } from './Unas';

/** Dependencies of {@link UnaZones}. */
export interface UnaZonesOptions {
  records: PlanRecords;
  announcements: Pick<Announcements, 'request'>;
  limits: PlanLimits;
  now: Clock;
  newId: NewId;
}

/** A zone to register. */
export interface NewUnaZone {
  /** Id of an existing zone, which is announced again. */
  id?: string;
  unaId: string;
  name: string;
  settings: ZoneSettings;
  geometries: Zone[];
}

/** The organisation that changes a zone, and the context of its call. */
interface Change {
  organisation: Organisation;
  context: CallContext;
}

/** Zones of utility network authorities. */
export class UnaZones {
  private readonly options: UnaZonesOptions;

  public constructor(options: UnaZonesOptions) {
    this.options = options;
  }

  /** @throws UnaZoneNotFound, NotOfOrganisation */
  public async get(id: string, organisation: Organisation): Promise<UnaZone> {
    return getOwnZone(this.options.records, id, organisation);
  }

  /**
   * Registers a zone. An existing one keeps its id and gets the given name, settings and geometries.
   *
   * @throws UnaNotFound, UnaZoneNotFound, NotOfOrganisation, PhoneInvalid, TooManyZones, TooManyZonePositions
   */
  public async register({ geometries, id, ...zone }: NewUnaZone, change: Change): Promise<UnaZone> {
    requirePhone(zone.settings);
    const { newId } = this.options;
    return this.change('plan.zone.registered', change, async(stores): Promise<UnaZone> => {
      await getOwnUna(stores, zone.unaId, change.organisation);
      const known = id === undefined ? undefined : await getOwnZone(stores, id, change.organisation);
      if (known && known.unaId !== zone.unaId) {
        throw new UnaZoneNotFound();
      }
      const registered: UnaZone = { ...zone, id: known?.id ?? newId(), registryState: 'NotAnnounced' };
      await stores.unaZones.save(registered);
      await stores.unaZones.removeGeometries(registered.id);
      for (const geometry of geometries) {
        await stores.unaZones.addGeometry({ ...geometry, id: newId(), zoneId: registered.id });
      }
      return registered;
    });
  }

  /**
   * @returns The id of the geometry.
   *
   * @throws UnaZoneNotFound, NotOfOrganisation, TooManyZonePositions
   */
  public async addGeometry(zoneId: string, geometry: Zone, change: Change): Promise<string> {
    const id = this.options.newId();
    await this.change('plan.zone.changed', change, async(stores): Promise<UnaZone> => {
      const zone = await getOwnZone(stores, zoneId, change.organisation);
      await stores.unaZones.addGeometry({ ...geometry, id, zoneId: zone.id });
      return zone;
    });
    return id;
  }

  /** @throws UnaZoneNotFound, NotOfOrganisation, ZoneGeometryNotFound */
  public async removeGeometry(zoneId: string, id: string, change: Change): Promise<void> {
    await this.change('plan.zone.changed', change, async(stores): Promise<UnaZone> => {
      const zone = await getOwnZone(stores, zoneId, change.organisation);
      if (!await stores.unaZones.removeGeometry(zone.id, id)) {
        throw new ZoneGeometryNotFound();
      }
      return zone;
    });
  }

  /** @throws UnaZoneNotFound, NotOfOrganisation, PhoneInvalid */
  public async setSettings(zoneId: string, settings: ZoneSettings, change: Change): Promise<UnaZone> {
    requirePhone(settings);
    return this.change('plan.zone.changed', change, async(stores): Promise<UnaZone> => {
      const zone = { ...await getOwnZone(stores, zoneId, change.organisation), settings };
      await stores.unaZones.save(zone);
      return zone;
    });
  }

  /** @throws UnaZoneNotFound, NotOfOrganisation, ZoneInUse */
  public async remove(zoneId: string, change: Change): Promise<void> {
    await this.change('plan.zone.removed', change, async(stores): Promise<UnaZone> => {
      const zone = await getOwnZone(stores, zoneId, change.organisation);
      // Removed first, so that no request can be sent to it any more.
      await stores.unaZones.remove(zone.id, this.options.now());
      if (await stores.mapRequests.isOpenIn(zone.id, this.options.now())) {
        throw new ZoneInUse();
      }
      return zone;
    });
  }

  private async change(
    type: AuditEventType,
    { context, organisation }: Change,
    work: (stores: PlanStores) => Promise<UnaZone>,
  ): Promise<UnaZone> {
    const { announcements, limits, records } = this.options;
    return changeZones(records, async(stores): Promise<UnaZone> => {
      const changed = await withinLimits(stores, organisation.id, limits, async(): Promise<UnaZone> => work(stores));
      const zone = await announcements.request(stores, changed);
      const facts = { zone: zone.id, una: zone.unaId, organisation: organisation.id };
      await stores.audit.append({ type, at: this.options.now(), ...ofCall(context, facts) });
      return zone;
    });
  }
}

/**
 * Returns a zone of an organisation.
 *
 * @throws UnaZoneNotFound, NotOfOrganisation
 */
async function getOwnZone(
  { unas, unaZones }: Pick<PlanStores, 'unas' | 'unaZones'>,
  id: string,
  { id: organisationId }: Organisation,
): Promise<UnaZone> {
  const zone = await unaZones.find(id);
  if (!zone) {
    throw new UnaZoneNotFound();
  }
  if ((await unas.find(zone.unaId))?.organisationId !== organisationId) {
    throw new NotOfOrganisation();
  }
  return zone;
}
