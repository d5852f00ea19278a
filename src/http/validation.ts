import type Ajv from 'ajv/dist/2020';
import type { ErrorObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isUnambiguousIri } from '../grants/iris';
import type { JsonSchema } from '../platform/jsonSchema';
import { schemaCompiler } from '../platform/jsonSchema';
import { didYouMean } from '../platform/nearest';
import { BodyInvalid, ParameterInvalid } from '../problems';
import type { Parameter, QueryValues } from './Operation';

/** Parses a parameter from its values in the query. */
type ValueReader = (values: string[]) => QueryValues[string];

const documentId = 'schemas.json';

/** Maximum characters of an unknown parameter's name in an error. */
const maxNamed = 64;

/** Checks bodies and parameters; each schema is compiled once, when an operation is mounted. */
export class SchemaValidator {
  private readonly ajv: Ajv;

  /** @param schemas - Schemas of bodies, by name. */
  public constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.ajv = schemaCompiler({ strict: false });
    addFormats(this.ajv);
    this.ajv.addFormat('int32', true);
    this.ajv.addFormat('iri', isUnambiguousIri);
    this.ajv.addSchema({ $id: documentId, components: { schemas }});
  }

  /** Returns a check for bodies. It throws BodyInvalid, which says where the body is wrong, without quoting it. */
  public body(schema: string): (json: unknown) => void {
    const validate = this.compile({ $ref: `${documentId}#/components/schemas/${schema}` });
    return (json): void => {
      if (!validate(json)) {
        const [ error ] = validate.errors ?? [];
        throw new BodyInvalid(describe(error));
      }
    };
  }

  /**
   * Returns a parser for query parameters. It throws ParameterInvalid, also for an unknown parameter, and for text that
   * is not percent-encoded UTF-8: the parser of the platform keeps or replaces such characters.
   */
  public query(parameters: Record<string, Parameter>): (query: string) => QueryValues {
    const names = Object.keys(parameters);
    const read = this.values(parameters);
    return (query): QueryValues => {
      if (!isWellEncoded(query)) {
        throw new ParameterInvalid('The query is not percent-encoded UTF-8.');
      }
      const given = new URLSearchParams(query);
      const unknown = [ ...given.keys() ].find((name): boolean => !names.includes(name));
      if (unknown !== undefined) {
        throw new ParameterInvalid(`${unknown.slice(0, maxNamed)} is not a parameter of this operation${
          didYouMean(unknown, names) || '.'}`, { reason: 'a parameter is none of this operation' });
      }
      return read(given);
    };
  }

  /**
   * Returns a parser for the fields of a form. It throws ParameterInvalid; unknown fields are ignored, and fields
   * without a value count as absent, as OAuth requires.
   *
   * @see [RFC 6749, section 3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)
   */
  public form(fields: Record<string, Parameter>): (form: string) => QueryValues {
    const read = this.values(fields);
    return (form): QueryValues =>
      read(new URLSearchParams([ ...new URLSearchParams(form) ].filter(([ , value ]): boolean => value !== '')));
  }

  private values(parameters: Record<string, Parameter>): (given: URLSearchParams) => QueryValues {
    const readers = Object.entries(parameters)
      .map(([ name, parameter ]): [string, ValueReader] => [ name, this.parameter(name, parameter) ]);
    return (given): QueryValues => Object.fromEntries(readers.map(([ name, read ]): [string, QueryValues[string]] =>
      [ name, read(given.getAll(name)) ]));
  }

  private parameter(name: string, { schema, required }: Parameter): ValueReader {
    const validate = this.compile(schema);
    return ([ text, ...more ]): QueryValues[string] => {
      if (more.length > 0) {
        throw new ParameterInvalid(`${name} is given more than once.`);
      }
      if (text === undefined) {
        if (required) {
          throw new ParameterInvalid(`${name} is required.`);
        }
        return undefined;
      }
      const value = convert(text, schema.type);
      if (value === undefined) {
        throw new ParameterInvalid(`${name} must be ${String(schema.type)}.`);
      }
      if (!validate(value)) {
        // A refusal has an error.
        throw new ParameterInvalid(`${name} ${validate.errors![0].message}.`);
      }
      return value;
    };
  }

  private compile(schema: JsonSchema): ValidateFunction {
    return this.ajv.compile(schema);
  }
}

function isWellEncoded(query: string): boolean {
  try {
    decodeURIComponent(query);
    return /^[\u0021-\u007E]*$/u.test(query);
  } catch {
    return false;
  }
}

function convert(text: string, type: unknown): string | number | boolean | undefined {
  if (type === 'boolean') {
    return [ 'true', 'false' ].includes(text) ? text === 'true' : undefined;
  }
  if (type === 'integer') {
    return /^(?:\d|-[1-9])\d{0,14}$/u.test(text) ? Number(text) : undefined;
  }
  return text;
}

function describe({ instancePath, message }: ErrorObject): string {
  return `${instancePath === '' ? 'The body' : instancePath} ${message}.`;
}
