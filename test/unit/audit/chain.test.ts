import { createHash } from 'node:crypto';
import { chainStart, checkEnd, checkRow, hashRow } from '../../../src/audit/chain';
import type { ChainContent, ChainRow } from '../../../src/audit/chain';

const content: ChainContent = {
  sequence: 1,
  at: 1_795_000_000_000,
  type: 'resource.read',
  correlationId: null,
  facts: '{"outcome":"ok"}',
  keyId: 'k',
  personal: 'c2VhbGVk',
  previousHash: chainStart.hash,
};
const row: ChainRow = { ...content, hash: hashRow(content) };

describe('The audit chain', (): void => {
  it('never changes the hash of a row.', (): void => {
    const text = `[1,1795000000000,"resource.read",null,"{\\"outcome\\":\\"ok\\"}","k","c2VhbGVk","${'0'.repeat(64)}"]`;
    expect(hashRow(content)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it.each<Partial<ChainRow>>([
    { at: 0 },
    { type: 'data.shared' },
    { correlationId: 'c' },
    { facts: '{}' },
    { keyId: null },
    { personal: null },
    { hash: '0'.repeat(64) },
  ])('detects the change %j.', (change): void => {
    expect(checkRow(chainStart, row)).toEqual([]);
    expect(checkRow(chainStart, { ...row, ...change })).toEqual([{ sequence: 1, problem: 'the row was changed' }]);
  });

  it('detects a row that follows another one than the last.', (): void => {
    const other = { ...content, previousHash: '1'.repeat(64) };
    expect(checkRow(chainStart, { ...other, hash: hashRow(other) }))
      .toEqual([{ sequence: 1, problem: 'the row does not continue the previous one' }]);
  });

  it('detects rows missing in the middle and at the end.', (): void => {
    const later = { ...content, sequence: 4 };
    expect(checkRow(chainStart, { ...later, hash: hashRow(later) }))
      .toEqual([{ sequence: 4, problem: '3 rows before this one are missing' }]);
    expect(checkEnd(row, { sequence: 3, hash: 'x' }))
      .toEqual([{ sequence: 3, problem: 'the last 2 rows are missing' }]);
  });

  it('detects an end other than the recorded one.', (): void => {
    expect(checkEnd(row, row)).toEqual([]);
    expect(checkEnd(row, { sequence: 1, hash: 'x' })).toHaveLength(1);
  });
});
