import { Lexer } from 'n3';
import { quickNumber } from '../../../../src/server/nesting/readNumbersQuickly';
import { textsOf } from '../../../support/library';

describe('The quick expression for numbers', (): void => {
  it('finds the same numbers as the library, of the same kinds.', (): void => {
    const { _number: own } = new Lexer() as unknown as { _number: RegExp };
    const texts = textsOf([ '1', '2', '.', 'e', '+', ' ' ], 6);
    expect(texts.filter((text): boolean => own.test(text)).length).toBeGreaterThan(1000);
    const different = texts.filter((text): boolean => {
      const [ expected, found ] = [ own, quickNumber ].map((each): unknown[] => [ ...each.exec(text) ?? [] ]);
      return JSON.stringify(expected) !== JSON.stringify(found);
    });
    expect(different).toEqual([]);
  });
});
