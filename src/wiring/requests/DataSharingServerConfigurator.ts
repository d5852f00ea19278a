import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ServerConfigurator } from '@solid/community-server';
import type { HttpHandler, HttpRequest } from '@solid/community-server';
import { isCorrelationId } from '../../http/correlationId';
import { reportAnswer, usualMethod } from '../../http/measure';
import { cssLogger } from '../process/CssLogger';
import type { DataSharing, RunningService } from '../DataSharing';
import { shutdown } from '../process/shutdown';
import type { BrowserShield } from './BrowserShield';
import { boundConnections, usualBounds } from './boundConnections';
import { correlated } from './correlation';

/**
 * First to see every request: answers those on this package's own paths at once, before anything of the server's is
 * done for them, and leaves all others to the server's own configurator, untouched but for a correlation id.
 */
export class DataSharingServerConfigurator extends ServerConfigurator {
  private readonly logger = cssLogger('DataSharingServerConfigurator');
  private readonly dataSharing: DataSharing;
  private readonly browsers: BrowserShield;
  private readonly cors: HttpHandler;
  private readonly source: ServerConfigurator;
  private running?: RunningService;

  /**
   * @param dataSharing - The service that answers.
   * @param browsers - What requests that are left to the server pass.
   * @param cors - The server's own handler of CORS.
   * @param source - The server's own configurator of requests.
   */
  public constructor(
    dataSharing: DataSharing,
    browsers: BrowserShield,
    cors: HttpHandler,
    source: ServerConfigurator,
  ) {
    super();
    this.dataSharing = dataSharing;
    this.browsers = browsers;
    this.cors = cors;
    this.source = source;
  }

  public async handle(server: Server): Promise<void> {
    shutdown.tell(boundConnections(server, usualBounds));
    // The server's own listeners wait here for the requests that are theirs.
    const others = new EventEmitter();
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- listening is all it does
    await this.source.handleSafe(others as Server);
    server.on('request', (request: IncomingMessage, response: ServerResponse): void => {
      if (this.dataSharing.health.isDraining) {
        // Proxies keep their connections busy: a server that stops would go on for as long as they do.
        response.setHeader('Connection', 'close');
      }
      this.dispatch(request, response, others).catch((error: unknown): void => {
        this.logger.error(`A request could not be answered: ${(error as Error).message}`);
        response.destroy();
      });
    });
  }

  private async dispatch(request: IncomingMessage, response: ServerResponse, others: EventEmitter): Promise<void> {
    if (await this.dataSharing.health.handle(request, response)) {
      return;
    }
    this.running ??= await this.dataSharing.get();
    const { running } = this;
    const correlationId = identify(request, response);
    await correlated(correlationId, async(): Promise<void> => this.serve(request, response, others, running));
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    others: EventEmitter,
    { api, limits }: RunningService,
  ): Promise<void> {
    response.once('finish', (): void => limits.observe(request, response.statusCode));
    const refused = limits.admit(request, response);
    if (refused && request.method !== 'OPTIONS') {
      return this.answer(request, response, async(): Promise<void> => api.turnAway(request, response, refused));
    }
    if (api.owns(request)) {
      if (request.method === 'OPTIONS') {
        tellMethods(response, api.allowedMethods(request));
      }
      return this.answer(request, response, async(): Promise<void> => api.handle(request, response));
    }
    this.browsers.shield(request, response);
    const startedAt = performance.now();
    // What was not read of a body stands in the way of the next request on the connection.
    response.once('finish', (): unknown => request.resume());
    response.once('close', (): void => {
      reportAnswer(`${usualMethod(request.method)} left to the Solid server`, response.statusCode, startedAt);
      const correlationId = response.getHeader('X-Correlation-Id') as string;
      correlated(correlationId, (): void =>
        this.logger.info(`${correlationId} ${request.method} left to the Solid server ${response.statusCode}`));
    });
    others.emit('request', request, response);
  }

  /** Answers here, with the headers of CORS. */
  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    handle: () => Promise<void>,
  ): Promise<void> {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- only headers are read
    const cors = this.cors.handle({ request: request as HttpRequest, response });
    if (request.method === 'OPTIONS') {
      // Answered there, and the promise never resolves.
      return;
    }
    await cors;
    await handle();
  }
}

/** What every answer has: the correlation id of the request, or a new one. */
function identify(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-correlation-id'];
  const correlationId = isCorrelationId(given) ? given : randomUUID();
  response.setHeader('X-Correlation-Id', correlationId);
  return correlationId;
}

/** CORS tells what browsers may send; which methods a path takes is for everybody (RFC 9110, section 9.3.7). */
function tellMethods(response: ServerResponse, allowed?: string): void {
  if (allowed !== undefined) {
    response.setHeader('Allow', allowed);
  }
}
