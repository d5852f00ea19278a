import type { HealthCheck } from '../../../src/http/Health';
import { Health } from '../../../src/http/Health';
import type { Loopback } from '../../support/loopback';
import { startLoopback } from '../../support/loopback';

async function good(): Promise<void> {
  // The database works.
}

async function bad(): Promise<void> {
  throw new Error('postgres://user:password@host does not answer');
}

async function hanging(): Promise<void> {
  return new Promise((): void => {
    // Never answers.
  });
}

describe('Health', (): void => {
  const started: Loopback[] = [];

  afterEach(async(): Promise<void> => {
    await Promise.all(started.splice(0).map(async(server): Promise<void> => server.stop()));
  });

  /** A server that returns 418 for everything but health checks. */
  async function serve(health: Health): Promise<string> {
    const server = await startLoopback((request, response): void => {
      if (health.owns(request)) {
        health.handle(request, response).catch((): unknown => response.destroy());
      } else {
        response.writeHead(418).end();
      }
    });
    started.push(server);
    return server.url;
  }

  async function ask(checks: HealthCheck[], path: string, timeoutMs?: number): Promise<number> {
    return (await fetch(`${await serve(new Health(checks, timeoutMs))}${path}`)).status;
  }

  it('is ready when every dependency responds.', async(): Promise<void> => {
    await expect(ask([ good, good ], '/.health/ready')).resolves.toBe(200);
  });

  it('is not ready when a dependency fails, and does not say which.', async(): Promise<void> => {
    const response = await fetch(`${await serve(new Health([ good, bad ]))}/.health/ready`);
    expect(response.status).toBe(503);
    expect(response.headers.get('cache-control')).toBe('no-store');
    await expect(response.text()).resolves.toBe('{"status":"unavailable"}');
  });

  it('is not ready when a dependency does not respond in time.', async(): Promise<void> => {
    await expect(ask([ hanging ], '/.health/ready', 10)).resolves.toBe(503);
  });

  it('is live whatever the state of its dependencies.', async(): Promise<void> => {
    await expect(ask([ bad ], '/.health/live')).resolves.toBe(200);
  });

  it('is live, but no longer ready, while draining.', async(): Promise<void> => {
    const health = new Health([ good ]);
    const url = await serve(health);
    expect((await fetch(`${url}/.health/ready`)).status).toBe(200);
    health.drain();
    expect((await fetch(`${url}/.health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/.health/live`)).status).toBe(200);
  });

  it('checks once for many simultaneous requests.', async(): Promise<void> => {
    let looked = 0;
    let release!: () => void;
    const arrived = new Promise<void>((resolve): void => {
      release = resolve;
    });
    const health = new Health([ async(): Promise<void> => {
      looked += 1;
      await arrived;
    } ], 60_000);
    const url = await serve(health);
    const asked = Array.from({ length: 20 }, async(): Promise<Response> => fetch(`${url}/.health/ready`));
    await fetch(`${url}/.health/live`);
    release();
    for (const { status } of await Promise.all(asked)) {
      expect(status).toBe(200);
    }
    expect(looked).toBe(1);
  });

  it.each([ '/.health/', '/.health/ready/', '/.health/other', '/v1/.health/ready', '/health' ])(
    'leaves %s to others.',
    async(path): Promise<void> => {
      await expect(ask([ good ], path)).resolves.toBe(418);
    },
  );

  it('leaves requests other than GET and HEAD to others.', async(): Promise<void> => {
    const url = await serve(new Health([ good ]));
    expect((await fetch(`${url}/.health/ready`, { method: 'POST' })).status).toBe(418);
    const head = await fetch(`${url}/.health/ready`, { method: 'HEAD' });
    expect(head.status).toBe(200);
  });
});
