import RBush from 'rbush';
import { orient2d } from 'robust-predicates';
import { giveWay, isOverdue } from '../../platform/giveWay';

/** A position in metres: east, north. */
export type Position = readonly [x: number, y: number];
/** Positions along a closed line: the last equals the first. */
export type Ring = readonly Position[];
/** Polygons, each an outer ring and its holes. */
export type Polygons = readonly (readonly Ring[])[];

/** An axis-aligned rectangle around something. */
export interface Box {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
}

/** A line between two positions. */
export interface Side extends Box {
  from: Position;
  to: Position;
}

/** A side of a ring. */
export interface Segment extends Side {
  /** Number of its ring, counted through all polygons. */
  ring: number;
  /** Its index in the ring. */
  at: number;
  /** Number of sides of the ring. */
  sides: number;
}

/** Counts positions, including the repeated one at the end of each ring. */
export function countPositions(polygons: Polygons): number {
  return polygons.reduce((sum, rings): number => sum + rings.reduce((all, { length }): number => all + length, 0), 0);
}

/** Replaces each position. */
export function mapPositions(polygons: Polygons, map: (position: Position) => Position): Polygons {
  return polygons.map((rings): Ring[] => rings.map((ring): Ring => ring.map(map)));
}

/** Returns the box around polygons. */
export function boxOf(polygons: Polygons): Box {
  const box = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  for (const [ outer ] of polygons) {
    for (const [ x, y ] of outer) {
      box.minX = Math.min(box.minX, x);
      box.minY = Math.min(box.minY, y);
      box.maxX = Math.max(box.maxX, x);
      box.maxY = Math.max(box.maxY, y);
    }
  }
  return box;
}

/** Checks whether two boxes have a point in common. */
function boxesMeet(one: Box, other: Box): boolean {
  return one.minX <= other.maxX && other.minX <= one.maxX && one.minY <= other.maxY && other.minY <= one.maxY;
}

/** Checks whether a position is in a box. */
export function boxHolds({ maxX, maxY, minX, minY }: Box, [ x, y ]: Position): boolean {
  return x >= minX && x <= maxX && y >= minY && y <= maxY;
}

/** Returns the sides of all rings, except those without length. */
export function segmentsOf(polygons: Polygons): Segment[] {
  const segments: Segment[] = [];
  for (const [ ring, positions ] of polygons.flat().entries()) {
    const sides = positions.slice(1).map((to, index): [Position, Position] => [ positions[index], to ])
      .filter(([ from, to ]): boolean => from[0] !== to[0] || from[1] !== to[1]);
    for (const [ at, [ from, to ]] of sides.entries()) {
      segments.push({ ...sideOf(from, to), ring, at, sides: sides.length });
    }
  }
  return segments;
}

/** Returns the length of all rings. */
export function perimeterOf(polygons: Polygons): number {
  return segmentsOf(polygons)
    .reduce((sum, { from, to }): number => sum + Math.hypot(to[0] - from[0], to[1] - from[1]), 0);
}

/** Returns twice the area of a ring: positive when it runs counterclockwise. */
export function signedArea(ring: Ring): number {
  // Relative to one position, so that large coordinates lose no precision.
  const [[ originX, originY ]] = ring;
  let sum = 0;
  for (const [ index, [ x, y ]] of ring.slice(1).entries()) {
    const [ lastX, lastY ] = ring[index];
    sum += ((lastX - originX) * (y - originY)) - ((x - originX) * (lastY - originY));
  }
  return sum;
}

/** Checks whether two sides have a point in common, exactly. */
export function segmentsMeet(one: Side, other: Side): boolean {
  if (!boxesMeet(one, other)) {
    return false;
  }
  const first = turn(one, other.from);
  const second = turn(one, other.to);
  const third = turn(other, one.from);
  const fourth = turn(other, one.to);
  // On one line, it is enough that the boxes meet.
  return first * second <= 0 && third * fourth <= 0;
}

/** Checks whether two sides that meet share more than an end of one of them: they cross, or lie along each other. */
export function segmentsCross(one: Side, other: Side): boolean {
  const turns = [ turn(one, other.from), turn(one, other.to), turn(other, one.from), turn(other, one.to) ];
  return turns.every((each): boolean => each === 0) ?
    Math.min(one.maxX, other.maxX) > Math.max(one.minX, other.minX) ||
    Math.min(one.maxY, other.maxY) > Math.max(one.minY, other.minY) :
      !turns.includes(0);
}

/** Checks whether a position is on a side, exactly. */
export function isOnSide(position: Position, side: Side): boolean {
  return boxHolds(side, position) && turn(side, position) === 0;
}

/** Checks whether two consecutive sides of a ring share more than the end of the first. */
export function foldsBack(first: Side, second: Side): boolean {
  return turn(first, second.to) === 0 &&
    ((first.to[0] - first.from[0]) * (second.to[0] - second.from[0])) +
    ((first.to[1] - first.from[1]) * (second.to[1] - second.from[1])) < 0;
}

/** Checks whether a position is inside polygons; on a ring, the result may be either. */
export function isInside(position: Position, polygons: Polygons): boolean {
  return polygons.some(([ outer, ...holes ]): boolean =>
    isInRing(position, outer) && !holes.some((hole): boolean => isInRing(position, hole)));
}

