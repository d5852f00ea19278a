import { parentPort, workerData } from 'node:worker_threads';
import type { PackageTask } from './judgePackage';
import { judgePackage } from './judgePackage';

/** Judges one package in a thread that `judgeInThread` started, and posts its report as it grows. */
judgePackage(workerData as PackageTask, (report): void => parentPort?.postMessage({ report }))
  .then((report): void => parentPort?.postMessage({ report, isDone: true }))
  .catch((error: unknown): void => {
    throw error;
  });
