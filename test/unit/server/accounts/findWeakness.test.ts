import { findWeakness } from '../../../../src/server/accounts/findWeakness';

describe('A password', (): void => {
  it.each([
    'elevenchars',
    'éééééé',
    'password1234',
    'P@ssw0rd!!!!',
    'passwordpassword',
    'qwertyuiop123',
    'qwertyqwerty1',
    '123456789012',
    '210987654321',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abababababab',
    'Welcome2026!',
    'wachtwoord123',
    'jan.peeters@example.org',
    'janpeeters1234',
    'peetersjan!!!!!',
    'jan.peeters.example',
    'P4$$w0rd!!!!',
    'we1come2026!!',
    'passwordwelcome',
    'pass.word.1234',
    'drowssap1234',
    'Test1234test!',
    'abcd1234abcd',
    'abc123abc123',
    '123456123456',
    '112233445566',
    '04 75 12 34 56 78',
    '12-03-1984-12',
    '1qaz2wsx3edc',
    '1qaz!QAZ2wsx',
    'qwerty!asdfgh',
    '\u{1F600}\u{1F601}\u{1F602}\u{1F603}\u{1F604}\u{1F605}',
    'p\u200Bassword1234',
    'ＰＡＳＳＷＯＲＤ１２３４',
  ])('that is short or common is refused: %s.', (password): void => {
    expect(findWeakness(password, 'jan.peeters@example.org'))
      .toEqual(expect.any(String));
  });

  it.each([
    'password of alice',
    'a long enough sentence',
    'consumer of the demo',
    'Tr0ub4dor&3-horse',
    'g7#kQ2!pLx9z',
    'twaalf tekens',
    '8#1%9&2@7!3$',
    'the latest secret test',
    'dragons admire passwords',
  ])('that is neither is accepted: %s.', (password): void => {
    expect(findWeakness(password, 'alice@example.org')).toBeUndefined();
  });

  it.each([
    `${'a sentence that goes on and on, '.repeat(3)}1`,
    `${'é à ù ô '.repeat(6)}12`,
  ])('longer than the 72 bytes that bcrypt reads is refused: %s.', (password): void => {
    expect(findWeakness(password)).toMatch(/72 characters or less/u);
  });
});
