import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  ensureTrailingSlash,
  HttpError,
  ServerConfigurator,
} from '@solid/community-server';
import type { HttpHandler, HttpRequest } from '@solid/community-server';
import { announce } from '../../http/announce';
import { identify, isIdentifiable } from '../../http/correlationId';
import { reportAnswer } from '../../http/measure';
import { logWhenClosed, serverRoute } from '../../http/requestLog';
import { pathProblem } from '../../http/target';
import { usualMethod } from '../../http/usualMethod';
import type { PathRefused } from '../../platform/targets';
import type { Problem } from '../../problems';
import { findLockedOut } from '../../server/outages/unavailable';
import { inLanguageOf } from '../../server/pages/language';
import type { ErrorAnswers } from '../../server/targets/ErrorAnswers';
import { leaveOutLength } from '../../server/headers/leaveOutLength';
import { findRefusal } from '../../server/targets/findRefusal';
import type { RequestTargets } from '../../server/targets/RequestTargets';
import { cssLogger } from '../../server/process/CssLogger';
import type { DataSharing, RunningService } from '../DataSharing';
import { shutdown } from '../../server/process/shutdown';
import { Beginnings } from '../../server/connections/Beginnings';
import { boundConnections, defaultBounds } from '../../server/connections/boundConnections';
import { correlated } from '../../server/connections/correlation';
import { messageOf } from '../../platform/errors';
import { answerUnreadable } from '../../http/answerUnreadable';
import type { HomePage } from '../../server/pages/HomePage';
import type { BrowserShield } from '../../server/accounts/BrowserShield';
import { shieldProblem } from './shieldProblem';

/** Options of {@link DataSharingServerConfigurator}. */
export interface DataSharingServerConfiguratorArgs {
  /** The service. */
  dataSharing: DataSharing;
  /** Gives request targets one form. */
  targets: RequestTargets;
  /** Errors in the server's own form. */
  errors: ErrorAnswers;
  /** Checks requests that are left to the server. */
  browsers: BrowserShield;
  /** The page at `/`. */
  home: HomePage;
  /** The server's own handler of CORS. */
  cors: HttpHandler;
  /** The server's own configurator of requests. */
  source: ServerConfigurator;
  /** Base URL of the server. */
  baseUrl: string;
}

/** Log-ins, which are recorded with the correlation id. */
const loginPaths = '/.account/login/';

/**
 * Gets every request first: normalises its target, handles requests on this package's own paths before any part of the
 * server runs, and leaves all others to the server's own configurator, with a correlation id.
 */
export class DataSharingServerConfigurator extends ServerConfigurator {
  private readonly logger = cssLogger('DataSharingServerConfigurator');
  private readonly args: DataSharingServerConfiguratorArgs;
  /** Starts the requests of a burst gradually, so that running requests continue and health checks get a response. */
  private readonly beginnings = new Beginnings();
  private running?: RunningService;

  public constructor(args: DataSharingServerConfiguratorArgs) {
    super();
    this.args = args;
  }

  public async handle(server: Server): Promise<void> {
    shutdown.add(boundConnections(server, defaultBounds));
    const answersUnreadable = answerUnreadable(server, ensureTrailingSlash(this.args.baseUrl));
    server.on('connection', (): void => this.beginnings.connected());
    // The server's own listeners receive their requests from this emitter.
    const others = new EventEmitter();
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- listening is all it does
    await this.args.source.handleSafe(others as Server);
    server.on('request', (request: IncomingMessage, response: ServerResponse): void => {
      if (request.socket.destroyed || answersUnreadable(request, response)) {
        return;
      }
      if (this.args.dataSharing.health.isDraining) {
        // Proxies keep their connections busy, which would keep a stopping server running.
        response.setHeader('Connection', 'close');
      }
      this.dispatch(request, response, others).catch((error: unknown): void => {
        this.logger.error(`A request could not be answered: ${messageOf(error)}`);
        response.destroy();
      });
    });
  }

