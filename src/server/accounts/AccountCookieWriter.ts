import { addHeader, MetadataWriter, SOLID_HTTP } from '@solid/community-server';
import { serialize } from 'cookie';
import { browserCookie } from './accountCookie';

/**
 * Sets the cookie of a log-in to an account, which scripts and other sites cannot read.
 *
 * Callers with a token get none: an app of another origin with a token would otherwise log the browser in.
 */
export class AccountCookieWriter extends MetadataWriter {
  private readonly isSecure: boolean;

  /**
   * @param baseUrl - Base URL of the server.
   */
  public constructor(baseUrl: string) {
    super();
    this.isSecure = new URL(baseUrl).protocol === 'https:';
  }

  public async handle({ response, metadata }: Parameters<MetadataWriter['handle']>[0]): Promise<void> {
    const value = metadata.get(SOLID_HTTP.terms.accountCookie)?.value;
    if (value === undefined || value === '' || response.req.headers.authorization !== undefined) {
      return;
    }
    const expiration = metadata.get(SOLID_HTTP.terms.accountCookieExpiration)?.value;
    addHeader(response, 'Set-Cookie', serialize(browserCookie(this.isSecure), value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isSecure,
      expires: expiration === undefined ? undefined : new Date(expiration),
    }));
  }
}
