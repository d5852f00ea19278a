import { createHash } from 'node:crypto';
import { DocumentTooLarge, measure, NotCanonicalizable } from '../credentials/canonicalize';
import type { CredentialDocument } from '../credentials/Credential';
import type { CredentialIssuer } from '../credentials/CredentialIssuer';
import type { SignedStatements } from '../credentials/proofs';
import { readClaims } from '../credentials/readClaims';
import type { Clock } from '../platform/clock';
import type { DataType, DataTypeCatalogue, Inspection } from '../data-types/DataType';
import type { NationalNumber } from '../identity/NationalNumber';
import { HeavyMap } from '../platform/HeavyMap';
import { Turns } from '../platform/Turns';
import type { WebId } from '../platform/webId';
import type { SourceRecord } from '../sources/Source';
import type { ListBudget } from './ListBudget';
import type { ValueError } from './valueErrors';
import { valueError } from './valueErrors';

/** Dependencies of a {@link RecordReader}. */
export interface RecordReaderOptions {
  credentials: Pick<CredentialIssuer, 'draft' | 'read'>;
  dataTypes: Pick<DataTypeCatalogue, 'find' | 'inspect'>;
  now: Clock;
}

/** A record to read. */
export interface ReadableRecord {
  webId: WebId;
  nationalNumber: NationalNumber;
  dataType: string;
  /** The source's credential, or the one that would be signed. */
  document: CredentialDocument;
  /** The same document in the form that the source returned. */
  source: object;
}

/** The result of reading a record. */
export interface Reading {
  inspection: Inspection;
  /** Absent when the record was unreadable. */
  statements?: SignedStatements;
}

/** A cached reading, and the data type that it was made with. */
interface KeptReading {
  reading: Reading;
  type?: DataType;
}

/** Limits of the cache: a few thousand ordinary records, for as long as a citizen takes to choose. */
const kept = { weight: 32 * 1024 * 1024, ageMilliseconds: 10 * 60 * 1000 };

/**
 * Reads citizens' records within limits, one at a time, and caches the readings: a reading takes milliseconds, tens of
 * them for large records.
 */
export class RecordReader {
  private readonly options: RecordReaderOptions;
  private readonly readings: HeavyMap<KeptReading>;
  private readonly turns = new Turns();

  public constructor(options: RecordReaderOptions) {
    this.options = options;
    this.readings = new HeavyMap(kept, options.now);
  }

  /** True when there is a data type with this IRI. */
  public knows(dataType: string): boolean {
    const type = this.options.dataTypes.find(dataType);
    return type !== undefined;
  }

  /** Returns the credential of a citizen's record: the source's own, or the one that would be issued. */
  public documentOf(
    webId: WebId,
    dataType: string,
    record: Pick<SourceRecord, 'credential' | 'credentialSubject'>,
  ): CredentialDocument {
    return record.credential ??
      // A record that could be read has one of the two.
      this.options.credentials.draft({ webId, dataType, subject: record.credentialSubject! });
  }

  /**
   * Reads a record, or returns the cached reading.
   *
   * @param record - Record to read.
   * @param text - The record's document as JSON text.
   * @param budget - Budget of the list that needs the reading.
   *
   * @returns `undefined` when the record exceeds the budget.
   */
  public async read(record: ReadableRecord, text: string, budget: ListBudget): Promise<Reading | undefined> {
    await this.turns.next();
    const key = keyOf(record, text);
    const type = this.options.dataTypes.find(record.dataType);
    const known = this.readings.get(key);
    if (!budget.takeRecord(text.length)) {
      return undefined;
    }
    const reading = known && known.type === type ? known.reading : await this.readWithin(record, budget);
    if (reading) {
      this.readings.set(key, { reading, type }, 3 * text.length + (reading.statements?.document.nquads.length ?? 0));
    }
    return reading;
  }

  private async readWithin(record: ReadableRecord, budget: ListBudget): Promise<Reading | undefined> {
    const start = performance.now();
    try {
      return budget.takeValues(measure(record.document).values) ? await this.readNew(record) : undefined;
    } catch (error: unknown) {
      if (!(error instanceof NotCanonicalizable)) {
        throw error;
      }
      return rejected(error instanceof DocumentTooLarge ? 'tooLarge' : 'shape');
    } finally {
      budget.spend(performance.now() - start);
    }
  }

  private async readNew({ dataType, document, nationalNumber, source, webId }: ReadableRecord): Promise<Reading> {
    const statements = await this.options.credentials.read(document);
    await this.turns.next();
    const claims = readClaims(document, statements.document, webId);
    if (typeof claims === 'string') {
      return { ...rejected(claims), statements };
    }
    await this.turns.next();
    const inspection = this.options.dataTypes.inspect(dataType, { ...claims, json: source }, nationalNumber);
    return { inspection, statements };
  }
}

function rejected(error: ValueError): Reading {
  return { inspection: { summary: null, errors: valueError(error) }};
}

function keyOf({ dataType, nationalNumber, webId }: ReadableRecord, text: string): string {
  const whose = JSON.stringify([ dataType, nationalNumber.reveal(), webId ]);
  return createHash('sha256').update(whose).update(text).digest('hex');
}
