/** A text in one language, as the service gives it. */
export interface Translated {
  value: string;
  language: string | null;
}

/** One of the ways in which something may be used. */
export type AccessMode = 'Read' | 'Write' | 'Append';
