/** The outcome of a write, as far as its caller knows: `unknown` when no answer came. */
export type Fate = 'done' | 'refused' | 'unknown';

/** The outcome that an answer states. */
export function fateOf(status: number | undefined): Fate {
  if (status === undefined) {
    return 'unknown';
  }
  return status < 300 ? 'done' : 'refused';
}

/** Model of a value that one caller writes, over the answers to all writes: what it may be by now. */
export class Register<T> {
  private possible: Set<T>;

  /** @param initial - The value before the first write. */
  public constructor(initial: T) {
    this.possible = new Set([ initial ]);
  }

  /** Notes a write: acknowledged, it is the only value; refused, it has changed nothing. */
  public write(value: T, fate: Fate): void {
    if (fate === 'done') {
      this.possible = new Set([ value ]);
    } else if (fate === 'unknown') {
      this.possible.add(value);
    }
  }

  /** Notes what an answer says of the value. Returns false when it can't be so. */
  public see(isIt: (value: T) => boolean): boolean {
    this.possible = new Set([ ...this.possible ].filter(isIt));
    return this.possible.size > 0;
  }
}
