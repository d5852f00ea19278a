import { pauseSubscription, replaySubscription } from '../../operations/steerSubscription';
import type { Command, CommandCall } from './Command';
import { UsageError } from './Command';
import { findValue } from './options';

/** Lists subscriptions. */
export const subscriptionsList: Command = {
  name: 'subscriptions list',
  summary: 'Lists subscriptions to events as NDJSON: data user, endpoint, state, events not yet pushed.',
  run: async({ open, print }): Promise<undefined> => {
    const { records: { events, subscriptions }} = await open();
    for (const one of await subscriptions.list()) {
      const { attempts, createdAt, dataUser, endpoint, failingSince, id, lastFailure, position, status } = one;
      const { last } = await events.list(dataUser, position, 1);
      await print(JSON.stringify({
        id,
        dataUser,
        endpoint,
        status,
        created: createdAt.toISOString(),
        sequence: position,
        behind: last - position,
        attempts,
        ...failingSince && { failingSince: failingSince.toISOString() },
        ...lastFailure !== undefined && { lastFailure },
      }));
    }
  },
};

/** Pauses a subscription. */
export const subscriptionsPause: Command = {
  name: 'subscriptions pause',
  summary: 'Stops pushing events to a subscription until subscriptions replay.',
  details: 'The data user still has the feed, and can end the subscription but not resume it.',
  operands: [ 'id' ],
  run: async(call): Promise<undefined> => {
    const { open, operands: [ id ], print } = call;
    await pauseSubscription((await open()).records, id, steering(call));
    await print(`${id} is paused.`);
  },
};

/** Pushes events again. */
export const subscriptionsReplay: Command = {
  name: 'subscriptions replay',
  summary: 'Resumes pushing to a paused, failing or ended subscription, from where it stopped.',
  operands: [ 'id' ],
  options: { after: {
    value: 'sequence',
    describe: 'Sequence of an event: all later ones are pushed again. Default: where pushing stopped.',
  }},
  run: async(call): Promise<undefined> => {
    const { open, operands: [ id ], print } = call;
    const after = findValue(call, 'after');
    if (after !== undefined && !/^\d{1,15}$/u.test(after.replace(/^0+(?=\d)/u, ''))) {
      throw new UsageError('--after must be the sequence of an event');
    }
    const position = after === undefined ? undefined : Number(after);
    await replaySubscription((await open()).records, id, position, steering(call));
    await print(`${id} receives events again.`);
  },
};

function steering({ now, operator }: CommandCall): { operator: string; now: Date } {
  return { operator, now: now() };
}
