import { Concealed } from '../platform/Concealed';
import type { NationalNumbers } from './NationalNumbers';

/**
 * A citizen's national number, in the normal form that {@link NationalNumbers.parse} gives it. It prints as
 * `[national number]`, so that it cannot reach a log or an error by accident.
 */
export class NationalNumber extends Concealed {
  private constructor(normal: string) {
    super(normal, 'national number');
  }

  /**
   * Reads a number in any spelling.
   *
   * @param text - Unparsed text.
   * @param numbers - National numbers that citizens may have.
   *
   * @returns `undefined` when the text is not a valid number.
   */
  public static read(text: string, numbers: Pick<NationalNumbers, 'parse'>): NationalNumber | undefined {
    const normal = numbers.parse(text);
    return normal === undefined ? undefined : new NationalNumber(normal);
  }

  /** A stored number, {@link read} before it was stored. Changed settings do not affect stored numbers. */
  public static stored(normal: string): NationalNumber {
    return new NationalNumber(normal);
  }

  /** Returns true when both numbers are the same. */
  public equals(other: NationalNumber): boolean {
    return this.reveal() === other.reveal();
  }
}
