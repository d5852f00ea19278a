import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '../../src/api/routes';
import { packageOperations } from '../../src/plan-requests/packageRoutes';
import { requestOperations } from '../../src/plan-requests/requestRoutes';
import { zoneOperations } from '../../src/plan-requests/zoneRoutes';
import { readTestTitles } from '../support/testTitles';

/** A statement of the interface. */
interface Row {
  number: number;
  statement: string;
  doneIn: string;
  suite: string;
  title: string;
}

const root = join(__dirname, '../..');
const text = readFileSync(join(__dirname, 'interface.md'), 'utf8');
const row = /^\| (\d+) \| (.+) \| `(src\/[^`]+)` \| `(test\/[^`]+)` › (.+) \|$/u;

function readRows(): Row[] {
  return text.split('\n').filter((line): boolean => /^\| \d/u.test(line)).map((line): Row => {
    const [ , number, statement, doneIn, suite, title ] = row.exec(line) ?? [ line ];
    return { number: Number(number), statement, doneIn, suite, title };
  });
}

describe('The table of the interface', (): void => {
  const rows = readRows();
  const titles = new Map([ ...new Set(rows.map(({ suite }): string => suite)) ].map((suite): [string, Set<string>] => {
    const file = join(root, suite);
    return [ suite, new Set(existsSync(file) ? readTestTitles(file) : []) ];
  }));

  it('has uniform rows, numbered consecutively.', (): void => {
    expect(rows.length).toBeGreaterThan(194);
    expect(rows.map(({ number }): number => number)).toEqual(rows.map((_row, index): number => index + 1));
    expect(new Set(rows.map(({ statement }): string => statement)).size).toBe(rows.length);
  });

  it.each(rows)('names existing files and tests in row $number: $statement.', ({ doneIn, suite, title }): void => {
    expect(existsSync(join(root, doneIn))).toBe(true);
    expect([ ...titles.get(suite)! ]).toContain(title);
  });

  const all = [ operations, zoneOperations, requestOperations, packageOperations ].flat()
    .map(({ method, path }): string => `${method} ${path}`);

  it.each(all)('covers %s.', (operation): void => {
    expect(rows.filter(({ statement }): boolean => statement.includes(`\`${operation}\``))).not.toEqual([]);
  });
});
