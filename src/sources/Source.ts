/** One record of a citizen at its source. */
export interface SourceRecord {
  /** Unique per data type. */
  id: string;
  version: string;
  /** Why it can't be read: the source has it, and nothing of it is known. Neither of the two below is there then. */
  problem?: string;
  /** JSON-LD of the subject, its IRIs absolute; the credential is issued here. Either this or `credential`. */
  credentialSubject?: Record<string, unknown>;
  /** A credential signed by the source, kept as it is. */
  credential?: Record<string, unknown>;
}

/** A source could not be asked: time-out, connection, garbage, 5xx. */
export class SourceFailure extends Error {
  public constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'SourceFailure';
  }
}

/** Delivers citizens' records of one data type. */
export interface Source {
  /** IRI of the data type. */
  readonly dataType: string;
  /** Issuers whose credentials are accepted for this type. */
  readonly trustedIssuers: readonly string[];
  /**
   * The records of a citizen.
   *
   * @param nationalNumber - In its normal form: for Belgium, 11 digits.
   *
   * @throws SourceFailure when the source cannot be asked.
   */
  list: (nationalNumber: string) => Promise<SourceRecord[]>;
  /**
   * Checks whether the source still confirms a record that was shared.
   *
   * @throws SourceFailure when the source cannot be asked.
   */
  verify: (record: { id: string; version: string; credential?: Record<string, unknown> }) => Promise<boolean>;
  /** Folder on this machine that the records are in, if they are: the start keeps it out of reach of the pods. */
  readonly folder?: string;
  /** Reads all records, for the operator; absent where that is too much to ask. */
  check?: () => Promise<SourceCheck>;
}

/** Result of reading all records of a source. */
export interface SourceCheck {
  /** Number of those that are right. */
  records: number;
  /** A line for each that is wrong, which names its place, without personal data. */
  problems: string[];
}

/** The sources of this server by data type. */
export interface SourceCatalogue {
  find: (dataType: string) => Source | undefined;
}
