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
  /** The steps until then, that one included. */
  steps: Step[];
  differences: Difference[];
}

/** The same sequences at the stock server and at ours. */
export class Match {
  /** @param wanted - What may be different. */
  public constructor(
    private readonly stock: Side,
    private readonly ours: readonly Side[],
    private readonly wanted: readonly WantedDifference[],
  ) {}

  /**
   * Sends a sequence, and then looks at all that it left.
   *
   * A sequence ends early where a difference that is wanted has made one server change something and not another.
   *
   * @returns The first step with differences that are not wanted.
   */
  public async play(steps: readonly Step[]): Promise<Finding | undefined> {
    const finding = await this.follow(steps, (differences): Difference[] =>
      differences.filter((difference): boolean => !isFailure(difference) &&
        !this.wanted.some(({ matches }): boolean => matches(difference))));
    return finding?.differences.length ? finding : undefined;
  }

  /** Sends a sequence, and returns everything that is different until servers have parted ways. */
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
    judge: (differences: Difference[]) => Difference[],
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
      const differences = judge(found);
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

/** Looks at a resource and what belongs to it. */
function look(target: string): Step[] {
  return [ '', '.meta', '.{rules}' ].map((suffix): Step => ({
    caller: 'owner',
    method: 'GET',
    target: target + suffix,
    headers: suffix === '' && target.endsWith('/') ? { accept: 'application/n-triples' } : {},
  }));
}

/** Members of the container that was looked at, if it was one. */
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
  // The rest of another answer is another.
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

/** One server may have made a change and another not: what follows says nothing. */
function havePartedWays(differences: Difference[]): boolean {
  return differences.some(({ part, step, stock, ours }): boolean =>
    part === 'status' && !safeMethods.has(step.method) && effectOf(stock) !== effectOf(ours));
}

/** Failures of the stock server, as it has on a busy machine: they are no measure. */
function isFailure({ part, stock = '' }: Difference): boolean {
  return part === 'status' && /^(?:500|none)/u.test(stock);
}

/** Whoever fails may have changed something or not. */
function effectOf(status = ''): string {
  return /^[45]/u.test(status) && !status.startsWith('500') ? 'refused' : `${status.slice(0, 1)}00`;
}
