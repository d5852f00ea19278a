/* eslint-disable import/extensions -- this package names its files */
import GeometryFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js';
import GeoJSONReader from 'jsts/org/locationtech/jts/io/GeoJSONReader.js';
import IsSimpleOp from 'jsts/org/locationtech/jts/operation/IsSimpleOp.js';
import RelateOp from 'jsts/org/locationtech/jts/operation/relate/RelateOp.js';
import IsValidOp from 'jsts/org/locationtech/jts/operation/valid/IsValidOp.js';
import TopologyValidationError from 'jsts/org/locationtech/jts/operation/valid/TopologyValidationError.js';
import { checkRings } from '../../../../src/plan-requests/geometry/checkRings';
import type { Polygons, Position, Ring } from '../../../../src/plan-requests/geometry/polygons';
import { readZone } from '../../../../src/plan-requests/geometry/readZone';
import { isInside, perimeterOf, Shape, signedArea } from '../../../../src/plan-requests/geometry/polygons';
import { convert, fromDegrees } from '../../../../src/plan-requests/geometry/systems';
import { countRounds } from '../../../support/countRounds';
import { cpuMsSince } from '../../../support/cpuMsSince';
import { ringOf } from '../../../support/PlanWorld';
import { fc } from '../../../support/properties';

const jts = new GeoJSONReader(new GeometryFactory());

function toJts(polygons: Polygons): unknown {
  return jts.read({ type: 'MultiPolygon', coordinates: polygons });
}

async function isTaken(polygons: Polygons): Promise<boolean> {
  try {
    await checkRings(polygons);
    return true;
  } catch {
    return false;
  }
}

/** Rings of few positions on a coarse grid, so that they touch themselves and others in every way. */
const positions = fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }));
const rings = fc.array(positions, { minLength: 3, maxLength: 7 }).map((list): Ring => [ ...list, list[0] ]);

/** Checks whether a second library finds a ring simple, with an area and not touching itself. */
function isSimple(ring: Ring): boolean {
  return IsValidOp.isValid(toJts([[ ring ]])) && signedArea(ring) !== 0 &&
    new Set(ring.map(String)).size === ring.length - 1 &&
      new IsSimpleOp(jts.read({ type: 'LineString', coordinates: ring })).isSimple();
}

const simple = rings.filter(isSimple);

/** Long parallel sides whose boxes all intersect. */
function comb(teeth: number, slant: number): Ring {
  const points = Array.from({ length: teeth }, (_, at): Position[] =>
    at % 2 === 0 ? [[ at, 0 ], [ at, 1e4 ]] : [[ at, 1e4 ], [ at, 0 ]]).flat();
  return [ ...points, [ teeth, 0 ], [ teeth, -1 ], [ 0, -1 ], [ 0, 0 ]]
    .map(([ x, y ]): Position => [ 1e5 + x + (slant * y), 1e5 + y ])
    .reverse();
}

/** Triangles in rows. */
function triangles(count: number): Ring[] {
  return Array.from({ length: count }, (_, at): Ring => {
    const [ x, y ] = [ 1e5 + ((at % 50) * 10), 1e5 + (Math.floor(at / 50) * 10) ];
    return [[ x, y ], [ x + 5, y ], [ x + 5, y + 5 ], [ x, y ]];
  });
}

/** Angles inside each other: the boxes around their sides overlap, and the sides do not. */
function angles(count: number): Ring[] {
  return Array.from({ length: count }, (_, at): Ring => {
    const [ from, to, end ] = [ 1e5 + at, 1e5 + at + 0.4, 1e5 + 2000 ];
    return [[ from, end ], [ from, from ], [ end, from ], [ end, to ], [ to, to ], [ to, end ], [ from, end ]];
  });
}

/** Triangles between the teeth of a comb, each to the right of so many others. */
function teeth(step: number): Polygons {
  return Array.from({ length: Math.floor(2000 / step) }, (_, at): Ring[] => {
    const x = 1e5 + (at * step * 2) + 1.2;
    return [[[ x, 100_100 ], [ x + 0.5, 100_100 ], [ x, 100_101 ], [ x, 100_100 ]]];
  });
}

