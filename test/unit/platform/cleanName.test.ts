import { cleanName } from '../../../src/platform/cleanName';

describe('A name from outside', (): void => {
  it.each([
    [ 'Budget', 'Budget' ],
    [ '  Budget \n for\tall ', 'Budget for all' ],
    [ 'pay\u202Elap\u2066\u200F\u061C', 'paylap' ],
    [ 'Bud\u0000get\u0007\u009F\u2028\uFEFF', 'Budget' ],
    [ `a\u{E0041}\u{E007F}b`, 'ab' ],
    [ '\uD800half', 'half' ],
    [ `Z${'\u0301'.repeat(40)}x`, `Z${'\u0301'.repeat(4)}x` ],
    [ '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>' ],
    [ 'می‌خواهم', 'می‌خواهم' ],
  ])('%j is shown as %j.', (name, shown): void => {
    expect(cleanName(name)).toBe(shown);
  });

  it.each([ '', ' \n', '\u202E\u0000', undefined, 7, { a: 1 }, [ 'a' ]])('%j is ignored.', (name): void => {
    expect(cleanName(name)).toBeUndefined();
  });

  it('ends at 200 whole characters.', (): void => {
    expect(cleanName('x'.repeat(300))).toHaveLength(200);
    expect(cleanName('😀'.repeat(300))).toBe('😀'.repeat(200));
  });
});
