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
  ])('that is short or tried first is refused: %s.', (password): void => {
    expect(findWeakness(password, 'jan.peeters@example.org') ?? findWeakness(password, 'janpeeters@example.org'))
      .toEqual(expect.any(String));
  });

  it.each([
    'password of alice',
    'a long enough sentence',
    'consumer of the demo',
    'Tr0ub4dor&3-horse',
    'g7#kQ2!pLx9z',
    'twaalf tekens',
  ])('that is neither is taken: %s.', (password): void => {
    expect(findWeakness(password, 'alice@example.org')).toBeUndefined();
  });
});
