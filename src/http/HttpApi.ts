/* eslint-disable @typescript-eslint/naming-convention -- names on the wire */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Span } from '@opentelemetry/api';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { answeredRequests } from '../diagnostics';
import type { RateLimits } from '../limits/RateLimits';
import {
  CorrelationIdInvalid,
  MethodNotAllowed,
  PathUnknown,
  Problem,
  TokenInvalid,
  TokenMissing,
  TokenNotAccepted,
  Unavailable,
} from '../problems';
import type { Caller } from '../tokens/Caller';
import { OAuthError } from '../uma/OAuthError';
import { ownIris, ownNames } from '../vocabulary';
import { asksFor } from './accept';
import type { Answer } from './Answer';
import { isCorrelationId } from './correlationId';
import { parseJson } from './json';
import { oauthError } from './oauthErrors';
import { openApi } from './openApi';
import type { ApiSite, Call, FormSpec, Method, Operation, QueryValues } from './Operation';
import { isOutage } from './outage';
import { describeForLog, problemDocument } from './problemDocument';
import { bodyMissing, checkFormType, checkJsonType, ClientGone, hasBody, readBody } from './readBody';
import type { Match } from './Router';
import { Router } from './Router';
import { operations } from './routes';
import { send, sendText } from './send';
import type { Services } from './Services';
import type { Target } from './target';
import { firstSegment, parseTarget } from './target';
import { SchemaValidator } from './validation';

/** What an {@link HttpApi} is made of. */
export interface HttpApiOptions {
  /** Of this server: an origin with a trailing slash. Tokens are checked against it, never against a Host header. */
  baseUrl: string;
  services: Services;
  /** Limits on what one caller may ask. */
  limits?: Pick<RateLimits, 'checkCaller'>;
  /** Version that the OpenAPI document names. */
  buildId: string;
  /** Value that `aud` of tokens must contain: for the OpenAPI document. */
  audience?: string;
  /** When the deprecated JWS tokens of citizens will no longer be taken: for those who send them to know. */
  legacyTokensSunset?: Date;
  maxBodyBytes?: number;
  bodyTimeoutSeconds?: number;
}

/** An operation, ready to be called. */
interface Mounted {
  method: Method;
  path: string;
  operation: Operation;
  readQuery?: (query: string) => QueryValues;
  checkBody?: (json: unknown) => void;
  readForm?: (form: string) => QueryValues;
}

/** One request and what is known of it so far. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  correlationId: string;
  /** `.access` or `v1`, as the path begins. */
  root: string;
  mounted?: Mounted;
}

/** Does nothing unless the operator registers an SDK. */
const tracer = trace.getTracer('css-data-sharing');

/** When a client should ask again what an outage kept from being answered. */
const outageSeconds = 5;
/** Of the JWS tokens of citizens. */
const deprecatedSince = new Date('2025-01-01T00:00:00Z');

/** Answers every request on the paths of this service, but for OPTIONS: CORS does, before they come here. */
export class HttpApi {
  private readonly services: Services;
  private readonly limits: HttpApiOptions['limits'];
  private readonly router: Router<Mounted>;
  private readonly origin: string;
  private readonly problemTypes: string;
  private readonly site: ApiSite;
  private readonly bodyLimits: { maxBytes: number; timeoutMs: number };
  private readonly deprecation: Record<string, string>;

  public constructor(options: HttpApiOptions) {
    this.services = options.services;
    this.limits = options.limits;
    this.origin = new URL(options.baseUrl).origin;
    this.problemTypes = ownIris(options.baseUrl).problems;
    this.bodyLimits = {
      maxBytes: options.maxBodyBytes ?? 65_536,
      timeoutMs: (options.bodyTimeoutSeconds ?? 10) * 1000,
    };
    this.deprecation = deprecationHeaders(options.legacyTokensSunset);
    this.router = new Router(mount(operations));
    const document = remember((): string => JSON.stringify(openApi(operations, options)));
    this.site = { baseUrl: options.baseUrl, openApi: document };
  }

  /** Whether a request is answered here: by its path, whatever its method. */
  public owns(request: Pick<IncomingMessage, 'url'>): boolean {
    const url = request.url ?? '/';
    const first = firstSegment(url);
    return ownNames.includes(first) || (first === '.well-known' && this.mountsWellKnown(url));
  }

