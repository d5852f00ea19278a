import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PackageTask } from './validatePackage';
import type { PackageReport } from './Report';
import { newReport, stoppedReport } from './Report';

/** The compiled file, at the same path from the sources and from the compiled code. */
const thread = join(__dirname, '../../../dist/plan-requests/packages/validationThread.js');
const heapMb = 256;
/** Time limit, far more than the largest package needs. Other packages wait meanwhile. */
const defaultMs = 300_000;

interface Message {
  report: PackageReport;
  isDone?: true;
}

/**
 * Validates a package in a thread, so that it blocks nobody else.
 *
 * @param task - The package.
 * @param onProgress - Receives reports of progress.
 * @param signal - Ends the thread.
 * @param maxMs - Time limit; exceeding it is a finding.
 *
 * @throws Error when the package could not be validated. Running out of memory or time is a finding instead.
 */
export async function validateInThread(
  task: PackageTask,
  onProgress: (report: PackageReport) => void,
  signal?: AbortSignal,
  maxMs = defaultMs,
): Promise<PackageReport> {
  return new Promise((resolve, reject): void => {
    let last = newReport();
    const worker = new Worker(thread, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: heapMb }});
    function stop(): void {
      reject(new Error('stopped before the package was validated'));
      worker.terminate().catch(reject);
    }
    const timer = setTimeout((): void => {
      resolve(stoppedReport(last, 'package-too-slow', 'It takes longer than is allowed for one package.'));
      worker.terminate().catch(reject);
    }, maxMs).unref();
    signal?.addEventListener('abort', stop, { once: true });
    worker.on('message', ({ report, isDone }: Message): void => {
      last = report;
      if (isDone) {
        resolve(report);
      } else {
        onProgress(report);
      }
    });
    worker.on('error', (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        resolve(stoppedReport(last, 'package-too-large', 'It needs more memory than is allowed for one package.'));
      } else {
        reject(error);
      }
    });
    worker.on('exit', (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      reject(new Error('the thread ended early'));
    });
  });
}
