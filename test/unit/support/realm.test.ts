import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** A suite that leaves behind a spy, globals and environment variables, in a process of its own. */
const suite = `
  const Environment = require(process.argv[1]);
  const before = { write: process.stdout.write, fetch, HOME: process.env.HOME };
  (async() => {
    const projectConfig = { fakeTimers: {}, globals: {}, testEnvironmentOptions: {}};
    const environment = new Environment({ globalConfig: {}, projectConfig }, {});
    environment.moduleMocker.spyOn(process.stdout, 'write').mockReturnValue(true);
    environment.fakeTimersModern.useFakeTimers();
    globalThis.fetch = () => {};
    Reflect.deleteProperty(globalThis, 'URL');
    Object.assign(process.env, { HOME: '/elsewhere', LEFT: 'over' });
    await environment.teardown();
    process.stdout.write(JSON.stringify({
      spy: process.stdout.write !== before.write,
      fetch: fetch !== before.fetch,
      url: typeof URL,
      timers: 'clock' in Date,
      variables: [ process.env.HOME === before.HOME, process.env.LEFT ],
    }));
  })();
`;

describe('The realm that suites share', (): void => {
  it('is as before after a suite that left everything changed.', (): void => {
    const environment = join(__dirname, '../../support/OneRealmEnvironment.js');
    const { stdout, stderr } = spawnSync(process.execPath, [ '-e', suite, environment ], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      spy: false,
      fetch: false,
      url: 'function',
      timers: false,
      variables: [ true, null ],
    });
  });
});
