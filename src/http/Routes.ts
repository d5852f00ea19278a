import type { IncomingMessage } from 'node:http';
import type { JsonSchema } from '../platform/jsonSchema';
import { ownNames } from '../vocabulary';
import type { Mounted } from './mount';
import { allowedMethods, find, mount } from './mount';
import type { Operation } from './Operation';
import { unknownRoute } from './requestLog';
import type { Match } from './Router';
import { Router } from './Router';
import { firstSegment, parseTarget, rawSegments } from './target';

/** The parts of a request that say where it goes. */
export type TargetAndHeaders = Pick<IncomingMessage, 'url'> & Partial<Pick<IncomingMessage, 'headers'>>;

/** The operations and paths of {@link Routes}. */
export interface RoutesOptions<TServices> {
  operations: readonly Operation<TServices>[];
  /** Schemas of bodies, by the names used in the operations. */
  schemas: Readonly<Record<string, JsonSchema>>;
  /** Prefixes of the paths to handle; by default those of the data-sharing service. */
  prefixes?: readonly string[];
  /** Returns the URL to which a request has moved: it gets 308, so that its method and body are kept. */
  findMoved?: (request: TargetAndHeaders) => string | undefined;
}

/** Decides which requests an API handles, and finds their operations by path and method. */
export class Routes<TServices> {
  /** Returns the URL to which a request has moved, if any. */
  public readonly findMoved: NonNullable<RoutesOptions<TServices>['findMoved']>;
  private readonly router: Router<Mounted<TServices>>;
  private readonly prefixes?: readonly string[];

  /** @throws Error when two operations share a method and path, or name one parameter in two ways. */
  public constructor({ operations, schemas, prefixes, findMoved }: RoutesOptions<TServices>) {
    this.router = new Router(mount(operations, schemas));
    this.prefixes = prefixes;
    this.findMoved = findMoved ?? ((): undefined => undefined);
  }

  /** Checks whether the API handles a request: by its path, whatever its method. */
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

  /**
   * Finds the operations at a path.
   *
   * @param segments - Decoded path segments.
   */
  public match(segments: readonly string[]): Match<Mounted<TServices>> | undefined {
    return this.router.match(segments);
  }

  /** Finds the operation for which a request was probably meant. Its path may be malformed. */
  public guess({ url = '/', method = 'GET' }: Pick<IncomingMessage, 'method' | 'url'>): Mounted | undefined {
    const match = this.router.match(rawSegments(url));
    return match && find(match, method);
  }

  /**
   * Describes the path of a request: its route, and the allowed methods in the form of the `Allow` header. The methods
   * are absent when there is no such path.
   */
  public describe({ url = '/' }: Pick<IncomingMessage, 'url'>): { route: string; allowed?: string } {
    const match = this.router.match(rawSegments(url));
    const [ first ] = match?.operations.values() ?? [];
    return { route: first?.path ?? unknownRoute, allowed: match && allowedMethods(match) };
  }

  private mountsWellKnown(url: string): boolean {
    try {
      return this.router.match(parseTarget(url).segments) !== undefined;
    } catch {
      return false;
    }
  }
}
