import type { Writable } from 'node:stream';

const outlived = new WeakSet<Writable>();

/**
 * Keeps this process running when its log cannot be written, as on a full disk: lines are lost until there is space.
 * Otherwise the first failed write would end the process.
 */
export function ignoreLogFailures(): void {
  for (const stream of [ process.stdout, process.stderr ]) {
    if (!outlived.has(stream)) {
      outlived.add(stream);
      stream.on('error', (): undefined => undefined);
    }
  }
}
