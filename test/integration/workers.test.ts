import { join } from 'node:path';
import type { ServerOptions } from '../../demo/lib/servers';
import { databaseUrl, redisUrl } from '../support/postgres';
import { citizenWithPod, revocationUrl, share } from '../support/sharing';
import type { TestStorage } from '../support/storage';
import { postgresStorage, storageOf } from '../support/storage';
import type { AccountHolder, World } from '../support/world';
import { accountWithPod, freePort, removeFolder, startWorld, temporaryFolder } from '../support/world';

/** A preset and, with it, where things are. */
type Preset = [name: string, storage: (folder: string) => Promise<TestStorage>];

const hasServers = databaseUrl !== undefined && redisUrl !== undefined;
const presets: Preset[] = [
  [ 'file.json', storageOf ],
  ...hasServers ? [ [ 'postgres.json', postgresStorage ] satisfies Preset ] : [],
];

// Each start is three processes.
jest.setTimeout(300_000);

describe.each(presets)('Two workers with %s', (...[ , makeStorage ]: Preset): void => {
  let folder: string;
  let storage: TestStorage;
  let world: World;
  let alice: AccountHolder;
  let metricsPort: number;

  beforeAll(async(): Promise<void> => {
    folder = await temporaryFolder();
    storage = await makeStorage(folder);
    const options: Partial<ServerOptions> = storage.options({});
    metricsPort = await freePort();
    const flags = { ...options.flags, workers: '2', metricsPort: String(metricsPort), logFormat: 'json' };
    world = await startWorld({
      ...options,
      folder: join(folder, 'server'),
      flags,
      loggingLevel: 'info',
      readyMilliseconds: 400_000,
    });
    alice = await accountWithPod(world.base, 'alice', 'Bearer');
  }, 450_000);

  afterAll(async(): Promise<void> => {
    // Rejects when the server does not stop by itself, whoever still waits for notifications.
    await world.stop();
    await storage.remove();
    await removeFolder(folder);
  });

  it('notify everybody who waits, whichever worker made the change.', async(): Promise<void> => {
    const topic = alice.webId.replace(/#.*$/u, '');
    const waiting = Array.from({ length: 6 }, async(): Promise<Stream> => Stream.open(world.base, topic));
    const streams = await Promise.all(waiting);
    const body = 'INSERT DATA { <> <http://xmlns.com/foaf/0.1/name> "Alice" . }';
    const headers = { 'content-type': 'application/sparql-update' };
    const response = await alice.client.request('PATCH', topic, { headers, body });
    expect(response.status).toBe(205);
    await Promise.all(streams.map(async(stream): Promise<void> => stream.until('https://www.w3.org/ns/activitystreams#Update')));
  });

  it('agree on what is shared and on what is revoked.', async(): Promise<void> => {
    const emma = await citizenWithPod(world, 'emma');
    const consumer = await accountWithPod(world.base, 'consumer', 'Bearer');
    const shared = await share(emma.client, world.base, 'diploma-employment');
    const url = `${world.base}v1/resources?resource=${encodeURIComponent(shared.podResource)}`;
    // A connection of its own each time, and with it any of the workers.
    const headers = { 'x-access-grant': shared.accessGrant, connection: 'close' };
    async function ask(): Promise<number[]> {
      return Promise.all(Array.from({ length: 8 }, async(): Promise<number> =>
        (await consumer.client.request('GET', url, { headers })).status));
    }
    await expect(ask()).resolves.toEqual(Array.from({ length: 8 }).fill(200));
    const revoked = await emma.client.request('DELETE', revocationUrl(world.base, shared));
    expect(revoked.status).toBe(200);
    await expect(ask()).resolves.toEqual(Array.from({ length: 8 }).fill(403));
    // Whichever worker answered, all is counted.
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/.metrics`)).text();
    for (const status of [ 200, 403 ]) {
      const labels = `{operation="GET /v1/resources",status="${status}"}`;
      expect(metrics).toContain(`css_data_sharing_request_duration_seconds_count${labels} 8\n`);
    }
  });

  it('take a DPoP proof once, whichever worker it is shown to.', async(): Promise<void> => {
    const { client } = await accountWithPod(world.base, 'dora', 'DPoP');
    const url = `${world.base}v1/resources?resource=${encodeURIComponent(alice.webId.replace(/#.*$/u, ''))}`;
    const headers = {
      dpop: await client.proof('GET', url),
      'x-access-grant': `${world.base}.access/vc/71fcbc6d-1092-4be8-bb64-7da49453e447`,
      connection: 'close',
    };
    const answers = await Promise.all(Array.from({ length: 12 }, async(): Promise<number> =>
      (await client.request('GET', url, { headers })).status));
    // There is no such grant, which only who proves something is told.
    expect(answers.filter((status): boolean => status === 403)).toHaveLength(1);
    expect(answers.filter((status): boolean => status === 401)).toHaveLength(11);
  });

  it('log an object in each line, the server\'s own with the id of the request too.', async(): Promise<void> => {
    const correlationId = '71fcbc6d-1092-4be8-bb64-7da49453e447';
    const response = await fetch(`${alice.podUrl}85073003328`, { headers: { 'x-correlation-id': correlationId }});
    expect(response.headers.get('x-correlation-id')).toBe(correlationId);
    const lines = world.server.log().split('\n').filter((line): boolean => line.startsWith('{'))
      .map((line): Record<string, string> => JSON.parse(line));
    const own = lines.filter((line): boolean => line.correlationId === correlationId)
      .map(({ logger }): string => logger);
    expect(own).toEqual(expect.arrayContaining([ expect.not.stringContaining('DataSharing') ]));
    expect(lines.every(({ process }): boolean => /^(?:primary|worker \d+)$/u.test(process))).toBe(true);
    expect(world.server.log()).not.toContain('85073003328');
  });
});

/** A stream of notifications about a public resource. */
class Stream {
  private constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  /** Opens one; resolves when it has begun. */
  public static async open(base: string, topic: string): Promise<Stream> {
    const url = `${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(topic)}`;
    const { body, status } = await fetch(url);
    if (status !== 200 || !body) {
      throw new Error(`The stream of notifications answered ${status}`);
    }
    return new Stream(body.getReader());
  }

  /** Resolves when there was a notification of this type. Stays open, as those of clients do. */
  public async until(type: string): Promise<void> {
    let text = '';
    while (!text.includes(`<${type}>`)) {
      const { done, value } = await this.reader.read();
      if (done) {
        throw new Error(`The stream ended without ${type}`);
      }
      text += Buffer.from(value).toString();
    }
  }
}
