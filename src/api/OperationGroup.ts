import type { Operation } from '../http/Operation';
import type { JsonSchema } from '../platform/jsonSchema';

/**
 * Operations that a server offers or leaves out together. A configuration adds a group to the `operations` of
 * `DataSharing`, or overrides one group with another.
 *
 * The server checks the caller, parameters and body of a request against the operation's row before it calls the
 * handler. The operation appears in the OpenAPI document, on its page and in the index.
 */
export interface OperationGroup {
  /**
   * Lists the operations of the group, under `/v1/`. Called once, at start. A handler receives only the call: the group
   * holds anything else that it needs.
   *
   * The server does not start when two operations have the same path and method, or the same `operationId`.
   */
  operations: () => readonly Operation[];
  /** Additional schemas that the rows name. Their names must differ from those of the built-in schemas. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}
