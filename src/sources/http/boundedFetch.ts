import { opened } from '../../platform/opened';

/** A request that may succeed when repeated: timeout, no connection, 5xx, 429. */
export class TransientFailure extends Error {
  public constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TransientFailure';
  }
}

/** A response that exceeds the maximum size. */
export class TooLarge extends Error {
  public constructor(message: string) {
    super(message);
    this.name = 'TooLarge';
  }
}

/** Bounds on one request. */
export interface FetchBounds {
  /** From the start of the request to the last byte of the response. */
  timeoutMs: number;
  maxBytes: number;
}

/**
 * Fetches a URL from the settings, without following redirects. The response is complete when the promise resolves, so
 * reading its body never waits.
 *
 * Error messages contain the origin and path of the URL, but nothing that was sent or received.
 *
 * @throws TransientFailure, TooLarge
 */
export async function boundedFetch(url: string, init: RequestInit, bounds: FetchBounds): Promise<Response> {
  const place = placeOf(url);
  let response: Response;
  let bytes: Buffer<ArrayBuffer>;
  try {
    const signal = AbortSignal.timeout(bounds.timeoutMs);
    response = await fetch(url, { ...init, redirect: 'manual', signal });
    bytes = await readBytes(response, bounds.maxBytes, place);
  } catch (error: unknown) {
    throw error instanceof TooLarge ? error : new TransientFailure(`${place} did not respond`, { cause: error });
  }
  if (response.status >= 500 || response.status === 429) {
    throw new TransientFailure(`${place} answered ${response.status}`);
  }
  const { status, headers } = response;
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}

/** Returns the origin and path of a URL, which messages may contain. */
export function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Returns the media type of a response in lower case, without parameters. */
export function mediaTypeOf(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0].trim().toLowerCase();
}

/** Checks whether a media type is JSON, or has the suffix `+json`. */
export function isJsonType(mediaType: string): boolean {
  return /^application\/(?:[\w.!#$&^-]+\+)?json$/u.test(mediaType);
}

async function readBytes(response: Response, maxBytes: number, place: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Streams are iterable in Node.js, although the types of responses do not say so.
  for await (const chunk of opened<AsyncIterable<Uint8Array>>(response.body ?? [])) {
    size += chunk.length;
    if (size > maxBytes) {
      // Leaving the loop cancels the body.
      throw new TooLarge(`${place} returned more than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
