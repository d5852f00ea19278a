import { setTimeout } from 'node:timers/promises';
import { ContextTime } from '../../../../src/server/outside/ContextTime';

async function slow(): Promise<string> {
  return setTimeout(30, 'context');
}

describe('The contexts of a document', (): void => {
  it('have a limited time, together.', async(): Promise<void> => {
    const time = new ContextTime(50);
    await expect(time.wait(slow)).resolves.toBe('context');
    await expect(time.wait(slow)).resolves.toBe('context');
    await expect(time.wait(slow)).rejects.toThrow('take too long');
  });

  it('that are fetched at once count once.', async(): Promise<void> => {
    const time = new ContextTime(55);
    await Promise.all([ time.wait(slow), time.wait(slow), time.wait(slow) ]);
    await expect(time.wait(slow)).resolves.toBe('context');
  });

  it('that never come are given up.', async(): Promise<void> => {
    const time = new ContextTime(50);
    await expect(time.wait(async(): Promise<never> => new Promise((): void => {
      // Never resolves.
    }))).rejects.toThrow('no answer in 1 seconds');
    await expect(time.wait(slow)).rejects.toThrow('take too long');
  });
});
