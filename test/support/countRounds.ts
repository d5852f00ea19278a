/** Counts how often the event loop was free for other work during some work. */
export async function countRounds(act: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let isDone = false;
  function look(): void {
    rounds += 1;
    if (!isDone) {
      setImmediate(look);
    }
  }
  setImmediate(look);
  await act();
  isDone = true;
  return rounds;
}
