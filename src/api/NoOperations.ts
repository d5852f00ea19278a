import type { Operation } from '../http/Operation';
import type { OperationGroup } from './OperationGroup';

/** An empty group. Overriding a group with this one leaves the group out. */
export class NoOperations implements OperationGroup {
  public operations(): readonly Operation[] {
    return [];
  }
}
