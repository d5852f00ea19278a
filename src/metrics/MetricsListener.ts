import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { messageOf } from '../platform/errors';
import type { Logger } from '../platform/logger';
import { RefusedSetting } from '../platform/RefusedSetting';
import type { Counted } from './Metrics';

/** Serves metrics at `/.metrics`, on a port of its own that clients need not reach. */
export class MetricsListener {
  private readonly counted: Counted;
  private readonly logger: Pick<Logger, 'error'>;
  private readonly server: Server;

  /**
   * @param counted - The metrics.
   * @param logger - Logs metrics that cannot be collected.
   */
  public constructor(counted: Counted, logger: Pick<Logger, 'error'>) {
    this.counted = counted;
    this.logger = logger;
    this.server = createServer((request, response): void => this.respond(request, response));
  }

  /** @throws RefusedSetting when nothing can listen there. */
  public async listen(port: number, host: string): Promise<void> {
    try {
      this.server.listen(port, host);
      await once(this.server, 'listening');
    } catch (error: unknown) {
      throw new RefusedSetting(`--metricsPort: nothing can listen there: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Stops listening, and ends the connections. */
  public close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    if (request.url !== '/.metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    this.counted.text().then(
      (text): unknown => response.writeHead(200, [[ 'Content-Type', this.counted.contentType ]]).end(text),
      (error: unknown): void => {
        this.logger.error(`Metrics could not be collected: ${messageOf(error)}`);
        response.writeHead(500).end();
      },
    );
  }
}

/**
 * Parses the setting of the port.
 *
 * @returns Nothing when it is empty.
 *
 * @throws RefusedSetting
 */
export function readMetricsPort(port: unknown): number | undefined {
  if (port === '') {
    return;
  }
  if (!/^\d{1,5}$/u.test(String(port)) || Number(port) < 1 || Number(port) > 65_535) {
    throw new RefusedSetting('--metricsPort must be a port number');
  }
  return Number(port);
}
