/**
 * The national numbers of citizens: in the claim `citizen_national_id` of tokens, in the records of sources and as
 * business keys. A configuration replaces them with an `Override` of `urn:css-data-sharing:default:NationalNumbers`.
 */
export interface NationalNumbers {
  /** The `type` of business keys that are such numbers, such as `NATIONAL_NUMBER_BE`. */
  readonly businessKeyType: string;
  /**
   * Reads a number in any spelling, and checks its check digits. The log calls it on parts of texts, too, to redact
   * numbers: the fewer other texts it accepts, the more readable the log.
   *
   * @returns The number's normal form, for storage, comparison and queries to sources; `undefined` for any other text.
   */
  parse: (text: string) => string | undefined;
}
