/* eslint-disable unicorn/no-process-exit -- this is the command line */
import cluster from 'node:cluster';
import type { App } from '@solid/community-server';
import { AppRunner } from '@solid/community-server';

/**
 * Starts the server, and stops it cleanly on SIGTERM and SIGINT: finalizers run, the database is closed.
 *
 * @param argv - Arguments as Node has them, with all defaults.
 */
export async function serve(argv: string[]): Promise<void> {
  let app: App | undefined;
  let stopping: Promise<void> | undefined;
  function stop(): void {
    stopping ??= stopApp(app);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A worker whose primary is gone has nobody left to serve for.
  process.on('disconnect', stop);
  app = await new AppRunner().createCli(argv);
  await start(app);
}

/** A start that fails closes what it opened, the database among it. */
async function start(app: App): Promise<void> {
  try {
    await app.start();
  } catch (error: unknown) {
    await app.stop().catch((): void => {
      // Why it did not start says more.
    });
    throw error;
  }
}

async function stopApp(app: App | undefined): Promise<void> {
  try {
    await app?.stop();
    process.exit(cluster.isWorker || app ? 0 : 130);
  } catch (error: unknown) {
    process.stderr.write(`Could not stop cleanly: ${(error as Error).message}\n`);
    process.exit(1);
  }
}
