import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { NotOfOrganisation, PdaZoneNotFound } from '../problems';
import { changeZones } from './changeZones';
import { Shape } from './geometry/polygons';
import type { Zone } from './geometry/readZone';
import type { PlanLimits } from './limits';
import { withinLimits } from './limits';
import type { Organisation } from './Organisations';
import { toFoundUnas } from './Overlays';
import type { FoundUna, PdaZone, PlanRecords, PlanStores } from './PlanStores';
import type { ZoneIndex } from './ZoneIndex';

/** Dependencies of {@link PdaZones}. */
export interface PdaZonesOptions {
  records: PlanRecords;
  index: ZoneIndex;
  limits: PlanLimits;
  now: Clock;
  newId: NewId;
}

/** A zone to create or replace. */
type GivenZone = Zone & { id?: string; name: string };

/** Zones of public domain authorities. */
export class PdaZones {
  private readonly options: PdaZonesOptions;

  public constructor(options: PdaZonesOptions) {
    this.options = options;
  }

  public async list({ id }: Organisation): Promise<PdaZone[]> {
    return this.options.records.pdaZones.listOf(id);
  }

  /**
   * Creates a zone, or replaces one of the organisation with the same id.
   *
   * @param given - Without an id, it gets one.
   * @param organisation - Owner of the zone.
   * @param context - Context of the call.
   *
   * @throws NotOfOrganisation, TooManyZones, TooManyZonePositions
   */
  public async put(given: GivenZone, organisation: Organisation, context: CallContext):
  Promise<{ zone: PdaZone; isNew: boolean }> {
    const { newId, records } = this.options;
    return changeZones(records, async(stores): Promise<{ zone: PdaZone; isNew: boolean }> => {
      const known = given.id === undefined ? undefined : await findOwn(stores, given.id, organisation);
      const zone = await this.save(stores, { ...given, id: given.id ?? newId() }, organisation, context);
      return { zone, isNew: !known };
    });
  }

  /**
   * Replaces a zone.
   *
   * @throws PdaZoneNotFound, NotOfOrganisation, TooManyZones, TooManyZonePositions
   */
  public async replace(given: GivenZone & { id: string }, organisation: Organisation, context: CallContext):
  Promise<PdaZone> {
    return changeZones(this.options.records, async(stores): Promise<PdaZone> => {
      await getOwn(stores, given.id, organisation);
      return this.save(stores, given, organisation, context);
    });
  }

  /** @throws PdaZoneNotFound, NotOfOrganisation */
  public async remove(id: string, organisation: Organisation, context: CallContext): Promise<void> {
    const { now, records } = this.options;
    await changeZones(records, async(stores): Promise<void> => {
      const zone = await getOwn(stores, id, organisation);
      await stores.pdaZones.remove(zone.id, now());
      const facts = { zone: zone.id, organisation: organisation.id };
      await stores.audit.append({ type: 'plan.pda.removed', at: now(), ...ofCall(context, facts) });
    });
  }

  /**
   * Lists the operators whose zones meet a zone.
   *
   * @throws PdaZoneNotFound, NotOfOrganisation
   */
  public async listUnas(id: string, organisation: Organisation): Promise<FoundUna[]> {
    const { index, records } = this.options;
    const { polygons } = await getOwn(records, id, organisation);
    return toFoundUnas(await index.findUnas(new Shape(polygons)));
  }

  private async save(
    stores: PlanStores,
    given: GivenZone & { id: string },
    { id: organisationId }: Organisation,
    context: CallContext,
  ): Promise<PdaZone> {
    const { limits, now } = this.options;
    const saved = { ...given, organisationId };
    await withinLimits(stores, organisationId, limits, async(): Promise<void> => stores.pdaZones.save(saved));
    const facts = { zone: saved.id, organisation: organisationId };
    await stores.audit.append({ type: 'plan.pda.written', at: now(), ...ofCall(context, facts) });
    return saved;
  }
}

/** @throws NotOfOrganisation when it is another organisation's. */
async function findOwn(
  { pdaZones }: Pick<PlanStores, 'pdaZones'>,
  id: string,
  { id: organisationId }: Organisation,
): Promise<PdaZone | undefined> {
  const zone = await pdaZones.find(id);
  if (zone && zone.organisationId !== organisationId) {
    throw new NotOfOrganisation();
  }
  return zone;
}

async function getOwn(stores: Pick<PlanStores, 'pdaZones'>, id: string, organisation: Organisation): Promise<PdaZone> {
  const zone = await findOwn(stores, id, organisation);
  if (!zone) {
    throw new PdaZoneNotFound();
  }
  return zone;
}
