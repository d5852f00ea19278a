import type { Options } from 'ajv';
import Ajv from 'ajv/dist/2020';

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/**
 * Creates a compiler for this package's own JSON schemas. Tests check the schemas, because checking them at every start
 * takes longer than compiling them.
 */
export function schemaCompiler(options: Options = {}): Ajv {
  return new Ajv({ ...options, validateSchema: false });
}
