import { TooManyUnas, TooManyZonePositions, TooManyZones } from '../problems';
import type { Holdings, PlanStores } from './PlanStores';

/** Bounds on what each organisation may have. */
export interface PlanLimits {
  /** Maximum zones, of operators and municipalities together; also the maximum of utility network authorities. */
  zones: number;
  /** Maximum positions of all its zones. */
  positions: number;
  /** Maximum total size of test packages that wait to be validated, in bytes. */
  testBytes: number;
  /** Maximum test packages that wait to be validated. */
  tests: number;
}

/**
 * Changes an organisation's holdings within its transaction. An organisation above limits that were lowered may still
 * change anything, but not add more.
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
