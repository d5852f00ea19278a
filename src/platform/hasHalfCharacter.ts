const half = /\p{Surrogate}/u;

/** Checks whether a text has half of a character that takes two code units, which UTF-8 cannot express. */
export function hasHalfCharacter(text: string): boolean {
  return half.test(text);
}
