import { giveWay } from '../../../../src/platform/giveWay';
import { Beginnings } from '../../../../src/server/connections/Beginnings';

/** Returns after how many turns of the event loop a waiting request starts, with a new connection in each turn. */
async function roundsUntilBegun(beginnings: Beginnings, connecting: number): Promise<number> {
  let rounds = 0;
  const begun = new AbortController();
  beginnings.connected();
  const beginning = beginnings.next().then((): void => begun.abort());
  while (!begun.signal.aborted) {
    rounds += 1;
    if (rounds < connecting) {
      beginnings.connected();
    }
    await giveWay();
  }
  await beginning;
  return rounds;
}

describe('Requests that arrive', (): void => {
  it('start immediately while nobody connects.', async(): Promise<void> => {
    const beginnings = new Beginnings();
    let rounds = 0;
    setImmediate((): void => {
      rounds += 1;
    });
    await Promise.all([ beginnings.next(), beginnings.next(), beginnings.next() ]);
    expect(rounds).toBe(0);
  });

  it('start as soon as all pending connections are accepted.', async(): Promise<void> => {
    const rounds = await roundsUntilBegun(new Beginnings(), 20);
    expect(rounds).toBeGreaterThanOrEqual(20);
    expect(rounds).toBeLessThan(25);
  });

  it('start one by one while connections keep coming.', async(): Promise<void> => {
    const beginnings = new Beginnings();
    const first = await roundsUntilBegun(beginnings, Infinity);
    const second = await roundsUntilBegun(beginnings, Infinity);
    expect(Math.max(first, second)).toBeLessThan(265);
    expect(second).toBeGreaterThan(250);
  });
});
