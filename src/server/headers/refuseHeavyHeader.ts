import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '@solid/community-server';

/** Headers that the server takes apart. */
const structured = /^(?:(?:accept|content|if|x-forwarded)(?:-.*)?|forwarded|link|range|slug)$/u;
/** Separators of the parts of a header: the time of its parsers grows with their number, or with its square. */
const separators = /[\s",;<=\\]/gu;
const mostSeparators = 256;

/**
 * Finds a header that would take long to read: one of 14 KB could hold everybody up for seconds. It is taken away, so
 * that it costs nothing to answer the request.
 *
 * @param headers - Of a request.
 *
 * @returns The reason to refuse the request, 431.
 *
 * @see [RFC 6585, section 5](https://www.rfc-editor.org/rfc/rfc6585#section-5)
 */
export function refuseHeavyHeader(headers: IncomingHttpHeaders): HttpError | undefined {
  const heavy = Object.entries(headers)
    .filter(([ name, value ]): boolean => structured.test(name) && isHeavy(String(value)));
  for (const [ name ] of heavy) {
    delete headers[name];
  }
  if (heavy.length > 0) {
    return new HttpError(
      431,
      'HeaderFieldsTooLargeHttpError',
      `${heavy[0][0]} has more than ${mostSeparators} separators.`,
    );
  }
}

function isHeavy(value: string): boolean {
  return value.length > mostSeparators && value.replaceAll(separators, '').length < value.length - mostSeparators;
}
