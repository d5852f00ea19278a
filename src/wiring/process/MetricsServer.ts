import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { Initializer } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { Metrics, metricsOfWorkers } from '../../metrics/Metrics';
import type { Counted } from '../../metrics/Metrics';
import { cssLogger } from '../../server/process/CssLogger';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { messageOf } from '../../platform/errors';

/** Options of {@link MetricsServer}. */
export interface MetricsServerArgs {
  /** Port of `/.metrics`, or empty for none. */
  metricsPort: string;
  /** Address that it listens on. */
  metricsHost: string;
  /** Number of processes. */
  workers: number;
}

/**
 * Serves the metrics on a port of its own that clients need not reach. Each worker counts, and the primary process adds
 * up.
 */
export class MetricsServer extends Initializer implements Finalizable {
  private readonly logger = cssLogger('MetricsServer');
  private readonly port?: number;
  private readonly host: string;
  private readonly workers: number;
  private server?: Server;
  private metrics?: Metrics;

  public constructor(args: MetricsServerArgs) {
    super();
    const { metricsPort, metricsHost, workers } = args;
    this.port = readPort(metricsPort);
    this.host = metricsHost;
    this.workers = workers;
  }

  public async handle(): Promise<void> {
    if (this.port === undefined || this.metrics || this.server) {
      return;
    }
    if (this.workers === 1) {
      this.metrics = new Metrics();
      await this.serve(this.metrics);
    } else if (cluster.isPrimary) {
      await this.serve(metricsOfWorkers());
    } else {
      this.metrics = new Metrics();
    }
  }

  private async serve(counted: Counted): Promise<void> {
    this.server = createServer((request, response): void => {
      if (request.url !== '/.metrics' || request.method !== 'GET') {
        response.writeHead(404).end();
        return;
      }
      counted.text().then(
        (text): unknown => response.writeHead(200, [[ 'Content-Type', counted.contentType ]]).end(text),
        (error: unknown): void => {
          this.logger.error(`Metrics could not be collected: ${messageOf(error)}`);
          response.writeHead(500).end();
        },
      );
    });
    try {
      this.server.listen(this.port, this.host);
      await once(this.server, 'listening');
    } catch (error: unknown) {
      throw new RefusedSetting(`--metricsPort: nothing can listen there: ${messageOf(error)}`, { cause: error });
    }
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
    throw new RefusedSetting('--metricsPort must be a port number');
  }
  return Number(port);
}
