import { Concealed } from '../../src/platform/Concealed';

/** Matches a concealed text: `toEqual` alone finds every two of them alike. */
export function concealing(text: string): unknown {
  return { asymmetricMatch: (value: unknown): boolean => value instanceof Concealed && value.reveal() === text };
}