  private async dispatch(request: IncomingMessage, response: ServerResponse, others: EventEmitter): Promise<void> {
    const correlationId = identify(request, response, randomUUID);
    const refusal = this.args.targets.read(request);
    const { health } = this.args.dataSharing;
    if (!refusal && health.owns(request) && isIdentifiable(request)) {
      return this.answer(request, response, async(): Promise<void> => health.handle(request, response));
    }
    await this.beginnings.next();
    if (request.socket.destroyed) {
      return;
    }
    this.running ??= await this.args.dataSharing.get();
    const { running } = this;
    await correlated(correlationId, async(): Promise<void> =>
      this.serve(request, response, others, running, refusal));
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    others: EventEmitter,
    { added, api: ownApi, keys, limits, uma }: RunningService,
    refusal: PathRefused | undefined,
  ): Promise<void> {
    response.once('finish', (): void => limits.observe(request, response.statusCode));
    const api = added.find(({ api: other }): boolean => other.owns(request))?.api ?? ownApi;
    const isOurs = api.owns(request);
    const refused = limits.admit(request, response) ?? (isOurs ? this.findProblem(request, refusal) : undefined);
    if (refused && request.method !== 'OPTIONS') {
      return this.answer(request, response, async(): Promise<void> => api.turnAway(request, response, refused));
    }
    if (isOurs) {
      if (request.method === 'OPTIONS') {
        const { allowed, route } = api.describe(request);
        setAllowHeader(response, allowed ?? this.args.dataSharing.health.allowedMethods(request));
        logWhenClosed(this.logger, request, response, route);
      }
      return this.answer(request, response, async(): Promise<void> => api.handle(request, response));
    }
    if (request.url === '/') {
      announce(response, uma.announcement());
    }
    if (!refusal && this.args.home.owns(request)) {
      return this.answer(request, response, async(): Promise<void> => this.args.home.handle(request, response));
    }
    const shielded = this.args.browsers.shield(request, response);
    const error = findRefusal(request, this.args.targets, refusal) ??
      (keys.lacksKeys ? findLockedOut(request) : undefined);
    if (error) {
      logWhenClosed(this.logger, request, response, serverRoute);
      return this.answer(request, response, async(): Promise<void> => inLanguageOf(request, async(): Promise<void> =>
        this.args.errors.answer(request, response, error)));
    }
    if (shielded) {
      const problem = shieldProblem(shielded, request.method);
      return this.answer(request, response, async(): Promise<void> => acceptsPages(request) ?
          this.showProblem(request, response, problem) :
          api.turnAway(request, response, problem));
    }
    const startedAt = performance.now();
    // The unread rest of a body would block the next request on the connection.
    response.once('finish', (): unknown => request.resume());
    response.once('close', (): void =>
      reportAnswer(`${usualMethod(request.method)} ${serverRoute}`, response.statusCode, startedAt));
    logWhenClosed(this.logger, request, response, serverRoute);
    correlated(
      String(response.getHeader('X-Correlation-Id')),
      (): unknown => inLanguageOf(request, (): unknown => others.emit('request', request, response)),
      request.url?.startsWith(loginPaths),
    );
  }

  /** Finds the reason to refuse a request on our paths: its target, or its method on a health endpoint. */
  private findProblem(request: IncomingMessage, refusal: PathRefused | undefined): Problem | undefined {
    return refusal ? pathProblem(refusal) : this.args.dataSharing.health.findWrongMethod(request);
  }

  /** Shows a browser the problem document as a page. */
  private async showProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): Promise<void> {
    logWhenClosed(this.logger, request, response, serverRoute);
    response.setHeaders(new Map(Object.entries(problem.headers)));
    await inLanguageOf(request, async(): Promise<void> =>
      this.args.errors.answer(request, response, new HttpError(problem.status, problem.name, problem.message)));
  }

  /** Handles a request here, with CORS headers. */
  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    handle: () => Promise<void>,
  ): Promise<void> {
    if (request.method === 'OPTIONS') {
      leaveOutLength(response);
    }
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- only headers are read
    const cors = this.args.cors.handle({ request: request as HttpRequest, response });
    if (request.method === 'OPTIONS') {
      // The CORS handler has responded, and the promise never resolves.
      return;
    }
    await cors;
    await handle();
  }
}

/** Checks whether the client displays pages: scripts and other clients accept any type, or name another one. */
function acceptsPages({ headers: { accept = '' }}: IncomingMessage): boolean {
  return /\btext\/html\b/u.test(accept);
}

/** Names the methods of a path for all clients (RFC 9110, section 9.3.7), not only for browsers as CORS does. */
function setAllowHeader(response: ServerResponse, allowed?: string): void {
  if (allowed !== undefined) {
    response.setHeader('Allow', allowed);
  }
}