describe('Rings of zones', (): void => {
  it('are accepted if a second library finds them valid, and no others.', async(): Promise<void> => {
    await fc.assert(fc.asyncProperty(fc.array(rings, { minLength: 1, maxLength: 3 }), async(list): Promise<void> => {
      const polygons = list.map((ring): Ring[] => [ ring ]);
      await expect(isTaken(polygons)).resolves.toBe(IsValidOp.isValid(toJts(polygons)));
    }), { numRuns: 3000 });
  });

  it('are accepted with holes if a second library finds them valid, or the inside divided.', async(): Promise<void> => {
    const outer = fc.oneof(simple, fc.constant(ringOf(0, 0, 8)));
    const polygon = fc.tuple(outer, fc.array(simple, { maxLength: 2 })).map(([ ring, holes ]): Ring[] =>
      [ ring, ...holes ]);
    await fc.assert(fc.asyncProperty(fc.array(polygon, { minLength: 1, maxLength: 2 }), async(list): Promise<void> => {
      const fault = new IsValidOp(toJts(list)).getValidationError()?.getErrorType();
      const isGood = fault === undefined || fault === TopologyValidationError.DISCONNECTED_INTERIOR;
      await expect(isTaken(list)).resolves.toBe(isGood);
    }), { numRuns: 3000 });
  });

  it('are accepted if a second library finds them simple, with an area, and not touching.', async():
  Promise<void> => {
    await fc.assert(fc.asyncProperty(rings, async(ring): Promise<void> => {
      fc.pre(isSimple(ring));
      await expect(isTaken([[ ring ]])).resolves.toBe(true);
    }), { numRuns: 2000 });
  });

  it('can repeat positions, and are checked quickly even if long.', async(): Promise<void> => {
    const twice = ringOf(0, 0, 5).flatMap((position): Position[] => [ position, position ]);
    await expect(isTaken([[ twice ]])).resolves.toBe(true);
    const circle = Array.from({ length: 9999 }, (_, at): Position =>
      [ 1e5 + (1000 * Math.cos(at * 2 * Math.PI / 9999)), 1e5 + (1000 * Math.sin(at * 2 * Math.PI / 9999)) ]);
    await expect(isTaken([[[ ...circle, circle[0] ]]])).resolves.toBe(true);
    const zigzag = Array.from({ length: 9998 }, (_, at): Position =>
      at % 2 === 0 ? [ 1e5 + at, 1e5 ] : [ 1e5 + at + 9000, 1e5 + 9000 ]);
    await expect(checkRings([[[ ...zigzag, zigzag[0] ]]])).rejects.toThrow(/meets itself|too close/u);
  });

  it('need holes inside, apart from each other.', async(): Promise<void> => {
    const hole = ringOf(2, 2, 2).reverse();
    const kinds: [Polygons, boolean][] = [
      [[[ ringOf(0, 0, 9), hole ]], true ],
      [[[ ringOf(0, 0, 9), hole, hole ]], false ],
      [[[ ringOf(0, 0, 9), hole, ringOf(2.5, 2.5, 1).reverse() ]], false ],
      [[[ ringOf(0, 0, 9), ringOf(12, 2, 2).reverse() ]], false ],
      [[[ ringOf(0, 0, 9), ringOf(2, 2, 2) ]], true ],
      [[[ ringOf(0, 0, 9).reverse(), hole ]], true ],
      [[[ ringOf(0, 0, 9), hole ], [ ringOf(2.5, 2.5, 1) ]], true ],
      [[[ ringOf(0, 0, 9) ], [ ringOf(2.5, 2.5, 1) ]], false ],
      [[[ ringOf(0, 0, 9), [[ 0, 4 ], [ 3, 3 ], [ 3, 5 ], [ 0, 4 ]]]], true ],
      [[[ ringOf(0, 0, 9), [[ 0, 4 ], [ 3, 3 ], [ 9, 5 ], [ 0, 4 ]]]], true ],
      [[[ ringOf(0, 0, 9), [[ 0, 0 ], [ 9, 9 ], [ 12, 4 ], [ 0, 0 ]]]], false ],
      [[[ ringOf(0, 0, 9), ringOf(0, 2, 2) ]], false ],
      [[[ ringOf(0, 0, 9), hole, ringOf(4, 4, 2) ]], true ],
      [[[ ringOf(0, 0, 9) ], [ ringOf(9, 9, 2) ]], true ],
      [[[ ringOf(0, 0, 9) ], [ ringOf(9, 2, 2) ]], false ],
      [[[ ringOf(0, 0, 9), hole ], [[[ 2, 2 ], [ 4, 3 ], [ 3, 4 ], [ 2, 2 ]]]], true ],
    ];
    for (const [ polygons, taken ] of kinds) {
      await expect(isTaken(polygons)).resolves.toBe(taken);
    }
  });

  it.each<[string, Polygons, boolean]>([
    [ 'upright sides beside each other', [[ comb(4000, 0) ]], true ],
    [ 'slanting sides beside each other', [[ comb(1600, 0.5) ]], false ],
    [ 'holes inside the angles of others', [[ ringOf(1e5 - 10, 1e5 - 10, 3000), ...angles(1400) ]], false ],
    [ 'many polygons', triangles(2500).map((ring): Ring[] => [ ring ]), true ],
    [
      'many holes',
      [[ ringOf(1e5 - 1, 1e5 - 1, 601), ...triangles(2498).map(([ ...ring ]): Ring => ring.reverse()) ]],
      true,
    ],
  ])('delay nobody by %s.', async(_, polygons, taken): Promise<void> => {
    const startedAt = process.cpuUsage();
    let isIt: boolean | undefined;
    const rounds = await countRounds(async(): Promise<void> => {
      isIt = await isTaken(polygons);
    });
    expect(isIt).toBe(taken);
    // Some milliseconds each, however busy the machine is.
    expect(rounds).toBeGreaterThan(cpuMsSince(startedAt) / 100);
  });
});

