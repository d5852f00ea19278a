import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer, JsonAnswer, Representation, RepresentationAnswer } from './Answer';
import type { ByteRange } from './conditional';
import { isNotModified, requestedRange } from './conditional';

/** Maximum bytes that a client may still send, although they are not read. */
const maxUnreadBytes = 64 * 1024 * 1024;
const maxUnreadMs = 1000;

/**
 * Sends a response. Conditions and ranges apply to representations; a body that is not sent is destroyed.
 *
 * @throws PreconditionFailed, RangeNotSatisfiable before anything is written.
 */
export async function send(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  if ('representation' in answer) {
    return sendRepresentation(request, response, answer);
  }
  sendText(request, response, answer);
}

/** Sends a response whose text is complete, with its length. */
export function sendText(request: IncomingMessage, response: ServerResponse, answer: JsonAnswer): void {
  const { status, headers, text } = answer;
  if (status === 204) {
    response.writeHead(status, headers).end();
    return;
  }
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers, 'Content-Length': String(body.length) });
  if (headers.Connection === 'close' && !request.complete) {
    response.write(body);
    endAfter(request, response);
    return;
  }
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * Ends a response, which ends the connection, once the client has sent the rest of its request, or after some time or
 * bytes. Ending the connection while the client is still sending would reset it and lose the response.
 */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  let left = maxUnreadBytes;
  const timer = setTimeout(end, maxUnreadMs);
  function end(): void {
    clearTimeout(timer);
    request.off('data', count);
    response.end();
  }
  function count(chunk: Buffer): void {
    left -= chunk.length;
    if (left < 0) {
      end();
    }
  }
  request.on('data', count);
  request.once('end', end);
  request.once('close', end);
}

async function sendRepresentation(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, representation }: RepresentationAnswer,
): Promise<void> {
  let sent = false;
  try {
    const validators = validatorHeaders(representation);
    if (isNotModified(request.headers, representation)) {
      response.writeHead(304, { ...headers, ...validators }).end();
      return;
    }
    const isHead = request.method === 'HEAD';
    const range = isHead ? undefined : requestedRange(request.headers, representation.size, representation);
    response.writeHead(range ? 206 : 200, {
      ...headers,
      ...validators,
      ...contentHeaders(representation, range),
    });
    if (isHead) {
      response.end();
      return;
    }
    sent = true;
    await sendBody(response, representation.body, range);
  } finally {
    if (!sent) {
      discard(representation.body);
    }
  }
}

function validatorHeaders({ etag, modified }: Representation): Record<string, string> {
  return { ETag: etag, ...modified && { 'Last-Modified': httpDate(modified) }};
}

/** Cached texts of dates. */
const httpDates = new WeakMap<Date, string>();

function httpDate(date: Date): string {
  let text = httpDates.get(date);
  if (text === undefined) {
    text = date.toUTCString();
    httpDates.set(date, text);
  }
  return text;
}

function contentHeaders({ contentType, size }: Representation, range: ByteRange | undefined): Record<string, string> {
  return {
    'Content-Type': contentType,
    ...Number.isFinite(size) && {
      'Accept-Ranges': 'bytes',
      'Content-Length': String(range ? range.last - range.first + 1 : size),
    },
    ...range && { 'Content-Range': `bytes ${range.first}-${range.last}/${size}` },
  };
}

async function sendBody(response: ServerResponse, body: Buffer | Readable, range?: ByteRange): Promise<void> {
  if (Buffer.isBuffer(body)) {
    response.end(range ? body.subarray(range.first, range.last + 1) : body);
    return;
  }
  await pipeline(range ? Readable.from(part(body, range)) : body, response);
}

async function* part(body: AsyncIterable<Uint8Array>, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  let position = 0;
  for await (const piece of body) {
    const chunk = Buffer.from(piece);
    const from = Math.max(0, first - position);
    const to = Math.min(chunk.length, last + 1 - position);
    position += chunk.length;
    if (from < to) {
      yield chunk.subarray(from, to);
    }
    if (position > last) {
      return;
    }
  }
}

function discard(body: Buffer | Readable): void {
  if (!Buffer.isBuffer(body)) {
    body.on('error', (): void => {
      // Nobody reads it any more.
    });
    body.destroy();
  }
}
