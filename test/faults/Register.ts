/** Outcome of a write as its caller knows it: `unknown` if no response came. */
export type Fate = 'done' | 'refused' | 'unknown';

/** Returns the outcome that a response states. */
export function fateOf(status: number | undefined): Fate {
  if (status === undefined) {
    return 'unknown';
  }
  return status < 300 ? 'done' : 'refused';
}

/** Model of a value that one caller writes: the values it may have, given the responses to all writes. */
export class Register<T> {
  private possible: Set<T>;

  /** @param initial - Value before the first write. */
  public constructor(initial: T) {
    this.possible = new Set([ initial ]);
  }

  /** Records a write: if acknowledged, it is the only value; if refused, it has changed nothing. */
  public write(value: T, fate: Fate): void {
    if (fate === 'done') {
      this.possible = new Set([ value ]);
    } else if (fate === 'unknown') {
      this.possible.add(value);
    }
  }

  /** Records the value in a response. Returns false if it is impossible. */
  public see(isIt: (value: T) => boolean): boolean {
    this.possible = new Set([ ...this.possible ].filter(isIt));
    return this.possible.size > 0;
  }
}
