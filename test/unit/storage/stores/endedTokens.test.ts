import type { OpenRecords } from '../../../../src/storage/openRecords';
import { later, now, places } from '../places';
import type { Place } from '../places';

describe.each(places)('Ended tokens, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let open: OpenRecords;

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    open = await place.open();
  });

  afterAll(async(): Promise<void> => place.remove());

  it('end by WebID or client, the latest time counts, and are removed when none is left.', async(): Promise<void> => {
    const { endedTokens } = open.records;
    await expect(endedTokens.endedAt([ 'a', 'b' ])).resolves.toBeUndefined();
    await endedTokens.end([ 'a', 'client' ], now);
    await endedTokens.end([ 'b' ], later(5));
    await expect(endedTokens.endedAt([ 'a', 'x' ])).resolves.toEqual(now);
    await expect(endedTokens.endedAt([ 'a', 'b' ])).resolves.toEqual(later(5));
    await endedTokens.end([ 'a' ], later(9));
    await expect((await place.open()).records.endedTokens.endedAt([ 'a' ])).resolves.toEqual(later(9));
    await endedTokens.end([ 'a' ], later(8));
    await expect(endedTokens.endedAt([ 'a' ])).resolves.toEqual(later(9));
    await endedTokens.end([ 'z' ], later(25 * 3600));
    await expect(endedTokens.endedAt([ 'a', 'b', 'client' ])).resolves.toBeUndefined();
  });

  it('of a client that is gone end whenever issued, and keep no others from ending.', async(): Promise<void> => {
    const { endedTokens } = open.records;
    await endedTokens.end([ 'kept' ], now);
    await endedTokens.endForGood([ 'gone' ], later(1));
    await expect(endedTokens.endedAt([ 'gone' ])).resolves.toEqual(later(1 + (24 * 3600)));
    await expect(endedTokens.endedAt([ 'kept' ])).resolves.toEqual(now);
    await endedTokens.end([ 'gone' ], later(2));
    await expect(endedTokens.endedAt([ 'gone' ])).resolves.toEqual(later(1 + (24 * 3600)));
  });
});
