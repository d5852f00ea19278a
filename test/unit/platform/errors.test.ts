import { readFile } from 'node:fs/promises';
import { codeOf, messageOf } from '../../../src/platform/errors';

describe('A thrown value', (): void => {
  it('has the code and the message from the system.', async(): Promise<void> => {
    const error: unknown = await readFile(__dirname).catch((thrown: unknown): unknown => thrown);
    expect(codeOf(error)).toBe('EISDIR');
    expect(messageOf(error)).toMatch(/^EISDIR: /u);
  });

  it.each([
    [ new Error('no'), '', 'no' ],
    [ Object.assign(new Error('no'), { code: 42 }), '', 'no' ],
    [{ code: '23505', message: 'of a database' }, '23505', 'of a database' ],
    [ 'text', '', 'text' ],
    [ null, '', 'null' ],
    [ undefined, '', 'undefined' ],
  ])('is described whatever it is: %j.', (error, code, message): void => {
    expect(codeOf(error)).toBe(code);
    expect(messageOf(error)).toBe(message);
  });
});
