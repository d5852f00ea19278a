/**
 * Follows how deep a document of one syntax is nested, character by character. It never fails: what is malformed is for
 * the parser to refuse.
 */
export interface NestingScanner {
  /** Number of open structures after the characters so far, or its maximum. */
  readonly depth: number;
  /** True when it makes too much work for another reason. */
  readonly isTooMuch?: boolean;
  /** True when the document can't end after the characters taken so far, where its parser would not notice. */
  readonly isUnfinished?: boolean;
  /** Takes the next character. */
  take: (character: string) => void;
}
