import { NotJson, parseJson, parseList, parseObject } from '../../../src/platform/parseJson';
import { fc } from '../../support/properties';

function refused(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error: unknown) {
    const { line, column, message } = error as NotJson;
    return [ line, column, message ];
  }
}

describe('A JSON text', (): void => {
  it('is parsed.', (): void => {
    fc.assert(fc.property(fc.json(), (text): void => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }));
  });

  it.each<[string, number, number, RegExp]>([
    [ '', 1, 1, /not JSON/u ],
    [ '{', 1, 2, /close brace expected/u ],
    [ '{\n  "a": 1\n  "b": 2\n}', 3, 3, /comma expected/u ],
    [ '{\n  "a": secret\n}', 2, 8, /invalid symbol/u ],
    [ '{ "a": 1, }', 1, 11, /property name expected/u ],
    [ '{ "a": 1 } 2', 1, 12, /end of file expected/u ],
    [ '// a comment\n{}', 1, 1, /invalid comment token/u ],
    [ '{"a": "\n"}', 1, 7, /unexpected end of string/u ],
    [ '\uFEFF{}', 1, 1, /not JSON/u ],
    [ '{"a": 1.}', 1, 7, /unexpected end of number/u ],
  ])('%j is refused with its place: line %i, column %i.', (text, line, column, message): void => {
    expect(refused(text)).toEqual([ line, column, expect.stringMatching(message) ]);
  });

  it('is refused without a place when it is nested too deeply.', (): void => {
    expect(refused('['.repeat(200_000))).toEqual([ 1, 1, expect.stringMatching(/nested too deeply/u) ]);
  });

  it('is not repeated in the message, whatever it is.', (): void => {
    fc.assert(fc.property(fc.string({ minLength: 12 }), (text): void => {
      const found = refused(`{"citizen": "${text}`);
      expect(String(found)).not.toContain(`"${text}`);
    }));
  });

  it('is refused with the place after the file name.', (): void => {
    expect((): unknown => parseJson('[1,\n2')).toThrow(NotJson);
    expect(new NotJson(2, 2, 'x').in('a.json')).toBe('a.json:2:2');
  });
});

describe('A list of JSON', (): void => {
  it.each<[string, unknown[]]>([
    [ '[]', []],
    [ ' [1,["a"]]', [ 1, [ 'a' ]]],
    ...[ '', '[', '{}', '{"0":1}', 'null', '"[1]"', '[1] []', '['.repeat(200_000) ]
      .map((text): [string, unknown[]] => [ text, []]),
  ])('is read in case %#.', (text, value): void => {
    expect(parseList(text)).toEqual(value);
  });
});

describe('An object of JSON', (): void => {
  it.each<[string, object]>([
    [ '{}', {}],
    [ ' {"a":[1]} ', { a: [ 1 ]}],
  ])('is %s.', (text, value): void => {
    expect(parseObject(text)).toEqual(value);
    expect(parseObject(Buffer.from(text))).toEqual(value);
  });

  it.each([ '', '{', '[]', '[{}]', 'null', '1', '"{}"', 'true', '{} {}', '\uFEFF{}' ])('is not %j.', (text): void => {
    expect(parseObject(text)).toBeUndefined();
    expect(parseObject(Buffer.from(text))).toBeUndefined();
  });
});
