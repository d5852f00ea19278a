import { distanceTo, segmentsMeet, Shape, sideOf } from '../geometry/polygons';
import type { Polygons, Position, Side } from '../geometry/polygons';

/** Makes a function that checks whether a line comes within a distance of polygons, in metres of one system. */
export function withinOf(polygons: Polygons, metres: number): (line: readonly Position[]) => boolean {
  const shape = new Shape(polygons);
  return (line): boolean => line.some((position): boolean => shape.contains(position)) ||
    sidesOf(line).some((side): boolean => shape.sidesIn({
      minX: side.minX - metres,
      minY: side.minY - metres,
      maxX: side.maxX + metres,
      maxY: side.maxY + metres,
    }).some((near): boolean => segmentsMeet(side, near) || gap(side, near) <= metres));
}

/** Returns the sides of a line. A single position gives one side without length. */
function sidesOf(line: readonly Position[]): Side[] {
  const ends = line.length === 1 ? [ line[0], line[0] ] : line;
  return ends.slice(1).map((to, at): Side => sideOf(ends[at], to));
}

/** Returns the distance of two segments that do not meet: always that of an end of one to the other. */
function gap(one: Side, other: Side): number {
  return Math.min(
    distanceTo(one.from, other),
    distanceTo(one.to, other),
    distanceTo(other.from, one),
    distanceTo(other.to, one),
  );
}
