import { redact, redactAlso, redactDigits } from '../../../src/identity/redact';
import { SelectedNationalNumbers } from '../../../src/identity/SelectedNationalNumbers';

function select(nationalNumbers: string): SelectedNationalNumbers {
  return new SelectedNationalNumbers({ nationalNumbers });
}

describe('The national numbers of a server', (): void => {
  it('are those of Belgium, including BIS numbers, unless another country is set.', (): void => {
    const numbers = select('BE');
    expect(numbers.businessKeyType).toBe('NATIONAL_NUMBER_BE');
    expect(numbers.parse('85.07.30-991.40')).toBe('85073099140');
    expect(numbers.parse('85.07.30-991.41')).toBeUndefined();
  });

  it.each<[string, string, string, string[], string[]]>([
    [ 'NL.bsn', 'NATIONAL_NUMBER_NL', '111222333', [ '1112.22.333', '1112 22 333' ], [ '111222334', '85073099140' ]],
    [ 'NL.bsn', 'NATIONAL_NUMBER_NL', '012345672', [ '012345672', '12345672', '1234.56.72' ], [ '0012345672' ]],
    [ 'FI.hetu', 'NATIONAL_NUMBER_FI', '131052-308T', [ '131052-308t' ], [ '131052-308U', '131052308T' ]],
    [ 'ES.dni,ES.nie', 'NATIONAL_NUMBER_ES', 'X2482300W', [ 'X-2482300-W' ], [ 'X2482300A' ]],
    [ 'ES.dni,ES.nie', 'NATIONAL_NUMBER_ES', '54362315K', [ '54362315-K' ], [ '' ]],
    [ 'FR.nir', 'NATIONAL_NUMBER_FR', '253072B07300470', [ '2 53 07 2B 073 004 70' ], [ '253072B07300471' ]],
    [ 'CZ.rc', 'NATIONAL_NUMBER_CZ', '7103192745', [ '710319/2745' ], [ '7103192746' ]],
  ])('are %s if that is set.', (setting, type, number, spellings, wrong): void => {
    const numbers = select(setting);
    expect(numbers.businessKeyType).toBe(type);
    for (const text of [ number, ...spellings ]) {
      expect([ text, numbers.parse(text) ]).toEqual([ text, number ]);
    }
    for (const text of wrong) {
      expect([ text, numbers.parse(text) ]).toEqual([ text, undefined ]);
    }
  });

  it('accept no number of a company, and no text of any length.', (): void => {
    expect(select('ES.dni').parse('A13585625')).toBeUndefined();
    expect(select('NL.bsn').parse('1'.repeat(100_000))).toBeUndefined();
  });

  it.each([
    [ 'NL', /there are NL\.bsn/u ],
    [ 'nl.bsn', /there are NL\.bsn/u ],
    [ 'BE.nn', /must be BE, or numbers of persons/u ],
    [ 'NL.btw', /there are NL\.bsn/u ],
    [ 'NL.bsn,FI.hetu', /numbers of one country/u ],
    [ 'constructor.name', /must be BE/u ],
    [ '', /must be BE/u ],
    [ 'be', /must be BE/u ],
  ])('cannot be %j: the message names the flag.', (setting, message): void => {
    expect((): unknown => select(setting)).toThrow(message);
    expect((): unknown => select(setting)).toThrow('--nationalNumbers');
  });

  describe('of another country', (): void => {
    it.each<[string, string, string]>([
      [ 'NL.bsn', 'citizen111222333, 1112.22.333', 'citizen[number], [number]' ],
      [ 'FI.hetu', 'GET /v1/131052-308T/x and 131052%2D308t', 'GET /v1/[number]/x and [number]' ],
      [ 'ES.nie', 'of X-2482300-W, id=X2482300W.', 'of [number], id=[number].' ],
      [ 'FR.nir', 'name 2 53 07 2B 073 004 70 given', 'name [number] given' ],
      [ 'CZ.rc', 'for 710319/2745', 'for [number]' ],
    ])('are redacted in the log, %s.', (setting, text, redacted): void => {
      const number = select(setting);
      expect(redact(text)).toBe(text);
      redactAlso(number);
      expect(redact(text)).toBe(redacted);
    });

    it('leave Belgian numbers redacted, and other text unchanged.', (): void => {
      expect(redact('85.07.30-991.40')).toBe('[number]');
      const text = 'at Object.<anonymous> (/srv/app/dist/index.js:12:34) Listening to http://localhost:3000/ 5f3e';
      expect(redact(text)).toBe(text);
    });

    it('are redacted where only a number can be meant, even with a typing error.', (): void => {
      expect(redactDigits('No such citizen: 131052-308U')).toBe('No such citizen: [number]');
      expect(redactDigits('records/X2482300A.json')).toBe('records/[number].json');
    });

    it('are found quickly in a log line of any length.', (): void => {
      const line = '12 345 '.repeat(5000);
      const start = performance.now();
      redact(line);
      expect(performance.now() - start).toBeLessThan(20_000);
    });
  });
});
