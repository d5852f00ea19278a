import leven from 'leven';

/** Words longer than this are not compared: the work grows with the square of their length. */
const maxLength = 64;

/**
 * The most similar word: the one with the fewest different letters, at most a third of them, or two of four: swapped
 * letters count as two.
 *
 * @param given - The word that is not known.
 * @param words - Those that are.
 *
 * @returns `undefined` when none comes near.
 */
export function nearest(given: string, words: Iterable<string>): string | undefined {
  if (given.length > maxLength) {
    return;
  }
  const [ best ] = [ ...words ]
    .map((word): [string, number] => [ word, leven(given.toLowerCase(), word.toLowerCase()) ])
    .sort(([ , one ], [ , other ]): number => one - other);
  return best && best[1] <= mostDifferent(Math.max(given.length, best[0].length)) ? best[0] : undefined;
}

function mostDifferent(length: number): number {
  return Math.max(length < 4 ? 1 : 2, Math.floor(length / 3));
}

/** The nearest word as the end of a sentence, or nothing: `; did you mean limit?`. */
export function didYouMean(given: string, words: Iterable<string>, prefix = ''): string {
  const word = nearest(given, words);
  return word === undefined ? '' : `; did you mean ${prefix}${word}?`;
}
