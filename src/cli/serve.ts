/* eslint-disable unicorn/no-process-exit -- this is the command line */
import cluster from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { App } from '@solid/community-server';
import { systemClock } from '../platform/clock';
import { privateUmask } from '../platform/privateUmask';
import { openStartCache } from '../server/start/startCache';
import { PreparingAppRunner } from '../server/start/PreparingAppRunner';
import { QuickAppRunner } from '../server/start/QuickAppRunner';
import { closeOrphans } from '../server/workers/closeOrphans';
import { outliveWorkers } from '../server/workers/outliveWorkers';
import { cssLogger } from '../server/process/CssLogger';
import { drainMessage, shutdown } from '../server/process/shutdown';
import { messageOf } from '../platform/errors';
import { packageRoot } from './serverArguments';

/** Maximum seconds for running requests to end when the server stops. */
const maxStopSeconds = 30;

/**
 * Starts the server. On SIGTERM and SIGINT it stops cleanly: finalizers run, and the database is closed.
 *
 * @param argv - Arguments as Node provides them, with all defaults.
 */
export async function serve(argv: string[]): Promise<void> {
  process.umask(privateUmask);
  closeOrphans(cluster);
  outliveWorkers(cluster);
  let app: App | undefined;
  let stopping: Promise<void> | undefined;
  function stop(): void {
    stopping ??= stopApp(app);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Without the primary process, a worker has nothing to serve.
  process.on('disconnect', stop);
  process.on('message', (message): void => {
    if (message === drainMessage) {
      shutdown.drain().catch((): undefined => undefined);
    }
  });
  process.on('uncaughtException', fail);
  app = await new QuickAppRunner(openStartCache(packageRoot, process.env), systemClock).createCli(argv);
  await start(app);
  tuneForServing();
}

/**
 * Resolves the configuration once for all later starts.
 *
 * @param argv - As for {@link serve}.
 */
export async function prepare(argv: string[]): Promise<void> {
  await new PreparingAppRunner(openStartCache(packageRoot, process.env), systemClock).prepare(argv);
}

/** Changes V8 settings from those that suit starting to those that suit serving. See docs/performance.md. */
function tuneForServing(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--heap-growing-percent=60');
}

/**
 * Ends the process as Node itself does. Because the server does not await listening, the error of a port in use arrives
 * here.
 */
function fail(error: NodeJS.ErrnoException): void {
  process.stderr.write(error.syscall === 'listen' ? `Cannot listen: ${error.message}\n` : `${inspect(error)}\n`);
  process.exit(1);
}

/** Starts the app. If that fails, closes everything that it opened, including the database. */
async function start(app: App): Promise<void> {
  try {
    await app.start();
  } catch (error: unknown) {
    await app.stop().catch((): void => {
      // The error that made the start fail is more useful.
    });
    throw error;
  }
}

/**
 * Reports that the server is not ready for long enough that load balancers notice, then stops listening, lets running
 * requests end, and closes everything.
 */
async function stopApp(app: App | undefined): Promise<void> {
  try {
    for (const worker of Object.values(cluster.workers ?? {})) {
      worker?.send(drainMessage);
    }
    await shutdown.drain();
    const logger = cssLogger('Stop');
    logger.info(`No new connections are accepted. Requests in flight have ${maxStopSeconds} s to end.`);
    await Promise.race([ app?.stop(), late() ]);
    logger.info('Stopped.');
    process.exit(cluster.isWorker || app ? 0 : 130);
  } catch (error: unknown) {
    process.stderr.write(`Could not stop cleanly: ${messageOf(error)}\n`);
    process.exit(1);
  }
}

async function late(): Promise<never> {
  await setTimeout(maxStopSeconds * 1000);
  throw new Error(`requests took longer than ${maxStopSeconds} seconds to end`);
}
