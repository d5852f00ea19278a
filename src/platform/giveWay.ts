/** Longest time in ms that work done at once keeps all other work of the process waiting. */
const mostMs = 5;

let turnStartedAt: number | undefined;

/**
 * Whether work has been done at once for so long that other work should come first: a caller that is told so awaits
 * {@link giveWay}.
 */
export function isOverdue(): boolean {
  const now = performance.now();
  if (turnStartedAt === undefined) {
    turnStartedAt = now;
    setImmediate((): void => {
      turnStartedAt = undefined;
    });
  }
  return now - turnStartedAt > mostMs;
}

/** Lets other work of the process come first. */
export async function giveWay(): Promise<void> {
  return new Promise((resolve): void => {
    setImmediate(resolve);
  });
}
