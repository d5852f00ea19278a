import { Concealed } from '../../src/platform/Concealed';

/** Matches a concealed text: `toEqual` alone would consider any two of them equal. */
export function concealing(text: string): unknown {
  return { asymmetricMatch: (value: unknown): boolean => value instanceof Concealed && value.reveal() === text };
}
