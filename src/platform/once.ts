/** Returns a function that does the work at its first call, and nothing at later ones. */
export function once(work: () => void): () => void {
  let isDone = false;
  return (): void => {
    if (!isDone) {
      isDone = true;
      work();
    }
  };
}
