import type { ValidateFunction } from 'ajv';
import { schemaCompiler } from '../../platform/jsonSchema';
import { atServer } from '../atServer';
import type { Source, SourceRecord } from '../Source';
import { SourceFailure } from '../Source';
import type { ServiceClient } from './ServiceClient';

const text = { type: 'string', minLength: 1, maxLength: 512 };

const recordsSchema = {
  type: 'object',
  properties: {
    records: {
      type: 'array',
      maxItems: 1000,
      items: {
        type: 'object',
        properties: { id: text, version: text, credentialSubject: { type: 'object' }, credential: { type: 'object' }},
        required: [ 'id', 'version' ],
        oneOf: [{ required: [ 'credentialSubject' ]}, { required: [ 'credential' ]}],
        additionalProperties: false,
      },
    },
  },
  required: [ 'records' ],
  additionalProperties: false,
};

const verdictSchema = {
  type: 'object',
  properties: { valid: { type: 'boolean' }},
  required: [ 'valid' ],
  additionalProperties: false,
};

const ajv = schemaCompiler();
const isRecords = ajv.compile<{ records: SourceRecord[] }>(recordsSchema);
const isVerdict = ajv.compile<{ valid: boolean }>(verdictSchema);

/**
 * A source behind HTTP: `POST {endpoint}/records` with `{"citizen","dataType"}` and `POST {endpoint}/verify` with
 * `{"id","version","credential"?}`. The citizen's number is sent only in the body.
 */
export class HttpSource implements Source {
  /**
   * @param dataType - IRI of the data type.
   * @param client - Client for the service.
   * @param trustedIssuers - Issuers whose credentials are accepted.
   */
  public constructor(
    public readonly dataType: string,
    private readonly client: Pick<ServiceClient, 'post'>,
    public readonly trustedIssuers: readonly string[] = [],
  ) {}

  public async list(nationalNumber: string): Promise<SourceRecord[]> {
    const answer = await this.client.post('records', { citizen: nationalNumber, dataType: this.dataType });
    const { records } = this.read(answer, isRecords, 'records');
    if (new Set(records.map(({ id }): string => id)).size < records.length) {
      throw new SourceFailure(`The source of ${this.dataType} returned two records with the same id`);
    }
    return records.map((record): SourceRecord => record.credentialSubject === undefined ?
      record :
        { ...record, credentialSubject: atServer(record.credentialSubject, this.dataType) });
  }

  public async verify({ id, version, credential }: Parameters<Source['verify']>[0]): Promise<boolean> {
    const answer = await this.client.post('verify', { id, version, ...credential && { credential }});
    return this.read(answer, isVerdict, 'verify').valid;
  }

  private read<T>(answer: unknown, isGood: ValidateFunction<T>, operation: string): T {
    if (isGood(answer)) {
      return answer;
    }
    const [{ instancePath, message }] = isGood.errors ?? [];
    const where = instancePath === '' ? 'the answer' : instancePath;
    throw new SourceFailure(`The source of ${this.dataType} answered ${operation} wrongly: ${where} ${message}`);
  }
}
