import cluster from 'node:cluster';
import { Initializer } from '@solid/community-server';
import type { Finalizable } from '@solid/community-server';
import { Metrics, metricsOfWorkers } from '../../metrics/Metrics';
import { MetricsListener, readMetricsPort } from '../../metrics/MetricsListener';
import { cssLogger } from '../../server/process/CssLogger';

/** Options of {@link MetricsServer}. */
export interface MetricsServerArgs {
  /** Port of `/.metrics`, or empty for none. */
  metricsPort: string;
  /** Address that it listens on. */
  metricsHost: string;
  /** Number of processes. */
  workers: number;
}

/** Serves the metrics of all processes. Each worker counts, and the primary process adds up. */
export class MetricsServer extends Initializer implements Finalizable {
  private readonly logger = cssLogger('MetricsServer');
  private readonly port?: number;
  private readonly host: string;
  private readonly workers: number;
  private listener?: MetricsListener;
  private metrics?: Metrics;

  public constructor(args: MetricsServerArgs) {
    super();
    const { metricsPort, metricsHost, workers } = args;
    this.port = readMetricsPort(metricsPort);
    this.host = metricsHost;
    this.workers = workers;
  }

  public async handle(): Promise<void> {
    if (this.port === undefined || this.metrics || this.listener) {
      return;
    }
    if (this.workers === 1 || cluster.isWorker) {
      this.metrics = new Metrics();
    }
    if (cluster.isPrimary) {
      this.listener = new MetricsListener(this.metrics ?? metricsOfWorkers(), this.logger);
      await this.listener.listen(this.port, this.host);
    }
  }

  public async finalize(): Promise<void> {
    this.listener?.close();
    this.metrics?.stop();
  }
}
