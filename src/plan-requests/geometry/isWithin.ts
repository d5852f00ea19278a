import { giveWay, isOverdue } from '../../platform/giveWay';
import { distanceTo, segmentsMeet, Shape, sideOf } from './polygons';
import type { Polygons, Position, Side } from './polygons';

/** Borders drawn along the same line differ by less than this, however they were rounded. */
const toleranceMetres = 1;
/** Maximum comparisons of sides: about half a second. */
const maxComparisons = 500_000;

/**
 * Checks whether polygons lie in an area. They may reach outside its border by a metre, and cover gaps that are hardly
 * wider. After too many comparisons, the rest counts as inside. Yields to other work of the process.
 */
export async function isWithin(polygons: Polygons, area: Shape): Promise<boolean> {
  return await isBorderWithin(polygons, area) && !await containsGap(polygons, area);
}

async function isBorderWithin(polygons: Polygons, area: Shape): Promise<boolean> {
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
      if (![ side.from, side.to, ...middlesOf(side, near) ].every((position): boolean => contains(area, position))) {
        return false;
      }
    }
  }
  return true;
}

/**
 * Checks whether the polygons contain an entire gap of the area. The sides around a gap have the area on one side only;
 * the sides between two adjacent parts of the area have it on both.
 */
async function containsGap(polygons: Polygons, area: Shape): Promise<boolean> {
  const zone = new Shape(polygons);
  let left = maxComparisons;
  for (const side of area.sidesIn(zone.box)) {
    if (isOverdue()) {
      await giveWay();
    }
    const near = area.sidesIn(side);
    left -= near.length;
    if (left < 0) {
      return false;
    }
    const beside = besidesOf(side, middlesOf(side, near));
    if (beside.some((position): boolean => zone.contains(position) && !contains(area, position))) {
      return true;
    }
  }
  return false;
}

/** Returns positions to the left and right of positions on a side, at twice the tolerance. */
function besidesOf({ from, to }: Side, middles: readonly Position[]): Position[] {
  const [ dx, dy ] = [ to[0] - from[0], to[1] - from[1] ];
  const part = 2 * toleranceMetres / Math.hypot(dx, dy);
  return middles.flatMap(([ x, y ]): Position[] =>
    [ part, -part ].map((each): Position => [ x - (each * dy), y + (each * dx) ]));
}

/** Returns the middles of the pieces that other sides cut a side into: each piece is entirely inside or outside. */
function middlesOf(side: Side, others: readonly Side[]): Position[] {
  const cuts = others.filter((other): boolean => segmentsMeet(side, other))
    .map((other): number => cutOf(side, other))
    .filter((part): boolean => part > 0 && part < 1);
  const parts = [ 0, ...cuts, 1 ].sort((one, other): number => one - other);
  const { from: [ x, y ], to: [ toX, toY ] } = side;
  return parts.slice(1).map((part, at): number => (part + parts[at]) / 2)
    .map((part): Position => [ x + (part * (toX - x)), y + (part * (toY - y)) ]);
}

/** Returns the place where another side cuts this one, as a fraction of its length; NaN when they are parallel. */
function cutOf({ from: [ x, y ], to: [ toX, toY ] }: Side, { from, to }: Side): number {
  const [ dx, dy ] = [ to[0] - from[0], to[1] - from[1] ];
  return (((from[0] - x) * dy) - ((from[1] - y) * dx)) / (((toX - x) * dy) - ((toY - y) * dx));
}

function contains(area: Shape, position: Position): boolean {
  const [ x, y ] = position;
  return area.contains(position) || area.sidesIn({
    minX: x - toleranceMetres,
    minY: y - toleranceMetres,
    maxX: x + toleranceMetres,
    maxY: y + toleranceMetres,
  }).some((side): boolean => distanceTo(position, side) <= toleranceMetres);
}
