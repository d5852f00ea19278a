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

/** Checks whether the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Checks that a body is JSON by its headers: `application/json` or a `+json` type, in UTF-8, not compressed.
 *
 * @throws MediaTypeUnsupported
 */
export function checkJsonType(request: IncomingMessage): void {
  checkType(request, /^(?:application\/json|[\w.!#$&^+-]+\/[\w.!#$&^-]+\+json)$/u, 'application/json');
}

/**
 * The same for a form: `application/x-www-form-urlencoded`.
 *
 * @throws MediaTypeUnsupported
 */
export function checkFormType(request: IncomingMessage): void {
  checkType(request, /^application\/x-www-form-urlencoded$/u, 'application/x-www-form-urlencoded');
}

/**
 * The same for bytes of some media types.
 *
 * @throws MediaTypeUnsupported
 */
export function checkUploadType(request: IncomingMessage, mediaTypes: readonly string[]): void {
  const escaped = mediaTypes.map((type): string => type.replaceAll(/[.+]/gu, '\\$&'));
  checkType(request, new RegExp(`^(?:${escaped.join('|')})$`, 'u'), mediaTypes.join(' or '));
}

function checkType(request: IncomingMessage, accepted: RegExp, name: string): void {
  const parts = (request.headers['content-type'] ?? '').toLowerCase().split(';');
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
 * The bytes of a request body.
 *
 * @throws BodyTooLarge as soon as the bound is passed, RequestTimeout, ClientGone
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
 * The bytes of a request body as they come.
 *
 * @param request - The request.
 * @param limits - The time is that between two pieces.
 *
 * @throws BodyTooLarge as soon as the bound is passed, ClientGone also when nothing comes for too long
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
    // Not destroyed when it is left early: whoever sends it is to get an answer.
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

/** The problem of a body that is not there. */
export function bodyMissing(): BodyInvalid {
  return new BodyInvalid('A body is required.');
}
