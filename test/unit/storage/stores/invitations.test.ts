import { invitationDigest, invitationDigests, invitationId } from '../../../../src/identity/InvitationStore';
import type { OpenRecords } from '../../../../src/storage/openRecords';
import { later, now, places } from '../places';
import type { Place } from '../places';

describe.each(places)('Invitations, on %s,', (_engine, makePlace): void => {
  let place: Place;
  let open: OpenRecords;

  beforeAll(async(): Promise<void> => {
    place = await makePlace();
    open = await place.open();
  });

  afterAll(async(): Promise<void> => place.remove());

  it('are valid once, until they expire, and for their own address.', async(): Promise<void> => {
    const { invitations } = open.records;
    await invitations.add(invitationDigest('one'), later(10), now);
    await invitations.add(invitationDigest('two', 'Ann@example.org '), later(10), now);
    const anybody = invitationDigests('one', 'x@example.org');
    const ann = invitationDigests('two', 'ann@EXAMPLE.org');
    await expect(invitations.isOpen(anybody, now)).resolves.toBe(true);
    await expect(invitations.isOpen(anybody, later(10))).resolves.toBe(false);
    await expect(invitations.take(anybody, later(10))).resolves.toBe(false);
    await expect(invitations.take(invitationDigests('two', 'x@example.org'), now)).resolves.toBe(false);
    await expect(invitations.take(invitationDigests('two', ''), now)).resolves.toBe(false);
    await expect(invitations.take(ann, now)).resolves.toBe(true);
    await expect(invitations.take(ann, now)).resolves.toBe(false);
    const taken = await Promise.all([ 1, 2, 3 ].map(async(): Promise<boolean> => invitations.take(anybody, now)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('that have expired are removed with the next one.', async(): Promise<void> => {
    const { invitations } = open.records;
    await invitations.add(invitationDigest('old'), later(10), now);
    await invitations.add(invitationDigest('new'), later(30), later(20));
    await expect(invitations.isOpen(invitationDigests('old', ''), now)).resolves.toBe(false);
    await expect(invitations.isOpen(invitationDigests('new', ''), now)).resolves.toBe(true);
  });

  it('are listed with an id while they are valid, and can be withdrawn by it.', async(): Promise<void> => {
    const { invitations } = open.records;
    const [ first, second ] = [ invitationDigest('first'), invitationDigest('second', 'ann@example.org') ];
    await invitations.add(second, later(60), later(50));
    await invitations.add(first, later(55), later(50));
    const listed = [
      { id: invitationId(first), lapsesAt: later(55) },
      { id: invitationId(second), lapsesAt: later(60) },
    ];
    await expect(invitations.listOpen(later(50))).resolves.toEqual(listed);
    await expect(invitations.listOpen(later(55))).resolves.toEqual(listed.slice(1));
    await expect(invitations.withdraw(invitationId(first), later(55))).resolves.toBe(false);
    for (const id of [ '', '%', second, invitationId(second).slice(1), invitationId(invitationDigest('none')) ]) {
      await expect(invitations.withdraw(id, later(50))).resolves.toBe(false);
    }
    await expect(invitations.withdraw(invitationId(first), later(50))).resolves.toBe(true);
    await expect(invitations.withdraw(invitationId(first), later(50))).resolves.toBe(false);
    await expect(invitations.take([ first ], later(50))).resolves.toBe(false);
    await expect(invitations.listOpen(later(50))).resolves.toEqual(listed.slice(1));
  });
});
