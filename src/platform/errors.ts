import { isRecord } from './isRecord';

/** Code of a failure of the system, a database or a library, such as `ENOENT`; empty when it has none. */
export function codeOf(error: unknown): string {
  return isRecord(error) && typeof error.code === 'string' ? error.code : '';
}

/** Name of an error, such as `TypeError`: says what it is without a word of its message. */
export function nameOf(error: unknown): string {
  return isRecord(error) && typeof error.name === 'string' ? error.name : typeof error;
}

/** Cause of anything that was thrown. */
export function causeOf(error: unknown): unknown {
  return isRecord(error) ? error.cause : undefined;
}

/** Message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string' ? error.message : String(error);
}
