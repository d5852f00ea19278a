/**
 * Waits for another party's work for a limited time. A later outcome is ignored.
 *
 * @throws Error on timeout; otherwise the error of the work.
 */
export async function inTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject): void => {
    const timer = setTimeout((): void => {
      reject(new Error(`no answer in ${timeoutMs / 1000} seconds`));
    }, timeoutMs);
    work().then(resolve, reject).finally((): void => clearTimeout(timer));
  });
}
