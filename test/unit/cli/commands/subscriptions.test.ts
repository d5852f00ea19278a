import { userInfo } from 'node:os';
import type { Subscription } from '../../../../src/events/SubscriptionStore';
import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import { parseWebId } from '../../../../src/platform/webId';
import type { CommandAnswer } from '../../../support/commandLine';
import { operate } from '../../../support/commandLine';
import { now, places } from '../../storage/places';
import type { Place } from '../../storage/places';

const dataUser = parseWebId('https://bank.example/profile#org');
const failing: Subscription = {
  id: '5f1c1f0e-8c1c-4e53-9d3a-2c1f0f6f4b7a',
  dataUser,
  endpoint: 'https://bank.example/events',
  createdAt: now,
  status: 'FAILING',
  position: 1,
  attempts: 30,
  failingSince: now,
  lastFailure: 'the endpoint answered 500',
  revision: 0,
};
const { id } = failing;

describe.each(places)('The commands on subscriptions, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
    await records.events.raise([ 1, 2, 3 ].map((number): any =>
      ({ dataUser, type: 'AccessGranted', at: now, data: { accessGrant: `https://pod.example/${number}` }})));
    await records.subscriptions.insert(failing);
  });

  afterEach(async(): Promise<void> => place.remove());

  async function run(...words: string[]): Promise<CommandAnswer> {
    return operate(place, [ 'subscriptions', ...words ]);
  }

  async function state(): Promise<unknown[]> {
    const { dueAt, position, status } = (await records.subscriptions.find(id))!;
    return [ status, position, dueAt !== undefined ];
  }

  it('list them, with the reason of failures and the events outstanding.', async(): Promise<void> => {
    expect((await run('list')).lines()).toEqual([{
      id,
      dataUser,
      endpoint: failing.endpoint,
      status: 'FAILING',
      created: now.toISOString(),
      sequence: 1,
      behind: 2,
      attempts: 30,
      failingSince: now.toISOString(),
      lastFailure: 'the endpoint answered 500',
    }]);
  });

  it('pause and replay them, each with a row in the audit record.', async(): Promise<void> => {
    await expect(run('replay', id)).resolves.toMatchObject({ code: 0, output: `${id} receives events again.\n` });
    await expect(state()).resolves.toEqual([ 'ACTIVE', 1, true ]);
    await expect(run('pause', id)).resolves.toMatchObject({ code: 0, output: `${id} is paused.\n` });
    await expect(state()).resolves.toEqual([ 'PAUSED', 1, false ]);
    await records.subscriptions.notice(new Date());
    await records.subscriptions.wake(new Date(), new Date());
    await expect(state()).resolves.toEqual([ 'PAUSED', 1, false ]);
    await expect(run('replay', id, '--after', '0000000000000000')).resolves.toMatchObject({ code: 0 });
    await expect(state()).resolves.toEqual([ 'ACTIVE', 0, true ]);
    const rows = await records.audit.list(0, 10);
    const personal = { operator: userInfo().username, webId: dataUser, endpoint: failing.endpoint };
    expect(rows.map(({ event: { facts, type, personal: said }}): unknown => [ type, facts, said ])).toEqual([
      [ 'subscription.replayed', { subscription: id }, personal ],
      [ 'subscription.paused', { subscription: id }, personal ],
      [ 'subscription.replayed', { subscription: id }, personal ],
    ]);
  });

  it.each([
    [[ 'pause', 'unknown' ], 1, 'There is no such subscription' ],
    [[ 'replay', 'unknown' ], 1, 'There is no such subscription' ],
    [[ 'replay', id, '--after', '4' ], 1, 'Events after 0 up to 3 are kept' ],
    [[ 'replay', id, '--after=-1' ], 2, 'sequence' ],
    [[ 'replay', id, '--after', '99999999999999999' ], 2, 'sequence' ],
    [[ 'pause' ], 2, '' ],
  ])('refuse %j.', async(words, code, errors): Promise<void> => {
    await expect(run(...words)).resolves.toMatchObject({ code, output: '', errors: expect.stringContaining(errors) });
    await expect(state()).resolves.toEqual([ 'FAILING', 1, false ]);
    await expect(records.audit.list(0, 10)).resolves.toEqual([]);
  });
});
