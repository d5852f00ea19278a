import { freePort } from '../../../demo/lib/freePort';

describe('A free port', (): void => {
  it('is found once in a process, and not by any other worker of these tests.', async(): Promise<void> => {
    const ports = new Set<number>();
    for (let count = 0; count < 1000; count += 1) {
      ports.add(await freePort());
    }
    expect(ports.size).toBe(1000);
    const others = [ ...ports ].filter((port): boolean => port % 8 !== Number(process.env.JEST_WORKER_ID) % 8);
    expect(others).toEqual([]);
  });
});
