import { isRecord } from '../../platform/isRecord';
import { isList, lastOf } from '../../platform/lists';
import {
  CoordinatesImplausible,
  CoordinatesInDegrees,
  CoordinatesOfOtherSystem,
  OutsideServiceArea,
  PerimeterTooLong,
  RingNotClosed,
  RingTooShort,
  ThirdCoordinate,
  TooManyPositions,
  ZoneMalformed,
} from '../../problems';
import { checkRings } from './checkRings';
import { isWithin } from './isWithin';
import type { Polygons, Position, Ring, Shape } from './polygons';
import { perimeterOf } from './polygons';
import type { System } from './systems';
import { convert, isPlausible, lambert72, systems } from './systems';

/** A zone as callers write it: GeoJSON or well-known text, in metres of a coordinate system. */
export interface GivenZone {
  /** EPSG:31370 when absent. */
  Srs?: string;
  /** A GeoJSON Polygon or MultiPolygon. */
  Geometry?: unknown;
  /** The same as well-known text. */
  Wkt?: string;
}

/** A zone that meets all rules. */
export interface Zone {
  srs: System;
  /** As given, in `srs`. */
  given: Polygons;
  /** In {@link lambert72}. */
  polygons: Polygons;
}

/** Rules that apply to some zones only. */
export interface ZoneRules {
  /** Area that the zone must lie in; anywhere in Belgium when absent. */
  area?: Shape;
  /** Upper bound of the perimeter of all rings together, exclusive. */
  belowMetres?: number;
}

const maxPositions = 10_000;
/** Separators of well-known text in JSON. */
const brackets: Partial<Record<string, string>> = { '(': '[', ')': ']', ',': ',' };
/** Longer than the longest text with the maximum number of positions. */
const maxWktLength = 800_000;

/**
 * Reads a zone and checks it against all rules.
 *
 * @throws Problem of its own type for each rule.
 */
export async function readZone(zone: GivenZone, { area, belowMetres }: ZoneRules): Promise<Zone> {
  const srs = readSystem(zone.Srs);
  const given = readPolygons(zone);
  requireFew(given);
  for (const ring of given.flat()) {
    requireRing(ring);
  }
  requirePlausible(given, srs);
  await checkRings(given);
  if (belowMetres !== undefined && perimeterOf(given) >= belowMetres) {
    throw new PerimeterTooLong(`The perimeter must be smaller than ${belowMetres} m.`);
  }
  const polygons = convert(given, srs, lambert72);
  if (area && !await isWithin(polygons, area)) {
    throw new OutsideServiceArea();
  }
  return { srs, given, polygons };
}

/** Writes a zone in a coordinate system. */
export function writeZone({ srs, given }: Pick<Zone, 'given' | 'srs'>, to: System): GivenZone {
  const polygons = convert(given, srs, to);
  return {
    Srs: to,
    Geometry: polygons.length === 1 ?
        { type: 'Polygon', coordinates: polygons[0] } :
        { type: 'MultiPolygon', coordinates: polygons },
  };
}

/**
 * Reads the polygons of a GeoJSON Polygon or MultiPolygon.
 *
 * @throws ZoneMalformed, ThirdCoordinate
 */
export function readGeoJson(geometry: unknown): Polygons {
  if (!isRecord(geometry) || !isList(geometry.coordinates) || geometry.crs !== undefined) {
    throw new ZoneMalformed('The geometry must be a GeoJSON Polygon or MultiPolygon, without crs.');
  }
  const { coordinates } = geometry;
  if (geometry.type === 'Polygon') {
    return [ readRings(coordinates) ];
  }
  if (geometry.type !== 'MultiPolygon' || coordinates.length === 0) {
    throw new ZoneMalformed('The geometry must be a GeoJSON Polygon or MultiPolygon.');
  }
  return coordinates.map(readRings);
}

function readSystem(srs: string | undefined): System {
  const found = systems.find((system): boolean => system === (srs ?? lambert72));
  if (!found) {
    throw new ZoneMalformed(`Srs must be one of ${systems.join(', ')}.`);
  }
  return found;
}

