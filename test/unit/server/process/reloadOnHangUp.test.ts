import { expectHangUps, reloadOnHangUp } from '../../../../src/server/process/reloadOnHangUp';

describe('SIGHUP', (): void => {
  const logger = { error: jest.fn() };

  beforeAll(expectHangUps);

  afterAll((): void => {
    process.removeAllListeners('SIGHUP');
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
    await stop();
    expect(log).toEqual([ 'begins', 'ends' ]);
  });

  it('while the process stops is ignored.', async(): Promise<void> => {
    const reload = jest.fn(async(): Promise<void> => undefined);
    await reloadOnHangUp(reload, logger)();
    const before = reload.mock.calls.length;
    process.emit('SIGHUP', 'SIGHUP');
    expect(process.listenerCount('SIGHUP')).toBe(1);
    expect(reload).toHaveBeenCalledTimes(before);
  });
});
