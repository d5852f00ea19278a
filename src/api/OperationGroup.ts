import type { Operation } from '../http/Operation';
import type { JsonSchema } from '../platform/jsonSchema';

/**
 * Operations that a server offers or leaves out together. A configuration adds a group to `operations` of
 * `DataSharing`, or overrides one with another.
 *
 * The caller, parameters and body of a request are checked by the row of the operation before its handler is called.
 * The OpenAPI document, its page and the index show the operation.
 */
export interface OperationGroup {
  /**
   * Lists its operations, under `/v1/`. Called once, at the start. Their handlers are given the call alone; the group
   * has whatever else they need.
   *
   * Two operations at one path and method, or with one `operationId`, end the start.
   */
  operations: () => readonly Operation[];
  /** Schemas that the rows name, beside those of the interface, under names that it does not have. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}
