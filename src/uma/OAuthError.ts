/**
 * Error codes of the token endpoint.
 *
 * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2), [User-Managed Access 2.0 Grant, section 3.3.6](https://docs.kantarainitiative.org/uma/wg/rec-oauth-uma-grant-2.0.html#authorization-process)
 */
export type OAuthErrorCode =
  'invalid_request' | 'invalid_grant' | 'invalid_client' | 'invalid_token' | 'unsupported_grant_type' |
  'need_info' | 'request_denied' | 'temporarily_unavailable' | 'server_error';

/** An error response of the token endpoint. The description is for the client, and never quotes its input. */
export class OAuthError extends Error {
  public override readonly name = 'OAuthError';

  /**
   * @param status - HTTP status.
   * @param code - Error code.
   * @param description - How to correct the request.
   * @param more - Further members of the response.
   */
  public constructor(
    public readonly status: number,
    public readonly code: OAuthErrorCode,
    description: string,
    public readonly more: Record<string, unknown> = {},
  ) {
    super(description);
  }
}

/** The request is malformed. */
export function invalidRequest(description: string): OAuthError {
  return new OAuthError(400, 'invalid_request', description);
}

/** The ticket was not issued here, has expired, or was used. */
export function invalidTicket(): OAuthError {
  return new OAuthError(400, 'invalid_grant', 'The permission ticket is not valid, has expired, or was used before.');
}

/** The presented claim gives no access. */
export function requestDenied(description: string): OAuthError {
  return new OAuthError(403, 'request_denied', description);
}
