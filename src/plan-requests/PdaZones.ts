import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { NotOfOrganisation, PdaZoneNotFound } from '../problems';
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
   * Creates or replaces a zone.
   *
   * @param given - With an id when it replaces a zone.
   * @param organisation - Owner of the zone.
   * @param context - Context of the call.
   *
   * @throws PdaZoneNotFound, NotOfOrganisation, TooManyZones, TooManyZonePositions
   */
  public async save(
    given: Zone & { id?: string; name: string },
    organisation: Organisation,
    context: CallContext,
  ): Promise<PdaZone> {
    const { limits, newId, now, records } = this.options;
    const { id, name, ...zone } = given;
    return records.transaction(async(stores): Promise<PdaZone> => {
      const known = id === undefined ? undefined : await getOwn(stores, id, organisation);
      const saved = { ...zone, id: known?.id ?? newId(), name, organisationId: organisation.id };
      await withinLimits(stores, organisation.id, limits, async(): Promise<void> => stores.pdaZones.save(saved));
      const facts = { zone: saved.id, organisation: organisation.id };
      await stores.audit.append({ type: 'plan.pda.written', at: now(), ...ofCall(context, facts) });
      return saved;
    });
  }

  /** @throws PdaZoneNotFound, NotOfOrganisation */
  public async remove(id: string, organisation: Organisation, context: CallContext): Promise<void> {
    const { now, records } = this.options;
    await records.transaction(async(stores): Promise<void> => {
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
}

async function getOwn(
  { pdaZones }: Pick<PlanStores, 'pdaZones'>,
  id: string,
  { id: organisationId }: Organisation,
): Promise<PdaZone> {
  const zone = await pdaZones.find(id);
  if (!zone) {
    throw new PdaZoneNotFound();
  }
  if (zone.organisationId !== organisationId) {
    throw new NotOfOrganisation();
  }
  return zone;
}
