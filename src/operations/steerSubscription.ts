import type { AuditEventType, AuditLog } from '../audit/AuditLog';
import type { EventStore } from '../events/EventStore';
import type { Subscription, SubscriptionStore } from '../events/SubscriptionStore';
import type { Records } from '../platform/Records';
import { Refused } from './Refused';

/** Stores for pausing and replaying a subscription. */
export interface SteeringStores {
  audit: Pick<AuditLog, 'append'>;
  events: Pick<EventStore, 'list'>;
  subscriptions: SubscriptionStore;
}

/** Name of the operator, and the time. */
export interface Steering {
  operator: string;
  now: Date;
}

/**
 * Pauses a subscription: nothing is pushed until the operator replays it.
 *
 * @param records - Store of subscriptions, with an audit record.
 * @param id - Id of the subscription.
 * @param steering - Operator and time.
 *
 * @throws Refused when there is none.
 */
export async function pauseSubscription(
  records: Records<SteeringStores>,
  id: string,
  steering: Steering,
): Promise<void> {
  await change(records, id, 'subscription.paused', steering, async(subscription): Promise<Subscription> =>
    ({ ...subscription, status: 'PAUSED', dueAt: undefined }));
}

/**
 * Resumes pushing events to a subscription, whatever stopped it.
 *
 * @param records - Store of subscriptions, with an audit record.
 * @param id - Id of the subscription.
 * @param after - Number of the event after which to begin; defaults to where pushing stopped.
 * @param steering - Operator and time.
 *
 * @throws Refused when there is none, or when events after that number are no longer kept.
 */
export async function replaySubscription(
  records: Records<SteeringStores>,
  id: string,
  after: number | undefined,
  steering: Steering,
): Promise<void> {
  await change(records, id, 'subscription.replayed', steering, async(subscription, stores): Promise<Subscription> => {
    const { failingSince, lastFailure, ...rest } = subscription;
    const position = after ?? subscription.position;
    const { forgotten, last } = await stores.events.list(subscription.dataUser, position, 1);
    if (position < forgotten || position > last) {
      throw new Refused(`Events after ${forgotten} up to ${last} are kept: choose where to begin with --after.`);
    }
    return { ...rest, position, status: 'ACTIVE', attempts: 0, dueAt: steering.now };
  });
}

async function change(
  records: Records<SteeringStores>,
  id: string,
  type: AuditEventType,
  { now, operator }: Steering,
  changed: (subscription: Subscription, stores: SteeringStores) => Promise<Subscription>,
): Promise<void> {
  const isChanged = await records.transaction(async(stores): Promise<boolean> => {
    const subscription = await stores.subscriptions.find(id);
    if (!subscription) {
      throw new Refused('There is no such subscription.');
    }
    const { dataUser, endpoint } = subscription;
    if (!await stores.subscriptions.change(await changed(subscription, stores))) {
      return false;
    }
    const personal = { operator, webId: dataUser, endpoint };
    await stores.audit.append({ type, at: now, facts: { subscription: id }, personal });
    return true;
  });
  if (!isChanged) {
    // The data user changed it concurrently.
    await change(records, id, type, { now, operator }, changed);
  }
}
