/**
 * Tracks the nesting depth of a document of one syntax, character by character. Never fails: the parser refuses
 * malformed documents.
 */
export interface NestingScanner {
  /** Number of open structures after the characters so far, or the maximum of that number. */
  readonly depth: number;
  /** True when the document needs too much work for another reason. */
  readonly isTooMuch?: boolean;
  /** True when the document cannot end here, but its parser would not notice. */
  readonly isUnfinished?: boolean;
  /** Reads the next character. */
  take: (character: string) => void;
}
