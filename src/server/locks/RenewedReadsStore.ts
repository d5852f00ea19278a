import { LockingResourceStore } from '@solid/community-server';
import type {
  AuxiliaryIdentifierStrategy,
  ExpiringReadWriteLocker,
  Representation,
  ResourceStore,
} from '@solid/community-server';

/**
 * Renews the lock of a resource as soon as there is something to send, and whenever more of it is read, however the
 * stream is consumed. A long listing keeps its lock for as long as it is being sent, and a reader whose turn took long
 * on a busy server still has a whole time to begin. The server itself does not notice data that streams pass on
 * internally, and ends such a stream when the lock expires.
 */
export class RenewedReadsStore extends LockingResourceStore {
  /**
   * @param source - The store behind it, which takes no locks.
   * @param locks - Locks that expire.
   * @param auxiliaryStrategy - Names the resource whose lock an auxiliary one has.
   */
  public constructor(
    source: ResourceStore,
    locks: ExpiringReadWriteLocker,
    auxiliaryStrategy: AuxiliaryIdentifierStrategy,
  ) {
    super(source, locks, auxiliaryStrategy);
  }

  protected override createExpiringRepresentation(
    representation: Representation,
    maintainLock: () => void,
  ): Representation {
    maintainLock();
    const { data } = representation;
    const read = data.read.bind(data);
    data.read = (size?: number): unknown => {
      maintainLock();
      return read(size);
    };
    return representation;
  }
}
