import { TooManyUnas, TooManyZonePositions, TooManyZones } from '../problems';
import type { Holdings, PlanStores } from './PlanStores';

/** Bounds on what each organisation may have. */
export interface PlanLimits {
  /** Zones, of operators and of municipalities together; as many utility network authorities. */
  zones: number;
  /** Positions of all its zones. */
  positions: number;
  /** Packages that are tried and wait for their judgement, together. */
  testBytes: number;
}

/**
 * Does work on what an organisation has, in its transaction. One that has more than the limits, because they were
 * higher, may go on with anything but getting more.
 *
 * @throws TooManyUnas, TooManyZones, TooManyZonePositions when it has too much afterwards.
 */
export async function withinLimits<T>(
  { holdings }: Pick<PlanStores, 'holdings'>,
  organisationId: string,
  limits: PlanLimits,
  work: () => Promise<T>,
): Promise<T> {
  const before = await holdings.get(organisationId);
  const result = await work();
  const after = await holdings.get(organisationId);
  function exceeds(what: keyof Holdings, limit: number): boolean {
    return after[what] > Math.max(limit, before[what]);
  }
  if (exceeds('unas', limits.zones)) {
    throw new TooManyUnas(`An organisation may have ${limits.zones}.`);
  }
  if (exceeds('zones', limits.zones)) {
    throw new TooManyZones(`An organisation may have ${limits.zones}.`);
  }
  if (exceeds('positions', limits.positions)) {
    throw new TooManyZonePositions(`The zones of an organisation may have ${limits.positions}.`);
  }
  return result;
}
