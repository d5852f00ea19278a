import type { Operation } from '../http/Operation';
import type { OperationGroup } from './OperationGroup';

/** In the place of a group that is left out. */
export class NoOperations implements OperationGroup {
  public operations(): readonly Operation[] {
    return [];
  }
}
