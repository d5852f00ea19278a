import { Problem } from '../problems';
import { OAuthError } from '../uma/OAuthError';
import type { OAuthErrorCode } from '../uma/OAuthError';
import type { JsonAnswer } from './Answer';

const codes: Record<number, OAuthErrorCode> = {
  401: 'invalid_token',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
};

/**
 * Returns the response of an OAuth endpoint to an error. Anything but an OAuth error or a problem is a bare 500.
 *
 * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)
 */
export function oauthError(error: unknown): JsonAnswer {
  if (error instanceof OAuthError) {
    return answer(error.status, { error: error.code, error_description: error.message, ...error.more });
  }
  if (!(error instanceof Problem)) {
    return answer(500, { error: 'server_error' });
  }
  return answer(statusOf(error), {
    error: codes[error.status] ?? 'invalid_request',
    error_description: error.detail ?? `${error.title}.`,
  }, error.headers);
}

/** Returns the status: 400 for any malformed request, unless the connection must close. */
function statusOf({ status }: Problem): number {
  return codes[status] || [ 408, 413 ].includes(status) ? status : 400;
}

function answer(status: number, body: Record<string, unknown>, headers: Record<string, string> = {}): JsonAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Vary: 'Origin', ...headers },
    text: JSON.stringify(body),
  };
}
