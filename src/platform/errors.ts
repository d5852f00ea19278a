import { isRecord } from './isRecord';

/** Code of a failure of the system, a database or a library, such as `ENOENT`; empty when it has none. */
export function codeOf(error: unknown): string {
  return isRecord(error) && typeof error.code === 'string' ? error.code : '';
}

/** Message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return isRecord(error) && typeof error.message === 'string' ? error.message : String(error);
}
