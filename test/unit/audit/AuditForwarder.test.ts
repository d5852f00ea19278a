import type { ChainRow } from '../../../src/audit/chain';
import type { AuditSink } from '../../../src/audit/AuditSink';
import { AuditForwarder } from '../../../src/audit/AuditForwarder';
import type { AuditSinkState } from '../../../src/platform/diagnostics';
import { auditSinkStates } from '../../../src/platform/diagnostics';

class MemorySink implements AuditSink {
  public readonly rows: ChainRow[] = [];
  public asked = 0;
  public failure?: Error;
  /** Fails after storing the rows. */
  public forgetsToAnswer = false;

  public async findEnd(): Promise<number> {
    this.asked += 1;
    return this.rows.at(-1)?.sequence ?? 0;
  }

  public async write(rows: readonly ChainRow[]): Promise<void> {
    if (this.failure) {
      throw this.failure;
    }
    this.rows.push(...rows);
    if (this.forgetsToAnswer) {
      throw new Error('the connection was lost');
    }
  }
}

describe('The sink of the audit record', (): void => {
  let now: Date;
  let lines: string[];
  let stored: ChainRow[];
  let states: AuditSinkState[];
  let isOurs: boolean;
  let sink: MemorySink;
  let forwarder: AuditForwarder;
  let stop: () => void;

  beforeEach((): void => {
    now = new Date('2026-11-23T12:00:00Z');
    lines = [];
    stored = [];
    states = [];
    isOurs = true;
    sink = new MemorySink();
    forwarder = newForwarder();
    stop = auditSinkStates.listen((state): unknown => states.push(state));
  });

  afterEach((): void => stop());

  function newForwarder(): AuditForwarder {
    return new AuditForwarder({
      sink,
      audit: { listRows: async(after, limit): Promise<ChainRow[]> =>
        stored.filter(({ sequence }): boolean => sequence > after).slice(0, limit) },
      duty: { take: async(): Promise<boolean> => isOurs },
      logger: { error: (line): unknown => lines.push(line), warn: (line): unknown => lines.push(line) },
      now: (): Date => now,
    });
  }

  function store(count: number): void {
    for (let at = 0; at < count; at += 1) {
      const sequence = stored.length + 1;
      stored.push({
        sequence,
        at: now.getTime(),
        type: 'webid.read',
        correlationId: null,
        facts: '{}',
        keyId: null,
        personal: null,
        previousHash: '',
        hash: String(sequence),
      });
    }
  }

  function pass(seconds: number): void {
    now = new Date(now.getTime() + (seconds * 1000));
  }

  it('gets every row once, in order, in batches.', async(): Promise<void> => {
    store(450);
    await forwarder.run();
    store(3);
    await forwarder.run();
    await forwarder.run();
    expect(sink.rows).toEqual(stored);
    expect(sink.asked).toBe(1);
    expect(states.at(-1)).toEqual({ isFailing: false, behindSeconds: 0 });
  });

  it('continues where it was when a process starts.', async(): Promise<void> => {
    store(5);
    await forwarder.run();
    store(5);
    await newForwarder().run();
    expect(sink.rows).toEqual(stored);
  });

  it('is written to by one process, which asks for its last row when it takes over.', async(): Promise<void> => {
    store(2);
    await forwarder.run();
    isOurs = false;
    store(2);
    await forwarder.run();
    expect(sink.rows).toHaveLength(2);
    // Another process writes.
    sink.rows.push(stored[2]);
    isOurs = true;
    await forwarder.run();
    expect(sink.rows).toEqual(stored);
    expect(sink.asked).toBe(2);
  });

  it('can fail: rows wait, one warning is logged, and it is retried after growing pauses.', async(): Promise<void> => {
    store(3);
    sink.failure = new Error('no room');
    let attempts = 0;
    for (let second = 0; second < 200; second += 1) {
      const before = sink.asked;
      await forwarder.run();
      attempts += sink.asked - before;
      pass(1);
    }
    // 0, 1, 3, 7, 15, 31, 63, 123, 183
    expect(attempts).toBe(9);
    expect(lines).toEqual([ 'The sink of the audit record fails: no room. Rows wait in the records' ]);
    expect(states.at(-1)).toEqual({ isFailing: true });
    expect(states.some(({ behindSeconds }): boolean => behindSeconds === 183)).toBe(true);
    sink.failure = undefined;
    pass(60);
    await forwarder.run();
    expect(sink.rows).toEqual(stored);
    expect(lines.slice(1)).toEqual([ 'The sink of the audit record accepts rows again' ]);
    await forwarder.run();
    expect(states.at(-1)).toEqual({ isFailing: false, behindSeconds: 0 });
  });

  it('gets no row twice if it stored rows but did not confirm them.', async(): Promise<void> => {
    store(3);
    sink.forgetsToAnswer = true;
    await forwarder.run();
    sink.forgetsToAnswer = false;
    pass(1);
    await forwarder.run();
    expect(sink.rows).toEqual(stored);
  });

  it('has 30 seconds to respond.', async(): Promise<void> => {
    jest.useFakeTimers({ doNotFake: [ 'nextTick', 'setImmediate' ]});
    sink.findEnd = async(): Promise<number> => new Promise((): undefined => undefined);
    const run = forwarder.run();
    await jest.advanceTimersByTimeAsync(30_000);
    await run;
    jest.useRealTimers();
    expect(lines).toEqual([ expect.stringContaining('no answer in 30 seconds') ]);
  });
});
