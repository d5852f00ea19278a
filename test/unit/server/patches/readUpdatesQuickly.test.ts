import { quickRule } from '../../../../src/server/patches/readUpdatesQuickly';
import { freshCopyOf } from '../../../support/library';

interface Library {
  Parser: new () => { lexer: { rules: RegExp[] }};
}

/** Returns the expressions of the library. */
function rulesOfLibrary(): RegExp[] {
  const { Parser } = freshCopyOf<Library>(require.resolve('sparqljs/lib/SparqlParser.js'));
  return new Parser().lexer.rules;
}

const parts = [
  '"""',
  '\'\'\'',
  String.raw`\u`,
  String.raw`\U`,
  String.raw`\n`,
  '_:',
  ...'" \' \\ é ι Ι \u0345 \u1FBE · \u0300 \u036F \u203F _ - . : ? $ @ % Z # < > 0 1 2 9 a b c d e f A B F'.split(' '),
  ' ',
  '\n',
];

/** Returns random texts, the same in each run. */
function texts(count: number): string[] {
  let seed = 1;
  function next(below: number): number {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  }
  return Array.from({ length: count }, (): string =>
    Array.from({ length: next(16) }, (): string => parts[next(parts.length)]).join(''));
}

describe('The quick expressions for SPARQL', (): void => {
  it('find the same symbols as those of the library.', (): void => {
    const slow = rulesOfLibrary().filter((rule): boolean => quickRule(rule) !== rule);
    expect(slow).toHaveLength(8);
    const quick = slow.map(quickRule);
    const characters = Array.from({ length: 0x10000 }, (_, code): string => String.fromCodePoint(code));
    const samples = [
      ...characters.flatMap((each): string[] => [ `a${each}b:`, `a:${each}`, `_:a${each}`, `?${each}${each}` ]),
      ...texts(50_000).flatMap((text): string[] => [ text, `"${text}"`, `'''${text}'''`, `a:${text}` ]),
    ];
    const different = samples.filter((text): boolean =>
      slow.some((rule, at): boolean => rule.exec(text)?.[0] !== quick[at].exec(text)?.[0]));
    expect(different).toEqual([]);
  });
});