  /** Answers a request. Never rejects: what goes wrong is answered as a problem, or logged when it is too late. */
  public async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = this.begin(request, response);
    await tracer.startActiveSpan('request', { kind: SpanKind.SERVER }, async(span): Promise<void> => {
      const started = performance.now();
      const problem = await this.answerOrRefuse(exchange);
      const what = `${methodOf(request)} ${exchange.mounted?.path ?? 'unknown path'}`;
      this.services.logger.info(`${exchange.correlationId} ${what} ${response.statusCode}`);
      report(what, response.statusCode, (performance.now() - started) / 1000, problem);
      endSpan(span, what, exchange);
    });
  }

  /** Answers, and tells with which problem if it was one. */
  private async answerOrRefuse(exchange: Exchange): Promise<unknown> {
    try {
      const answer = await this.answer(exchange);
      await send(exchange.request, exchange.response, answer);
    } catch (error: unknown) {
      this.refuse(exchange, error);
      return error;
    }
  }

  /** Answers a request with a problem, before anything is known of it. */
  public turnAway(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
    const exchange = this.begin(request, response);
    this.refuse(exchange, problem);
    this.services.logger.info(`${exchange.correlationId} ${request.method} turned away ${problem.status}`);
  }

  private begin(request: IncomingMessage, response: ServerResponse): Exchange {
    // Whoever hands requests on here may have identified them already.
    const given = response.getHeader('x-correlation-id') ?? request.headers['x-correlation-id'];
    const correlationId = typeof given === 'string' && isCorrelationId(given) ? given : this.services.newId();
    response.setHeader('X-Correlation-Id', correlationId);
    return { request, response, correlationId, root: firstSegment(request.url ?? '/') };
  }

  private async answer(exchange: Exchange): Promise<Answer> {
    const target = parseTarget(exchange.request.url ?? '/');
    const match = this.router.match(target.segments);
    if (!match) {
      throw new PathUnknown();
    }
    // Known first: its operation decides the media type of every problem.
    const mounted = pick(match, exchange.request.method ?? 'GET');
    exchange.mounted = mounted;
    this.checkCorrelationId(exchange);
    const call = await this.parse(exchange, mounted, target, match.params);
    return mounted.operation.answer(call as Call<never, never>, this.services);
  }

  /** Caller, query, body, in this order: who may not ask is told nothing about how. */
  private async parse(
    exchange: Exchange,
    mounted: Mounted,
    target: Target,
    params: Record<string, string>,
  ): Promise<Call> {
    const url = `${this.origin}${target.raw}`;
    const caller = await this.authenticate(exchange, mounted.operation, url);
    if (caller?.kind === 'citizen-jws') {
      for (const [ name, value ] of Object.entries(this.deprecation)) {
        exchange.response.setHeader(name, value);
      }
    }
    return {
      caller,
      params,
      query: mounted.readQuery?.(target.query) ?? {},
      body: mounted.readForm ?
          await this.readFields(exchange.request, mounted.operation.form!, mounted.readForm) :
          await this.readJson(exchange.request, mounted),
      headers: exchange.request.headers,
      context: { correlationId: exchange.correlationId, app: caller?.app },
      path: `/${target.segments.join('/')}`,
      url,
      site: this.site,
    };
  }

  private checkCorrelationId({ request, root }: Exchange): void {
    const given = request.headers['x-correlation-id'];
    if (root === 'v1' && given !== undefined && !isCorrelationId(given)) {
      throw new CorrelationIdInvalid();
    }
  }

  private async authenticate(
    { request, response }: Exchange,
    { caller: kind, tokenRefusedAs403 }: Operation,
    url: string,
  ): Promise<Caller | undefined> {
    if (kind === 'none') {
      return undefined;
    }
    const { authorization, dpop } = request.headers;
    const tokenRequest = { authorization, dpop, method: request.method ?? 'GET', url };
    try {
      const caller = await this.services.verifier.verify(tokenRequest, { citizen: kind === 'citizen' });
      if (kind === 'webid' && caller.webId === undefined) {
        throw new TokenInvalid('The token has no webid.');
      }
      if (caller.webId !== undefined) {
        this.limits?.checkCaller(caller.webId, response);
      }
      return caller;
    } catch (error: unknown) {
      if (tokenRefusedAs403 && (error instanceof TokenMissing || error instanceof TokenInvalid)) {
        throw new TokenNotAccepted(error.detail, { cause: error });
      }
      throw error;
    }
  }

  private async readJson(request: IncomingMessage, { operation, checkBody }: Mounted): Promise<unknown> {
    const { body: spec } = operation;
    if (!spec) {
      return undefined;
    }
    if (!hasBody(request)) {
      if (spec.optional) {
        return undefined;
      }
      throw bodyMissing();
    }
    checkJsonType(request);
    const limits = { ...this.bodyLimits, ...spec.maxBytes && { maxBytes: spec.maxBytes }};
    const json = parseJson(await readBody(request, limits));
    const body = spec.normalise ? spec.normalise(json) : json;
    checkBody!(body);
    return body;
  }

  private async readFields(
    request: IncomingMessage,
    { maxBytes }: FormSpec,
    readForm: NonNullable<Mounted['readForm']>,
  ): Promise<QueryValues> {
    checkFormType(request);
    return readForm((await readBody(request, { ...this.bodyLimits, ...maxBytes && { maxBytes }})).toString());
  }

  private refuse(exchange: Exchange, thrown: unknown): void {
    const { request, response, correlationId } = exchange;
    const error = asProblem(thrown);
    if (response.headersSent || response.destroyed || error instanceof ClientGone) {
      this.services.logger.info(`${correlationId} ended early: ${(error as Error).message}`);
      response.destroy();
      return;
    }
    this.log(correlationId, error);
    if (exchange.mounted?.readForm) {
      sendText(request, response, oauthError(error));
      return;
    }
    const document = problemDocument(error, this.problemTypes, this.services.newId(), this.services.now());
    sendText(request, response, {
      status: document.status,
      headers: {
        'Content-Type': problemMediaType(exchange),
        'Cache-Control': 'no-store',
        Vary: 'Authorization, DPoP, X-Access-Grant, Accept, Origin',
        'X-Content-Type-Options': 'nosniff',
        ...error instanceof Problem && error.headers,
      },
      text: JSON.stringify(document),
    });
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

/** An outage is a problem for the caller to know of. */
function asProblem(error: unknown): unknown {
  return !(error instanceof Problem) && isOutage(error) ?
      new Unavailable(undefined, { cause: error, headers: { 'Retry-After': String(outageSeconds) }}) :
    error;
}

/** For whoever measures. */
function report(operation: string, status: number, seconds: number, error: unknown): void {
  if (answeredRequests.isHeard) {
    const problem = error instanceof Problem ? { problem: error.type || undefined } : {};
    const reason = error instanceof TokenInvalid || error instanceof TokenNotAccepted ? { reason: error.detail } : {};
    answeredRequests.publish({ operation, status, seconds, ...problem, ...reason });
  }
}

/** @see [Semantic conventions for HTTP spans](https://opentelemetry.io/docs/specs/semconv/http/http-spans/) */
function endSpan(span: Span, operation: string, { request, response, correlationId, mounted }: Exchange): void {
  if (span.isRecording()) {
    span.updateName(operation);
    span.setAttributes({
      'http.request.method': methodOf(request),
      'http.route': mounted?.path,
      'http.response.status_code': response.statusCode,
      'css_data_sharing.correlation_id': correlationId,
    });
    if (response.statusCode >= 500) {
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}

/** Callers may send any method: what is no usual one is not repeated. */
function methodOf({ method = '' }: IncomingMessage): string {
  return [ 'GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS' ].includes(method) ? method : '_OTHER';
}

function mount(all: readonly Operation[]): Mounted[] {
  const validator = new SchemaValidator();
  return all.map((operation): Mounted => ({
    method: operation.method,
    path: operation.path,
    operation,
    readQuery: operation.query && validator.query(operation.query),
    checkBody: operation.body && validator.body(operation.body.schema),
    readForm: operation.form && validator.query(operation.form.fields),
  }));
}

function pick(match: Match<Mounted>, method: string): Mounted {
  const mounted = match.operations.get(method === 'HEAD' ? 'GET' : method as Method);
  if (!mounted) {
    throw new MethodNotAllowed(undefined, { headers: { Allow: allowed(match) }});
  }
  return mounted;
}

function allowed({ operations: mounted }: Match<Mounted>): string {
  return [ ...mounted.keys(), ...mounted.has('GET') ? [ 'HEAD' ] : [], 'OPTIONS' ].join(', ');
}

function problemMediaType({ request, root, mounted }: Exchange): string {
  if (root === '.access' || asksFor(request.headers.accept, 'application/problem+json')) {
    return 'application/problem+json';
  }
  return mounted?.operation.problemMediaType ?? 'application/json';
}

/**
 * @see [RFC 9745, section 2](https://www.rfc-editor.org/rfc/rfc9745#section-2)
 * @see [RFC 8594, section 3](https://www.rfc-editor.org/rfc/rfc8594#section-3)
 */
function deprecationHeaders(sunset: Date | undefined): Record<string, string> {
  return {
    Deprecation: `@${Math.floor(deprecatedSince.getTime() / 1000)}`,
    ...sunset && { Sunset: sunset.toUTCString() },
  };
}

function remember<T>(make: () => T): () => T {
  let made: T | undefined;
  return (): T => made ??= make();
}
