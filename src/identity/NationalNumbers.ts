/**
 * The national numbers of citizens: in the claim `citizen_national_id` of tokens, in the records of sources and as
 * business keys. A configuration replaces them with an `Override` of `urn:css-data-sharing:default:NationalNumbers`.
 */
export interface NationalNumbers {
  /** The `type` of business keys that are such numbers: `NATIONAL_NUMBER_BE`. */
  readonly businessKeyType: string;
  /**
   * Reads a number in any spelling, and checks its check digits. It is called for parts of texts, too, to keep numbers
   * out of the log: the fewer texts are taken for numbers, the more of the log can be read.
   *
   * @returns Its one normal form, for storage, comparison and queries to sources; `undefined` for what is no
   * such number.
   */
  parse: (text: string) => string | undefined;
}
