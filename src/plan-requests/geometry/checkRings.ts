import RBush from 'rbush';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { HoleOutside, RingCrossed, RingDirection, ShapeTooDense } from '../../problems';
import { boxHolds, boxOf, foldsBack, isInRing, segmentsMeet, segmentsOf, signedArea } from './polygons';
import type { Box, Polygons, Position, Ring, Segment } from './polygons';

/** Comparisons of sides that any shape may need, and further ones for each side: usual shapes need about five. */
const comparisons = { anyway: 20_000, perSide: 50 };

/** A ring and the box around it. */
interface BoxedRing {
  ring: Ring;
  box: Box;
}

/**
 * Checks polygons as OGC Simple Features and RFC 7946 have them: no ring meets itself or another one, outer rings run
 * counterclockwise and holes clockwise, and each hole is inside of its outer ring and of no other hole.
 *
 * Stricter than both in one thing: rings do not touch each other, not even in a point.
 *
 * Other work of the process comes in between, and the work is bounded.
 *
 * @throws RingCrossed, RingDirection, HoleOutside, ShapeTooDense
 */
export async function checkRings(polygons: Polygons): Promise<void> {
  await requireApart(segmentsOf(polygons));
  const boxed = polygons.map((rings): BoxedRing[] =>
    rings.map((ring): BoxedRing => ({ ring, box: boxOf([[ ring ]]) })));
  for (const [ outer, ...holes ] of boxed) {
    requireDirection(outer, 1);
    for (const hole of holes) {
      requireDirection(hole, -1);
      const [ start ] = hole.ring;
      if (!isIn(start, outer) || holes.some((other): boolean => other !== hole && isIn(start, other))) {
        throw new HoleOutside();
      }
      await rest();
    }
  }
  for (const rings of boxed) {
    const [ start ] = rings[0].ring;
    // A polygon may stand in a hole of another one.
    const isTwice = boxed.some((others): boolean => others !== rings &&
      isIn(start, others[0]) && !others.slice(1).some((hole): boolean => isIn(start, hole)));
    if (isTwice) {
      throw new RingCrossed('Two polygons cover the same place.');
    }
    await rest();
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

function requireDirection({ ring }: BoxedRing, direction: 1 | -1): void {
  const area = signedArea(ring);
  if (area === 0) {
    throw new RingCrossed('A ring has no area.');
  }
  if (Math.sign(area) !== direction) {
    throw new RingDirection();
  }
}

async function requireApart(segments: Segment[]): Promise<void> {
  const index = new RBush<Segment>().load(segments);
  let left = comparisons.anyway + (comparisons.perSide * segments.length);
  for (const segment of segments) {
    const near = index.search(segment);
    left -= near.length;
    if (left < 0) {
      throw new ShapeTooDense();
    }
    if (near.some((other): boolean => isCrossed(segment, other))) {
      throw new RingCrossed();
    }
    await rest();
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
