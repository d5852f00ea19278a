import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Client } from 'undici';
import { before } from './before';
import { FetchFailed, FetchRefused, isFetchError } from './fetchErrors';
import { checkScheme, hostOf } from './guardedLookup';
import { HostGate } from './HostGate';
import type { KeptConnection } from './KeptConnection';
import { lookUpAddresses } from './lookUpAddresses';
import { isReachable } from './publicAddress';
import { siteOf } from './siteOf';

/** Options of a request. */
export interface FetchRequest {
  /** Value of the `Accept` header. */
  accept: string;
  /**
   * True when the URL is in the operator's settings, or in a document of a server that is: http and every address are
   * allowed, also after redirects within that origin.
   */
  fromSettings?: boolean;
  /** A request other than a plain GET. It is only sent to this URL: redirects are not followed. */
  send?: SentRequest;
}

/** A request with headers or a body of its own. */
export interface SentRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /**
   * Connection to reuse and keep for the next request. A request may arrive twice: when a kept connection breaks, it is
   * sent again over a new one, because servers close idle connections.
   */
  over?: KeptConnection;
}

/** A complete response. */
export interface Fetched {
  status: number;
  /** Media type in lower case, without parameters; '' when there is none. */
  contentType: string;
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** URL of the body, after redirects. */
  url: string;
}

/**
 * Fetches a URL named by a caller. Responses of any status are returned; only redirects of a plain GET are followed.
 *
 * @throws FetchRefused, FetchFailed
 */
export type GuardedFetch = (url: string, request: FetchRequest) => Promise<Fetched>;

/** Options of {@link createGuardedFetch}. */
export interface GuardedFetchOptions {
  /** Allows http and loopback addresses: for development and tests only. */
  allowLoopback: boolean;
  /** Timeout for everything together: waiting for a place, names, redirects, the body. Default 5,000. */
  timeoutMs?: number;
  /** Maximum bytes of a body. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Maximum concurrent requests to one site, see {@link siteOf}. Default 4. */
  perHost?: number;
  /** Maximum waiting requests for one site. Default 16. */
  queuePerHost?: number;
  /** Maximum running and waiting requests for all sites; as many again for URLs from settings. Default 64. */
  total?: number;
  /**
   * Resolves all addresses of a host name. Default: {@link lookUpAddresses}, and the system's own look-up for URLs from
   * settings.
   */
  resolve?: (hostname: string) => Promise<LookupAddress[]>;
}

const maxRedirects = 3;

const unreachable = 'the server cannot be reached';

