import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { RepresentationConverter } from '@solid/community-server';
import { BadRequestHttpError } from '@solid/community-server';
import type { Store } from 'n3';
import type { OutsideUrls } from '../clients/clientRules';
import { FetchFailed, isFetchError } from '../../platform/fetchErrors';
import { createGuardedFetch } from '../../platform/guardedFetch';
import type { Fetched, GuardedFetch } from '../../platform/guardedFetch';
import { checkUrl, createGuardedLookup, hostOf } from '../../platform/guardedLookup';
import { isReachable } from '../../platform/publicAddress';
import { readSwitch } from '../../platform/readSwitch';
import { readStatements } from './readStatements';

/** Options of {@link OutsideDocuments}. */
export interface OutsideDocumentsArgs {
  /** Base URL of the server. Its own documents are fetched from any host. */
  baseUrl: string;
  /** True when http and loopback addresses can be reached. */
  allowLoopback: boolean;
}

/** Statuses of responses without a body. */
const withoutBody = new Set([ 204, 205, 304 ]);
/** Names of the machine that looks them up. */
const ownMachine = /^(?:[^.]+\.)*localhost\.?$/u;
const rdf = [
  'text/turtle',
  'application/ld+json;q=0.9',
  'application/n-quads;q=0.8',
  'application/n-triples;q=0.8',
  'application/trig;q=0.8',
  'application/rdf+xml;q=0.5',
  'text/html;q=0.2',
].join(', ');

/**
 * Fetches the outside documents that the server needs: JSON-LD contexts, groups, client ids, WebIDs. The bounds of the
 * guarded fetch apply; documents of this server are exempt from its limits on hosts, but not on time and size.
 */
export class OutsideDocuments implements OutsideUrls {
  private readonly baseUrl: string;
  private readonly allowLoopback: boolean;
  private readonly outside: GuardedFetch;
  private readonly own: GuardedFetch;

  public constructor(args: OutsideDocumentsArgs) {
    this.baseUrl = args.baseUrl;
    this.allowLoopback = readSwitch('allowLoopback', args.allowLoopback);
    // Separate from the fetches for tokens, so that URLs in pods cannot occupy their places.
    this.outside = createGuardedFetch({ allowLoopback: this.allowLoopback });
    this.own = createGuardedFetch({
      allowLoopback: this.allowLoopback,
      perHost: 32,
      queuePerHost: 512,
      total: 544,
    });
  }

  /**
   * Fetches a URL.
   *
   * @throws FetchRefused, FetchFailed
   */
  public async fetch(url: string, accept: string): Promise<Fetched> {
    const isOwn = url.startsWith(this.baseUrl);
    return (isOwn ? this.own : this.outside)(url, { accept, fromSettings: isOwn });
  }

  /**
   * Fetches a URL, with a response of the Fetch API.
   *
   * @throws FetchRefused, FetchFailed
   */
  public async fetchResponse(url: string, accept: string): Promise<Response> {
    const fetched = await this.fetch(url, accept);
    const response = asResponse(fetched);
    Object.defineProperty(response, 'url', { value: fetched.url });
    return response;
  }

  /**
   * Fetches the statements of an RDF document.
   *
   * @throws BadRequestHttpError without details.
   */
  public async fetchStatements(url: string, converter: RepresentationConverter): Promise<Store> {
    return readStatements(await this.fetchRdf(url), converter);
  }

  /**
   * Fetches an RDF document.
   *
   * @throws BadRequestHttpError without details.
   */
  public async fetchRdf(url: string): Promise<Response> {
    try {
      return await this.fetchResponse(url, rdf);
    } catch (error: unknown) {
      if (isFetchError(error)) {
        throw new BadRequestHttpError(`Unable to access data at ${url}`, { cause: error });
      }
      throw error;
    }
  }

  public isOutside(url: URL): boolean {
    const host = hostOf(url);
    if (isIP(host) === 0) {
      return this.allowLoopback || !ownMachine.test(host);
    }
    return isReachable(host, this.allowLoopback);
  }

  public isFetched(url: URL): boolean {
    try {
      checkUrl(url, this.allowLoopback);
      return this.isOutside(url);
    } catch (error: unknown) {
      if (isFetchError(error)) {
        return false;
      }
      throw error;
    }
  }

  /**
   * Returns a look-up for libraries that connect by themselves: it resolves a host only when all of its addresses are
   * allowed.
   *
   * @throws FetchRefused when the URL may not be fetched.
   */
  public lookupFor(url: URL): LookupFunction {
    checkUrl(url, this.allowLoopback);
    return createGuardedLookup(this.allowLoopback);
  }
}

/**
 * Makes a response of the Fetch API, which allows fewer statuses and characters in headers than what was received.
 *
 * @throws FetchFailed
 */
function asResponse({ body, headers, status }: Fetched): Response {
  try {
    return new Response(withoutBody.has(status) ? null : new Uint8Array(body), {
      status,
      headers: Object.entries(headers).flatMap(([ name, value ]): [string, string][] =>
        [ value ?? [] ].flat().map((each): [string, string] => [ name, each ])),
    });
  } catch (cause: unknown) {
    throw new FetchFailed('the answer has an unknown status or header', { cause });
  }
}
