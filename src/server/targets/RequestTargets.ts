import type { IncomingMessage } from 'node:http';
import { parseForwarded } from '@solid/community-server';
import type { IdentifierStrategy } from '@solid/community-server';
import { RefusedSetting } from '../../platform/RefusedSetting';
import { canonicalPath, checkNames, PathRefused, setPathBounds } from '../../platform/targets';
import { findRepeatedHeader } from '../headers/findRepeatedHeader';

/** Options of {@link RequestTargets}. */
export interface RequestTargetsArgs {
  /** Recognises URLs of this server. */
  identifierStrategy: IdentifierStrategy;
  /** Maximum segments of a path. */
  maxPathSegments: number;
  /** Maximum bytes of a path. */
  maxPathBytes: number;
}

/** Scheme and authority of a request line in absolute form. */
const absoluteForm = /^https?:\/\/([^/?#]*)/iu;

/** Path prefix of notification streams, followed by the encoded URL of a resource. */
const streams = '/.notifications/StreamingHTTPChannel2023/';

/**
 * Normalises request targets to the form in which the server will read them, before any decision.
 *
 * The bounds on paths apply to the whole process, including URIs in bodies and parameters.
 */
export class RequestTargets {
  private readonly identifierStrategy: IdentifierStrategy;

  /** @throws Error naming the flag of an invalid bound. */
  public constructor(args: RequestTargetsArgs) {
    this.identifierStrategy = args.identifierStrategy;
    setPathBounds({
      maxSegments: readBound('maxPathSegments', args.maxPathSegments, 4),
      maxBytes: readBound('maxPathBytes', args.maxPathBytes, 256),
    });
  }

  /**
   * Replaces the target of a request by its canonical form; a host in the request line replaces the `Host` header. The
   * query stays as it is. A request with two hosts, tokens or media types in its headers is refused as well.
   *
   * @returns The reason to refuse the request, which is then unchanged.
   *
   * @see [RFC 9112, section 3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)
   */
  public read(
    request: Pick<IncomingMessage, 'headers' | 'method' | 'rawHeaders' | 'url'>,
  ): PathRefused | undefined {
    const { url = '/' } = request;
    const repeated = findRepeatedHeader(request.rawHeaders);
    if (repeated !== undefined) {
      return new PathRefused('malformed', `The request has more than one ${repeated} header.`);
    }
    if (url === '*' && request.method === 'OPTIONS') {
      return;
    }
    const [ origin, host ] = absoluteForm.exec(url) ?? [ '' ];
    const relative = url.slice(origin.length);
    const end = relative.indexOf('?');
    const path = end === -1 ? relative : relative.slice(0, end);
    try {
      const isBare = origin !== '' && path === '';
      const canonical = canonicalTarget(isBare ? '/' : path) + requireQuery(end === -1 ? '' : relative.slice(end));
      if (canonical !== url) {
        request.url = canonical;
      }
    } catch (error: unknown) {
      return refusalOf(error);
    }
    if (host !== undefined) {
      request.headers.host = host;
    }
  }

  /** Returns the reason to refuse a request whose canonical target has a name that no storage can store. */
  public findUnfitName({ url = '/' }: Pick<IncomingMessage, 'url'>): PathRefused | undefined {
    try {
      const path = url.split('?', 1)[0];
      checkNames(path.startsWith(streams) ? topicOf(path).path : path);
    } catch (error: unknown) {
      return refusalOf(error);
    }
  }

  /**
   * Checks whether a request is for this server, by the host and scheme in its headers. If so, normalises all of these
   * headers to the same values.
   */
  public isForThisServer({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
    const forwarded = parseForwarded(headers);
    const scheme = forwarded.proto ?? ('encrypted' in socket && socket.encrypted === true ? 'https' : 'http');
    const text = `${scheme}://${forwarded.host ?? headers.host ?? ''}`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    // Nothing but scheme and host: the server's own URLs have no user name or password.
    if (!url || /[*\\]/u.test(text) || url.href !== `${url.protocol}//${url.host}/` ||
      !this.identifierStrategy.supportsIdentifier({ path: url.href })) {
      return false;
    }
    headers.host = url.host;
    headers['x-forwarded-host'] = url.host;
    headers['x-forwarded-proto'] = url.protocol.slice(0, -1);
    return true;
  }
}

function canonicalTarget(path: string): string {
  if (!path.startsWith(streams)) {
    return canonicalPath(path);
  }
  const topic = topicOf(path);
  return streams + encodeURIComponent(topic.origin + canonicalPath(topic.path));
}

/** Returns the resource of a stream. */
function topicOf(path: string): { origin: string; path: string } {
  let topic: string;
  try {
    topic = decodeURIComponent(path.slice(streams.length));
  } catch {
    throw new PathRefused('malformed', 'The path is not correctly percent-encoded.');
  }
  const [ origin ] = absoluteForm.exec(topic) ?? [];
  if (origin === undefined || /[?#]/u.test(topic)) {
    throw new PathRefused('malformed', 'The path does not name a resource.');
  }
  return { origin, path: topic.slice(origin.length) || '/' };
}

/** Refuses a fragment, which clients never send, because parsers disagree on where the target then ends. */
function requireQuery(query: string): string {
  if (query.includes('#')) {
    throw new PathRefused('malformed', 'The request target has a fragment.');
  }
  return query;
}

function refusalOf(error: unknown): PathRefused {
  if (error instanceof PathRefused) {
    return error;
  }
  throw error;
}

/** Parses a bound, because environment variables are strings. */
function readBound(flag: string, value: unknown, least: number): number {
  if (!/^\d{1,5}$/u.test(String(value)) || Number(value) < least) {
    throw new RefusedSetting(`--${flag} must be a whole number from ${least} to 99999`);
  }
  return Number(value);
}
