import type { Operation } from '../http/Operation';
import { isOneOf, namesOf } from '../platform/lists';
import type { OperationGroup } from './OperationGroup';
import { groups } from './routes';

/** A group of operations that this package ships. */
export class ShippedOperations implements OperationGroup {
  private readonly group: keyof typeof groups;

  /**
   * @param group - Name of the group, such as `buildings`.
   *
   * @throws Error when there is no group with this name.
   */
  public constructor(group: string) {
    const names = namesOf(groups);
    if (!isOneOf(names, group)) {
      throw new Error(`There is no group of operations called ${group}; there are ${names.join(', ')}`);
    }
    this.group = group;
  }

  public operations(): readonly Operation[] {
    return groups[this.group];
  }
}
