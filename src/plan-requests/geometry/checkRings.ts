import { giveWay, isOverdue } from '../../platform/giveWay';
import { HoleOutside, RingCrossed, ShapeTooDense } from '../../problems';
import {
  boxHolds,
  boxOf,
  foldsBack,
  isInRing,
  isOnSide,
  segmentsCross,
  segmentsMeet,
  segmentsOf,
  SideIndex,
  signedArea,
} from './polygons';
import type { Box, Polygons, Position, Ring, Segment } from './polygons';

/**
 * Allowed comparisons of sides: a base for any shape, and more for each side. Usual shapes need about five per side.
 */
const comparisons = { anyway: 20_000, perSide: 50 };
/** The same of comparisons with the box of a side. Usual shapes need ten to seventy per side. */
const visits = { anyway: 500_000, perSide: 300 };

/** A ring and the box around it. */
interface BoxedRing {
  ring: Ring;
  box: Box;
  /** Positions that tell on which side of all other rings each part of it is. */
  samples: readonly Position[];
}

/** Sides of other rings that each side touches. */
type Touches = ReadonlyMap<Segment, Segment[]>;

/**
 * Checks polygons by OGC Simple Features: no ring meets itself, or meets another one but for touching it in points, and
 * each hole is inside its outer ring and outside all other holes. Rings may run in either direction, as RFC 7946,
 * section 3.1.6, asks of readers.
 *
 * Less strict in one respect: holes that touch may divide the inside.
 *
 * The work is bounded, and yields to other work of the process.
 *
 * @throws RingCrossed, HoleOutside, ShapeTooDense
 */
export async function checkRings(polygons: Polygons): Promise<void> {
  const segments = segmentsOf(polygons);
  const samples = samplesOf(polygons, segments, await findTouches(segments));
  // Every ring has samples.
  const boxed = polygons.map((rings): BoxedRing[] =>
    rings.map((ring): BoxedRing => ({ ring, box: boxOf([[ ring ]]), samples: samples.get(ring)! })));
  for (const [ outer, ...holes ] of boxed) {
    requireArea(outer);
    for (const hole of holes) {
      requireArea(hole);
      for (const place of hole.samples) {
        if (!isIn(place, outer) || holes.some((other): boolean => other !== hole && isIn(place, other))) {
          throw new HoleOutside();
        }
        await rest();
      }
    }
  }
  for (const rings of boxed) {
    for (const place of rings[0].samples) {
      // A polygon may lie in a hole of another one.
      const isTwice = boxed.some((others): boolean => others !== rings &&
        isIn(place, others[0]) && !others.slice(1).some((hole): boolean => isIn(place, hole)));
      if (isTwice) {
        throw new RingCrossed('Two polygons cover the same place.');
      }
      await rest();
    }
  }
}

async function rest(): Promise<void> {
  if (isOverdue()) {
    await giveWay();
  }
}

function isIn(position: Position, { box, ring }: BoxedRing): boolean {
  return boxHolds(box, position) && isInRing(position, ring);
}

function requireArea({ ring }: BoxedRing): void {
  if (signedArea(ring) === 0) {
    throw new RingCrossed('A ring has no area.');
  }
}

/** Takes one position of each ring, or one of each part between the points in which it touches others. */
function samplesOf(
  polygons: Polygons,
  segments: readonly Segment[],
  touches: Touches,
): ReadonlyMap<Ring, readonly Position[]> {
  const samples = new Map<number, Position[]>();
  for (const side of segments) {
    const touching = touches.get(side);
    if (touching) {
      const places = samples.get(side.ring) ?? [];
      places.push(...samplesAfter(side, touching));
      samples.set(side.ring, places);
    }
  }
  return new Map(polygons.flat().map((ring, at): [Ring, readonly Position[]] =>
    [ ring, samples.get(at) ?? [ ring[0] ] ]));
}

/** Returns the middles of the pieces of a side that begin where it touches others. */
function samplesAfter(side: Segment, touching: readonly Segment[]): Position[] {
  const { from, to } = side;
  const starts = touching.flatMap((other): Position[] => [ other.from, other.to ])
    .filter((end): boolean => isOnSide(end, side));
  if (touching.some((other): boolean => isOnSide(from, other))) {
    starts.push(from);
  }
  const places = [ ...starts, to ].sort((one, other): number => distance(one, from) - distance(other, from));
  return places.slice(1).flatMap((end, at): Position[] =>
    distance(end, places[at]) > 0 ? [[ (end[0] + places[at][0]) / 2, (end[1] + places[at][1]) / 2 ]] : []);
}

function distance([ x, y ]: Position, [ fromX, fromY ]: Position): number {
  return Math.hypot(x - fromX, y - fromY);
}

/**
 * Finds the points in which rings touch others.
 *
 * @throws RingCrossed when sides meet in any other way, ShapeTooDense
 */
async function findTouches(segments: Segment[]): Promise<Touches> {
  const touches = new Map<Segment, Segment[]>();
  const index = new SideIndex(segments);
  const maxVisits = visits.anyway + (visits.perSide * segments.length);
  let left = comparisons.anyway + (comparisons.perSide * segments.length);
  for (const segment of segments) {
    const near = index.search(segment);
    left -= near.length;
    if (left < 0 || index.visits > maxVisits) {
      throw new ShapeTooDense();
    }
    if (near.some((other): boolean => isCrossed(segment, other))) {
      throw new RingCrossed();
    }
    const touched = near.filter((other): boolean => other.ring !== segment.ring && segmentsMeet(segment, other));
    if (touched.length > 0) {
      touches.set(segment, touched);
    }
    await rest();
  }
  return touches;
}

function isCrossed(one: Segment, other: Segment): boolean {
  if (one === other) {
    return false;
  }
  if (one.ring === other.ring && one.sides > 2) {
    if (other.at === (one.at + 1) % one.sides) {
      return foldsBack(one, other);
    }
    if (one.at === (other.at + 1) % one.sides) {
      return foldsBack(other, one);
    }
  }
  return segmentsMeet(one, other) && (one.ring === other.ring || segmentsCross(one, other));
}
