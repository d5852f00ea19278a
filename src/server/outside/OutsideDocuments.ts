import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { Representation, RepresentationConverter } from '@solid/community-server';
import { BadRequestHttpError, responseToDataset } from '@solid/community-server';
import type { OutsideUrls } from '../clients/clientRules';
import { isFetchError } from '../../platform/fetchErrors';
import { createGuardedFetch } from '../../platform/guardedFetch';
import type { Fetched, GuardedFetch } from '../../platform/guardedFetch';
import { checkUrl, createGuardedLookup, hostOf } from '../../platform/guardedLookup';
import { isReachable } from '../../platform/publicAddress';
import { readSwitch } from '../../platform/readSwitch';

/** Options of {@link OutsideDocuments}. */
export interface OutsideDocumentsArgs {
  /** Base URL of the server. Its own documents are fetched from any host. */
  baseUrl: string;
  /** True when http and loopback addresses can be reached. */
  allowLoopback: boolean;
}

/** An answer that holds no body, whatever was sent. */
const withoutBody = new Set([ 204, 205, 304 ]);
/** Names that mean the machine which looks them up. */
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
 * Fetches everything that outside documents name for the server below: JSON-LD contexts, groups, client ids, WebIDs.
 * The bounds of the guarded fetch apply; documents of this server are exempt from its limits on hosts, but not on time
 * and size.
 */
export class OutsideDocuments implements OutsideUrls {
  private readonly baseUrl: string;
  private readonly allowLoopback: boolean;
  private readonly outside: GuardedFetch;
  private readonly own: GuardedFetch;

  public constructor(args: OutsideDocumentsArgs) {
    this.baseUrl = args.baseUrl;
    this.allowLoopback = readSwitch('allowLoopback', args.allowLoopback);
    // Apart from the fetches for tokens: what pods name cannot take their places.
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

  /** The same as the Fetch API has it. */
  public async fetchResponse(url: string, accept: string): Promise<Response> {
    const fetched = await this.fetch(url, accept);
    const response = new Response(withoutBody.has(fetched.status) ? null : new Uint8Array(fetched.body), {
      status: fetched.status,
      headers: Object.entries(fetched.headers).flatMap(([ name, value ]): [string, string][] =>
        [ value ?? [] ].flat().map((each): [string, string] => [ name, each ])),
    });
    Object.defineProperty(response, 'url', { value: fetched.url });
    return response;
  }

  /**
   * The statements of an RDF document.
   *
   * @throws BadRequestHttpError, which says no more than that it did not work.
   */
  public async fetchDataset(url: string, converter: RepresentationConverter): Promise<Representation> {
    try {
      return await responseToDataset(await this.fetchResponse(url, rdf), converter);
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
   * For libraries that connect by themselves: answers the addresses of a host when all of them may be reached.
   *
   * @throws FetchRefused when the URL may not be fetched.
   */
  public lookupFor(url: URL): LookupFunction {
    checkUrl(url, this.allowLoopback);
    return createGuardedLookup(this.allowLoopback);
  }
}
