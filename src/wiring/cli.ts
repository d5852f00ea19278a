/* eslint-disable unicorn/no-process-exit -- this is the command line */
import cluster from 'node:cluster';
import { join } from 'node:path';
import type { App } from '@solid/community-server';
import { AppRunner } from '@solid/community-server';

const packageRoot = join(__dirname, '../..');

/** Command-line defaults of this package, where they differ from the server's. */
const defaults: { flags: string[]; environment: string; value: string[] }[] = [
  { flags: [ '-c', '--config' ], environment: 'CSS_CONFIG', value: [ join(packageRoot, 'config/file.json') ]},
  { flags: [ '-f', '--rootFilePath' ], environment: 'CSS_ROOT_FILE_PATH', value: [ './pods' ]},
  { flags: [ '-m', '--mainModulePath' ], environment: 'CSS_MAIN_MODULE_PATH', value: [ packageRoot ]},
];

/**
 * The arguments with this package's defaults for the flags that are neither given nor in the environment.
 *
 * @param argv - Arguments as Node has them: executable and script first.
 */
export function withDefaults(argv: string[], environment: NodeJS.ProcessEnv): string[] {
  const missing = defaults.filter((entry): boolean => environment[entry.environment] === undefined &&
    !argv.some((arg): boolean => entry.flags.some((flag): boolean => arg === flag || arg.startsWith(`${flag}=`))));
  return [ ...argv, ...missing.flatMap(({ flags, value }): string[] => [ flags[1], ...value ]) ];
}

/** Starts the server, and stops it cleanly on SIGTERM and SIGINT: finalizers run, the database is closed. */
export function main(argv: string[]): void {
  run(argv).catch((error: unknown): void => {
    process.stderr.write(`${(error as Error).message.split('\n    at ')[0]}\n`);
    process.exit(1);
  });
}

async function run(argv: string[]): Promise<void> {
  let app: App | undefined;
  let stopping: Promise<void> | undefined;
  function stop(): void {
    stopping ??= stopApp(app);
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A worker whose primary is gone has nobody left to serve for.
  process.on('disconnect', stop);
  app = await new AppRunner().createCli(withDefaults(argv, process.env));
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
