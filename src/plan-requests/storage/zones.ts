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

/** Converts a zone to its stored form. Polygons given in the system of comparison are stored only once. */
export function fromZone({ srs, given, polygons }: Zone): ZoneColumns {
  return { srs, given: given === polygons ? '' : JSON.stringify(given), polygons: JSON.stringify(polygons) };
}

/** Converts a stored zone. */
export function toZone({ srs, given, polygons: text }: ZoneColumns): Zone {
  const polygons = parseOwn<Polygons>(text);
  // Only values of this type were written to the columns.
  return { srs: srs as System, given: given === '' ? polygons : parseOwn<Polygons>(given), polygons };
}
