import { LockQueue } from '../../../../src/server/locks/LockQueue';
import type { LockKind, LockQueueOptions } from '../../../../src/server/locks/LockQueue';
import { fc } from '../../../support/properties';

const options: LockQueueOptions = {
  maxWaiting: 3,
  maxReaders: 4,
  patienceMs: 30_000,
  readerPatienceMs: 1000,
  writerPatienceMs: 30_000,
};

/** A caller at the queue, and its state. */
interface Visitor {
  kind: LockKind;
  state: 'waiting' | 'inside' | 'refused' | 'gone';
}

function visit(queue: LockQueue, kind: LockKind): Visitor {
  const visitor: Visitor = { kind, state: 'waiting' };
  queue.enter(kind).then(
    (): void => {
      visitor.state = 'inside';
    },
    (error: unknown): void => {
      expect(error).toMatchObject({ statusCode: 503 });
      visitor.state = 'refused';
    },
  );
  return visitor;
}

function leave(queue: LockQueue, visitor: Visitor): void {
  visitor.state = 'gone';
  queue.leave();
}

/** Waits until everything that could continue has. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await Promise.resolve();
  }
}

function states(visitors: Visitor[]): string[] {
  return visitors.map(({ state }): string => state);
}

describe('A LockQueue', (): void => {
  let idle: number;
  let ended: number;
  let queue: LockQueue;

  beforeEach((): void => {
    jest.useFakeTimers();
    idle = 0;
    ended = 0;
    queue = makeQueue();
  });

  afterEach((): void => {
    jest.useRealTimers();
  });

  function makeQueue(more: Partial<LockQueueOptions> = {}): LockQueue {
    return new LockQueue({ ...options, ...more }, (): void => {
      idle += 1;
    }, (): void => {
      ended += 1;
    });
  }

  async function enter(...kinds: LockKind[]): Promise<Visitor[]> {
    const visitors = kinds.map((kind): Visitor => visit(queue, kind));
    await settle();
    return visitors;
  }

  it('lets any number of readers in together.', async(): Promise<void> => {
    const readers = await enter(...Array.from<LockKind>({ length: 2000 }).fill('read'));
    expect(states(readers).slice(0, 5)).toEqual([ 'inside', 'inside', 'inside', 'inside', 'waiting' ]);
    for (const reader of readers) {
      leave(queue, reader);
      await settle();
    }
    expect(idle).toBe(1);
  });

  it('lets one writer in alone, and readers and writers in turn.', async(): Promise<void> => {
    const visitors = await enter('write', 'write', 'read', 'read');
    expect(states(visitors)).toEqual([ 'inside', 'waiting', 'waiting', 'waiting' ]);
    leave(queue, visitors[0]);
    await settle();
    expect(states(visitors)).toEqual([ 'gone', 'waiting', 'inside', 'inside' ]);
    const [ late ] = await enter('read');
    leave(queue, visitors[2]);
    leave(queue, visitors[3]);
    await settle();
    expect(states([ ...visitors, late ])).toEqual([ 'gone', 'inside', 'gone', 'gone', 'waiting' ]);
  });

  it('refuses those beyond its limit immediately, and nobody else.', async(): Promise<void> => {
    const [ writer, ...others ] = await enter('write', 'read', 'write', 'read', 'write', 'read');
    expect(states(others)).toEqual([ 'waiting', 'waiting', 'waiting', 'refused', 'refused' ]);
    leave(queue, writer);
    await settle();
    expect(states(others)).toEqual([ 'inside', 'waiting', 'inside', 'refused', 'refused' ]);
  });

  it('refuses those who have waited too long, and continues.', async(): Promise<void> => {
    const [ writer, other ] = await enter('write', 'write');
    await jest.advanceTimersByTimeAsync(30_000);
    expect(other.state).toBe('refused');
    leave(queue, writer);
    expect(idle).toBe(1);
    await expect(enter('write')).resolves.toMatchObject([{ state: 'inside' }]);
  });

  it('lets a reader join others after a while, though a writer waits.', async(): Promise<void> => {
    const [ slow, writer, reader ] = await enter('read', 'write', 'read');
    await jest.advanceTimersByTimeAsync(1000);
    expect(states([ slow, writer, reader ])).toEqual([ 'inside', 'waiting', 'inside' ]);
    leave(queue, slow);
    leave(queue, reader);
    await settle();
    expect(writer.state).toBe('inside');
  });

  it('lets readers join others that do not finish.', async(): Promise<void> => {
    const [ , , , , fifth ] = await enter('read', 'read', 'read', 'read', 'read');
    await jest.advanceTimersByTimeAsync(999);
    expect(fifth.state).toBe('waiting');
    await jest.advanceTimersByTimeAsync(1);
    expect(fifth.state).toBe('inside');
  });

  it('ends readers that a writer has waited for too long.', async(): Promise<void> => {
    queue = makeQueue({ writerPatienceMs: 10_000 });
    await enter('read');
    await jest.advanceTimersByTimeAsync(5000);
    await enter('write');
    await jest.advanceTimersByTimeAsync(9999);
    expect(ended).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(ended).toBe(1);
  });

  it('ends no readers who have just begun, however long a writer has waited.', async(): Promise<void> => {
    queue = makeQueue({ writerPatienceMs: 10_000 });
    const [ writer, next, last, reader ] = await enter('write', 'write', 'write', 'read');
    await jest.advanceTimersByTimeAsync(9000);
    leave(queue, writer);
    await settle();
    expect(states([ next, last, reader ])).toEqual([ 'waiting', 'waiting', 'inside' ]);
    await jest.advanceTimersByTimeAsync(9000);
    expect(ended).toBe(0);
    await jest.advanceTimersByTimeAsync(2000);
    expect(ended).toBeGreaterThan(0);
  });

  it('gives other processes a turn.', async(): Promise<void> => {
    queue = makeQueue({ turnMs: 1000, breakMs: 100 });
    const [ first ] = await enter('read');
    await jest.advanceTimersByTimeAsync(1001);
    const [ second ] = await enter('read');
    expect(second.state).toBe('waiting');
    leave(queue, first);
    await jest.advanceTimersByTimeAsync(99);
    expect(second.state).toBe('waiting');
    await jest.advanceTimersByTimeAsync(1);
    expect(second.state).toBe('inside');
    leave(queue, second);
    expect(idle).toBe(1);
  });

  it('is idle after a turn of others if nobody waits any more.', async(): Promise<void> => {
    queue = makeQueue({ turnMs: 1000, breakMs: 100, patienceMs: 50 });
    const [ first ] = await enter('read');
    await jest.advanceTimersByTimeAsync(1001);
    await enter('read');
    leave(queue, first);
    await jest.advanceTimersByTimeAsync(100);
    expect(idle).toBe(1);
  });

  it('lets writers in alone, refuses only when full, and lets all in at last.', async(): Promise<void> => {
    const steps = fc.array(fc.oneof(
      fc.constantFrom<LockKind>('read', 'write'),
      fc.nat(20),
    ), { maxLength: 60 });
    await fc.assert(fc.asyncProperty(steps, async(script): Promise<void> => {
      const tried = makeQueue();
      const visitors: Visitor[] = [];
      function those(state: string): Visitor[] {
        return visitors.filter((visitor): boolean => visitor.state === state);
      }
      function check(): void {
        const inside = those('inside');
        expect(inside.length <= 1 || inside.every(({ kind }): boolean => kind === 'read')).toBe(true);
        expect(inside.length > 0 || those('waiting').length === 0).toBe(true);
        expect(inside.length).toBeLessThanOrEqual(options.maxReaders);
      }
      async function come(kind: LockKind): Promise<void> {
        const [ inside, waiting ] = [ those('inside'), those('waiting') ];
        const isBehindWriters = [ kind, ...[ ...inside, ...waiting ].map((each): LockKind => each.kind) ]
          .includes('write');
        const visitor = visit(tried, kind);
        visitors.push(visitor);
        await settle();
        expect(visitor.state === 'refused')
          .toBe(inside.length > 0 && waiting.length >= options.maxWaiting && isBehindWriters);
      }
      async function go(which: number): Promise<void> {
        const inside = those('inside');
        if (inside.length > 0) {
          leave(tried, inside[which % inside.length]);
          await settle();
        }
      }
      for (const step of script) {
        await (typeof step === 'string' ? come(step) : go(step));
        check();
      }
      for (let [ next ] = those('inside'); next; [ next ] = those('inside')) {
        leave(tried, next);
        await settle();
        check();
      }
      expect(those('waiting')).toEqual([]);
    }), { numRuns: 200 });
  });
});
