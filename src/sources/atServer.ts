import { isRecord } from '../platform/isRecord';

/**
 * Resolves paths in the context of an unsigned record against the server that serves the data type.
 *
 * @param subject - Subject as the source returned it.
 * @param dataType - IRI of the data type.
 */
export function atServer(subject: Record<string, unknown>, dataType: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(subject).map(([ key, value ]): [string, unknown] =>
    [ key, key === '@context' ? absolutePaths(value, dataType) : value ]));
}

function absolutePaths(value: unknown, base: string): unknown {
  if (typeof value === 'string') {
    return /^\/(?!\/)/u.test(value) ? new URL(value, base).href : value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown): unknown => absolutePaths(item, base));
  }
  return isRecord(value) ?
      Object.fromEntries(Object.entries(value).map(([ key, item ]): [string, unknown] =>
        [ key, absolutePaths(item, base) ])) :
    value;
}
