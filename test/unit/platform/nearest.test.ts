import { didYouMean, nearest } from '../../../src/platform/nearest';

describe('The nearest word', (): void => {
  it.each([
    [ 'limt', 'limit' ],
    [ 'LIMIT', 'limit' ],
    [ 'curser', 'cursor' ],
    [ 'ilmit', 'limit' ],
    [ 'https', undefined ],
    [ 'x'.repeat(100), undefined ],
  ])('to %s is %s.', (given, word): void => {
    expect(nearest(given, [ 'limit', 'cursor' ])).toBe(word);
  });

  it('is undefined if there are no words.', (): void => {
    expect(nearest('limt', [])).toBeUndefined();
  });

  it('completes a sentence, or leaves it unchanged.', (): void => {
    expect(didYouMean('contract', [ 'contracts', 'sources' ], '--')).toBe('; did you mean --contracts?');
    expect(didYouMean('prot', [ 'port', 'redis' ], '--')).toBe('; did you mean --port?');
    expect(didYouMean('port', [ 'contracts' ])).toBe('');
  });
});
