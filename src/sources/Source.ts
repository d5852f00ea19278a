/** One record of a citizen at its source. */
export interface SourceRecord {
  /** Unique per data type. */
  id: string;
  version: string;
  /** Reason why the source has the record but cannot read it. Excludes both of the following members. */
  problem?: string;
  /** JSON-LD of the subject, with absolute IRIs; this server issues the credential. Excludes `credential`. */
  credentialSubject?: Record<string, unknown>;
  /** A credential signed by the source, which is kept unchanged. */
  credential?: Record<string, unknown>;
}

/** A source is unavailable: timeout, connection error, malformed response or 5xx. */
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
   * Lists the records of a citizen.
   *
   * @param nationalNumber - In normal form: 11 digits for Belgium.
   *
   * @throws SourceFailure when the source is unavailable.
   */
  list: (nationalNumber: string) => Promise<SourceRecord[]>;
  /**
   * Checks whether the source still confirms a record that was shared.
   *
   * @throws SourceFailure when the source is unavailable.
   */
  verify: (record: { id: string; version: string; credential?: Record<string, unknown> }) => Promise<boolean>;
  /** Folder of the records, if they are on this machine. The server does not start if the pods could expose it. */
  readonly folder?: string;
  /** Reads all records, for the operator. Absent when there may be too many. */
  check?: () => Promise<SourceCheck>;
}

/** Result of reading all records of a source. */
export interface SourceCheck {
  /** Number of valid records. */
  records: number;
  /** A line for each invalid record, which names its location without personal data. */
  problems: string[];
}

/** The sources of this server by data type. */
export interface SourceCatalogue {
  find: (dataType: string) => Source | undefined;
}
