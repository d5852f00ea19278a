import { escapeUnprintable, withinEntry } from '../../../src/platform/unprintable';

describe('Text that is printed', (): void => {
  it('stays one line of the same JSON.', (): void => {
    const given = { text: 'a\u2028b\u2029c\u0085d\u009Be\u202Ef\r\n\u0000\u007F' };
    for (const write of [ escapeUnprintable, withinEntry ]) {
      const line = write(JSON.stringify(given));
      expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      expect(JSON.parse(line)).toEqual(given);
    }
  });

  it('forges no further entry.', (): void => {
    expect(withinEntry('one\ntwo\r\nthree\rfour\tfive')).toBe('one\n    two\n    three\n    four\tfive');
  });
});
