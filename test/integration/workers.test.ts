import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { citizenWithPod, revocationUrl, share } from '../support/sharing';
import { Workers } from '../support/Workers';
import type { AccountHolder, World } from '../support/world';
import { accountWithPod, freePort, startWorld } from '../support/world';

// Each start is three processes.
jest.setTimeout(300_000);

describe('Two workers', (): void => {
  let world: World;
  let alice: AccountHolder;
  let metricsPort: number;
  let workers: Workers;

  beforeAll(async(): Promise<void> => {
    metricsPort = await freePort();
    world = await startWorld({
      flags: { workers: '2', metricsPort: String(metricsPort), logFormat: 'json' },
      loggingLevel: 'info',
      readyMilliseconds: 400_000,
    });
    workers = new Workers(world.server.log);
    alice = await accountWithPod(world.base, 'alice', 'Bearer');
  }, 450_000);

  afterAll(async(): Promise<void> => {
    // Rejects if the server does not stop by itself, even with open streams of notifications.
    await world.stop();
  });

  it('notify all subscribers, whichever worker made the change.', async(): Promise<void> => {
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
    // A new connection each time, and so any of the workers.
    const headers = { 'x-access-grant': shared.accessGrant, connection: 'close' };
    async function ask(): Promise<number[]> {
      return Promise.all(Array.from({ length: 8 }, async(): Promise<number> =>
        (await consumer.client.request('GET', url, { headers })).status));
    }
    await expect(ask()).resolves.toEqual(Array.from({ length: 8 }).fill(200));
    const revoked = await emma.client.request('DELETE', revocationUrl(world.base, shared));
    expect(revoked.status).toBe(200);
    await expect(ask()).resolves.toEqual(Array.from({ length: 8 }).fill(403));
    // Requests to every worker are counted.
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/.metrics`)).text();
    for (const status of [ 200, 403 ]) {
      const labels = `{operation="GET /v1/resources",status="${status}"}`;
      expect(metrics).toContain(`css_data_sharing_request_duration_seconds_count${labels} 8\n`);
    }
  });

  it('accept a DPoP proof once, whichever worker receives it.', async(): Promise<void> => {
    const { client } = await accountWithPod(world.base, 'dora', 'DPoP');
    const url = `${world.base}v1/resources?resource=${encodeURIComponent(alice.webId.replace(/#.*$/u, ''))}`;
    const headers = {
      dpop: await client.proof('GET', url),
      'x-access-grant': `${world.base}.access/vc/71fcbc6d-1092-4be8-bb64-7da49453e447`,
      connection: 'close',
    };
    const answers = await Promise.all(Array.from({ length: 12 }, async(): Promise<number> =>
      (await client.request('GET', url, { headers })).status));
    // There is no such grant, which only authenticated callers learn.
    expect(answers.filter((status): boolean => status === 403)).toHaveLength(1);
    expect(answers.filter((status): boolean => status === 401)).toHaveLength(11);
  });

  it('close connections that a killed worker had not accepted yet.', async(): Promise<void> => {
    const [ frozen ] = workers.serving();
    process.kill(frozen, 'SIGSTOP');
    const sent = Array.from({ length: 6 }, async(): Promise<unknown> => settle('GET', `${world.base}v1/openapi.json`));
    // The other worker answers all requests except the one handed to this worker.
    const outcomes = new Map<number, unknown>();
    const watched = sent.map(async(request, index): Promise<unknown> => outcomes.set(index, await request));
    while (outcomes.size < 5) {
      await Promise.race(watched.filter((...[ , index ]): boolean => !outcomes.has(index)));
    }
    workers.kill(frozen);
    await Promise.all(watched);
    expect([ ...outcomes.values() ].filter((outcome): boolean => outcome === 200)).toHaveLength(5);
    expect([ ...outcomes.values() ]).toContain('closed');
    await workers.untilServing(2);
  });

  it('answer or close every request when killed under load, and keep acknowledged changes.', async():
  Promise<void> => {
    const over = new AbortController();
    const kept: string[] = [];
    const outcomes: unknown[] = [];
    let slowest = 0;
    const callers = Array.from({ length: 6 }, async(...[ , caller ]): Promise<void> => {
      for (let serial = 0; !over.signal.aborted; serial += 1) {
        const name = `kept-${caller}-${serial % 10}`;
        const begun = performance.now();
        const headers = { 'content-type': 'text/plain', connection: 'close' };
        const body = `${caller} ${serial}`;
        const outcome = await alice.client.request('PUT', `${alice.podUrl}${name}`, { headers, body })
          .then(({ status }): number => status, (): string => 'closed');
        slowest = Math.max(slowest, performance.now() - begun);
        outcomes.push(outcome);
        if (outcome === 201) {
          kept.push(name);
        }
      }
    });
    for (let kills = 0; kills < 2; kills += 1) {
      await workers.untilServing(2);
      const before = outcomes.length;
      while (outcomes.length < before + 20) {
        await setTimeout(20);
      }
      workers.kill(workers.serving()[kills % 2]);
    }
    await workers.untilServing(2);
    over.abort();
    await Promise.all(callers);

    expect(outcomes.filter((outcome): boolean => ![ 201, 205, 'closed', 503 ].includes(outcome as number))).toEqual([]);
    // A dead worker's lock expires within 10 s; whoever waits for one that never does is refused after 30.
    expect(slowest).toBeLessThan(28_000);
    expect(kept.length).toBeGreaterThan(0);
    for (const name of kept) {
      expect((await alice.client.request('GET', `${alice.podUrl}${name}`)).status).toBe(200);
    }
  });

  it('log one object a line, the server\'s own lines also with the id of the request.', async(): Promise<void> => {
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

/** Sends a request on a new connection: returns its status, or that it was closed without one. */
async function settle(method: string, url: string): Promise<number | string> {
  return new Promise((resolve): void => {
    const sent = request(url, { method, agent: false });
    sent.on('response', (response): void => {
      response.resume();
      response.on('end', (): void => resolve(response.statusCode!));
    });
    sent.on('error', (): void => resolve('closed'));
    sent.end();
  });
}

/** A stream of notifications about a public resource. */
class Stream {
  private constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  /** Opens a stream; resolves when it has begun. */
  public static async open(base: string, topic: string): Promise<Stream> {
    const url = `${base}.notifications/StreamingHTTPChannel2023/${encodeURIComponent(topic)}`;
    const { body, status } = await fetch(url);
    if (status !== 200 || !body) {
      throw new Error(`The stream of notifications answered ${status}`);
    }
    return new Stream(body.getReader());
  }

  /** Resolves after a notification of this type. Stays open, like those of clients. */
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
