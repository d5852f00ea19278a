import type { Zone } from '../geometry/readZone';
import type { Polygons } from '../geometry/polygons';
import type { System } from '../geometry/systems';
import { parseOwn } from '../../platform/ownJson';

/** The columns of a zone. */
export interface ZoneColumns {
  srs: string;
  given: string;
  polygons: string;
}

/** A zone as it is stored; one that was given in the system of comparison stands there once. */
export function fromZone({ srs, given, polygons }: Zone): ZoneColumns {
  return { srs, given: given === polygons ? '' : JSON.stringify(given), polygons: JSON.stringify(polygons) };
}

/** A stored zone. */
export function toZone({ srs, given, polygons: text }: ZoneColumns): Zone {
  const polygons = parseOwn<Polygons>(text);
  // Columns have what a writer of this type put there.
  return { srs: srs as System, given: given === '' ? polygons : parseOwn<Polygons>(given), polygons };
}
