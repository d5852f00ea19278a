import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { PermissionTickets } from '../../../src/uma/PermissionTickets';
import { resourceUri } from '../../support/uris';

const key = randomBytes(32);
const base = 'http://localhost:3000/';
const resource = resourceUri('http://localhost:3000/alice/notes');

describe('A permission ticket', (): void => {
  let now: Date;
  let tickets: PermissionTickets;

  beforeEach((): void => {
    now = new Date('2026-03-01T12:00:00Z');
    tickets = new PermissionTickets(key, base, (): Date => now, randomUUID);
  });

  it('contains its resource, and is different each time.', (): void => {
    const [ one, two ] = [ tickets.open(tickets.issue(resource)), tickets.open(tickets.issue(resource)) ];
    expect(one).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/u),
      resource,
      expiresAt: new Date('2026-03-01T12:05:00Z'),
    });
    expect(two!.id).not.toBe(one!.id);
  });

  it('can be quoted in a header, whatever the resource.', (): void => {
    const odd = resourceUri(`http://localhost:3000/alice/${encodeURIComponent('é" ,')}`);
    const ticket = tickets.issue(odd);
    expect(ticket).toMatch(/^[\w-]+\.[\w-]+$/u);
    expect(tickets.open(ticket)).toMatchObject({ resource: odd });
  });

  it('is valid for five minutes, in every process with the same key.', (): void => {
    const ticket = tickets.issue(resource);
    now = new Date('2026-03-01T12:04:59Z');
    expect(new PermissionTickets(key, base, (): Date => now, randomUUID).open(ticket)).toBeDefined();
    now = new Date('2026-03-01T12:05:00Z');
    expect(tickets.open(ticket)).toBeUndefined();
  });

  it('is refused if anything in it was altered.', (): void => {
    const ticket = tickets.issue(resource);
    for (let at = 0; at < ticket.length; at += 1) {
      // Another character whose bits all differ, so that none is lost at the end.
      const other = ticket[at] === 'A' ? '_' : 'A';
      const altered = `${ticket.slice(0, at)}${other}${ticket.slice(at + 1)}`;
      const same = Buffer.from(altered.split('.')[1] ?? '', 'base64url')
        .equals(Buffer.from(ticket.split('.')[1], 'base64url')) && altered.startsWith(ticket.split('.')[0]);
      expect(same || tickets.open(altered) === undefined).toBe(true);
    }
  });

  it('is refused if it was made with another key.', (): void => {
    const others = new PermissionTickets(randomBytes(32), base, (): Date => now, randomUUID);
    expect(tickets.open(others.issue(resource))).toBeUndefined();
  });

  it.each([
    '',
    '.',
    'x',
    `.${'A'.repeat(43)}`,
    `${'A'.repeat(40)}.${'A'.repeat(43)}`,
    `${'A'.repeat(5000)}.${'A'.repeat(43)}`,
    `e30.${createHmac('sha256', '').update('e30').digest('base64url')}`,
    '\u0000',
  ])('is refused if it is malformed: %j.', (text): void => {
    expect(tickets.open(text)).toBeUndefined();
  });
});
