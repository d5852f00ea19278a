import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Answer of a handler: JSON or nothing, or a representation that can be asked for conditionally and in parts. */
export type Answer = JsonAnswer | RepresentationAnswer;

/** A JSON answer, complete. */
export interface JsonAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** The bytes of something with an entity tag. */
export interface RepresentationAnswer {
  headers: Record<string, string>;
  representation: Representation;
}

/** The current representation of a resource (RFC 9110, section 3.2). */
export interface Representation {
  contentType: string;
  /** With its quotes. */
  etag: string;
  modified?: Date;
  /** Bytes of the whole; not finite when that is not known. */
  size: number;
  body: Buffer | Readable;
}

const personal = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Authorization, DPoP, X-Access-Grant, Origin',
} as const;

/** Headers that keep a browser from running what others stored here. */
const inert = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': `sandbox; default-src 'none'`,
} as const;

/** 200 with JSON that only the caller may keep. */
export function ok(value: unknown): JsonAnswer {
  return okText(JSON.stringify(value));
}

/** 200 with JSON text that only the caller may keep, byte for byte. */
export function okText(text: string, contentType = 'application/json'): JsonAnswer {
  return { status: 200, headers: { 'Content-Type': contentType, ...personal }, text };
}

/** 201 with JSON that only the caller may keep. */
export function created(value: unknown): JsonAnswer {
  return { ...ok(value), status: 201 };
}

/** Bytes of a pod, for this caller only, never run by a browser. */
export function personalBytes(representation: Representation): RepresentationAnswer {
  return { headers: { ...personal, ...inert }, representation };
}

/** Bytes of a public register, checked for freshness on every use and never run by a browser. */
export function registerBytes(bytes: Buffer, contentType: string): RepresentationAnswer {
  return {
    headers: { 'Cache-Control': 'public, no-cache', Vary: 'Origin', ...inert },
    representation: represent(bytes, contentType),
  };
}

/** A public document that anyone may reuse unasked for some seconds. */
export function publicDocument(
  text: string | Buffer,
  contentType: string,
  maxAgeSeconds: number,
  headers: Record<string, string> = {},
): RepresentationAnswer {
  const representation = represent(typeof text === 'string' ? Buffer.from(text) : text, contentType);
  return publicRepresentation(representation, maxAgeSeconds, headers);
}

/** A public representation that anyone may reuse unasked for some seconds. */
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
