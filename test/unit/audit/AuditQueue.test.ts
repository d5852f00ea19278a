import type { AuditEvent } from '../../../src/audit/AuditLog';
import { AuditQueue } from '../../../src/audit/AuditQueue';

function event(index: number): AuditEvent {
  return { type: 'resource.read', at: new Date(0), facts: { index }};
}

function ignore(): void {
  // Nothing to do.
}

describe('An audit queue', (): void => {
  let written: number[][];
  let errors: string[];
  let failures: number;
  let queue: AuditQueue;

  beforeEach((): void => {
    jest.useFakeTimers();
    written = [];
    errors = [];
    failures = 0;
    queue = new AuditQueue(async(events): Promise<void> => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('disk full');
      }
      written.push(events.map(({ facts }): number => facts!.index as number));
    }, { error: (message): number => errors.push(message), warn: ignore, info: ignore, debug: ignore });
  });

  afterEach((): void => {
    jest.useRealTimers();
  });

  function add(from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      queue.add(event(index));
    }
  }

  it('writes together the rows of one second.', async(): Promise<void> => {
    add(0, 2);
    await jest.advanceTimersByTimeAsync(900);
    add(2, 3);
    expect(written).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    expect(written).toEqual([[ 0, 1, 2 ]]);
    add(3, 4);
    await jest.advanceTimersByTimeAsync(1000);
    expect(written).toEqual([[ 0, 1, 2 ], [ 3 ]]);
  });

  it('writes earlier when many come.', async(): Promise<void> => {
    add(0, 600);
    await jest.advanceTimersByTimeAsync(1);
    expect(written.map(({ length }): number => length)).toEqual([ 150, 150, 150, 150 ]);
  });

  it('writes a full batch early, and the rest within its second.', async(): Promise<void> => {
    add(0, 160);
    await jest.advanceTimersByTimeAsync(1);
    expect(written.map(({ length }): number => length)).toEqual([ 150 ]);
    await jest.advanceTimersByTimeAsync(998);
    expect(written).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(written.map(({ length }): number => length)).toEqual([ 150, 10 ]);
  });

  it('writes at once when flushed.', async(): Promise<void> => {
    add(0, 3);
    await queue.flush();
    expect(written).toEqual([[ 0, 1, 2 ]]);
    await queue.flush();
    expect(written).toHaveLength(1);
  });

  it('reports a batch that failed, and retries it.', async(): Promise<void> => {
    failures = 2;
    add(0, 2);
    await jest.advanceTimersByTimeAsync(1000);
    expect(written).toEqual([]);
    expect(errors).toEqual([ 'Audit rows are waiting to be written (2): disk full' ]);
    add(2, 3);
    await jest.advanceTimersByTimeAsync(2000);
    expect(errors).toHaveLength(2);
    expect(written).toEqual([[ 0, 1, 2 ]]);
  });

  it('keeps rows that a flush could not write.', async(): Promise<void> => {
    failures = 1;
    add(0, 1);
    await expect(queue.flush()).rejects.toThrow('disk full');
    await queue.flush();
    expect(written).toEqual([[ 0 ]]);
  });

  it('loses and repeats nothing when flushed several times at once.', async(): Promise<void> => {
    add(0, 700);
    const first = queue.flush();
    add(700, 800);
    await Promise.all([ first, queue.flush(), queue.flush() ]);
    expect(written.flat()).toEqual(Array.from({ length: 800 }, (_, index): number => index));
  });

  it('refuses new rows if nothing could be written for too long.', (): void => {
    add(0, 50_000);
    expect((): void => queue.add(event(0))).toThrow('The audit log cannot be written');
  });
});