/**
 * Creates a fetch that cannot be used against the operator's own network: https only, public addresses only, connecting
 * to the very addresses that were checked, each redirect checked again; no credentials, no cookies, no compression.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const guard = new Guard(options);
  return async(url, request): Promise<Fetched> => guard.fetch(url, request);
}

class Guard {
  private readonly allowLoopback: boolean;
  private readonly timeoutMs: number;
  private readonly maxBodyBytes: number;
  private readonly gate: HostGate;
  /** Separate places for URLs from settings, which URLs named by callers cannot occupy. */
  private readonly settingsGate: HostGate;
  private readonly resolve: (hostname: string, isFromSettings: boolean) => Promise<LookupAddress[]>;

  public constructor(options: GuardedFetchOptions) {
    this.allowLoopback = options.allowLoopback;
    this.timeoutMs = options.timeoutMs ?? 5000;
    this.maxBodyBytes = options.maxBodyBytes ?? 1024 * 1024;
    const { perHost = 4, queuePerHost = 16, total = 64 } = options;
    const bounds = { perHost, queuePerHost, total };
    this.gate = new HostGate(bounds);
    this.settingsGate = new HostGate(bounds);
    this.resolve = options.resolve ?? (async(hostname, isFromSettings): Promise<LookupAddress[]> =>
      isFromSettings ? lookup(hostname, { all: true, verbatim: true }) : lookUpAddresses(hostname));
  }

  public async fetch(start: string, request: FetchRequest): Promise<Fetched> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    const first = parseUrl(start);
    let url = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const exempt = request.fromSettings === true && url.origin === first.origin;
      const answer = await this.hop(url, request, exempt, signal);
      const location = request.send ? undefined : redirectTarget(answer);
      if (location === undefined) {
        return answer;
      }
      const next = parseUrl(location, url.href);
      if (url.protocol === 'https:' && next.protocol !== 'https:') {
        throw new FetchRefused('a redirect leads from https to another scheme');
      }
      url = next;
    }
    throw new FetchFailed('too many redirects');
  }

  private async hop(url: URL, sent: FetchRequest, exempt: boolean, signal: AbortSignal): Promise<Fetched> {
    checkScheme(url, exempt || this.allowLoopback);
    try {
      const gate = exempt ? this.settingsGate : this.gate;
      const answer = await gate.run(siteOf(url.hostname), signal, async(): Promise<Fetched> =>
        await this.requestKept(url, sent, signal) ??
        this.requestNew(url, await this.addresses(url, exempt, signal), sent, signal));
      if (answer) {
        return answer;
      }
    } catch (error: unknown) {
      throw isFetchError(error) ? error : new FetchFailed(reasonFor(signal), { cause: error });
    }
    throw new FetchFailed('too many requests are waiting');
  }

  /** Returns the addresses to connect to. Refuses a host if any of its addresses is not allowed. */
  private async addresses(url: URL, exempt: boolean, signal: AbortSignal): Promise<LookupAddress[]> {
    const host = hostOf(url);
    const family = isIP(host);
    const addresses = family === 0 ? await before(signal, this.resolve(host, exempt)) : [{ address: host, family }];
    if (addresses.length === 0) {
      throw new FetchFailed(unreachable);
    }
    if (!exempt && !addresses.every(({ address }): boolean => isReachable(address, this.allowLoopback))) {
      // The same message for all names, so that callers cannot probe for internal ones.
      throw new FetchRefused(family === 0 ? unreachable : 'the host is not on the public internet');
    }
    return addresses;
  }

  /** Uses the kept connection; returns nothing when there is none, or when it broke. */
  private async requestKept(url: URL, request: FetchRequest, signal: AbortSignal): Promise<Fetched | undefined> {
    const over = request.send?.over;
    const client = over?.find(url.origin);
    if (!over || !client) {
      return;
    }
    try {
      return await this.request(client, url, request, signal);
    } catch (error: unknown) {
      await over.close();
      if (isFetchError(error) || signal.aborted) {
        throw error;
      }
    }
  }

  private async requestNew(
    url: URL,
    to: LookupAddress[],
    request: FetchRequest,
    signal: AbortSignal,
  ): Promise<Fetched> {
    // A connection ends with its request, unless the caller keeps it: a pool would grow with every host that callers
    // name.
    const client = new Client(url.origin, { connect: { lookup: pinnedTo(to), timeout: this.timeoutMs }});
    let isKept = false;
    try {
      const answer = await this.request(client, url, request, signal);
      await request.send?.over?.keep(client, url.origin);
      isKept = request.send?.over !== undefined;
      return answer;
    } finally {
      if (!isKept) {
        await client.destroy();
      }
    }
  }

  private async request(
    client: Client,
    url: URL,
    { accept, send }: FetchRequest,
    signal: AbortSignal,
  ): Promise<Fetched> {
    const { statusCode: status, headers, body } = await client.request({
      method: send?.method ?? 'GET',
      path: url.pathname + url.search,
      headers: { ...send?.headers, accept, 'accept-encoding': 'identity' },
      body: send?.body,
      signal,
    });
    // A body that nobody reads fails when its connection is closed while it arrives: without a listener, that would end
    // the process. Readers get the error too.
    body.on('error', (): void => undefined);
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new FetchFailed('the answer is compressed');
    }
    return { status, contentType: mediaType(headers), body: await this.readBody(body), headers, url: url.href };
  }

  private async readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > this.maxBodyBytes) {
        throw new FetchFailed('the answer is too large');
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

function reasonFor(signal: AbortSignal): string {
  return signal.aborted ? 'no complete answer in time' : unreachable;
}

function parseUrl(url: string, base?: string): URL {
  try {
    return new URL(url, base);
  } catch (error: unknown) {
    throw new FetchRefused('not a URL', { cause: error });
  }
}

function redirectTarget({ status, headers }: Fetched): string | undefined {
  return [ 301, 302, 303, 307, 308 ].includes(status) ? headers.location : undefined;
}

function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

/** Gives a socket the checked addresses, so that the name cannot resolve differently when connecting. */
function pinnedTo(addresses: LookupAddress[]): LookupFunction {
  const [{ address, family }] = addresses;
  return (...[ , { all }, callback ]): void => all ? callback(null, addresses) : callback(null, address, family);
}
