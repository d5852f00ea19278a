/** Maximum time in ms for which synchronous work blocks all other work of the process. */
const maxMs = 5;

let turnStartedAt: number | undefined;

/**
 * Checks whether work has blocked the process for long enough. If so, the caller awaits {@link giveWay}.
 */
export function isOverdue(): boolean {
  const now = performance.now();
  if (turnStartedAt === undefined) {
    turnStartedAt = now;
    setImmediate((): void => {
      turnStartedAt = undefined;
    });
  }
  return now - turnStartedAt > maxMs;
}

/** Lets other work of the process run first. */
export async function giveWay(): Promise<void> {
  return new Promise((resolve): void => {
    setImmediate(resolve);
  });
}
