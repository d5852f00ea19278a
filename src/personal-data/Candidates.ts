import type { Contract } from '../contracts/Contract';
import type { CredentialDocument, CredentialFinding } from '../credentials/Credential';
import { CheckUnavailable } from '../credentials/Credential';
import type { CredentialVerifier } from '../credentials/CredentialVerifier';
import type { SignedStatements } from '../credentials/proofs';
import type { I18nString, Inspection } from '../data-types/DataType';
import type { Citizen, CitizenStore } from '../identity/CitizenStore';
import type { NationalNumber } from '../identity/NationalNumber';
import { sourceTroubles } from '../platform/diagnostics';
import type { Logger } from '../platform/logger';
import type { Source, SourceCatalogue, SourceRecord } from '../sources/Source';
import { SourceFailure } from '../sources/Source';
import { findFlaw } from './findFlaw';
import { ListBudget, listLimits } from './ListBudget';
import type { PersonalDataValue } from './PersonalDataValue';
import type { RecordReader } from './RecordReader';
import type { ValueError } from './valueErrors';
import { valueError } from './valueErrors';
import { valueId } from './valueId';

/** Dependencies of {@link Candidates}. */
export interface CandidatesOptions {
  citizens: Pick<CitizenStore, 'getNationalNumber'>;
  verifier: Pick<CredentialVerifier, 'verify'>;
  sources: SourceCatalogue;
  reader: Pick<RecordReader, 'documentOf' | 'knows' | 'read'>;
  /** Secret key for value ids. */
  valueIdKey: () => Buffer;
  logger: Logger;
}

/** A value with its record. */
export interface Candidate {
  value: PersonalDataValue;
  /** Absent when the value represents a source that returned no records. */
  record?: SourceRecord;
}

/** A value without errors, which may be shared. */
export interface Shareable {
  value: PersonalDataValue;
  record: SourceRecord;
}

/** The citizen whose values are made, and the state shared by all records of the list. */
interface Subject {
  citizen: Citizen;
  nationalNumber: NationalNumber;
  /** Limits of the whole list. */
  budget: ListBudget;
  /**
   * Ids of the values to share; all other values are listed without reading them. Absent when the list is only shown.
   */
  chosen?: ReadonlySet<string>;
}

/** Makes values from citizens' records, always as the sources have them now. */
export class Candidates {
  public constructor(private readonly options: CandidatesOptions) {}

  /**
   * Lists the values that a contract covers, each with its record.
   *
   * @param citizen - Citizen whose records are listed.
   * @param contract - Contract that covers the values.
   * @param chosen - Ids of the values to share: all other values are listed without reading them.
   */
  public async list(
    citizen: Citizen,
    contract: Contract,
    chosen?: ReadonlySet<string>,
  ): Promise<Candidate[]> {
    const nationalNumber = await this.options.citizens.getNationalNumber(citizen.id);
    const budget = new ListBudget();
    const lists = await Promise.all([ ...new Set(contract.forDataType) ].map(
      async(dataType): Promise<Candidate[]> => this.listOfType({ citizen, nationalNumber, budget, chosen }, dataType),
    ));
    return lists.flat();
  }

  /**
   * Summarises a credential in a citizen's pod, by the current definition of its data type.
   *
   * @param citizen - Owner of the pod.
   * @param dataType - IRI. A data type that this server no longer has gives an error instead of a summary.
   * @param document - The stored credential.
   */
  public async summarise(citizen: Citizen, dataType: string, document: CredentialDocument): Promise<Inspection> {
    const { citizens, reader } = this.options;
    if (!reader.knows(dataType)) {
      return { summary: null, errors: valueError('unreadable') };
    }
    const reading = await reader.read({
      webId: citizen.webId,
      nationalNumber: await citizens.getNationalNumber(citizen.id),
      dataType,
      document,
      source: document,
    }, JSON.stringify(document), new ListBudget());
    return reading?.inspection ?? { summary: null, errors: valueError('unreadable') };
  }

  private async listOfType(subject: Subject, dataType: string): Promise<Candidate[]> {
    const source = this.options.sources.find(dataType);
    if (!source) {
      return [ this.failure(subject, dataType, 'sourceMissing') ];
    }
    try {
      const records = await source.list(subject.nationalNumber.reveal());
      return records.length > listLimits.recordsOfType ?
          [ this.failure(subject, dataType, 'tooMany') ] :
          await this.candidatesOf(subject, source, records);
    } catch (error: unknown) {
      if (!(error instanceof SourceFailure)) {
        throw error;
      }
      sourceTroubles.publish({ dataType });
      this.options.logger.warn(`The source of ${dataType} could not be asked: ${error.message}`);
      return [ this.failure(subject, dataType, 'sourceUnavailable') ];
    }
  }

