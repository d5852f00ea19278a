import type { CallContext } from '../audit/CallContext';
import { ofCall } from '../audit/CallContext';
import type { Clock, NewId } from '../platform/clock';
import { MapRequestNotFound } from '../problems';
import { Shape } from './geometry/polygons';
import type { Zone } from './geometry/readZone';
import type { Organisation } from './Organisations';
import type { FoundUna, Overlay, PlanRecords, Una } from './PlanStores';
import type { ZoneIndex } from './ZoneIndex';

/** Dependencies of {@link Overlays}. */
export interface OverlaysOptions {
  records: PlanRecords;
  index: ZoneIndex;
  now: Clock;
  newId: NewId;
}

/** Time for which an overlay can be read again. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Overlays: the operators in a zone. Nobody is notified; an overlay is not a plan request. */
export class Overlays {
  private readonly options: OverlaysOptions;

  public constructor(options: OverlaysOptions) {
    this.options = options;
  }

  /** Finds the operators in a zone. */
  public async make({ polygons }: Zone, organisation: Organisation, context: CallContext): Promise<Overlay> {
    const { index, newId, now, records } = this.options;
    const overlay = {
      id: newId(),
      organisationId: organisation.id,
      createdAt: now(),
      unas: toFoundUnas(await index.findUnas(new Shape(polygons))),
    };
    await records.transaction(async({ audit, overlays }): Promise<void> => {
      await overlays.save(overlay);
      const facts = { overlay: overlay.id, organisation: organisation.id };
      await audit.append({ type: 'plan.overlay.made', at: overlay.createdAt, ...ofCall(context, facts) });
    });
    return overlay;
  }

  /**
   * Returns an earlier overlay.
   *
   * @throws MapRequestNotFound also when it is older than 30 days, or another organisation's.
   */
  public async get(id: string, { id: organisationId }: Organisation): Promise<Overlay> {
    const overlay = await this.options.records.overlays.find(id);
    if (overlay?.organisationId !== organisationId || overlay.createdAt < this.oldest()) {
      throw new MapRequestNotFound();
    }
    return overlay;
  }

  /** Removes overlays that can no longer be read. */
  public async removeOld(): Promise<void> {
    await this.options.records.overlays.removeBefore(this.oldest());
  }

  private oldest(): Date {
    return new Date(this.options.now().getTime() - keptMs);
  }
}

/** Converts operators found in the index, sorted by name. */
export function toFoundUnas(found: ReadonlyMap<Una, string[]>): FoundUna[] {
  return [ ...found ]
    .map(([{ id: unaId, isKlim, name }, unaZoneIds ]): FoundUna =>
      ({ unaId, name, unaZoneIds: unaZoneIds.sort(), isKlim }))
    .sort((one, other): number => one.name.localeCompare(other.name) || one.unaId.localeCompare(other.unaId));
}
