import type { ServerResponse } from 'node:http';
import { wrapMethod } from '../replacePart';

type End = (...args: unknown[]) => ServerResponse;

/**
 * Makes a response to OPTIONS leave out `Content-Length`, which the CORS library adds for earlier browsers.
 *
 * @see [RFC 9110, section 8.6](https://www.rfc-editor.org/rfc/rfc9110#section-8.6)
 */
export function leaveOutLength(response: ServerResponse): void {
  wrapMethod(response, 'end', (own: End): End => (...args): ServerResponse => {
    if (response.statusCode === 204) {
      response.removeHeader('Content-Length');
    }
    return own(...args);
  });
}
