import { giveWay, isOverdue } from '../../platform/giveWay';
import { distanceTo, segmentsMeet, sideOf } from './polygons';
import type { Polygons, Position, Shape, Side } from './polygons';

/** Borders that were drawn after the same line differ by less, whatever they were rounded to. */
const toleranceMetres = 1;
/** Comparisons of sides: about half a second. */
const maxComparisons = 500_000;

/**
 * Checks whether polygons lie in an area; along its border they may be outside by a metre. Past very many comparisons,
 * the rest counts as inside. Other work of the process comes in between.
 */
export async function isWithin(polygons: Polygons, area: Shape): Promise<boolean> {
  let left = maxComparisons;
  for (const ring of polygons.flat()) {
    for (let at = 1; at < ring.length; at += 1) {
      if (isOverdue()) {
        await giveWay();
      }
      const side = sideOf(ring[at - 1], ring[at]);
      const near = area.sidesIn(side);
      left -= near.length;
      if (left < 0) {
        return true;
      }
      if (!piecesOf(side, near).every((position): boolean => holds(area, position))) {
        return false;
      }
    }
  }
  return true;
}

/** The ends of a side, and the middle of each piece that others cut it into: a piece is inside as a whole or not. */
function piecesOf(side: Side, others: readonly Side[]): Position[] {
  const cuts = others.filter((other): boolean => segmentsMeet(side, other))
    .map((other): number => cutOf(side, other))
    .filter((part): boolean => part > 0 && part < 1);
  const parts = [ 0, ...cuts, 1 ].sort((one, other): number => one - other);
  const { from: [ x, y ], to: [ toX, toY ] } = side;
  return [ 0, 1, ...parts.slice(1).map((part, at): number => (part + parts[at]) / 2) ]
    .map((part): Position => [ x + (part * (toX - x)), y + (part * (toY - y)) ]);
}

/** Where another side cuts one, as a part of its length; not a number for sides of one direction. */
function cutOf({ from: [ x, y ], to: [ toX, toY ] }: Side, { from, to }: Side): number {
  const [ dx, dy ] = [ to[0] - from[0], to[1] - from[1] ];
  return (((from[0] - x) * dy) - ((from[1] - y) * dx)) / (((toX - x) * dy) - ((toY - y) * dx));
}

function holds(area: Shape, position: Position): boolean {
  const [ x, y ] = position;
  return area.holds(position) || area.sidesIn({
    minX: x - toleranceMetres,
    minY: y - toleranceMetres,
    maxX: x + toleranceMetres,
    maxY: y + toleranceMetres,
  }).some((side): boolean => distanceTo(position, side) <= toleranceMetres);
}