function readPolygons({ Geometry: geometry, Wkt: wkt }: GivenZone): Polygons {
  if ((geometry === undefined) === (wkt === undefined)) {
    throw new ZoneMalformed('Either Geometry or Wkt is required.');
  }
  return wkt === undefined ? readGeoJson(geometry) : readWkt(wkt);
}

function readWkt(wkt: string): Polygons {
  if (wkt.length > maxWktLength) {
    throw new TooManyPositions(`At most ${maxPositions} positions are accepted.`);
  }
  if (/^\s*(?:MULTI)?POLYGON\s*(?:Z|M|ZM)\s*\(/iu.test(wkt)) {
    throw new ThirdCoordinate();
  }
  const [ , multi, lists ] = /^\s*(MULTI)?POLYGON\s*(\([\s(),.\dE+-]*\))\s*$/iu.exec(wkt) ?? [];
  if (lists === undefined || /\(\s*\(\s*\(\s*\(/u.test(lists)) {
    throw new ZoneMalformed('Wkt must be one POLYGON or MULTIPOLYGON.');
  }
  return readGeoJson({ type: multi === undefined ? 'Polygon' : 'MultiPolygon', coordinates: readLists(lists) });
}

/** Reads the lists of well-known text, which are those of GeoJSON in other brackets, with a space in each position. */
function readLists(text: string): unknown {
  const json: string[] = [];
  let east: string | undefined;
  for (const [ token ] of text.matchAll(/[(),]|[^\s(),]+/gu)) {
    const bracket = brackets[token];
    if (bracket !== undefined) {
      if (east !== undefined) {
        throw new ZoneMalformed('A position is two numbers.');
      }
      json.push(bracket);
    } else if (east === undefined) {
      east = token;
    } else {
      json.push(`[${Number(east)},${Number(token)}]`);
      east = undefined;
    }
  }
  try {
    return JSON.parse(json.join(''));
  } catch (cause: unknown) {
    throw new ZoneMalformed('Wkt cannot be read.', { cause });
  }
}

function readRings(rings: unknown): Ring[] {
  if (!isList(rings) || rings.length === 0 || !rings.every(isList)) {
    throw new ZoneMalformed('A polygon is a list of rings.');
  }
  return rings.map((ring): Ring => ring.map(readPosition));
}

function readPosition(position: unknown): Position {
  if (!isList(position) || !position.every(isCoordinate) || position.length < 2) {
    throw new ZoneMalformed('A position is two numbers.');
  }
  if (position.length > 2) {
    throw new ThirdCoordinate();
  }
  const [ x, y ] = position;
  return [ x, y ];
}

function isCoordinate(part: unknown): part is number {
  return Number.isFinite(part);
}

function requireFew(polygons: Polygons): void {
  if (polygons.flat().reduce((sum, { length }): number => sum + length, 0) > maxPositions) {
    throw new TooManyPositions(`At most ${maxPositions} positions are accepted.`);
  }
}

function requireRing(ring: Ring): void {
  if (ring.length < 4) {
    throw new RingTooShort();
  }
  const [ first, last ] = [ ring[0], lastOf(ring) ];
  if (first[0] !== last[0] || first[1] !== last[1]) {
    throw new RingNotClosed();
  }
}

function requirePlausible(polygons: Polygons, srs: System): void {
  const positions = polygons.flat(2);
  if (positions.every((position): boolean => isPlausible(position, srs))) {
    return;
  }
  if (positions.every(([ x, y ]): boolean => Math.abs(x) <= 180 && Math.abs(y) <= 180)) {
    throw new CoordinatesInDegrees();
  }
  const other = systems.find((system): boolean =>
    system !== srs && positions.every((position): boolean => isPlausible(position, system)));
  if (other) {
    throw new CoordinatesOfOtherSystem(`These are coordinates of ${other}, not of ${srs}.`);
  }
  throw new CoordinatesImplausible(`These are not coordinates of ${srs} in Belgium.`);
}
