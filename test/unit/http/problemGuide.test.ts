import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemPage, readProblemGuide } from '../../../src/api/problemPages';
import type { ProblemClass } from '../../../src/problems';
import * as problems from '../../../src/problems';

const guide = readProblemGuide(readFileSync(join(__dirname, '../../../docs/problems.md'), 'utf8'));
const catalogue = Object.values(problems)
  .filter((value): value is typeof value & ProblemClass => typeof value === 'function' && 'type' in value)
  .filter(({ type }): boolean => type !== '');
const statuses = new Map<string, number[]>();
for (const { type, status } of catalogue) {
  statuses.set(type, [ ...statuses.get(type) ?? [], status ].sort((left, right): number => left - right));
}

describe('docs/problems.md', (): void => {
  it('has exactly the types of the catalogue.', (): void => {
    expect([ ...guide.keys() ].sort()).toEqual([ ...statuses.keys() ].sort());
  });

  it.each(catalogue.map(({ type, title }): [string, string] => [ type, title ]))(
    'gives title, statuses, cause and remedy of %s.',
    (type, title): void => {
      const [ heading, happened, todo, ...others ] = guide.get(type)!.paragraphs;
      expect(heading).toBe(`**${title}** (${statuses.get(type)!.join(', ')})`);
      expect(happened).toMatch(/\w/u);
      expect(todo).toMatch(/^[A-Z]\w/u);
      expect(others).toEqual([]);
    },
  );

  it('becomes a page for each type, which says what to do.', (): void => {
    expect(problemPage('path-too-long')).toContain('<p><strong>The path is too long</strong> (414)</p>');
    expect(problemPage('path-too-long')).toContain('<p><strong>What to do:</strong> Use a shorter path.</p>');
    expect(problemPage('never')).toBeUndefined();
  });
});
