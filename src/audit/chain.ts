import { hash } from 'node:crypto';

/** A row of the audit chain without its hash. Texts are exactly as stored. */
export interface ChainContent {
  /** Number 1, 2, 3 … without gaps. */
  sequence: number;
  /** Milliseconds since 1970. */
  at: number;
  type: string;
  correlationId: string | null;
  /** JSON text. */
  facts: string;
  keyId: string | null;
  /** Ciphertext. */
  personal: string | null;
  /** Hash of the row before. */
  previousHash: string;
}

/** A row of the audit chain. */
export interface ChainRow extends ChainContent {
  hash: string;
}

/** A place in the chain: a row and its hash. */
export type ChainPlace = Pick<ChainRow, 'sequence' | 'hash'>;

/** A row that was changed after it was appended, or does not follow from the one before it. */
export interface AuditFinding {
  sequence: number;
  problem: string;
}

/** The place before the first row of every chain. */
export const chainStart: ChainPlace = { sequence: 0, hash: '0'.repeat(64) };

/** Returns the content of a row in the order in which it is hashed. Another order would give another hash. */
export function contentOf(row: ChainContent): (number | string | null)[] {
  return [
    row.sequence,
    row.at,
    row.type,
    row.correlationId,
    row.facts,
    row.keyId,
    row.personal,
    row.previousHash,
  ];
}

/** Computes the SHA-256, hex, of the content of a row. */
export function hashRow(row: ChainContent): string {
  return hash('sha256', JSON.stringify(contentOf(row)), 'hex');
}

/** Checks a row against the one before it. */
export function checkRow(before: ChainPlace, row: ChainRow): AuditFinding[] {
  const problems: string[] = [];
  if (row.sequence <= before.sequence) {
    problems.push('the row comes before the first one');
  } else if (row.sequence !== before.sequence + 1) {
    problems.push(`${row.sequence - before.sequence - 1} rows before this one are missing`);
  } else if (row.previousHash !== before.hash) {
    problems.push('the row does not continue the previous one');
  }
  if (row.hash !== hashRow(row)) {
    problems.push('the row was changed');
  }
  return problems.map((problem): AuditFinding => ({ sequence: row.sequence, problem }));
}

/** Checks the end of the chain against the recorded end. */
export function checkEnd(last: ChainPlace, head: ChainPlace): AuditFinding[] {
  if (last.sequence < head.sequence) {
    return [{ sequence: head.sequence, problem: `the last ${head.sequence - last.sequence} rows are missing` }];
  }
  return last.hash === head.hash ?
      [] :
      [{ sequence: last.sequence, problem: 'the last row does not match the recorded end' }];
}
