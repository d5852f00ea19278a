/** The languages in which every label and message of this service exists: BCP 47 tags, in order of preference. */
export const languages = [ 'nl', 'fr', 'de', 'en' ] as const;

/** One of {@link languages}. */
export type Language = typeof languages[number];
