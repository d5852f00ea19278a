import { parentPort, workerData } from 'node:worker_threads';
import type { PackageTask } from './validatePackage';
import { validatePackage } from './validatePackage';

/** Validates one package in a thread that `validateInThread` started, and posts its report as it grows. */
validatePackage(workerData as PackageTask, (report): void => parentPort?.postMessage({ report }))
  .then((report): void => parentPort?.postMessage({ report, isDone: true }))
  .catch((error: unknown): void => {
    throw error;
  });
