import { requireWholeWorkers } from '../../../src/cli/requireWholeWorkers';

describe('Before the server is loaded,', (): void => {
  it.each([ 'x', '', '1.5', '4x' ])('a number of workers that is none is refused: %j.', (none): void => {
    const refusal = '--workers must be a whole number';
    expect((): void => requireWholeWorkers([ '-w', none ], {})).toThrow(refusal);
    expect((): void => requireWholeWorkers([ `--workers=${none}` ], {})).toThrow(refusal);
    expect((): void => requireWholeWorkers([], { CSS_WORKERS: none })).toThrow(refusal);
  });

  it.each([
    [[], {}],
    [[ '-w', '4' ], { CSS_WORKERS: 'x' }],
    [[ '--workers', '0' ], {}],
    [[ '-w', '-1' ], {}],
    [[ '-w=-1' ], {}],
    [[], { CSS_WORKERS: '-1' }],
  ])('what the server takes is left to it: %j, %j.', (words, environment): void => {
    expect((): void => requireWholeWorkers(words, environment)).not.toThrow();
  });
});
