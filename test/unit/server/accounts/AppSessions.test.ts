import type { AdapterFactory } from '@solid/community-server';
import { AppSessions } from '../../../../src/server/accounts/AppSessions';

const ann = 'https://pods.example/ann/profile/card#me';
const app = 'https://app.example/id';

/** A grant of an app, as the identity provider stores it. */
function grantOf(clientId: string, iat: number): object {
  return { kind: 'Grant', accountId: ann, clientId, iat };
}

/** Sessions of apps with these names in their documents, and the calls on them, in order. */
function sessionsWith(stored: Map<string, object>, names: Record<string, unknown>): {
  sessions: AppSessions;
  done: string[];
  asked: string[];
} {
  const [ done, asked ]: string[][] = [[], []];
  const clients = {
    find: async(clientId: string): Promise<object> => {
      asked.push(clientId);
      return { client_name: names[clientId] };
    },
  };
  const sessions = new AppSessions({
    providerStorage: {
      valuesOf: async(): Promise<Map<string, unknown>> => new Map(stored),
      removeSome: async(_, keys): Promise<void> => {
        done.push('removed');
        for (const key of keys) {
          stored.delete(key);
        }
      },
    },
    adapterFactory: { createStorageAdapter: (): object => clients } as unknown as AdapterFactory,
    ends: {
      endTokens: async(): Promise<void> => undefined,
      endTokensOfClients: async(): Promise<void> => undefined,
      endTokensOfApp: async(_, clientId): Promise<void> => {
        done.push(`ended ${clientId}`);
      },
    },
  });
  return { sessions, done, asked };
}

describe('The apps that act as a WebID', (): void => {
  it.each([
    [ 'other than text', {}, undefined ],
    [ 'too long', 'a'.repeat(500_000), 'a'.repeat(200) ],
    [ 'with marks of direction', '\u202Eknab', 'knab' ],
  ])('get no name if it is %s.', async(_, stated, name): Promise<void> => {
    const { sessions } = sessionsWith(new Map([[ 'g', grantOf(app, 1) ]]), { [app]: stated });
    await expect(sessions.list(ann)).resolves.toMatchObject([{ clientId: app, name }]);
  });

  it('have their names fetched only for the twenty used last.', async(): Promise<void> => {
    const many = Array.from({ length: 30 }, (_, index): [string, object] =>
      [ `g${index}`, grantOf(`${app}${index}`, index) ]);
    const { sessions, asked } = sessionsWith(new Map(many), {});
    await expect(sessions.list(ann)).resolves.toHaveLength(30);
    expect(asked).toEqual(Array.from({ length: 20 }, (_, index): string => `${app}${29 - index}`));
  });

  it('are logged out without a request to any of them, and lose tokens before grants.', async(): Promise<void> => {
    const stored = new Map([[ 'g', grantOf(app, 1) ]]);
    const { sessions, asked, done } = sessionsWith(stored, {});
    await expect(sessions.listClientIds(ann)).resolves.toEqual([ app ]);
    await sessions.end(ann, app);
    expect(done).toEqual([ `ended ${app}`, 'removed', `ended ${app}` ]);
    expect([ asked, stored.size ]).toEqual([[], 0 ]);
  });
});
