import type { BaseIRI } from 'n3';
import { BaseIRI as Quick } from 'n3';
import { shortenIrisQuickly } from '../../../../src/server/conversion/shortenIrisQuickly';
import { freshCopyOf, textsOf } from '../../../support/library';

const { default: Own } = freshCopyOf<{ default: typeof BaseIRI }>(require.resolve('n3/lib/BaseIRI.js'));

describe('IRIs in Turtle', (): void => {
  beforeAll(shortenIrisQuickly);

  it.each([ 'http://a.example/alice/notes/document', 'http://a.example/alice/', 'http://a.example/?a/b', 'urn:a:b' ])(
    'are shortened relative to %s as the library does.',
    (base): void => {
      const [ own, quick ] = [ Own, Quick ].map((Shortener): BaseIRI => new Shortener(base));
      const starts = [ base, base.replace(/[^/]*$/u, ''), base.replace(/[^/]*\/[^/]*$/u, ''), 'http://b.example/' ];
      const iris = textsOf([ 'a', '.', '/', '?', '#' ], 6).flatMap((end): string[] =>
        [ ...starts, 'http://a.example/' ].map((start): string => start + end));
      expect(iris.filter((iri): boolean => own.toRelative(iri) !== quick.toRelative(iri))).toEqual([]);
    },
  );

  it('with many dots or short segments are written at once.', (): void => {
    const writer = new Quick('http://a.example/alice/document');
    const begun = performance.now();
    for (const end of [ `aaa${'.a'.repeat(34)}//`, `${'a.'.repeat(34)}//`, `aaa${'/aaaa'.repeat(34)}//` ]) {
      const iri = `http://a.example/alice/${end}`;
      expect(writer.toRelative(iri)).toBe(iri);
    }
    // Minutes with the library's own expression, and twice as long with each further one.
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
