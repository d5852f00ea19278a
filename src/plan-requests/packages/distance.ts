import { isInside, segmentsMeet, segmentsOf } from '../geometry/polygons';
import type { Polygons, Position, Segment } from '../geometry/polygons';

/** Checks whether a line comes within a distance of polygons, in metres of one system. */
export function isWithin(line: readonly Position[], polygons: Polygons, metres: number): boolean {
  if (line.some((position): boolean => isInside(position, polygons))) {
    return true;
  }
  const sides = segmentsOf(polygons);
  return segmentsOfLine(line).some((segment): boolean => sides.some((side): boolean =>
    isBoxNear(segment, side, metres) && (segmentsMeet(segment, side) || gap(segment, side) <= metres)));
}

/** A line of one position is one segment without length. */
function segmentsOfLine(line: readonly Position[]): Segment[] {
  const ends = line.length === 1 ? [ line[0], line[0] ] : line;
  return ends.slice(1).map((to, at): Segment => {
    const from = ends[at];
    return {
      from,
      to,
      ring: -1,
      at,
      sides: 0,
      minX: Math.min(from[0], to[0]),
      minY: Math.min(from[1], to[1]),
      maxX: Math.max(from[0], to[0]),
      maxY: Math.max(from[1], to[1]),
    };
  });
}

function isBoxNear(one: Segment, other: Segment, metres: number): boolean {
  return one.minX - metres <= other.maxX && other.minX - metres <= one.maxX &&
    one.minY - metres <= other.maxY && other.minY - metres <= one.maxY;
}

/** Distance of two segments that do not meet: of an end of one to the other. */
function gap(one: Segment, other: Segment): number {
  return Math.min(
    toSegment(one.from, other),
    toSegment(one.to, other),
    toSegment(other.from, one),
    toSegment(other.to, one),
  );
}

function toSegment([ x, y ]: Position, { from: [ fromX, fromY ], to: [ toX, toY ] }: Segment): number {
  const [ dx, dy ] = [ toX - fromX, toY - fromY ];
  const length = (dx * dx) + (dy * dy);
  const along = length === 0 ? 0 : (((x - fromX) * dx) + ((y - fromY) * dy)) / length;
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x - fromX - (part * dx), y - fromY - (part * dy));
}
