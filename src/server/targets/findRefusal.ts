import type { IncomingMessage } from 'node:http';
import {
  BadRequestHttpError,
  HttpError,
  NotImplementedHttpError,
  UnsupportedMediaTypeHttpError,
} from '@solid/community-server';
import type { PathRefused } from '../../platform/targets';
import { refuseHeavyHeader } from '../headers/refuseHeavyHeader';
import { isInternalType } from '../media/internalTypes';
import type { RequestTargets } from './RequestTargets';

/**
 * Finds the reason to refuse a request before the server handles it.
 *
 * @param request - The request, with its target in canonical form.
 * @param targets - Gives request targets one form.
 * @param refused - The reason why the target has no such form.
 *
 * @returns 400, 414, 415, 421, 431 or 501; undefined for a request that the server may handle.
 */
export function findRefusal(
  request: IncomingMessage,
  targets: RequestTargets,
  refused: PathRefused | undefined,
): HttpError | undefined {
  const heavy = refuseHeavyHeader(request.headers);
  if (heavy) {
    return heavy;
  }
  const unfit = refused ?? targets.findUnfitName(request);
  if (unfit) {
    return unfit.reason === 'tooLong' ?
        new HttpError(414, 'UriTooLongHttpError', unfit.message) :
        new BadRequestHttpError(unfit.message);
  }
  if (isInternalType(request.headers['content-type'] ?? '')) {
    return new UnsupportedMediaTypeHttpError('No body is of an internal media type of the server.');
  }
  const coded = findCoding(request);
  if (coded) {
    return coded;
  }
  return targets.isForThisServer(request) ?
    undefined :
      new HttpError(421, 'MisdirectedHttpError', 'This server has no resources at this host, or not by this scheme.');
}

/**
 * Finds a coding of the body that the server would not undo, but forget: readers would get coded bytes as if they were
 * not.
 *
 * @see [RFC 9110, section 8.4](https://www.rfc-editor.org/rfc/rfc9110#section-8.4)
 * @see [RFC 9112, section 6.1](https://www.rfc-editor.org/rfc/rfc9112#section-6.1)
 */
function findCoding({ headers }: IncomingMessage): HttpError | undefined {
  const { 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  if (transfer.toLowerCase() !== 'chunked') {
    return new NotImplementedHttpError('The only transfer coding of this server is chunked.');
  }
  if (content.toLowerCase() !== 'identity') {
    return new UnsupportedMediaTypeHttpError('The body must not be compressed.');
  }
}
