import leven from 'leven';

/** Maximum length of compared words: the work grows with its square. */
const maxLength = 64;

/**
 * Finds the most similar word: the one with the fewest different letters, at most a third of them, or two of four.
 * Swapped letters count as two.
 *
 * @param given - The unknown word.
 * @param words - The known words.
 *
 * @returns `undefined` when none is similar enough.
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

/** Returns the nearest word as the end of a sentence, such as `; did you mean limit?`, or nothing. */
export function didYouMean(given: string, words: Iterable<string>, prefix = ''): string {
  const word = nearest(given, words);
  return word === undefined ? '' : `; did you mean ${prefix}${word}?`;
}
