/** A text in one language, as the service returns it. */
export interface Translated {
  value: string;
  language: string | null;
}

/** A way of using a resource. */
export type AccessMode = 'Read' | 'Write' | 'Append';
