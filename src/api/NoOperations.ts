import type { Operation } from '../http/Operation';
import type { OperationGroup } from './OperationGroup';

/** Replaces a group of operations that a server leaves out. */
export class NoOperations implements OperationGroup {
  public operations(): readonly Operation[] {
    return [];
  }
}
