import { randomBytes } from 'node:crypto';
import { writeFeedCursor } from '../../../src/events/feedCursor';
import { EventFeed } from '../../../src/events/EventFeed';
import type { GrantFilter } from '../../../src/grants/GrantStore';
import { ParameterInvalid } from '../../../src/problems';
import type { OpenRecords } from '../../../src/storage/openRecords';
import { parseWebId } from '../../../src/platform/webId';
import { now, sqlitePlace } from '../storage/places';
import type { Place } from '../storage/places';
import { grant } from '../storage/rows';

const caller = parseWebId('https://user.example/#us');
const other = parseWebId('https://other.example/#us');

/** A cursor with each of its bits flipped, one at a time. */
function flipped(cursor: string): string[] {
  const bytes = Buffer.from(cursor);
  return Array.from({ length: bytes.length * 8 }, (_, bit): string => {
    const altered = Buffer.from(bytes);
    altered[bit >> 3] ^= 1 << (bit % 8);
    return altered.toString('latin1');
  });
}

/** Collects the responses to altered cursors: problems, or what the caller would see anyway. */
async function answersTo(cursors: string[], list: (cursor: string) => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(cursors.map(async(cursor): Promise<unknown> =>
    list(cursor).catch((error: unknown): unknown => error)));
}

describe('An altered cursor, or one of another caller,', (): void => {
  let place: Place;
  let open: OpenRecords;

  beforeAll(async(): Promise<void> => {
    place = await sqlitePlace();
    open = await place.open();
  });

  afterAll(async(): Promise<void> => place.remove());

  it('is not valid in a feed.', async(): Promise<void> => {
    const key = randomBytes(32);
    const feed = new EventFeed({
      events: open.records.events,
      baseUrl: 'https://pod.example/',
      cursorKeys: (): Buffer[] => [ key ],
      keptMs: 1000,
      now: (): Date => now,
    });
    await open.records.events.raise([ caller, other ].map((dataUser): never =>
      ({ dataUser, type: 'AccessGranted', at: now, data: {}}) as never));
    const { next } = await feed.list(caller, undefined, 1);
    expect(next).toBe(writeFeedCursor(key, caller, 1));
    const answers = await answersTo(flipped(next), async(cursor): Promise<unknown> => feed.list(caller, cursor, 9));
    expect(answers.filter((answer): boolean => !(answer instanceof ParameterInvalid))).toEqual([]);
    await expect(feed.list(other, next, 9)).rejects.toBeInstanceOf(ParameterInvalid);
  });

  it('is not valid in the activity of a citizen.', async(): Promise<void> => {
    const { activity } = open.records;
    await open.records.transaction(async({ audit }): Promise<void> => {
      for (const citizenId of [ 'a', 'b' ]) {
        for (let index = 0; index < 3; index += 1) {
          const personal = { owner: caller, dataUser: other, resource: `https://pod.example/${index}` };
          await audit.append({ type: 'data.shared', at: now, citizenId, facts: { contract: `${index}` }, personal });
        }
      }
    });
    const { next } = await activity.list('a', { limit: 1 });
    const answers = await answersTo(flipped(next!), async(after): Promise<unknown> =>
      activity.list('a', { limit: 9, after }));
    expect(answers.filter((answer): boolean => !(answer instanceof ParameterInvalid))).toEqual([]);
    await expect(activity.list('b', { limit: 9, after: next })).rejects.toBeInstanceOf(ParameterInvalid);
  });

  it('gives only the grants of the caller who presents it.', async(): Promise<void> => {
    const { grants } = open.records;
    for (const [ index, recipient ] of [ caller, other, caller, other, caller ].entries()) {
      const issuedAt = new Date(now.getTime() - index);
      await grants.insert(grant(`g${index}`, { recipient: parseWebId(recipient), issuedAt }));
    }
    const filter: GrantFilter = { party: caller, kinds: [ 'grant' ], now };
    const { next } = await grants.listTerms(filter, { size: 1 });
    const ofOther = await grants.listTerms({ ...filter, party: other }, { size: 1 });
    const answers = await answersTo([ ofOther.next!, ...flipped(next!) ], async(page): Promise<unknown> => {
      const listed = await grants.listTerms(filter, { size: 9, page });
      return listed.grants.every(({ recipient }): boolean => recipient === caller);
    });
    expect(answers.filter((answer): boolean => answer !== true && !(answer instanceof ParameterInvalid))).toEqual([]);
  });
});
