import { HostGate } from '../../../src/platform/HostGate';

describe('HostGate', (): void => {
  it('refuses tasks beyond the total over all hosts.', async(): Promise<void> => {
    const gate = new HostGate({ perHost: 1, queuePerHost: 1, total: 2 });
    const { signal } = new AbortController();
    const ends: (() => void)[] = [];
    async function task(): Promise<string> {
      return new Promise((resolve): void => {
        ends.push((): void => resolve('done'));
      });
    }
    const running = [ gate.run('a', signal, task), gate.run('b', signal, task) ];
    await expect(gate.run('c', signal, task)).resolves.toBeUndefined();
    ends[0]();
    await expect(running[0]).resolves.toBe('done');
    await expect(gate.run('c', signal, async(): Promise<string> => 'now')).resolves.toBe('now');
  });

  it('gives the slot of a task that failed or gave up to the next.', async(): Promise<void> => {
    const gate = new HostGate({ perHost: 1, queuePerHost: 2, total: 9 });
    const patient = new AbortController();
    const hasty = new AbortController();
    const failure: ((error: Error) => void)[] = [];
    const first = gate.run('a', patient.signal, async(): Promise<string> => new Promise((...[ , reject ]): void => {
      failure.push(reject);
    }));
    const second = gate.run('a', hasty.signal, async(): Promise<string> => 'second');
    const third = gate.run('a', patient.signal, async(): Promise<string> => 'third');
    hasty.abort(new Error('too long'));
    await expect(second).rejects.toThrow('too long');
    failure[0](new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    await expect(third).resolves.toBe('third');
    await expect(gate.run('a', patient.signal, async(): Promise<string> => 'fourth')).resolves.toBe('fourth');
  });
});
