import type { Operation } from '../http/Operation';
import type { OperationGroup } from './OperationGroup';
import { groups } from './routes';

/** A group of operations of this package. */
export class ShippedOperations implements OperationGroup {
  private readonly group: keyof typeof groups;

  /**
   * @param group - Name of the group, such as `buildings`.
   *
   * @throws Error when there is no such group.
   */
  public constructor(group: string) {
    if (!Object.hasOwn(groups, group)) {
      throw new Error(`There is no group of operations called ${group}; there are ${Object.keys(groups).join(', ')}`);
    }
    this.group = group as keyof typeof groups;
  }

  public operations(): readonly Operation[] {
    return groups[this.group];
  }
}
