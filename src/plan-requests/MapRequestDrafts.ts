import type { Clock, NewId } from '../platform/clock';
import { NatureOfWorksUnknown, PeriodInPast, PeriodInvalid } from '../problems';
import { Shape } from './geometry/polygons';
import type { Zone } from './geometry/readZone';
import type { Organisation } from './Organisations';
import type { MapRequest, MapRequestContent, RequestZone } from './PlanStores';
import type { Terms } from './terms';
import { archivedAt, dateAt, endOfTerm } from './terms';
import { requirePhone } from './Unas';
import type { ZoneIndex } from './ZoneIndex';

/** Dependencies of {@link MapRequestDrafts}. */
export interface MapRequestDraftsOptions {
  index: Pick<ZoneIndex, 'findPdaZones' | 'findUnas'>;
  terms: Terms;
  /** Accepted codes for the nature of works. */
  naturesOfWorks: ReadonlySet<string>;
  now: Clock;
  newId: NewId;
}

/** A plan request that is not on record yet. */
export interface MapRequestDraft {
  request: MapRequest;
  zones: RequestZone[];
  /** Ids of the municipalities' organisations whose zones it meets. */
  pdas: string[];
}

/** Drafts plan requests: finds the zones that a request meets, and sets the deadline of each answer. */
export class MapRequestDrafts {
  public constructor(private readonly options: MapRequestDraftsOptions) {}

  /** @throws PeriodInvalid, PeriodInPast, NatureOfWorksUnknown, PhoneInvalid */
  public async draft(content: MapRequestContent, zone: Zone, organisation: Organisation): Promise<MapRequestDraft> {
    const { index, newId, now, terms } = this.options;
    const receivedAt = now();
    this.check(content, receivedAt);
    const shape = new Shape(zone.polygons);
    const found = [ ...await index.findUnas(shape) ];
    const pdas = (await index.findPdaZones(shape)).map(({ organisationId }): string => organisationId);
    const isKlim = found.some(([ una ]): boolean => una.isKlim);
    const request: MapRequest = {
      ...zone,
      id: newId(),
      organisationId: organisation.id,
      receivedAt,
      packageBy: endOfTerm(receivedAt, isKlim ? terms.klim : terms.package),
      archivedAt: archivedAt(receivedAt),
      ...found.length === 0 && { closedAt: receivedAt },
      content,
      zones: found.reduce((sum, [ , ids ]): number => sum + ids.length, 0),
      plans: 0,
    };
    const zones = found.flatMap(([ una, ids ]): RequestZone[] => ids.map((zoneId): RequestZone => ({
      requestId: request.id,
      zoneId,
      unaId: una.id,
      unaName: una.name,
      organisationId: una.organisationId,
      receivedAt,
      archivedAt: request.archivedAt,
      state: 'ToConfirm',
      confirmBy: endOfTerm(receivedAt, terms.confirm),
      answerBy: endOfTerm(receivedAt, una.isKlim ? terms.klim : terms.answer),
    })));
    return { request, zones, pdas: [ ...new Set(pdas) ]};
  }

  private check({ contact, endDate, natureOfWorks, startDate }: MapRequestContent, now: Date): void {
    if (dateOf(startDate) > dateOf(endDate)) {
      throw new PeriodInvalid();
    }
    if (dateOf(startDate) < dateAt(now)) {
      throw new PeriodInPast();
    }
    if (!this.options.naturesOfWorks.has(natureOfWorks)) {
      throw new NatureOfWorksUnknown(`It must be one of ${[ ...this.options.naturesOfWorks ].join(', ')}.`);
    }
    requirePhone({ phone: contact.Phone });
  }
}

/**
 * Returns the date in Belgium of a date or a time.
 *
 * @throws PeriodInvalid for times that match the format but no date, such as leap seconds.
 */
function dateOf(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) {
    throw new PeriodInvalid();
  }
  return text.length > '2026-11-23'.length ? dateAt(time) : text;
}
