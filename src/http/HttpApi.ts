import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../platform/logger';
import type { Clock, NewId } from '../platform/clock';
import type { Problem } from '../problems';
import { CorrelationIdInvalid, PathUnknown } from '../problems';
import { ownIris } from '../vocabulary';
import type { Answer } from './Answer';
import { moved } from './Answer';
import type { CallReader, CallReaderOptions } from './CallReader';
import { identify, isIdentifiable } from './correlationId';
import { assertChangeable } from './conditional';
import type { Exchange } from './Exchange';
import { reportAnswer, traced } from './measure';
import { find, pick } from './mount';
import { Refusals } from './Refusals';
import { logRequest, serverRoute, unknownRoute } from './requestLog';
import type { Routes, TargetAndHeaders } from './Routes';
import { send } from './send';
import type { Target } from './target';
import { firstSegment, parseTarget } from './target';
import { usualMethod } from './usualMethod';

/** Services that the protocol itself needs, beside those of the operations. */
export interface ProtocolServices {
  verifier: CallReaderOptions['verifier'];
  logger: Logger;
  newId: NewId;
  now: Clock;
}

/** Dependencies of an {@link HttpApi}. */
export interface HttpApiOptions<TServices extends ProtocolServices> {
  /** Base URL of this server, with a trailing slash. */
  baseUrl: string;
  routes: Routes<TServices>;
  reader: CallReader;
  /** Passed to the handlers of the operations. */
  services: TServices;
}

/**
 * Handles every request on the paths of this service except OPTIONS, which CORS handles before.
 *
 * {@link Routes} find the operation, and a {@link CallReader} reads the request as the table of operations says. The
 * operation's handler returns the response; for a problem thrown on the way, {@link Refusals} respond instead.
 */
export class HttpApi<TServices extends ProtocolServices = ProtocolServices> {
  private readonly services: TServices;
  private readonly routes: Routes<TServices>;
  private readonly reader: CallReader;
  private readonly refusals: Refusals;

  public constructor({ baseUrl, routes, reader, services }: HttpApiOptions<TServices>) {
    this.services = services;
    this.routes = routes;
    this.reader = reader;
    const { logger, newId, now } = services;
    this.refusals = new Refusals({ problemTypes: ownIris(baseUrl).problems, logger, newId, now });
  }

  /** Checks whether this API handles a request: by its path, whatever its method. */
  public owns(request: TargetAndHeaders): boolean {
    return this.routes.owns(request);
  }

  /** Handles a request. Never rejects: errors become a problem, or are logged when it is too late for that. */
  public async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = this.begin(request, response);
    await traced(exchange, async(): Promise<string> => {
      const startedAt = performance.now();
      const problem = await this.answerOrRefuse(exchange);
      const what = `${usualMethod(request.method)} ${exchange.mounted?.path ?? unknownRoute}`;
      this.logAnswer(exchange, startedAt);
      reportAnswer(what, response.statusCode, startedAt, problem);
      return what;
    });
  }

  /**
   * Describes the path of a request: its route, and the allowed methods in the form of the `Allow` header. The methods
   * are absent when there is no such path.
   */
  public describe(request: Pick<IncomingMessage, 'url'>): { route: string; allowed?: string } {
    return this.routes.describe(request);
  }

  /** Responds with a problem, before the request is read. */
  public turnAway(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
    const exchange = this.begin(request, response);
    exchange.mounted = this.routes.guess(request);
    const startedAt = performance.now();
    this.refusals.refuse(exchange, problem);
    this.logAnswer(exchange, startedAt);
  }

  private begin(request: IncomingMessage, response: ServerResponse): Exchange {
    // The configurator may have assigned an id to the request already.
    const correlationId = identify(request, response, this.services.newId);
    return { request, response, correlationId, root: firstSegment(request.url ?? '/') };
  }

  private logAnswer({ correlationId, mounted, refusal, request, response }: Exchange, startedAt: number): void {
    const route = mounted?.path ?? (this.owns(request) ? unknownRoute : serverRoute);
    const { method } = request;
    const { statusCode: status } = response;
    logRequest(this.services.logger, { correlationId, method, route, status, startedAt, refusal });
  }

  /** Responds, and returns the problem if there was one. */
  private async answerOrRefuse(exchange: Exchange): Promise<unknown> {
    try {
      const answer = await this.answer(exchange);
      await send(exchange.request, exchange.response, answer);
    } catch (error: unknown) {
      this.refusals.refuse(exchange, error);
      return error;
    }
  }

  private async answer(exchange: Exchange): Promise<Answer> {
    const location = this.routes.findMoved(exchange.request);
    if (location !== undefined) {
      return moved(location);
    }
    const target = this.targetOf(exchange);
    const match = this.routes.match(target.segments);
    const method = exchange.request.method ?? 'GET';
    // Known first: its operation decides the media type of every problem.
    exchange.mounted = match && find(match, method);
    assertCorrelationId(exchange);
    if (!match) {
      throw new PathUnknown();
    }
    const mounted = pick(match, method);
    const { operation } = mounted;
    const call = await this.reader.read(exchange, mounted, target, match.params, this.services);
    if (operation.method !== 'GET' && !operation.form) {
      assertChangeable(operation, call.headers);
    }
    return operation.answer(call, this.services);
  }

  /** A malformed path, too, was meant for an operation: that one decides the media type of the problem. */
  private targetOf(exchange: Exchange): Target {
    try {
      return parseTarget(exchange.request.url ?? '/');
    } catch (error: unknown) {
      exchange.mounted = this.routes.guess(exchange.request);
      throw error;
    }
  }
}

/** It must be a UUID when it is given. */
function assertCorrelationId({ request }: Exchange): void {
  if (!isIdentifiable(request)) {
    throw new CorrelationIdInvalid();
  }
}
