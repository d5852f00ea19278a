import type { JsonSchema } from '../platform/jsonSchema';
import { isOneOf } from '../platform/lists';
import type { BodySpec, FormSpec, Method, Operation, QueryValues } from './Operation';
import { methods } from './Operation';
import type { Match } from './Router';
import { SchemaValidator } from './validation';
import { wrongMethod } from './wrongMethod';

/** A callable operation, with compiled checks of its query and body. */
export interface Mounted<TServices = never> {
  method: Method;
  path: string;
  operation: Operation<TServices>;
  readQuery: (query: string) => QueryValues;
  body?: { spec: BodySpec; check: (json: unknown) => void };
  form?: { spec: FormSpec; read: (form: string) => QueryValues };
}

/**
 * Mounts operations, compiling each schema once.
 *
 * @param operations - Table of operations.
 * @param schemas - Schemas by the names used in the table.
 */
export function mount<TServices>(
  operations: readonly Operation<TServices>[],
  schemas: Readonly<Record<string, JsonSchema>>,
): Mounted<TServices>[] {
  const validator = new SchemaValidator(schemas);
  return operations.map((operation): Mounted<TServices> => ({
    method: operation.method,
    path: operation.path,
    operation,
    readQuery: operation.anyQuery ? (): QueryValues => ({}) : validator.query(operation.query ?? {}),
    body: operation.body && { spec: operation.body, check: validator.body(operation.body.schema) },
    form: operation.form && { spec: operation.form, read: validator.form(operation.form.fields) },
  }));
}

/** Finds the operation of a method at a path, if any; HEAD uses the operation of GET. */
export function find<T extends Mounted>({ operations }: Match<T>, method: string): T | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return isOneOf(methods, asked) ? operations.get(asked) : undefined;
}

/**
 * Returns the operation of a method at a path.
 *
 * @throws MethodNotAllowed with the allowed methods.
 */
export function pick<T extends Mounted>(match: Match<T>, method: string): T {
  const mounted = find(match, method);
  if (!mounted) {
    throw wrongMethod(method, allowedMethods(match));
  }
  return mounted;
}

/** Returns the methods of a path in the form of the `Allow` header. */
export function allowedMethods({ operations }: Match<Mounted>): string {
  return [ ...operations.keys(), ...operations.has('GET') ? [ 'HEAD' ] : [], 'OPTIONS' ].join(', ');
}
