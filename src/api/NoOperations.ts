import type { Operation } from '../http/Operation';
import type { OperationGroup } from './OperationGroup';

/** Replaces a group of operations to leave it out. */
export class NoOperations implements OperationGroup {
  public operations(): readonly Operation[] {
    return [];
  }
}
