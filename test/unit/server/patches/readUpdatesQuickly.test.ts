import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { quickRule } from '../../../../src/server/patches/readUpdatesQuickly';

/** Returns the expressions of a fresh copy of the library, which no suite has changed. */
function rulesOfLibrary(): RegExp[] {
  const path = require.resolve('sparqljs/lib/SparqlParser.js');
  const copy = { exports: {} as { Parser: new () => { lexer: { rules: RegExp[] }}}};
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, no-new-func -- the library's own file
  new Function('module', 'exports', 'require', readFileSync(path, 'utf8'))(copy, copy.exports, createRequire(path));
  return new copy.exports.Parser().lexer.rules;
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
