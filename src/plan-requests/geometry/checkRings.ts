import RBush from 'rbush';
import { giveWay, isOverdue } from '../../platform/giveWay';
import { HoleOutside, RingCrossed, ShapeTooDense } from '../../problems';
import { boxHolds, boxOf, foldsBack, isInRing, segmentsMeet, segmentsOf, signedArea } from './polygons';
import type { Box, Polygons, Position, Ring, Segment } from './polygons';

/**
 * Allowed comparisons of sides: a base for any shape, and more for each side. Usual shapes need about five per side.
 */
const comparisons = { anyway: 20_000, perSide: 50 };

/** A ring and the box around it. */
interface BoxedRing {
  ring: Ring;
  box: Box;
}

/**
 * Checks polygons by OGC Simple Features: no ring meets itself or another one, and each hole is inside its outer ring
 * and outside all other holes. Rings may run in either direction, as RFC 7946, section 3.1.6, asks of readers.
 *
 * Stricter in one respect: rings must not touch each other, even at a single point.
 *
 * The work is bounded, and yields to other work of the process.
 *
 * @throws RingCrossed, HoleOutside, ShapeTooDense
 */
export async function checkRings(polygons: Polygons): Promise<void> {
  await requireApart(segmentsOf(polygons));
  const boxed = polygons.map((rings): BoxedRing[] =>
    rings.map((ring): BoxedRing => ({ ring, box: boxOf([[ ring ]]) })));
  for (const [ outer, ...holes ] of boxed) {
    requireArea(outer);
    for (const hole of holes) {
      requireArea(hole);
      const [ start ] = hole.ring;
      if (!isIn(start, outer) || holes.some((other): boolean => other !== hole && isIn(start, other))) {
        throw new HoleOutside();
      }
      await rest();
    }
  }
  for (const rings of boxed) {
    const [ start ] = rings[0].ring;
    // A polygon may lie in a hole of another one.
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

function requireArea({ ring }: BoxedRing): void {
  if (signedArea(ring) === 0) {
    throw new RingCrossed('A ring has no area.');
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
