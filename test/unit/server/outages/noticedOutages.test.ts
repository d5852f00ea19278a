import { MemoryMapStorage, UpdatePasswordHandler } from '@solid/community-server';
import type {
  HttpError,
  JsonInteractionHandlerInput,
  KeyValueStorage,
  PasswordIdRoute,
  PasswordStore,
} from '@solid/community-server';
import { refusingInOutages } from '../../../../src/server/outages/noticedOutages';
import { SealedStorage } from '../../../../src/server/sealing/SealedStorage';
import { ValueSeals } from '../../../../src/storage/keys/ValueSeals';

const path = 'http://localhost:3000/.account/account/a/login/password/p/';

/** Changes a password by the server's own handler, which compares the old one with a stored value. */
async function change(stored: KeyValueStorage<string, unknown>, oldPassword: string): Promise<unknown> {
  const seals = new ValueSeals(Buffer.alloc(32, 1));
  const values = new SealedStorage(stored, '/accounts/', {
    secrets: async(): Promise<never> => ({ valueSeals: async(): Promise<ValueSeals> => seals }) as never,
  });
  const passwords: Partial<PasswordStore> = {
    get: async(): ReturnType<PasswordStore['get']> => ({ email: 'a@example.org', accountId: 'a' }),
    async authenticate(_email, password): ReturnType<PasswordStore['authenticate']> {
      if (await values.get('password') !== password) {
        throw new Error('Invalid email/password combination.');
      }
      return { accountId: 'a', id: 'p' };
    },
    async update(): Promise<void> {
      // Nothing is changed here.
    },
  };
  await values.set('password', 'right').catch((): undefined => undefined);
  const route: Partial<PasswordIdRoute> = { matchPath: (): never => ({ accountId: 'a', passwordId: 'p' }) as never };
  const handler = new UpdatePasswordHandler(passwords as PasswordStore, route as PasswordIdRoute);
  const input = { method: 'POST', target: { path }, accountId: 'a', json: { oldPassword, newPassword: 'new' }};
  return refusingInOutages(async(): Promise<unknown> => handler.handle(input as never as JsonInteractionHandlerInput));
}

/** A database that cannot be reached. */
class Unreachable extends MemoryMapStorage<unknown> {
  public override async get(): Promise<undefined> {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  }
}

describe('An operation on an account', (): void => {
  it('changes a password, and refuses a wrong one.', async(): Promise<void> => {
    await expect(change(new MemoryMapStorage(), 'right')).resolves.toEqual({ json: {}});
    await expect(change(new MemoryMapStorage(), 'wrong')).rejects.toMatchObject({ statusCode: 400 });
  });

  it('takes no password for wrong that cannot be read now.', async(): Promise<void> => {
    const refused = change(new Unreachable(), 'right');
    await expect(refused).rejects.toMatchObject<Partial<HttpError>>({
      statusCode: 503,
      message: 'The server cannot answer now.',
    });
  });
});
