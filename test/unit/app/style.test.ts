import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const physical = [
  /(?<![\w-])(?:margin-|padding-|border-)?(?:left|right|top|bottom)(?:-\w+)?\s*:/u,
  /(?<![(\w-])(?:min-|max-)?(?:width|height)\s*:/u,
  /(?:align|float|clear)\s*:\s*(?:left|right)/u,
];

/** Names and pages may be written from right to left. */
describe('The style of the citizen\'s pages', (): void => {
  it.each([ 'app/src/style.css', 'templates/pages/assets/style.css' ])('in %s has no left or right.', (file): void => {
    const lines = readFileSync(join(__dirname, '../../..', file), 'utf8').split('\n');
    expect(lines.filter((line): boolean => physical.some((each): boolean => each.test(line)))).toEqual([]);
  });
});
