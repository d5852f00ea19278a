import type { IncomingMessage } from 'node:http';
import { BodyInvalid, BodyTooLarge, MediaTypeUnsupported, RequestTimeout } from '../problems';

/** Bounds on a request body. */
export interface BodyLimits {
  maxBytes: number;
  timeoutMs: number;
}

/** The client closed the connection before its request was complete. */
export class ClientGone extends Error {}

const closing = { headers: { Connection: 'close' }};

/** Checks whether a request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Requires a JSON body by its headers: `application/json` or a `+json` type, in UTF-8, not compressed.
 *
 * @throws MediaTypeUnsupported
 */
export function checkJsonType(request: IncomingMessage): void {
  checkType(request, /^(?:application\/json|[\w.!#$&^+-]+\/[\w.!#$&^-]+\+json)$/u, 'application/json');
}

/**
 * Requires a form by its headers: `application/x-www-form-urlencoded`.
 *
 * @throws MediaTypeUnsupported
 */
export function checkFormType(request: IncomingMessage): void {
  checkType(request, /^application\/x-www-form-urlencoded$/u, 'application/x-www-form-urlencoded');
}

/**
 * Requires bytes of one of these media types by its headers. Without a media type they are `application/octet-stream`.
 *
 * @throws MediaTypeUnsupported
 *
 * @see [RFC 9110, section 8.3](https://www.rfc-editor.org/rfc/rfc9110#section-8.3)
 */
export function checkUploadType(request: IncomingMessage, mediaTypes: readonly string[]): void {
  const escaped = mediaTypes.map((type): string => type.replaceAll(/[.+]/gu, '\\$&'));
  const accepted = new RegExp(`^(?:${escaped.join('|')})$`, 'u');
  checkType(request, accepted, mediaTypes.join(' or '), 'application/octet-stream');
}

function checkType(request: IncomingMessage, accepted: RegExp, name: string, usual = ''): void {
  const parts = (request.headers['content-type'] ?? usual).toLowerCase().split(';');
  const [ type, ...parameters ] = parts.map((part): string => part.trim());
  if (!accepted.test(type)) {
    throw new MediaTypeUnsupported(`The body must be ${name}.`, closing);
  }
  const charset = parameters.find((parameter): boolean => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/u.test(charset)) {
    throw new MediaTypeUnsupported('The body must be in UTF-8.', closing);
  }
  if (![ undefined, 'identity' ].includes(request.headers['content-encoding'])) {
    throw new MediaTypeUnsupported('The body must not be compressed.', closing);
  }
}

/**
 * Reads a request body.
 *
 * @throws BodyTooLarge as soon as the limit is passed, RequestTimeout, ClientGone
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limits.maxBytes) {
    throw tooLarge(limits.maxBytes);
  }
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject): void => {
    timer = setTimeout((): void => reject(new RequestTimeout(undefined, closing)), limits.timeoutMs);
  });
  try {
    return await Promise.race([ collect(request, limits.maxBytes), timeout ]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Streams a request body.
 *
 * @param request - The request.
 * @param limits - Limits; the time is the maximum between two chunks.
 *
 * @throws BodyTooLarge as soon as the limit is passed, ClientGone also when no bytes arrive for too long
 */
export async function* streamBody(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<Buffer> {
  const { maxBytes, timeoutMs } = limits;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge(maxBytes);
  }
  let size = 0;
  let isLate = false;
  const timer = setTimeout((): void => {
    isLate = true;
    request.destroy();
  }, timeoutMs);
  try {
    // Not destroyed on early exit, because the client must still receive the response.
    const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      timer.refresh();
      size += chunk.length;
      if (size > maxBytes) {
        throw tooLarge(maxBytes);
      }
      yield chunk;
    }
  } catch (error: unknown) {
    if (error instanceof BodyTooLarge) {
      throw error;
    }
    throw new ClientGone(isLate ? 'The request went quiet.' : 'The request ended early.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function collect(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject): void => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) {
        chunks.length = 0;
        reject(tooLarge(maxBytes));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', (): void => resolve(Buffer.concat(chunks)));
    request.on('error', (cause): void => reject(new ClientGone('The request ended early.', { cause })));
    request.on('close', (): void => reject(new ClientGone('The request ended early.')));
  });
}

function tooLarge(maxBytes: number): BodyTooLarge {
  return new BodyTooLarge(`At most ${maxBytes} bytes are taken.`, closing);
}

/** Creates the problem for a missing body. */
export function bodyMissing(): BodyInvalid {
  return new BodyInvalid('A body is required.');
}
