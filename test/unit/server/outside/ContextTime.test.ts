import { ContextTime } from '../../../../src/server/outside/ContextTime';

describe('The contexts of a document', (): void => {
  let now: number;
  let time: ContextTime;

  beforeEach((): void => {
    now = 0;
    time = new ContextTime(50, (): number => now);
  });

  async function slow(): Promise<string> {
    now += 30;
    return 'context';
  }

  it('have a limited time, together.', async(): Promise<void> => {
    await expect(time.wait(slow)).resolves.toBe('context');
    await expect(time.wait(slow)).resolves.toBe('context');
    await expect(time.wait(slow)).rejects.toThrow('take too long');
  });

  it('that are fetched at once count once.', async(): Promise<void> => {
    let arrive!: (context: string) => void;
    const context = new Promise<string>((resolve): void => {
      arrive = resolve;
    });
    const fetched = [ 1, 2, 3 ].map(async(): Promise<string> => time.wait(async(): Promise<string> => context));
    now = 30;
    arrive('context');
    await Promise.all(fetched);
    await expect(time.wait(slow)).resolves.toBe('context');
    await expect(time.wait(slow)).rejects.toThrow('take too long');
  });

  it('that never come are given up.', async(): Promise<void> => {
    const never = time.wait(async(): Promise<never> => new Promise((): void => {
      // Never resolves.
    }));
    now = 60;
    await expect(never).rejects.toThrow('no answer in 0.05 seconds');
    await expect(time.wait(slow)).rejects.toThrow('take too long');
  });
});
