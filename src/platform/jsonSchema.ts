import type { Options } from 'ajv';
import Ajv from 'ajv/dist/2020';

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/**
 * A compiler of this package's own JSON schemas. That they are schemas is left to tests: to check them at every start
 * takes longer than to compile them.
 */
export function schemaCompiler(options: Options = {}): Ajv {
  return new Ajv({ ...options, validateSchema: false });
}
