import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

const file = join(__dirname, '../fixtures/openapi/openapi-3.1.schema.json');

/** Lists the errors of an OpenAPI document by the schema published with its specification; null when it is valid. */
export function openApiErrors(document: object): unknown {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('media-range', true);
  const validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')) as object);
  validate(document);
  return validate.errors ?? null;
}
