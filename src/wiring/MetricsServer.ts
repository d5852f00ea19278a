import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { Initializer } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { Metrics } from '../metrics/Metrics';
import { cssLogger } from './CssLogger';

/** Options of {@link MetricsServer}. */
export interface MetricsServerArgs {
  /** Port of `/.metrics`, or empty for none. */
  metricsPort: string;
  /** Address that it listens on. */
  metricsHost: string;
  /** Number of processes. */
  workers: number;
}

/** Serves what was counted, on a port of its own that clients need not reach. */
export class MetricsServer extends Initializer implements Finalizable {
  private readonly logger = cssLogger('MetricsServer');
  private readonly port?: number;
  private readonly host: string;
  private server?: Server;
  private metrics?: Metrics;

  public constructor(args: MetricsServerArgs) {
    super();
    const { metricsPort, metricsHost, workers } = args;
    this.port = readPort(metricsPort);
    this.host = metricsHost;
    if (this.port !== undefined && workers !== 1) {
      throw new Error('--metricsPort needs a single process: start several nodes instead of --workers');
    }
  }

  public async handle(): Promise<void> {
    if (this.port === undefined || this.server) {
      return;
    }
    const metrics = new Metrics();
    this.metrics = metrics;
    this.server = createServer((request, response): void => {
      if (request.url !== '/.metrics' || request.method !== 'GET') {
        response.writeHead(404).end();
        return;
      }
      metrics.text().then(
        (text): unknown => response.writeHead(200, [[ 'Content-Type', metrics.contentType ]]).end(text),
        (error: unknown): void => {
          this.logger.error(`Metrics could not be collected: ${(error as Error).message}`);
          response.writeHead(500).end();
        },
      );
    });
    this.server.listen(this.port, this.host);
    await once(this.server, 'listening');
  }

  public async finalize(): Promise<void> {
    this.server?.close();
    this.server?.closeAllConnections();
    this.metrics?.stop();
  }
}

function readPort(port: unknown): number | undefined {
  if (port === '') {
    return;
  }
  if (!/^\d{1,5}$/u.test(String(port)) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error('--metricsPort must be a port number');
  }
  return Number(port);
}
