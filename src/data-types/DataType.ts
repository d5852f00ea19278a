import type { NationalNumber } from '../identity/NationalNumber';
import type { Claims } from './Claims';

/** A translated text. */
export interface I18nString {
  value: string;
  /** BCP 47 tag. */
  language: string | null;
}

/** One field of a summary, by its format. */
export type SummaryField =
  | { label: I18nString[]; format: 'string'; items: I18nString[][] } |
  { label: I18nString[]; format: 'group'; items: Record<string, SummaryField> } |
  { label: I18nString[]; format: 'date' | 'timestamp' | 'boolean' | 'number'; value: string } |
  { label: I18nString[]; format: 'error'; value: I18nString[] };

/** The part of a data value that consent apps must show. */
export interface Summary {
  title: I18nString[];
  subtitle: I18nString[];
  details: Record<string, SummaryField>;
}

/** Result of checking claims against their data type. */
export interface Inspection {
  summary: Summary | null;
  /** Reasons why the value cannot be shared; empty when it can. */
  errors: I18nString[];
}

/** A kind of personal data that can be shared: a SHACL node shape that is also a SKOS concept. */
export interface DataType {
  /** Absolute IRI. */
  iri: string;
  /** Last path segments of the IRI: `diploma/2024-05-22`. */
  slug: string;
  labels: I18nString[];
  /** Turtle as served. */
  turtle: string;
  /** Target class: `sh:targetClass`. */
  targetClass: string;
}

/** The data types this server knows. */
export interface DataTypeCatalogue {
  list: () => DataType[];
  /** Finds a data type: the same object until the data type changes. */
  find: (iri: string) => DataType | undefined;
  /**
   * Validates the claims of a credential against a data type, and makes its summary.
   *
   * @param iri - IRI of the data type.
   * @param claims - Signed claims, or those of a draft.
   * @param nationalNumber - The citizen's number, which must not occur in properties that are not marked for it.
   */
  inspect: (iri: string, claims: Claims, nationalNumber: NationalNumber) => Inspection;
}
