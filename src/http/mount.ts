import type { JsonSchema } from '../platform/jsonSchema';
import { isOneOf } from '../platform/lists';
import type { Method, Operation, QueryValues } from './Operation';
import { methods } from './Operation';
import type { Match } from './Router';
import { SchemaValidator } from './validation';
import { wrongMethod } from './wrongMethod';

/** An operation, ready to be called: what reads its query and checks its body is compiled. */
export interface Mounted<TServices = never> {
  method: Method;
  path: string;
  operation: Operation<TServices>;
  readQuery: (query: string) => QueryValues;
  checkBody?: (json: unknown) => void;
  readForm?: (form: string) => QueryValues;
}

/**
 * Makes operations ready, each schema once.
 *
 * @param operations - The table.
 * @param schemas - By the names that the table gives them.
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
    checkBody: operation.body && validator.body(operation.body.schema),
    readForm: operation.form && validator.form(operation.form.fields),
  }));
}

/** The operation of a method at a path, if it takes that; HEAD is answered by the one of GET. */
export function find<T extends Mounted>({ operations }: Match<T>, method: string): T | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return isOneOf(methods, asked) ? operations.get(asked) : undefined;
}

/**
 * The same, when it must be there.
 *
 * @throws MethodNotAllowed which lists the methods that the path takes.
 */
export function pick<T extends Mounted>(match: Match<T>, method: string): T {
  const mounted = find(match, method);
  if (!mounted) {
    throw wrongMethod(method, allowedMethods(match));
  }
  return mounted;
}

/** The methods that a path takes, as the `Allow` header lists them. */
export function allowedMethods({ operations }: Match<Mounted>): string {
  return [ ...operations.keys(), ...operations.has('GET') ? [ 'HEAD' ] : [], 'OPTIONS' ].join(', ');
}
