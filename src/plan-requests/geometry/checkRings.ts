import RBush from 'rbush';
import { HoleOutside, RingCrossed, RingDirection, ShapeTooDense } from '../../problems';
import { foldsBack, isInRing, segmentsMeet, segmentsOf, signedArea } from './polygons';
import type { Polygons, Ring, Segment } from './polygons';

/** Sides that are compared at most: many long sides beside each other would take seconds. */
const maxComparisons = 3_000_000;

/**
 * Checks polygons as OGC Simple Features and RFC 7946 have them: no ring meets itself or another one, outer rings run
 * counterclockwise and holes clockwise, and each hole is inside of its outer ring and of no other hole.
 *
 * Stricter than both in one thing: rings do not touch each other, not even in a point.
 *
 * @throws RingCrossed, RingDirection, HoleOutside, ShapeTooDense
 */
export function checkRings(polygons: Polygons): void {
  requireApart(segmentsOf(polygons));
  for (const [ outer, ...holes ] of polygons) {
    requireDirection(outer, 1);
    for (const [ index, hole ] of holes.entries()) {
      requireDirection(hole, -1);
      const isInHole = holes.some((other, at): boolean => at !== index && isInRing(hole[0], other));
      if (isInHole || !isInRing(hole[0], outer)) {
        throw new HoleOutside();
      }
    }
  }
  const outers = polygons.map(([ outer ]): Ring => outer);
  for (const [ index, rings ] of polygons.entries()) {
    // A polygon may stand in a hole of another one.
    const isTwice = polygons.some(([ outer, ...holes ], at): boolean => at !== index &&
      isInRing(outers[index][0], outer) && !holes.some((hole): boolean => isInRing(rings[0][0], hole)));
    if (isTwice) {
      throw new RingCrossed('Two polygons cover the same place.');
    }
  }
}

function requireDirection(ring: Ring, direction: 1 | -1): void {
  const area = signedArea(ring);
  if (area === 0) {
    throw new RingCrossed('A ring has no area.');
  }
  if (Math.sign(area) !== direction) {
    throw new RingDirection();
  }
}

function requireApart(segments: Segment[]): void {
  const index = new RBush<Segment>().load(segments);
  let comparisons = 0;
  for (const segment of segments) {
    const near = index.search(segment);
    comparisons += near.length;
    if (comparisons > maxComparisons) {
      throw new ShapeTooDense();
    }
    if (near.some((other): boolean => isCrossed(segment, other))) {
      throw new RingCrossed();
    }
  }
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
  return segmentsMeet(one, other);
}
