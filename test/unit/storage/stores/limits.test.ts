import type { Records } from '../../../../src/platform/Records';
import type { Stores } from '../../../../src/storage/Stores';
import type { ProofOutcome } from '../../../../src/tokens/ProofStore';
import { atOnce, citizenNumber, later, now, places } from '../places';
import type { Place } from '../places';

describe.each(places)('The stores of limits, on %s', (_engine, makePlace): void => {
  let place: Place;
  let records: Records<Stores>;

  beforeEach(async(): Promise<void> => {
    place = await makePlace();
    ({ records } = await place.open());
  });

  afterEach(async(): Promise<void> => place.remove());

  it('count different wrong numbers, by caller and in total, also after a restart.', async(): Promise<void> => {
    const { guesses } = records;
    const since = later(-60);
    await expect(guesses.record('a', 'x', citizenNumber(1), now, since)).resolves.toEqual({ byCaller: 1, byAll: 1 });
    await expect(guesses.record('a', 'x', citizenNumber(1), later(1), since))
      .resolves.toEqual({ byCaller: 1, byAll: 1 });
    await expect(guesses.record('a', 'x', citizenNumber(2), later(2), since))
      .resolves.toEqual({ byCaller: 2, byAll: 2 });
    await expect(guesses.record('a', 'y', citizenNumber(2), later(2), since))
      .resolves.toEqual({ byCaller: 1, byAll: 2 });
    await expect(guesses.record('b', 'x', citizenNumber(1), later(2), since))
      .resolves.toEqual({ byCaller: 1, byAll: 1 });
    const again = await place.open();
    await expect(again.records.guesses.count('a', 'x', since)).resolves.toEqual({ byCaller: 2, byAll: 2 });
    await expect(again.records.guesses.count('a', 'z', since)).resolves.toEqual({ byCaller: 0, byAll: 2 });
    await expect(again.records.guesses.count('a', 'x', later(2))).resolves.toEqual({ byCaller: 1, byAll: 1 });
  });

  it('count every one of many wrong numbers tried at once.', async(): Promise<void> => {
    await atOnce(20, async(index): Promise<unknown> =>
      records.guesses.record('a', `caller ${index % 2}`, citizenNumber(index), now, later(-60)));
    await expect(records.guesses.count('a', 'caller 1', later(-60))).resolves.toEqual({ byCaller: 10, byAll: 20 });
  });

  it('forget wrong numbers that are too old, and count them again when tried again.', async(): Promise<void> => {
    const { guesses } = records;
    await guesses.record('a', 'x', citizenNumber(1), now, later(-60));
    await expect(guesses.record('b', 'x', citizenNumber(1), later(61), later(1))).resolves.toMatchObject({ byAll: 1 });
    await expect(guesses.count('a', 'x', later(-60))).resolves.toEqual({ byCaller: 0, byAll: 0 });
    await expect(guesses.record('a', 'x', citizenNumber(1), later(61), later(1))).resolves.toMatchObject({ byAll: 1 });
  });

  it('store no part of a guess in clear, nor reveal equal numbers.', async(): Promise<void> => {
    await records.guesses.record('https://a.example/#me', 'https://c.example/', citizenNumber(1), now, later(-60));
    await records.guesses.record('https://b.example/#me', 'https://c.example/', citizenNumber(1), now, later(-60));
    const rows = await place.sql('select * from guesses');
    expect(JSON.stringify(rows)).not.toMatch(/example|850101/u);
    expect(new Set(rows.map((row): unknown => row.number_index)).size).toBe(2);
  });

  it('accept a proof once, however many processes ask at once.', async(): Promise<void> => {
    const other = await place.open();
    const outcomes = await atOnce(40, async(index): Promise<ProofOutcome> =>
      (index % 2 ? records : other.records).proofs.remember('caller', 'jti', later(60), now));
    expect(outcomes.filter((outcome): boolean => outcome === 'fresh')).toHaveLength(1);
    expect(outcomes.filter((outcome): boolean => outcome === 'replayed')).toHaveLength(39);
  });

  it('tell proofs of different callers apart, and forget them when they expire.', async(): Promise<void> => {
    await expect(records.proofs.remember('a', 'jti', later(60), now)).resolves.toBe('fresh');
    await expect(records.proofs.remember('b', 'jti', later(60), now)).resolves.toBe('fresh');
    await expect(records.proofs.remember('a', 'jti', later(120), later(59))).resolves.toBe('replayed');
    await expect(records.proofs.remember('a', 'jti', later(120), later(60))).resolves.toBe('fresh');
    await expect(records.proofs.remember('c', 'jti', later(200), later(121))).resolves.toBe('fresh');
    await expect(place.sql('select jti from proofs')).resolves.toHaveLength(1);
  });

  it('stop a caller with too many proofs, and no other.', async(): Promise<void> => {
    const { proofs } = records;
    const outcomes = await atOnce(10_000, async(index): Promise<ProofOutcome> =>
      proofs.remember('a', String(index), later(60), now));
    expect(new Set(outcomes)).toEqual(new Set([ 'fresh' ]));
    await expect(proofs.remember('a', 'next', later(60), now)).resolves.toBe('too-many');
    await expect(proofs.remember('b', 'next', later(60), now)).resolves.toBe('fresh');
    await expect(proofs.remember('a', 'next', later(120), later(60))).resolves.toBe('fresh');
  });

  it('count no proof that is replayed.', async(): Promise<void> => {
    const { proofs } = records;
    await expect(proofs.remember('a', 'first', later(60), now)).resolves.toBe('fresh');
    const outcomes = await atOnce(10_000, async(): Promise<ProofOutcome> =>
      proofs.remember('a', 'first', later(60), now));
    expect(outcomes).not.toContain('fresh');
    await expect(proofs.remember('a', 'next', later(60), now)).resolves.toBe('fresh');
  });
});
