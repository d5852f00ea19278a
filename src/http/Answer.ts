import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Response of a handler: JSON or nothing, or a representation that supports conditions and ranges. */
export type Answer = JsonAnswer | RepresentationAnswer;

/** A complete JSON response. */
export interface JsonAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A response with bytes and an entity tag. */
export interface RepresentationAnswer {
  headers: Record<string, string>;
  representation: Representation;
}

/** The current representation of a resource (RFC 9110, section 3.2). */
export interface Representation {
  contentType: string;
  /** Entity tag, with its quotes. */
  etag: string;
  modified?: Date;
  /** Total bytes; not finite when unknown. */
  size: number;
  body: Buffer | Readable;
}

const personal = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization, DPoP, X-Access-Grant, Origin',
} as const;

/** Headers that prevent a browser from running content of others. */
const inert = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': `sandbox; default-src 'none'`,
} as const;

/** Creates a 200 with JSON that only the caller may cache. */
export function ok(value: unknown): JsonAnswer {
  return okText(JSON.stringify(value));
}

/** Creates a 200 with JSON text, byte for byte, that only the caller may cache. */
export function okText(text: string, contentType = 'application/json'): JsonAnswer {
  return { status: 200, headers: { 'Content-Type': contentType, ...personal }, text };
}

/**
 * Creates a 201 with JSON that only the caller may cache.
 *
 * @param value - The JSON.
 * @param location - URL of what was created, if it has one of its own.
 */
export function created(value: unknown, location?: string): JsonAnswer {
  return { ...located(value, location), status: 201 };
}

/**
 * Creates a 202 with JSON that only the caller may cache.
 *
 * @param value - The JSON.
 * @param location - URL that shows how far the work is.
 */
export function accepted(value: unknown, location: string): JsonAnswer {
  return { ...located(value, location), status: 202 };
}

function located(value: unknown, location: string | undefined): JsonAnswer {
  const { headers, ...answer } = ok(value);
  return { ...answer, headers: { ...headers, ...location !== undefined && { Location: location }}};
}

/** Creates a 308 that only the caller may cache: another host may have nothing at the same path. */
export function moved(location: string): JsonAnswer {
  return { status: 308, headers: { Location: location, 'Cache-Control': 'private, max-age=3600' }, text: '' };
}

/** Creates a response with bytes of a pod, for this caller only, never run by a browser. */
export function personalBytes(representation: Representation): RepresentationAnswer {
  return { headers: { ...personal, ...inert }, representation };
}

/** Creates a response with bytes of a public register, revalidated on every use and never run by a browser. */
export function registerBytes(bytes: Buffer, contentType: string): RepresentationAnswer {
  return {
    headers: { 'Cache-Control': 'public, no-cache', Vary: 'Origin', ...inert },
    representation: represent(bytes, contentType),
  };
}

/** Creates a public document that caches may reuse for some seconds. */
export function publicDocument(
  text: string | Buffer,
  contentType: string,
  maxAgeSeconds: number,
  headers: Record<string, string> = {},
): RepresentationAnswer {
  const representation = represent(typeof text === 'string' ? Buffer.from(text) : text, contentType);
  return publicRepresentation(representation, maxAgeSeconds, headers);
}

/** Creates a public representation that caches may reuse for some seconds. */
export function publicRepresentation(
  representation: Representation,
  maxAgeSeconds: number,
  headers: Record<string, string> = {},
): RepresentationAnswer {
  return {
    headers: {
      'Cache-Control': `public, max-age=${maxAgeSeconds}`,
      Vary: 'Accept, Origin',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
    representation,
  };
}

function represent(body: Buffer, contentType: string): Representation {
  const digest = createHash('sha256').update(contentType).update('\n').update(body).digest('base64url');
  return { contentType, etag: `"${digest.slice(0, 27)}"`, size: body.length, body };
}