describe('Zones', (): void => {
  it('are read from well-known text only if there is nothing else in it.', async(): Promise<void> => {
    const ring = '104000 193000,104010 193000,104010 193010,104000 193000';
    const square = [[[[ 104_000, 193_000 ], [ 104_010, 193_000 ], [ 104_010, 193_010 ], [ 104_000, 193_000 ]]]];
    for (const wkt of [
      `POLYGON((${ring}))`,
      `\n multipolygon\t( ( (${ring.replaceAll(',', ' ,\n')}) ) ) `,
      `Polygon((1.04e5 +193000.0,104010. 193000${ring.slice(27)}))`,
    ]) {
      await expect(readZone({ Wkt: wkt }, {})).resolves.toMatchObject({ given: square });
    }
    for (const wkt of [
      `POLYGON((${ring})),POLYGON((${ring}))`,
      `POLYGON((${ring})) POLYGON((${ring}))`,
      `POLYGON((${ring} 7))`,
      `POLYGON((7 ${ring}))`,
      `POLYGON((${ring},))`,
      `POLYGON((${ring})`,
      `POLYGON((${ring})))`,
      `POLYGON((${ring.replace('104000', '104000m')}))`,
      `POLYGON((${ring.replace('104000', '0x19640')}))`,
      `POLYGON((${ring.replace('104000', '104000,5')}))`,
      `POLYGON((${ring.replace('104000', '1e')}))`,
      `POLYGON(${ring})`,
      `MULTIPOLYGON((${ring}))`,
      `POLYGON(((${ring})))`,
      `SRID=31370;POLYGON((${ring}))`,
      'POLYGON EMPTY',
    ]) {
      await expect(readZone({ Wkt: wkt }, {})).rejects.toMatchObject({ name: 'ZoneMalformed' });
    }
  });

  it('intersect exactly when a second library says so.', async(): Promise<void> => {
    await fc.assert(fc.asyncProperty(
      fc.array(simple, { minLength: 1, maxLength: 2 }).filter((list): boolean =>
        IsValidOp.isValid(toJts(list.map((ring): Ring[] => [ ring ])))),
      simple,
      async(list, other): Promise<void> => {
        const polygons = list.map((ring): Ring[] => [ ring ]);
        const meets = await new Shape(polygons).meets([[ other ]]);
        expect(meets).toBe(RelateOp.intersects(toJts(polygons), toJts([[ other ]])));
        await expect(new Shape([[ other ]]).meets(polygons)).resolves.toBe(meets);
      },
    ), { numRuns: 2000 });
  });

  it('contain a position exactly when a second algorithm says so.', (): void => {
    fc.assert(fc.property(simple, positions, (ring, [ x, y ]): void => {
      const hole = ringOf(-8, -8, 2).reverse();
      const polygons = [[ ringOf(-9, -9, 4), hole ], [ ring ]];
      const position: Position = [ x + 0.5, y + 0.25 ];
      expect(new Shape(polygons).contains(position)).toBe(isInside(position, polygons));
      expect(new Shape(polygons).contains([ x - 8, y - 8 ])).toBe(isInside([ x - 8, y - 8 ], polygons));
    }), { numRuns: 2000 });
  });

  it('are compared for a limited time; then, nearby zones count as intersecting.', async(): Promise<void> => {
    const shape = new Shape([[ comb(300, 0.5) ]]);
    // Between the teeth: many sides are near, and none intersects.
    const between = [ [[ 1.9, 1 ], [ 5001, 9999 ], [ 5000.9, 9999 ], [ 1.9, 1 ]].map(([ x, y ]): Position =>
      [ 1e5 + x, 1e5 + y ]) ];
    const answers: boolean[] = [];
    const startedAt = process.cpuUsage();
    const rounds = await countRounds(async(): Promise<void> => {
      for (let at = 0; at < 10_000 && !answers.includes(true); at += 1) {
        answers.push(await shape.meets([ between ]));
      }
    });
    expect(answers[0]).toBe(false);
    expect(answers.at(-1)).toBe(true);
    expect(rounds).toBeGreaterThan(cpuMsSince(startedAt) / 100);
  });

  it.each<[what: string, many: Polygons, few: Polygons, zone: Polygons]>([
    [ 'many positions are beside many sides', teeth(1), teeth(500), [[ comb(4000, 0) ]]],
    [ 'many sides are beside many positions', [[ comb(4000, 0) ]], [[ comb(4, 0) ]], teeth(1) ],
  ])('are compared for a limited time when %s.', async(_, many, few, zone): Promise<void> => {
    const shape = new Shape(many);
    await expect(new Shape(few).meets(zone)).resolves.toBe(false);
    const answers: boolean[] = [];
    for (let at = 0; at < 20 && !answers.includes(true); at += 1) {
      answers.push(await shape.meets(zone));
    }
    expect(answers.at(-1)).toBe(true);
  });

  it('do not intersect zones in their holes.', async(): Promise<void> => {
    const shape = new Shape([[ ringOf(0, 0, 9), ringOf(2, 2, 4).reverse() ]]);
    await expect(shape.meets([[ ringOf(3, 3, 1) ]])).resolves.toBe(false);
    await expect(shape.meets([[ ringOf(3, 3, 3) ]])).resolves.toBe(true);
    await expect(shape.meets([[ ringOf(-1, -1, 20) ]])).resolves.toBe(true);
  });

  it('have the total perimeter of their rings.', (): void => {
    expect(perimeterOf([[ ringOf(0, 0, 10), ringOf(1, 1, 1) ], [ ringOf(20, 0, 2) ]])).toBe(52);
  });

  it('have the right place in each coordinate system.', (): void => {
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
