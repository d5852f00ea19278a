import type { AccountHolder, TestServer } from '../support/world';
import { accountWithPod, startServer } from '../support/world';

/** What the specifications demand of servers, and the stock server does not do. */
describe('The Solid specifications', (): void => {
  let server: TestServer;
  let alice: AccountHolder;
  let pod: string;

  beforeAll(async(): Promise<void> => {
    server = await startServer();
    alice = await accountWithPod(server.base, 'alice');
    pod = alice.podUrl;
  });

  afterAll(async(): Promise<void> => {
    await server.stop();
  });

  async function send(method: string, path: string, headers = {}, body?: string): Promise<Response> {
    return alice.client.request(method, `${pod}${path}`, { headers, body });
  }

  it.each([ 'GET', 'HEAD', 'OPTIONS' ])('have %s name the description of storages.', async(method): Promise<void> => {
    const link = `<${pod}.well-known/solid>; rel="http://www.w3.org/ns/solid/terms#storageDescription"`;
    for (const path of [ '', 'profile/card', 'profile/card.meta' ]) {
      expect((await send(method, path)).headers.get('link')).toContain(link);
    }
  });

  it('name no storage for places around all storages.', async(): Promise<void> => {
    expect((await fetch(server.base, { method: 'OPTIONS' })).headers.get('link')).toBeNull();
    expect((await fetch(`${server.base}.account/`, { method: 'OPTIONS' })).headers.get('link')).toBeNull();
  });

  it('let apps read all headers of responses.', async(): Promise<void> => {
    const { headers } = await send('GET', '', { origin: 'https://app.example' });
    const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(',');
    const ofConnection = new Set([ 'connection', 'keep-alive', 'transfer-encoding' ]);
    // https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
    const safe = new Set([ 'cache-control', 'content-language', 'content-length', 'content-type', 'expires' ]);
    const names: string[] = [];
    headers.forEach((_, name): void => {
      names.push(name);
    });
    const hidden = names.filter((name): boolean => !exposed.includes(name) && !safe.has(name) &&
      !ofConnection.has(name) && !name.startsWith('access-control-'));
    expect(hidden).toEqual([]);
  });
});
