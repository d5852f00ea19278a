import { HttpError, RepresentationMetadata } from '@solid/community-server';

/** Metadata that the server turns into a `Retry-After` header: see config/server/waiting.json. */
export const retryAfter = 'urn:css-data-sharing:http:retryAfter';

const retrySeconds = 5;

/** Creates an error for temporary overload: 503 with `Retry-After`. */
export function tooBusy(message: string): HttpError {
  return refusal(503, 'ServiceUnavailableHttpError', message);
}

/** Creates an error for too many requests by one caller: 429 with `Retry-After`. */
export function tooMany(message: string): HttpError {
  return refusal(429, 'TooManyRequestsHttpError', message);
}

function refusal(status: number, name: string, message: string): HttpError {
  const metadata = new RepresentationMetadata({ [retryAfter]: String(retrySeconds) });
  return new HttpError(status, name, message, { metadata });
}