/** Checks whether a position is inside a ring; on the ring, the result may be either. */
export function isInRing(position: Position, ring: Ring): boolean {
  let isIn = false;
  for (let at = 1; at < ring.length; at += 1) {
    if (isPassed(position, ring[at - 1], ring[at])) {
      isIn = !isIn;
    }
  }
  return isIn;
}

/** Checks whether a ray from a position to the right crosses a side. */
function isPassed([ x, y ]: Position, [ fromX, fromY ]: Position, [ toX, toY ]: Position): boolean {
  return (fromY > y) !== (toY > y) &&
    orient2d(fromX, fromY, toX, toY, x, y) * (toY > fromY ? -1 : 1) > 0;
}

/** An index of sides that counts those it compares with a box, which in odd shapes are far more than it finds. */
export class SideIndex {
  /** Number of sides that were compared. */
  public visits = 0;
  private readonly tree = new RBush<Segment>();

  public constructor(segments: readonly Segment[]) {
    this.tree.load(segments);
    this.tree.toBBox = (segment): Segment => {
      this.visits += 1;
      return segment;
    };
  }

  /** Finds the sides that a box meets. */
  public search(box: Box): Segment[] {
    return this.tree.search(box);
  }
}

/** Maximum comparisons of sides for one shape: about half a second. */
const maxComparisons = 500_000;
/** Maximum comparisons of a side with a box: a second or two at most. */
const maxVisits = 5_000_000;
/** Cost of the comparison of a side with a position, which is simpler. */
const positionVisits = 0.25;

/** Polygons with an index of their sides, for comparing them with many others. */
export class Shape {
  public readonly box: Box;
  private readonly sides: SideIndex;
  private left = maxComparisons;

  public constructor(public readonly polygons: Polygons) {
    this.box = boxOf(polygons);
    this.sides = new SideIndex(segmentsOf(polygons));
  }

  /**
   * Checks whether other polygons share a point with these. Touching counts, because a digger should rather ask one
   * operator too many. After too many comparisons of sides, everything nearby counts, too.
   *
   * Where no sides meet, a polygon is entirely inside or outside another one, so one position is enough to tell. Yields
   * to other work of the process.
   */
  public async meets(others: Polygons, box: Box = boxOf(others)): Promise<boolean> {
    return boxesMeet(this.box, box) &&
      (await this.isMetBySideOf(others) || await this.containsAnyOf(others) || await this.isInAnyOf(others, box));
  }

  /** Checks whether a position is inside; on a ring, the result may be either. */
  public contains(position: Position): boolean {
    if (!boxHolds(this.box, position)) {
      return false;
    }
    const [ , y ] = position;
    const near = this.sides.search({ minX: -Infinity, maxX: Infinity, minY: y, maxY: y });
    this.left -= near.length;
    return near.filter(({ from, to }): boolean => isPassed(position, from, to)).length % 2 === 1;
  }

  /** Finds the sides that a box meets. */
  public sidesIn(box: Box): Segment[] {
    return this.sides.search(box);
  }

  private async isMetBySideOf(others: Polygons): Promise<boolean> {
    for (const ring of others.flat()) {
      for (let at = 1; at < ring.length; at += 1) {
        if (isOverdue()) {
          await giveWay();
        }
        const side = sideOf(ring[at - 1], ring[at]);
        const near = boxesMeet(this.box, side) ? this.sides.search(side) : [];
        this.left -= near.length;
        if (this.isOverworked() || near.some((own): boolean => segmentsMeet(own, side))) {
          return true;
        }
      }
    }
    return false;
  }

  private async containsAnyOf(others: Polygons): Promise<boolean> {
    for (const [ outer ] of others) {
      if (isOverdue()) {
        await giveWay();
      }
      if (this.contains(outer[0]) || this.isOverworked()) {
        return true;
      }
    }
    return false;
  }

  private async isInAnyOf(others: Polygons, box: Box): Promise<boolean> {
    const positions = countPositions(others);
    for (const [[ start ]] of this.polygons.filter(([[ first ]]): boolean => boxHolds(box, first))) {
      if (isOverdue()) {
        await giveWay();
      }
      this.sides.visits += positions * positionVisits;
      if (this.isOverworked() || isInside(start, others)) {
        return true;
      }
    }
    return false;
  }

  private isOverworked(): boolean {
    return this.left < 0 || this.sides.visits > maxVisits;
  }
}

/** Makes the side between two positions, with its box. */
export function sideOf(from: Position, to: Position): Side {
  return {
    from,
    to,
    minX: Math.min(from[0], to[0]),
    minY: Math.min(from[1], to[1]),
    maxX: Math.max(from[0], to[0]),
    maxY: Math.max(from[1], to[1]),
  };
}

/** Returns the distance from a position to a side. */
export function distanceTo([ x, y ]: Position, { from: [ fromX, fromY ], to: [ toX, toY ] }: Side): number {
  const [ dx, dy ] = [ toX - fromX, toY - fromY ];
  const length = (dx * dx) + (dy * dy);
  const along = length === 0 ? 0 : (((x - fromX) * dx) + ((y - fromY) * dy)) / length;
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(x - fromX - (part * dx), y - fromY - (part * dy));
}

/** Returns on which side of a line a position is, as a sign; 0 when it is on the line. */
function turn({ from, to }: Side, [ x, y ]: Position): number {
  return Math.sign(orient2d(from[0], from[1], to[0], to[1], x, y));
}