  private async candidatesOf(subject: Subject, source: Source, records: SourceRecord[]): Promise<Candidate[]> {
    const times = new Map<string, number>();
    for (const { id } of records) {
      times.set(id, (times.get(id) ?? 0) + 1);
    }
    const candidates: Candidate[] = [];
    for (const [ index, record ] of records.entries()) {
      candidates.push(times.get(record.id) === 1 ?
          await this.candidate(subject, source, record) :
          this.duplicate(subject, source, record, index));
    }
    return candidates;
  }

  private async candidate(subject: Subject, source: Source, record: SourceRecord): Promise<Candidate> {
    const { dataType } = source;
    const { id, version } = record;
    const base = { id: this.idOf(subject, dataType, id, version), type: dataType };
    const flaw = findFlaw(record, subject.nationalNumber);
    if (flaw) {
      return { record, value: { ...base, summary: null, error: valueError(flaw.error) }};
    }
    if (subject.chosen && !subject.chosen.has(base.id)) {
      return { record, value: { ...base, summary: null }};
    }
    try {
      return { record, value: await this.valueOf(subject, source, record, base) };
    } catch (error: unknown) {
      const name = error instanceof Error ? error.name : 'unknown';
      this.options.logger.warn(`A record of ${dataType} could not be read: ${name}`);
      return { record, value: { ...base, summary: null, error: valueError('unreadable') }};
    }
  }

  private async valueOf(
    subject: Subject,
    source: Source,
    record: SourceRecord,
    base: Pick<PersonalDataValue, 'id' | 'type'>,
  ): Promise<PersonalDataValue> {
    const document = this.options.reader.documentOf(subject.citizen.webId, source.dataType, record);
    const text = JSON.stringify(document);
    const inspection = await this.inspect(subject, source, record, { document, text });
    if (!inspection) {
      return { ...base, summary: null, error: valueError('tooMuch') };
    }
    const { summary, errors } = inspection;
    const value = { ...base, value: text, summary };
    return errors.length > 0 ? { ...value, error: errors } : value;
  }

  /** Returns `undefined` when the record exceeds the limits of the list. */
  private async inspect(
    { budget, citizen: { webId }, nationalNumber }: Subject,
    { dataType, trustedIssuers }: Source,
    { credential, credentialSubject }: SourceRecord,
    { document, text }: { document: CredentialDocument; text: string },
  ): Promise<Inspection | undefined> {
    // A record that could be read has one of the two.
    const source = credential ?? credentialSubject!;
    const reading = await this.options.reader.read({ webId, nationalNumber, dataType, document, source }, text, budget);
    if (!reading?.statements || !credential) {
      return reading?.inspection;
    }
    const { summary, errors } = reading.inspection;
    const faults = await this.verify(credential, trustedIssuers, reading.statements);
    return { summary, errors: [ ...faults, ...errors ]};
  }

  private async verify(
    credential: CredentialDocument,
    trustedIssuers: readonly string[],
    statements: SignedStatements,
  ): Promise<I18nString[]> {
    try {
      return errorsOf(await this.options.verifier.verify(credential, trustedIssuers, statements));
    } catch (error: unknown) {
      if (!(error instanceof CheckUnavailable)) {
        throw error;
      }
      return valueError('notChecked');
    }
  }

  private duplicate(subject: Subject, { dataType }: Source, record: SourceRecord, index: number): Candidate {
    const id = this.idOf(subject, dataType, record.id, JSON.stringify([ 'duplicate', index, record.version ]));
    return { record, value: { id, type: dataType, summary: null, error: valueError('duplicate') }};
  }

  private failure(subject: Subject, dataType: string, error: ValueError): Candidate {
    return { value: {
      id: this.idOf(subject, dataType, '', JSON.stringify([ 'failure', error ])),
      type: dataType,
      summary: null,
      error: valueError(error),
      ...error === 'sourceUnavailable' && { unavailable: true },
    }};
  }

  private idOf({ citizen }: Subject, dataType: string, recordId: string, version: string): string {
    return valueId(this.options.valueIdKey(), { citizenId: citizen.id, dataType, recordId, version });
  }
}

/** One error for each kind of finding, in every language. */
function errorsOf(findings: CredentialFinding[]): I18nString[] {
  return [ ...new Set(findings.map(({ check }): ValueError => check)) ].flatMap(valueError);
}
