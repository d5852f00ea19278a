import { isWithin } from '../../../../src/plan-requests/geometry/isWithin';
import type { Polygons, Ring } from '../../../../src/plan-requests/geometry/polygons';
import { Shape } from '../../../../src/plan-requests/geometry/polygons';
import { fc } from '../../../support/properties';

/** An area of squares of a kilometre. */
const metres = 1000;
const columns = 6;

/** Returns a rectangle that is larger on each side by a number of metres. */
function rectangle([ west, south, east, north ]: readonly number[], more = 0): Ring {
  const [ minX, minY ] = [ west, south ].map((at): number => (at * metres) - more);
  const [ maxX, maxY ] = [ east, north ].map((at): number => (at * metres) + more);
  return [[ minX, minY ], [ maxX, minY ], [ maxX, maxY ], [ minX, maxY ], [ minX, minY ]];
}

function hole(place: readonly number[]): Ring {
  return [ ...rectangle(place) ].reverse();
}

describe('A zone in an area', (): void => {
  const around = [[ rectangle([ 1.5, 1.5, 3.5, 3.5 ]) ]];
  const enclave = [ 2, 2, 3, 3 ];

  it.each<[string, boolean, Polygons]>([
    [ 'an area without holes', true, [[ rectangle([ 0, 0, 6, 6 ]) ]]],
    [ 'a hole', false, [[ rectangle([ 0, 0, 6, 6 ]), hole(enclave) ]]],
    [ 'a hole that another part fills', true, [[ rectangle([ 0, 0, 6, 6 ]), hole(enclave) ], [ rectangle(enclave) ]]],
    [ 'a hole that another part fills to a metre', true, [
      [ rectangle([ 0, 0, 6, 6 ]), hole(enclave) ],
      [ rectangle(enclave, -1) ],
    ]],
    [ 'a hole that another part fills by half', false, [
      [ rectangle([ 0, 0, 6, 6 ]), hole(enclave) ],
      [ rectangle([ 2, 2, 2.5, 3 ]) ],
    ]],
    [ 'a gap between parts', false, [
      [ rectangle([ 0, 0, 2, 6 ]) ],
      [ rectangle([ 3, 0, 6, 6 ]) ],
      [ rectangle([ 2, 0, 3, 2 ]) ],
      [ rectangle([ 2, 3, 3, 6 ]) ],
    ]],
    [ 'a gap along sides that are much longer', false, [
      [ rectangle([ 0, 0, 2.6, 2.4 ]) ],
      [ rectangle([ 2.6, 0, 6, 2.6 ]) ],
      [ rectangle([ 2.4, 2.6, 6, 6 ]) ],
      [ rectangle([ 0, 2.4, 2.4, 6 ]) ],
    ]],
    [ 'a hole beside it', true, [[ rectangle([ 0, 0, 6, 6 ]), hole([ 4, 4, 5, 5 ]) ]]],
  ])('with %s: %s.', async(_name, expected, area): Promise<void> => {
    await expect(isWithin(around, new Shape(area))).resolves.toBe(expected);
  });

  it('can have the same hole as the area.', async(): Promise<void> => {
    const area = new Shape([[ rectangle([ 0, 0, 6, 6 ]), hole(enclave) ]]);
    await expect(isWithin([[ rectangle([ 1, 1, 4, 4 ]), hole(enclave) ]], area)).resolves.toBe(true);
  });

  it('lies in an area of squares exactly if all squares it touches are there.', async(): Promise<void> => {
    const squares = Array.from({ length: columns * columns }, (_, at): number[] =>
      [ at % columns, Math.floor(at / columns), (at % columns) + 1, Math.floor(at / columns) + 1 ]);
    const span = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }))
      .map((ends): number[] => ends.sort((one, other): number => one - other));
    const missing = fc.uniqueArray(fc.nat(squares.length - 1), { maxLength: 6 });
    await fc.assert(fc.asyncProperty(missing, span, span, async(gone, columnsIn, rowsIn): Promise<void> => {
      const [[ west, east ], [ south, north ]] = [ columnsIn, rowsIn ];
      const there = squares.filter((_, at): boolean => !gone.includes(at));
      const zone = [ west + 0.5, south + 0.5, east + 1.5, north + 1.5 ];
      const isIn = gone.map((at): number[] => squares[at])
        .every(([ x, y ]): boolean => x < west || x > east + 1 || y < south || y > north + 1);
      const area = new Shape(there.map((place): Ring[] => [ rectangle(place) ]));
      await expect(isWithin([[ rectangle(zone) ]], area)).resolves.toBe(isIn);
    }), { numRuns: 300 });
  });
});
