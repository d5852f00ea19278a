import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { codeOf, messageOf } from '../platform/errors';
import { valueOf, valuesOf } from './valuesOf';

const flags = [ '-p', '--port' ];
const defaultPort = 3000;

/**
 * Checks that the port is free, before the server is loaded and reports that it listens. Skipped in workers, which
 * share the port of their primary process.
 *
 * @param argv - Arguments of the start.
 * @param environment - Environment; `CSS_PORT` applies when no flag is given.
 *
 * @throws Error that names the port, when there is no such port, another process uses it or this one lacks permission.
 */
export async function requireFreePort(argv: string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const port = portOf(argv, environment);
  if (!cluster.isPrimary || port === undefined) {
    return;
  }
  const probe = createServer();
  try {
    probe.listen(port);
    await once(probe, 'listening');
  } catch (error: unknown) {
    throw new Error(describe(port, error), { cause: error });
  }
  probe.close();
  await once(probe, 'close');
}

/**
 * Returns the port of a start; `undefined` when it listens on a Unix socket.
 *
 * @throws Error that names the flag, when it is not the number of a port.
 */
function portOf(argv: string[], environment: NodeJS.ProcessEnv): number | undefined {
  if (environment.CSS_SOCKET !== undefined || valuesOf(argv, [ '--socket' ])) {
    return;
  }
  const text = valueOf(argv, flags, environment.CSS_PORT ?? String(defaultPort));
  const port = Number(text);
  if (!/^\d+$/u.test(text) || port < 1 || port > 65_535) {
    throw new Error(`--port must be a whole number from 1 to 65535, not ${JSON.stringify(text)}`);
  }
  return port;
}

function describe(port: number, error: unknown): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use: choose another by --port, or stop the process that listens there.`;
  }
  return code === 'EACCES' ? `This user may not listen on port ${port}: choose another by --port.` : messageOf(error);
}
