import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RedisLeases } from '../../../../src/server/locks/RedisLeases';
import type { RedisLeasesOptions } from '../../../../src/server/locks/RedisLeases';
import { redisUrl } from '../../../support/postgres';

/** Work that lasts until it is ended. */
function work(): { run: () => Promise<void>; begun: Promise<void>; end: () => void } {
  let begin!: () => void;
  let end!: () => void;
  const begun = new Promise<void>((resolve): void => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve): void => {
    end = resolve;
  });
  return {
    async run(): Promise<void> {
      begin();
      await ended;
    },
    begun,
    end,
  };
}

describe('Leases in Redis', (): void => {
  const opened: RedisLeases[] = [];
  let name: string;

  beforeEach((): void => {
    name = randomUUID();
  });

  afterEach(async(): Promise<void> => {
    await Promise.all(opened.splice(0).map(async(node): Promise<void> => node.close()));
  });

  function node(options: Omit<RedisLeasesOptions, 'url'> = {}): RedisLeases {
    const leases = new RedisLeases({ url: redisUrl!, ...options });
    opened.push(leases);
    return leases;
  }

  it('report why Redis cannot be reached.', async(): Promise<void> => {
    const leases = new RedisLeases({ url: 'redis://127.0.0.1:1' });
    await expect(leases.ping()).rejects.toThrow('ECONNREFUSED');
    await leases.close();
  });

  it('let one writer in at a time, whichever node it is on.', async(): Promise<void> => {
    let inside = 0;
    let most = 0;
    const nodes = [ node(), node() ];
    await Promise.all(Array.from({ length: 20 }, async(_, index): Promise<void> =>
      nodes[index % 2].hold('write', name, async(): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        await nodes[index % 2].ping();
        inside -= 1;
      })));
    expect(most).toBe(1);
  });

  it('let readers in together, and a writer only when they are out.', async(): Promise<void> => {
    const [ first, second ] = [ work(), work() ];
    const [ a, b ] = [ node(), node({ patienceMs: 0 }) ];
    const reading = [ a.hold('read', name, first.run), b.hold('read', name, second.run) ];
    await Promise.all([ first.begun, second.begun ]);
    await expect(b.hold('write', name, async(): Promise<void> => undefined)).rejects.toThrow('too long');
    first.end();
    second.end();
    await Promise.all(reading);
    await expect(b.hold('write', name, async(): Promise<string> => 'written')).resolves.toBe('written');
  });

  it('keep readers out while a writer is in.', async(): Promise<void> => {
    const writing = work();
    const held = node().hold('write', name, writing.run);
    await writing.begun;
    await expect(node({ patienceMs: 0 }).hold('read', name, async(): Promise<void> => undefined))
      .rejects.toThrow('too long');
    writing.end();
    await held;
  });

  it.each([ 'read', 'write' ] as const)('free the %s lease of a node that is gone.', async(kind): Promise<void> => {
    const crashed = node({ leaseMs: 200 });
    const never = work();
    crashed.hold(kind, name, never.run).catch((): void => undefined);
    await never.begun;
    // A killed process neither renews nor releases its leases.
    await crashed.close();
    await expect(node().hold('write', name, async(): Promise<string> => 'in')).resolves.toBe('in');
  });

  it.each([ 'read', 'write' ] as const)('keep a %s lease while the work continues.', async(kind): Promise<void> => {
    const long = work();
    // Long enough for a busy machine to renew it in time.
    const held = node({ leaseMs: 12_000 }).hold(kind, name, long.run);
    await long.begun;
    const redis = new Redis(redisUrl!);
    const key = `css-data-sharing:{${name}}:${kind === 'read' ? 'readers' : 'writer'}`;
    let [ before, left ] = [ Number.POSITIVE_INFINITY, await redis.pttl(key) ];
    // Its time runs out until it is renewed.
    while (left > 0 && left <= before) {
      await setTimeout(50);
      [ before, left ] = [ left, await redis.pttl(key) ];
    }
    await redis.quit();
    await expect(node({ patienceMs: 0 }).hold('write', name, async(): Promise<void> => undefined))
      .rejects.toThrow('too long');
    long.end();
    await held;
  });

  it('take the lease from slow readers when a writer on another node has waited.', async(): Promise<void> => {
    const slow = work();
    const reading = node({ leaseMs: 400 }).hold('read', name, slow.run);
    await slow.begun;
    const written = node({ leaseMs: 400, writerPatienceMs: 100 })
      .hold('write', name, async(): Promise<string> => 'written');
    await expect(reading).rejects.toThrow('lock was lost');
    await expect(written).resolves.toBe('written');
    slow.end();
    await expect(node().hold('read', name, async(): Promise<string> => 'read')).resolves.toBe('read');
  });

  it('let no new readers in when a writer has waited.', async(): Promise<void> => {
    const [ slow, writing ] = [ work(), work() ];
    const reader = node({ leaseMs: 2000 });
    const reading = reader.hold('read', name, slow.run);
    await slow.begun;
    const written = node({ writerPatienceMs: 0 }).hold('write', name, writing.run);
    const redis = new Redis(redisUrl!);
    while (await redis.exists(`css-data-sharing:{${name}}:mark`) === 0) {
      await redis.ping();
    }
    await redis.quit();
    await expect(node({ patienceMs: 0 }).hold('read', name, async(): Promise<void> => undefined))
      .rejects.toThrow('too long');
    slow.end();
    // By expiry, or because it was overtaken.
    await reading.catch((): undefined => undefined);
    await writing.begun;
    writing.end();
    await written;
  });

  it('return no result of work whose lease was lost.', async(): Promise<void> => {
    const long = work();
    const held = node({ leaseMs: 200 }).hold('write', name, long.run);
    await long.begun;
    const redis = new Redis(redisUrl!);
    await redis.del(`css-data-sharing:{${name}}:writer`);
    await redis.quit();
    await expect(held).rejects.toThrow('lock was lost');
    long.end();
  });

  it('leave nothing behind.', async(): Promise<void> => {
    await node().hold('read', name, async(): Promise<void> => undefined);
    await node().hold('write', name, async(): Promise<void> => undefined);
    await expect(node().hold('write', name, async(): Promise<void> => {
      throw new Error('failed inside');
    })).rejects.toThrow('failed inside');
    const redis = new Redis(redisUrl!);
    await expect(redis.keys(`*${name}*`)).resolves.toEqual([]);
    await redis.quit();
  });
});

describe('Leases without Redis', (): void => {
  it('fail soon, with the reason.', async(): Promise<void> => {
    const leases = new RedisLeases({ url: 'redis://127.0.0.1:1' });
    await expect(leases.hold('read', 'x', async(): Promise<void> => undefined)).rejects.toThrow(/./u);
    await leases.close();
  });
});
