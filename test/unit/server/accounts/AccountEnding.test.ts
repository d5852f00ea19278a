import { AsyncLocalStorage } from 'node:async_hooks';
import {
  BaseAccountStore,
  BaseClientCredentialsStore,
  BaseLoginAccountStorage,
  BasePasswordStore,
  BaseWebIdStore,
  ContainerPathStorage,
  RepresentationMetadata,
  SOLID_HTTP,
  WrappedExpiringStorage,
  WrappedIndexedStorage,
} from '@solid/community-server';
import { AccountEnding } from '../../../../src/server/accounts/AccountEnding';
import { CarefulPasswordStore } from '../../../../src/server/accounts/CarefulPasswordStore';
import { CurrentPasswordLoginHandler } from '../../../../src/server/accounts/CurrentPasswordLoginHandler';
import { EndingCredentialsStore } from '../../../../src/server/accounts/EndingCredentialsStore';
import { LoggedInCredentialsHandler } from '../../../../src/server/accounts/LoggedInCredentialsHandler';
import { PasswordLinks } from '../../../../src/server/accounts/PasswordLinks';
import { ProviderSessions } from '../../../../src/server/accounts/ProviderSessions';
import type { TokenEnds } from '../../../../src/server/accounts/TokenEnds';
import { TimedCookieStore } from '../../../../src/server/accounts/TimedCookieStore';
import { HeldStorage } from '../../../../src/server/holders/HeldStorage';
import { seals, stores } from '../holders/valueStores';
import type { Store } from '../holders/valueStores';

const email = 'anna@example.org';
const [ oldPassword, newPassword ] = [ 'a sentence of long ago', 'a sentence of today' ];
const webId = 'https://pod.example/anna/profile/card#me';

/** Runs work as another request would, in whatever process: not as a part of the current change. */
const elsewhere = AsyncLocalStorage.snapshot() as <T>(work: () => Promise<T>) => Promise<T>;

describe.each(stores)('A password that is replaced, in %s,', (_, open): void => {
  let store: Store;
  let passwords: CarefulPasswordStore;
  let passwordId: string;
  let accountId: string;
  let cookies: TimedCookieStore;
  let held: HeldStorage;
  let webIds: BaseWebIdStore;
  let credentials: EndingCredentialsStore;
  let ending: AccountEnding;
  let login: CurrentPasswordLoginHandler;
  let creating: LoggedInCredentialsHandler;

  beforeEach(async(): Promise<void> => {
    store = await open();
    const accounts = new BaseLoginAccountStorage(new WrappedIndexedStorage(
      new ContainerPathStorage(store.values, '/accounts/data/') as never,
      new ContainerPathStorage(store.values, '/accounts/index/') as never,
    )) as never;
    const ends: TokenEnds = {
      endTokens: async(): Promise<void> => undefined,
      endTokensOfClients: async(): Promise<void> => undefined,
      endTokensOfApp: async(): Promise<void> => undefined,
    };
    const rule = {
      mayHavePassword: async(): Promise<boolean> => true,
      requirePassword: async(): Promise<void> => undefined,
    };
    const accountStore = new BaseAccountStore(accounts);
    const links = new PasswordLinks(new WrappedExpiringStorage(
      new ContainerPathStorage(store.values, '/accounts/forgot-password/') as never,
    ));
    passwords = new CarefulPasswordStore(new BasePasswordStore(accounts), rule, links);
    webIds = new BaseWebIdStore(accounts);
    credentials = new EndingCredentialsStore(new BaseClientCredentialsStore(accounts), ends);
    for (const each of [ accountStore, passwords, webIds, credentials ]) {
      await each.handle();
    }
    accountId = await accountStore.create();
    passwordId = await passwords.create(email, accountId, oldPassword);
    await passwords.confirmVerification(passwordId);
    await webIds.create(webId, accountId);
    held = new HeldStorage({
      source: new WrappedExpiringStorage(new ContainerPathStorage(store.values, '/accounts/cookies/') as never),
      heldBy: '',
      values: store.values,
      folders: store.at('/accounts/holders/'),
      area: '/accounts/holders/',
      seals,
    });
    cookies = new TimedCookieStore(held as never);
    const none = { removeOf: async(): Promise<void> => undefined };
    const args = { providerStorage: none, cookieStorage: held, ends, subscriptions: none };
    ending = new AccountEnding(new ProviderSessions(args), webIds, credentials);
    login = new CurrentPasswordLoginHandler({ accountStore, passwordStore: passwords, cookieStore: cookies });
    creating = new LoggedInCredentialsHandler(
      webIds,
      credentials,
      { getPath: (): string => 'https://pod.example/' } as never,
      cookies,
    );
  });

  afterEach(async(): Promise<void> => store.remove());

  /** Replaces the password, which ends all log-ins, from another one. */
  async function replace(): Promise<void> {
    await passwords.update(passwordId, newPassword);
    await ending.end(accountId, 'another');
  }

  async function logIn(password: string): Promise<string> {
    const input = { method: 'POST', json: { email, password }, metadata: new RepresentationMetadata() };
    return (await login.handle(input as never)).json.authorization as string;
  }

  async function create(cookie: string): Promise<unknown> {
    const metadata = new RepresentationMetadata({ [SOLID_HTTP.accountCookie]: cookie });
    return creating.handle({ method: 'POST', accountId, json: { name: 'script', webId }, metadata } as never);
  }

  it('ends all log-ins and client credentials.', async(): Promise<void> => {
    await create(await logIn(oldPassword));
    await replace();
    expect((await held.valuesOf(accountId)).size).toBe(0);
    await expect(credentials.findByAccount(accountId)).resolves.toEqual([]);
    await expect(logIn(oldPassword)).rejects.toMatchObject({ statusCode: 403 });
    await expect(cookies.get(await logIn(newPassword))).resolves.toBe(accountId);
  });

  it('leaves no log-in for which it is just being compared.', async(): Promise<void> => {
    const generate = cookies.generate.bind(cookies);
    cookies.generate = async(id): Promise<string> => {
      cookies.generate = generate;
      await elsewhere(replace);
      return generate(id);
    };
    await expect(logIn(oldPassword)).rejects.toMatchObject({ statusCode: 403 });
    expect((await held.valuesOf(accountId)).size).toBe(0);
  });

  it('leaves no client credentials that a log-in creates while it is ended.', async(): Promise<void> => {
    const cookie = await logIn(oldPassword);
    const isLinked = webIds.isLinked.bind(webIds);
    webIds.isLinked = async(...args): Promise<boolean> => {
      webIds.isLinked = isLinked;
      await elsewhere(replace);
      return isLinked(...args);
    };
    await expect(create(cookie)).rejects.toMatchObject({ statusCode: 401 });
    await expect(credentials.findByAccount(accountId)).resolves.toEqual([]);
  });

  it('leaves no client credentials that a log-in creates just before it is ended.', async(): Promise<void> => {
    const cookie = await logIn(oldPassword);
    const removeOf = held.removeOf.bind(held);
    held.removeOf = async(...args): Promise<void> => {
      await elsewhere(async(): Promise<unknown> => create(cookie));
      await removeOf(...args);
    };
    await replace();
    await expect(credentials.findByAccount(accountId)).resolves.toEqual([]);
  });
});
