import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '@solid/community-server';

/** Headers that the server parses. */
const structured = /^(?:(?:accept|content|if|x-forwarded)(?:-.*)?|forwarded|link|range|slug)$/u;
/** Separators in headers: the time of the server's parsers grows with their number, or with its square. */
const separators = /[\s",;<=\\]/gu;
/** Those of a name: its last slashes are searched for, before authorization. Other headers may have many URLs. */
const separatorsOfName = /[\s",/;<=\\]/gu;
const maxSeparators = 256;

/**
 * Finds a header that takes long to parse: one of 14 KB could block the process for seconds. Removes it, so that it
 * does not slow down the response either.
 *
 * @param headers - Headers of a request.
 *
 * @returns The refusal with status 431, if any.
 *
 * @see [RFC 6585, section 5](https://www.rfc-editor.org/rfc/rfc6585#section-5)
 */
export function refuseHeavyHeader(headers: IncomingHttpHeaders): HttpError | undefined {
  const heavy = Object.entries(headers)
    .filter(([ name, value ]): boolean => structured.test(name) && isHeavy(name, String(value)));
  for (const [ name ] of heavy) {
    delete headers[name];
  }
  if (heavy.length > 0) {
    return new HttpError(
      431,
      'HeaderFieldsTooLargeHttpError',
      `${heavy[0][0]} has more than ${maxSeparators} separators.`,
    );
  }
}

function isHeavy(name: string, value: string): boolean {
  const counted = name === 'slug' ? separatorsOfName : separators;
  return value.length > maxSeparators && value.replaceAll(counted, '').length < value.length - maxSeparators;
}
