import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonSchema } from '../platform/jsonSchema';
import type { RateLimits } from '../limits/RateLimits';
import type { Logger } from '../platform/logger';
import type { Clock, NewId } from '../platform/clock';
import { BodyInvalid, CorrelationIdInvalid, PathUnknown, Problem, Unavailable } from '../problems';
import { OAuthError } from '../uma/OAuthError';
import { ownIris, ownNames } from '../vocabulary';
import { isOutage, outageSeconds } from '../platform/outage';
import { isTooLongToIndex } from '../platform/tooLong';
import { asksFor } from '../platform/accept';
import type { Answer, JsonAnswer } from './Answer';
import { moved } from './Answer';
import type { CallReaderOptions } from './CallReader';
import { CallReader } from './CallReader';
import { isCorrelationId } from './correlationId';
import type { Exchange } from './Exchange';
import { reportAnswer, traced } from './measure';
import type { Mounted } from './mount';
import { allowedMethods, find, mount, pick } from './mount';
import { oauthError } from './oauthErrors';
import type { Operation } from './Operation';
import { describeForLog, problemDocument } from './problemDocument';
import { ClientGone } from './readBody';
import { describeRefusal, logRequest, serverRoute, unknownRoute } from './requestLog';
import { Router } from './Router';
import { send, sendText } from './send';
import type { Target } from './target';
import { firstSegment, parseTarget, rawSegments } from './target';
import { usualMethod } from './usualMethod';

/** Services that the protocol itself needs, beside those of the operations. */
export interface ProtocolServices {
  verifier: CallReaderOptions['verifier'];
  logger: Logger;
  newId: NewId;
  now: Clock;
}

/** Settings of an {@link HttpApi} that a server chooses. */
export interface HttpApiSettings {
  /** Base URL of this server, with a trailing slash. Tokens are checked against it, never against a Host header. */
  baseUrl: string;
  /** Limits on requests of one caller. */
  limits?: Pick<RateLimits, 'checkCaller'>;
  /** Date from which the deprecated JWS tokens of citizens are no longer accepted, announced to their senders. */
  legacyTokensSunset?: Date;
  maxBodyBytes?: number;
  bodyTimeoutSeconds?: number;
  /** Prefixes of the paths to handle; by default those of the data-sharing service. */
  prefixes?: readonly string[];
  /** Additional claims that operations for clients receive. */
  claims?: readonly string[];
  /** Returns the URL to which a request has moved: it gets 308, so that its method and body are kept. */
  findMoved?: (request: TargetAndHeaders) => string | undefined;
}

/** The parts of a request that say where it goes. */
export type TargetAndHeaders = Pick<IncomingMessage, 'url'> & Partial<Pick<IncomingMessage, 'headers'>>;

/** Dependencies and settings of an {@link HttpApi}. */
export interface HttpApiOptions<TServices extends ProtocolServices> extends HttpApiSettings {
  operations: readonly Operation<TServices>[];
  /** Schemas of bodies, by the names used in the operations. */
  schemas: Readonly<Record<string, JsonSchema>>;
  /** Passed to the handlers of the operations. */
  services: TServices;
  /** Makes the OpenAPI document of the operations, once. */
  openApi: () => object;
}

/**
 * Handles every request on the paths of this service except OPTIONS, which CORS handles before.
 *
 * A {@link CallReader} reads the request as the table of operations says. The operation's handler returns the response;
 * a problem thrown on the way becomes the response instead.
 */
export class HttpApi<TServices extends ProtocolServices = ProtocolServices> {
  private readonly services: TServices;
  private readonly router: Router<Mounted<TServices>>;
  private readonly reader: CallReader;
  private readonly problemTypes: string;
  private readonly prefixes?: readonly string[];
  private readonly findMoved: NonNullable<HttpApiSettings['findMoved']>;

  public constructor(options: HttpApiOptions<TServices>) {
    const { baseUrl, bodyTimeoutSeconds = 10, legacyTokensSunset, limits, maxBodyBytes = 65_536, services } = options;
    this.services = services;
    this.problemTypes = ownIris(baseUrl).problems;
    this.prefixes = options.prefixes;
    this.findMoved = options.findMoved ?? ((): undefined => undefined);
    this.router = new Router(mount(options.operations, options.schemas));
    const gets = options.operations.filter(({ method }): boolean => method === 'GET');
    this.reader = new CallReader({
      verifier: services.verifier,
      limits,
      claims: options.claims,
      bodyLimits: { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutSeconds * 1000 },
      site: {
        baseUrl,
        openApi: remember((): string => JSON.stringify(options.openApi())),
        paths: gets.map(({ path }): string => path),
        indexed: gets.filter(({ indexed }): boolean => indexed === true).map(({ path }): string => path),
      },
      legacyTokensSunset,
    });
  }

