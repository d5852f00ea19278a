import { SubscriptionBook } from '../../../../src/server/notifications/SubscriptionBook';
import type { BookedSubscription } from '../../../../src/server/notifications/SubscriptionBook';

const now = 1_000_000;
const bounds = { perResource: 4, perCaller: 2, perAddress: 3, inAll: 6 };

describe('A SubscriptionBook', (): void => {
  let book: SubscriptionBook;
  let made: number;

  beforeEach((): void => {
    book = new SubscriptionBook(bounds);
    made = 0;
  });

  function admit(topic: string, subscriber: BookedSubscription['subscriber'] = {}, endAt?: number): string {
    made += 1;
    const id = `urn:${made}`;
    book.admit({ id, topic, subscriber, endAt }, now);
    return id;
  }

  it('counts by WebID and by address.', (): void => {
    const first = admit('a', { webId: 'alice' });
    admit('b', { webId: 'alice' });
    expect((): unknown => admit('c', { webId: 'alice' })).toThrow('too many subscriptions of this WebID');
    book.strike(first);
    admit('c', { webId: 'alice', address: 'x' });
    admit('c', { webId: 'bob', address: 'x' });
    admit('d', { webId: 'carol', address: 'x' });
    expect((): unknown => admit('e', { webId: 'dave', address: 'x' })).toThrow('from this address');
  });

  it('reserves half of each limit for authenticated subscribers.', (): void => {
    admit('a');
    admit('a');
    expect((): unknown => admit('a')).toThrow('to this resource');
    admit('a', { webId: 'alice' });
    expect((): unknown => admit('b')).toThrow('There are too many subscriptions.');
    admit('a', { webId: 'bob' });
    expect((): unknown => admit('a', { webId: 'carol' })).toThrow('to this resource');
    expect(book.size).toBe(4);
  });

  it('removes those that have ended.', (): void => {
    admit('a', {}, now - 1);
    admit('a', {}, now - 1);
    admit('b', {}, now - 1);
    admit('a');
    expect(book.size).toBe(1);
  });

  it('loads stored subscriptions, and keeps those added meanwhile.', (): void => {
    const gone = admit('a');
    const known = book.ids();
    const late = admit('b');
    book.replace([{ id: 'urn:stored', topic: 'c', subscriber: {}}], known);
    expect(book.ids()).toEqual(new Set([ late, 'urn:stored' ]));
    expect(book.ids().has(gone)).toBe(false);
  });
});
