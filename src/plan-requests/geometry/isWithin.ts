import { giveWay, isOverdue } from '../../platform/giveWay';
import { distanceTo, segmentsMeet, Shape, sideOf } from './polygons';
import type { Polygons, Position, Side } from './polygons';

/** Borders that were drawn after the same line differ by less, whatever they were rounded to. */
const toleranceMetres = 1;
/** Comparisons of sides: about half a second. */
const maxComparisons = 500_000;

/**
 * Checks whether polygons lie in an area; along its border they may be outside by a metre, and around gaps that are
 * hardly wider. Past very many comparisons, the rest counts as inside. Other work of the process comes in between.
 */
export async function isWithin(polygons: Polygons, area: Shape): Promise<boolean> {
  return await isBorderWithin(polygons, area) && !await holdsGap(polygons, area);
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
      if (![ side.from, side.to, ...middlesOf(side, near) ].every((position): boolean => holds(area, position))) {
        return false;
      }
    }
  }
  return true;
}

/**
 * Checks whether an area leaves out a place that lies in polygons as a whole. Around such a place run sides of the area
 * that have the area on one hand only; sides between two parts of the area have it on both.
 */
async function holdsGap(polygons: Polygons, area: Shape): Promise<boolean> {
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
    if (beside.some((position): boolean => zone.holds(position) && !holds(area, position))) {
      return true;
    }
  }
  return false;
}

/** Positions on either hand of some on a side, where the tolerance of this side has ended. */
function besidesOf({ from, to }: Side, middles: readonly Position[]): Position[] {
  const [ dx, dy ] = [ to[0] - from[0], to[1] - from[1] ];
  const part = 2 * toleranceMetres / Math.hypot(dx, dy);
  return middles.flatMap(([ x, y ]): Position[] =>
    [ part, -part ].map((each): Position => [ x - (each * dy), y + (each * dx) ]));
}

/** The middle of each piece that others cut a side into: a piece is inside as a whole or not. */
function middlesOf(side: Side, others: readonly Side[]): Position[] {
  const cuts = others.filter((other): boolean => segmentsMeet(side, other))
    .map((other): number => cutOf(side, other))
    .filter((part): boolean => part > 0 && part < 1);
  const parts = [ 0, ...cuts, 1 ].sort((one, other): number => one - other);
  const { from: [ x, y ], to: [ toX, toY ] } = side;
  return parts.slice(1).map((part, at): number => (part + parts[at]) / 2)
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
