import type { Writable } from 'node:stream';

const outlived = new WeakSet<Writable>();

/**
 * Lets this process go on when its log cannot be written, as on a full disk: lines are lost until there is room.
 * Without this the first of them would end it.
 */
export function outliveLog(): void {
  for (const stream of [ process.stdout, process.stderr ]) {
    if (!outlived.has(stream)) {
      outlived.add(stream);
      stream.on('error', (): undefined => undefined);
    }
  }
}
