/**
 * Waits for work of another party for a limited time. A later outcome is ignored.
 *
 * @throws Error when it takes longer; else as the work does.
 */
export async function inTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject): void => {
    const timer = setTimeout((): void => {
      reject(new Error(`no answer in ${timeoutMs / 1000} seconds`));
    }, timeoutMs);
    work().then(resolve, reject).finally((): void => clearTimeout(timer));
  });
}
