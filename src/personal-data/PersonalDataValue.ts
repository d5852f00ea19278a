import type { I18nString, Summary } from '../data-types/DataType';

/** One value of a citizen that a contract covers, as the consent app shows it. */
export interface PersonalDataValue {
  /** Opaque. Covers citizen, data type, record and version, so that the citizen shares exactly what they saw. */
  id: string;
  /** IRI of the data type. */
  type: string;
  /** JSON text of the credential; absent when its source was unavailable. */
  value?: string;
  summary: Summary | null;
  /** Reasons why the value cannot be shared: every error in each language. Absent when it can be shared. */
  error?: I18nString[];
  /** Set on a value that represents an unavailable source, which may have more records. */
  unavailable?: true;
}
