import type { Operation } from '../http/Operation';
import type { JsonSchema } from '../platform/jsonSchema';

/**
 * Operations that a server has or has not, together. A configuration adds a group to `operations` of `DataSharing`, or
 * overrides one by another.
 *
 * A request for an operation is checked as its row says (caller, parameters, body) before its handler is called; the
 * OpenAPI document, its page and the index show it.
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
