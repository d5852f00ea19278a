import { Parser } from 'n3';
import { Play, safeMethods } from './Play';
import type { Outcome } from './Play';
import type { Side } from './Side';
import type { Step } from './steps';
import type { Difference, WantedDifference } from './wanted';

const contains = 'http://www.w3.org/ns/ldp#contains';

let sequences = 0;

/** A difference at some step of a sequence. */
export interface Finding {
  /** The steps up to and including that one. */
  steps: Step[];
  differences: Difference[];
}

/** The same sequences at the stock server and at ours. */
export class Match {
  /** @param wanted - Allowed differences. */
  public constructor(
    private readonly stock: Side,
    private readonly ours: readonly Side[],
    private readonly wanted: readonly WantedDifference[],
  ) {}

  /**
   * Sends a sequence, and then compares everything that it left.
   *
   * A sequence ends early if an allowed difference has made only some of the servers change something.
   *
   * @returns The first step with differences that are not allowed.
   */
  public async play(steps: readonly Step[]): Promise<Finding | undefined> {
    const finding = await this.follow(steps, (differences): Difference[] =>
      differences.filter((difference): boolean => !isFailure(difference) &&
        !this.wanted.some(({ matches }): boolean => matches(difference))));
    return finding?.differences.length ? finding : undefined;
  }

  /** Sends a sequence, and returns all differences until the states of the servers diverge. */
  public async findAll(steps: readonly Step[]): Promise<Difference[]> {
    const all: Difference[] = [];
    await this.follow(steps, (differences): Difference[] => {
      all.push(...differences);
      return [];
    });
    return all;
  }

  private async follow(
    steps: readonly Step[],
    select: (differences: Difference[]) => Difference[],
  ): Promise<Finding | undefined> {
    sequences += 1;
    const container = `/owner/s${sequences}/`;
    const plays = [ this.stock, ...this.ours ].map((side): Play => new Play(side, container));
    await Promise.all(plays.map(async(play): Promise<void> => play.begin()));
    const taken: Step[] = [];
    const ahead = [ ...steps, ...look('{here}') ];
    for (let step = ahead.shift(); step; step = ahead.shift()) {
      taken.push(step);
      const [ stock, ...ours ] = await Promise.all(plays.map(async(play): Promise<Outcome> => play.take(step)));
      const found = ours.flatMap((outcome, index): Difference[] =>
        compare(step, this.ours[index], stock, outcome));
      const differences = select(found);
      if (found.some(({ part }): boolean => part === 'status')) {
        for (const play of plays) {
          play.forget(step.target);
        }
      }
      if (differences.length > 0 || havePartedWays(found)) {
        return { steps: taken, differences };
      }
      if (taken.length > steps.length) {
        ahead.push(...membersIn(stock, step, container).flatMap(look));
      }
    }
    return undefined;
  }
}

/** Returns requests that read a resource and its auxiliary resources. */
function look(target: string): Step[] {
  return [ '', '.meta', '.{rules}' ].map((suffix): Step => ({
    caller: 'owner',
    method: 'GET',
    target: target + suffix,
    headers: suffix === '' && target.endsWith('/') ? { accept: 'application/n-triples' } : {},
  }));
}

/** Returns the members of the container that was read, if it was one. */
function membersIn({ answer, observed }: Outcome, { target }: Step, container: string): string[] {
  const isListing = answer.status === 200 && target.replace('{here}', container).endsWith('/');
  return isListing ?
      new Parser({ format: 'N-Triples' }).parse(observed.body)
        .filter(({ predicate }): boolean => predicate.value === contains)
        .map(({ object }): string => new URL(object.value).pathname) :
      [];
}

function compare(step: Step, side: Side, expected: Outcome, found: Outcome): Difference[] {
  const [ stock, ours ] = [ expected.observed, found.observed ];
  // A different response also has different other parts.
  const parts = stock.status === ours.status ?
      [ ...new Set([ ...Object.keys(stock), ...Object.keys(ours) ]) ] :
      [ 'status' ];
  return parts.filter((part): boolean => stock[part] !== ours[part]).map((part): Difference => ({
    step,
    side: side.name,
    access: side.access,
    part,
    stock: stock[part],
    ours: ours[part],
    outcomes: { stock: expected, ours: found },
  }));
}

/** True if one server may have made a change and another not: later steps cannot be compared. */
function havePartedWays(differences: Difference[]): boolean {
  return differences.some(({ part, step, stock, ours }): boolean =>
    part === 'status' && !safeMethods.has(step.method) && effectOf(stock) !== effectOf(ours));
}

/** True for failures of the stock server on a busy machine, which are not compared. */
function isFailure({ part, stock = '' }: Difference): boolean {
  return part === 'status' && /^(?:500|none)/u.test(stock);
}

/** Returns the effect that a status implies: after a failure of the server, it is unknown. */
function effectOf(status = ''): string {
  return /^[45]/u.test(status) && !status.startsWith('500') ? 'refused' : `${status.slice(0, 1)}00`;
}
