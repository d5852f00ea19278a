import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PackageTask } from './judgePackage';
import type { PackageReport } from './Report';
import { newReport } from './Report';

/** The same file from the sources and from what they are compiled to. */
const thread = join(__dirname, '../../../dist/plan-requests/packages/judgeThread.js');
const heapMb = 256;

interface Message {
  report: PackageReport;
  isDone?: true;
}

/**
 * Judges a package in a thread, so that nobody else waits for it.
 *
 * @param task - The package.
 * @param tell - Hears of progress.
 * @param signal - Ends it.
 *
 * @throws Error when it could not be judged; a package that needs more memory than there is has a finding.
 */
export async function judgeInThread(
  task: PackageTask,
  tell: (report: PackageReport) => void,
  signal?: AbortSignal,
): Promise<PackageReport> {
  return new Promise((resolve, reject): void => {
    let last = newReport();
    const worker = new Worker(thread, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: heapMb }});
    function stop(): void {
      reject(new Error('ended before the package was judged'));
      worker.terminate().catch(reject);
    }
    signal?.addEventListener('abort', stop, { once: true });
    worker.on('message', ({ report, isDone }: Message): void => {
      last = report;
      if (isDone) {
        resolve(report);
      } else {
        tell(report);
      }
    });
    worker.on('error', (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        const step = last.steps.Archive === 'Passed' ? 'Schema' : 'Archive';
        const message = 'It needs more memory than there is for one package.';
        last.findings.push({ step, rule: 'package-too-large', message });
        resolve({ ...last, progress: 100, steps: { ...last.steps, [step]: 'Failed' }});
      } else {
        reject(error);
      }
    });
    worker.on('exit', (): void => {
      signal?.removeEventListener('abort', stop);
      reject(new Error('the thread ended early'));
    });
  });
}
