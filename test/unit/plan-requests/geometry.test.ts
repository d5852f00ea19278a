/* eslint-disable import/extensions -- this package names its files */
import fc from 'fast-check';
import GeometryFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js';
import GeoJSONReader from 'jsts/org/locationtech/jts/io/GeoJSONReader.js';
import IsSimpleOp from 'jsts/org/locationtech/jts/operation/IsSimpleOp.js';
import RelateOp from 'jsts/org/locationtech/jts/operation/relate/RelateOp.js';
import IsValidOp from 'jsts/org/locationtech/jts/operation/valid/IsValidOp.js';
import { checkRings } from '../../../src/plan-requests/geometry/checkRings';
import type { Polygons, Position, Ring } from '../../../src/plan-requests/geometry/polygons';
import { perimeterOf, Shape, signedArea } from '../../../src/plan-requests/geometry/polygons';
import { convert, fromDegrees } from '../../../src/plan-requests/geometry/systems';
import { ringOf } from '../../support/PlanWorld';

const jts = new GeoJSONReader(new GeometryFactory());

function toJts(polygons: Polygons): unknown {
  return jts.read({ type: 'MultiPolygon', coordinates: polygons });
}

function isTaken(polygons: Polygons): boolean {
  try {
    checkRings(polygons);
    return true;
  } catch {
    return false;
  }
}

/** Rings of few positions on a coarse grid, so that they meet themselves and others in every way. */
const positions = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }));
const rings = fc.array(positions, { minLength: 3, maxLength: 7 }).map((list): Ring => {
  const ring: Position[] = [ ...list, list[0] ];
  return signedArea(ring) < 0 ? ring.reverse() : ring;
});
const simple = rings.filter((ring): boolean => isTaken([[ ring ]]));

describe('Rings of zones', (): void => {
  it('are taken only when a second library finds them valid.', (): void => {
    fc.assert(fc.property(fc.array(rings, { minLength: 1, maxLength: 3 }), (list): void => {
      const polygons = list.map((ring): Ring[] => [ ring ]);
      expect(!isTaken(polygons) || IsValidOp.isValid(toJts(polygons))).toBe(true);
    }), { numRuns: 3000 });
  });

  it('are taken when a second library finds them simple, with an area, and without a contact.', (): void => {
    fc.assert(fc.property(rings, (ring): void => {
      const isValid = IsValidOp.isValid(toJts([[ ring ]])) && signedArea(ring) !== 0 &&
        new Set(ring.map(String)).size === ring.length - 1 &&
          new IsSimpleOp(jts.read({ type: 'LineString', coordinates: ring })).isSimple();
      fc.pre(isValid);
      expect(isTaken([[ ring ]])).toBe(true);
    }), { numRuns: 2000 });
  });

  it('may have positions twice in a row, and long rings are checked in time.', (): void => {
    expect(isTaken([[ ringOf(0, 0, 5).flatMap((position): Position[] => [ position, position ]) ]])).toBe(true);
    const circle = Array.from({ length: 9999 }, (_, at): Position =>
      [ 1e5 + (1000 * Math.cos(at * 2 * Math.PI / 9999)), 1e5 + (1000 * Math.sin(at * 2 * Math.PI / 9999)) ]);
    expect(isTaken([[[ ...circle, circle[0] ]]])).toBe(true);
    const zigzag = Array.from({ length: 9998 }, (_, at): Position =>
      at % 2 === 0 ? [ 1e5 + at, 1e5 ] : [ 1e5 + at + 9000, 1e5 + 9000 ]);
    expect((): void => checkRings([[[ ...zigzag, zigzag[0] ]]])).toThrow(/meets itself|too close/u);
  });

  it('have holes inside, which are apart.', (): void => {
    const hole = ringOf(2, 2, 2).reverse();
    expect(isTaken([[ ringOf(0, 0, 9), hole ]])).toBe(true);
    expect(isTaken([[ ringOf(0, 0, 9), hole, hole ]])).toBe(false);
    expect(isTaken([[ ringOf(0, 0, 9), hole, ringOf(2.5, 2.5, 1).reverse() ]])).toBe(false);
    expect(isTaken([[ ringOf(0, 0, 9), ringOf(12, 2, 2).reverse() ]])).toBe(false);
    expect(isTaken([[ ringOf(0, 0, 9), ringOf(2, 2, 2) ]])).toBe(false);
    expect(isTaken([[ ringOf(0, 0, 9), hole ], [ ringOf(2.5, 2.5, 1) ]])).toBe(true);
    expect(isTaken([[ ringOf(0, 0, 9) ], [ ringOf(2.5, 2.5, 1) ]])).toBe(false);
  });
});

describe('Zones', (): void => {
  it('meet exactly when a second library says so.', (): void => {
    fc.assert(fc.property(
      fc.array(simple, { minLength: 1, maxLength: 2 }).filter((list): boolean => isTaken(list.map((ring): Ring[] =>
        [ ring ]))),
      simple,
      (list, other): void => {
        const polygons = list.map((ring): Ring[] => [ ring ]);
        const meets = new Shape(polygons).meets([[ other ]]);
        expect(meets).toBe(RelateOp.intersects(toJts(polygons), toJts([[ other ]])));
        expect(new Shape([[ other ]]).meets(polygons)).toBe(meets);
      },
    ), { numRuns: 2000 });
  });

  it('do not meet what is in their holes.', (): void => {
    const shape = new Shape([[ ringOf(0, 0, 9), ringOf(2, 2, 4).reverse() ]]);
    expect(shape.meets([[ ringOf(3, 3, 1) ]])).toBe(false);
    expect(shape.meets([[ ringOf(3, 3, 3) ]])).toBe(true);
    expect(shape.meets([[ ringOf(-1, -1, 20) ]])).toBe(true);
  });

  it('have the perimeter of all rings.', (): void => {
    expect(perimeterOf([[ ringOf(0, 0, 10), ringOf(1, 1, 1) ], [ ringOf(20, 0, 2) ]])).toBe(52);
  });

  it('are where they are in each system.', (): void => {
    // The market square of Brussels, and back from either system.
    const [[[ lambert ]]] = fromDegrees([[[[ 4.352_650_2, 50.846_622 ]]]], 'EPSG:31370');
    expect(Math.hypot(lambert[0] - 148_866, lambert[1] - 170_691)).toBeLessThan(0.05);
    const [ easts, norths ] = [ fc.integer({ min: 20_000, max: 290_000 }), fc.integer({ min: 25_000, max: 240_000 }) ];
    fc.assert(fc.property(easts, norths, (east, north): void => {
      const there = convert([[[[ east, north ]]]], 'EPSG:31370', 'EPSG:3812');
      const [[[ back ]]] = convert(there, 'EPSG:3812', 'EPSG:31370');
      expect(Math.hypot(back[0] - east, back[1] - north)).toBeLessThan(0.001);
    }), { numRuns: 200 });
  });
});
