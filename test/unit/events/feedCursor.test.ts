import { randomBytes } from 'node:crypto';
import { readFeedCursor, writeFeedCursor } from '../../../src/events/feedCursor';
import { ParameterInvalid } from '../../../src/problems';
import { parseWebId } from '../../../src/platform/webId';

const key = randomBytes(32);
const dataUser = parseWebId('https://user.example/#us');

describe('A cursor in a feed of events', (): void => {
  it.each([ 0, 1, 17, Number.MAX_SAFE_INTEGER ])('holds the position %d.', (number): void => {
    const cursor = writeFeedCursor(key, dataUser, number);
    expect(readFeedCursor([ key ], dataUser, cursor)).toBe(number);
    expect(readFeedCursor([ randomBytes(32), key ], dataUser, cursor)).toBe(number);
  });

  it.each([
    [ 'of another caller', (cursor: string): string => cursor, 'https://other.example/#us' ],
    [ 'with another number', (cursor: string): string => cursor.replace('17.', '18.'), dataUser ],
    [ 'with a number in another form', (cursor: string): string => `0${cursor}`, dataUser ],
    [ 'with a number that is malformed', (cursor: string): string => cursor.replace('17.', '1e1.'), dataUser ],
    [ 'with too large a number', (cursor: string): string => cursor.replace('17.', '9999999999999999.'), dataUser ],
    [ 'without a code', (): string => '17.', dataUser ],
    [ 'with part of its code', (cursor: string): string => cursor.slice(0, -1), dataUser ],
    [ 'with more than its code', (cursor: string): string => `${cursor}A`, dataUser ],
    [ 'with other last bits', (cursor: string): string => cursor.slice(0, -1) + twin(cursor.at(-1)!), dataUser ],
    [ 'that is something else', (): string => 'eyJhIjoxfQ', dataUser ],
  ])('is refused when it is one %s.', (_name, change, caller): void => {
    const cursor = change(writeFeedCursor(key, dataUser, 17));
    expect((): number => readFeedCursor([ key ], parseWebId(caller), cursor)).toThrow(ParameterInvalid);
  });

  it('is refused when it was made with another key.', (): void => {
    const cursor = writeFeedCursor(randomBytes(32), dataUser, 17);
    expect((): number => readFeedCursor([ key ], dataUser, cursor)).toThrow(ParameterInvalid);
  });
});

/** Returns the next letter of base64url: in the last letter, only two bits count. */
function twin(letter: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[letters.indexOf(letter) ^ 1];
}
