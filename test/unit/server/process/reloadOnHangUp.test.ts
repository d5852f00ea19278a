import { expectHangUps, reloadOnHangUp } from '../../../../src/server/process/reloadOnHangUp';

describe('SIGHUP', (): void => {
  const logger = { error: jest.fn() };

  // Packages that suites share may listen, too.
  const others = { SIGHUP: process.listeners('SIGHUP'), message: process.listeners('message') };

  beforeAll(expectHangUps);

  afterAll((): void => {
    for (const listener of process.listeners('SIGHUP').filter((own): boolean => !others.SIGHUP.includes(own))) {
      process.off('SIGHUP', listener);
    }
    for (const listener of process.listeners('message').filter((own): boolean => !others.message.includes(own))) {
      process.off('message', listener);
    }
  });

  it('while the process starts reloads once it listens, and a stop waits for that.', async(): Promise<void> => {
    process.emit('SIGHUP', 'SIGHUP');
    process.emit('SIGHUP', 'SIGHUP');
    const log: string[] = [];
    const stop = reloadOnHangUp(async(): Promise<void> => {
      log.push('begins');
      await new Promise(setImmediate);
      log.push('ends');
    }, logger);
    while (log.length === 0) {
      await Promise.resolve();
    }
    await stop();
    expect(log).toEqual([ 'begins', 'ends' ]);
  });

  it('during a reload causes one more, however often it arrives, and none after a stop.', async(): Promise<void> => {
    const ends: (() => void)[] = [];
    const stop = reloadOnHangUp(async(): Promise<void> =>
      new Promise<void>((resolve): unknown => ends.push(resolve)), logger);
    for (let signals = 0; signals < 5; signals += 1) {
      process.emit('SIGHUP', 'SIGHUP');
      await new Promise(setImmediate);
    }
    ends[0]();
    await new Promise(setImmediate);
    expect(ends).toHaveLength(2);
    process.emit('SIGHUP', 'SIGHUP');
    const stopped = stop();
    ends[1]();
    await stopped;
    expect(ends).toHaveLength(2);
  });

  it('while the process stops is ignored.', async(): Promise<void> => {
    const reload = jest.fn(async(): Promise<void> => undefined);
    await reloadOnHangUp(reload, logger)();
    const before = reload.mock.calls.length;
    process.emit('SIGHUP', 'SIGHUP');
    expect(process.listenerCount('SIGHUP')).toBe(others.SIGHUP.length + 1);
    expect(reload).toHaveBeenCalledTimes(before);
  });
});
