import type { I18nString, Summary } from '../data-types/DataType';

/** One value of a citizen that a contract covers, as the consent app shows it. */
export interface PersonalDataValue {
  /** Opaque: covers citizen, data type, record and version, so that what is shared is what was seen. */
  id: string;
  /** IRI of the data type. */
  type: string;
  /** JSON text of the credential; absent when its source could not be asked. */
  value?: string;
  summary: Summary | null;
  /** Why the value cannot be shared: every error in each language. Absent when it can. */
  error?: I18nString[];
  /** Stands for a source that could not be asked: it may have more. */
  unavailable?: true;
}