  /** Checks whether this API handles a request: by its path, whatever its method. */
  public owns(request: TargetAndHeaders): boolean {
    const url = request.url ?? '/';
    if (this.findMoved(request) !== undefined) {
      return true;
    }
    if (this.prefixes) {
      return this.prefixes.some((prefix): boolean => url.startsWith(prefix));
    }
    const first = firstSegment(url);
    return ownNames.includes(first) || (first === '.well-known' && this.mountsWellKnown(url));
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
    const match = this.router.match(rawSegments(request.url ?? '/'));
    const [ first ] = match?.operations.values() ?? [];
    return { route: first?.path ?? unknownRoute, allowed: match && allowedMethods(match) };
  }

  /** Responds with a problem, before the request is read. */
  public turnAway(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
    const exchange = this.begin(request, response);
    exchange.mounted = this.guessOperation(request);
    const startedAt = performance.now();
    this.refuse(exchange, problem);
    this.logAnswer(exchange, startedAt);
  }

  private begin(request: IncomingMessage, response: ServerResponse): Exchange {
    // The configurator may have assigned an id to the request already.
    const given = response.getHeader('x-correlation-id') ?? request.headers['x-correlation-id'];
    const correlationId = typeof given === 'string' && isCorrelationId(given) ? given : this.services.newId();
    response.setHeader('X-Correlation-Id', correlationId);
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
      this.refuse(exchange, error);
      return error;
    }
  }

  private async answer(exchange: Exchange): Promise<Answer> {
    const location = this.findMoved(exchange.request);
    if (location !== undefined) {
      return moved(location);
    }
    const target = this.targetOf(exchange);
    const match = this.router.match(target.segments);
    const method = exchange.request.method ?? 'GET';
    // Known first: its operation decides the media type of every problem.
    exchange.mounted = match && find(match, method);
    assertCorrelationId(exchange);
    if (!match) {
      throw new PathUnknown();
    }
    const mounted = pick(match, method);
    const call = await this.reader.read(exchange, mounted, target, match.params, this.services);
    return mounted.operation.answer(call, this.services);
  }

  /** A malformed path, too, was meant for an operation: that one decides the media type of the problem. */
  private targetOf(exchange: Exchange): Target {
    try {
      return parseTarget(exchange.request.url ?? '/');
    } catch (error: unknown) {
      exchange.mounted = this.guessOperation(exchange.request);
      throw error;
    }
  }

  private guessOperation({ url = '/', method = 'GET' }: IncomingMessage): Mounted | undefined {
    const match = this.router.match(rawSegments(url));
    return match && find(match, method);
  }

  private refuse(exchange: Exchange, thrown: unknown): void {
    const { request, response, correlationId } = exchange;
    const error = asProblem(thrown);
    if (response.headersSent || response.destroyed || error instanceof ClientGone) {
      exchange.refusal = { reason: 'ended early' };
      this.services.logger.debug(`${correlationId} ended early: ${describeForLog(error)}`);
      response.destroy();
      return;
    }
    exchange.refusal = describeRefusal(error);
    this.log(correlationId, error);
    sendText(request, response, exchange.mounted?.form ? oauthError(error) : this.problemAnswer(exchange, error));
  }

  private problemAnswer(exchange: Exchange, error: unknown): JsonAnswer {
    const document = problemDocument(error, this.problemTypes, this.services.newId(), this.services.now());
    return {
      status: document.status,
      headers: {
        'Content-Type': problemMediaType(exchange),
        'Cache-Control': 'no-store',
        Vary: 'Authorization, DPoP, X-Access-Grant, Accept, Origin',
        'X-Content-Type-Options': 'nosniff',
        ...error instanceof Problem && error.headers,
      },
      text: JSON.stringify(document),
    };
  }

  private log(correlationId: string, error: unknown): void {
    if (!(error instanceof Problem || error instanceof OAuthError) || error.status >= 500) {
      this.services.logger.error(`${correlationId} ${describeForLog(error)}`);
    } else if (error.cause !== undefined) {
      this.services.logger.debug(`${correlationId} ${describeForLog(error)}`);
    }
  }

  private mountsWellKnown(url: string): boolean {
    try {
      return this.router.match(parseTarget(url).segments) !== undefined;
    } catch {
      return false;
    }
  }
}

/** It must be a UUID when it is given. */
function assertCorrelationId({ request }: Exchange): void {
  const given = request.headers['x-correlation-id'];
  if (given !== undefined && !isCorrelationId(given)) {
    throw new CorrelationIdInvalid();
  }
}

/** An outage is a problem for the caller to know of, and so is a text that the database cannot index. */
function asProblem(error: unknown): unknown {
  if (isTooLongToIndex(error)) {
    return new BodyInvalid('A URI in the request is too long to be stored here.', { cause: error });
  }
  return !(error instanceof Problem) && isOutage(error) ?
      new Unavailable(undefined, { cause: error, headers: { 'Retry-After': String(outageSeconds) }}) :
    error;
}

function problemMediaType({ request, root, mounted }: Exchange): string {
  const usual = mounted?.operation.problemMediaType ?? 'application/json';
  const problemJson = 'application/problem+json';
  return root === '.access' || asksFor(request.headers.accept, problemJson, usual) ? problemJson : usual;
}

function remember<T>(make: () => T): () => T {
  let made: T | undefined;
  return (): T => made ??= make();
}
