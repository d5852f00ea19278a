import { BasePasswordStore, MemoryMapStorage, WrappedExpiringStorage } from '@solid/community-server';
import { CarefulPasswordStore } from '../../../../src/server/accounts/CarefulPasswordStore';
import { PasswordLinks } from '../../../../src/server/accounts/PasswordLinks';

const bcrypt = 'bcryptjs';

describe('A CarefulPasswordStore', (): void => {
  const logins: { email: string; password: string; id: string; accountId: string; verified: boolean }[] = [];
  const storage = {
    find: async(...[ , { email, accountId }]: [string, { email?: string; accountId?: string }]): Promise<unknown[]> =>
      logins.filter((login): boolean => login.email === email || login.accountId === accountId),
    create: async(...[ , login ]: [string, never]): Promise<unknown> => {
      const made = { ...login as object, id: 'id', verified: true };
      logins.push(made as never);
      return made;
    },
  };
  const store = new CarefulPasswordStore(new BasePasswordStore(storage as never), {
    mayHavePassword: async(): Promise<boolean> => true,
    requirePassword: async(): Promise<void> => undefined,
  }, new PasswordLinks(new WrappedExpiringStorage<string, string[] | string>(new MemoryMapStorage())));

  beforeAll(async(): Promise<void> => {
    await store.create('known@example.org', 'account', 'a password of mine');
  });

  it('refuses an unknown address and a wrong password alike, after the same work.', async(): Promise<void> => {
    const compared = jest.spyOn(jest.requireActual<{ compare: () => Promise<boolean> }>(bcrypt), 'compare');
    for (const email of [ 'known@example.org', 'unknown@example.org' ]) {
      await expect(store.authenticate(email, 'wrong')).rejects.toThrow('Invalid email/password combination.');
    }
    await expect(store.authenticate('known@example.org', 'a password of mine')).resolves
      .toEqual({ accountId: 'account', id: 'id' });
    const rounds = compared.mock.calls.map((call): unknown => (call as unknown as string[])[1].slice(0, 7));
    expect(rounds).toEqual([ '$2a$10$', '$2a$10$', '$2a$10$' ].map((text): unknown =>
      expect.stringMatching(new RegExp(`^\\$2[ab]${text.slice(3).replaceAll('$', String.raw`\$`)}`, 'u'))));
    compared.mockRestore();
  });

  it('accepts no weak password.', async(): Promise<void> => {
    await expect(store.create('new@example.org', 'account', 'short')).rejects.toThrow('12 characters');
  });

  it('accepts 100 passwords for an account, and no more.', async(): Promise<void> => {
    const login = { email: '', password: '', id: '', accountId: 'busy', verified: true };
    logins.push(...Array.from({ length: 100 }, (): typeof login => login));
    await expect(store.create('busy@example.org', 'busy', 'a password of mine')).rejects
      .toThrow('at most 100 passwords');
  });
});
