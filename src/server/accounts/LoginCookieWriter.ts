import { addHeader, MetadataWriter } from '@solid/community-server';
import { serialize } from 'cookie';
import { DataFactory } from 'n3';
import { browserCookie, loginCookie } from './accountCookie';

/** Predicate of the secret of a browser that is logging in at a provider, in metadata of requests and responses. */
export const loginSecret = DataFactory.namedNode('urn:css-data-sharing:login:secret');

/**
 * Sets the cookie with the secret that binds a browser's log-ins at a provider: scripts cannot read it, and it is not
 * sent with requests that another site starts.
 *
 * @see [RFC 9700, section 4.7.1](https://www.rfc-editor.org/rfc/rfc9700#section-4.7.1)
 */
export class LoginCookieWriter extends MetadataWriter {
  private readonly isSecure: boolean;

  /**
   * @param baseUrl - Base URL of the server.
   */
  public constructor(baseUrl: string) {
    super();
    this.isSecure = new URL(baseUrl).protocol === 'https:';
  }

  public async handle({ response, metadata }: Parameters<MetadataWriter['handle']>[0]): Promise<void> {
    const value = metadata.get(loginSecret)?.value;
    if (value !== undefined && response.req.headers.authorization === undefined) {
      addHeader(response, 'Set-Cookie', serialize(browserCookie(this.isSecure, loginCookie), value, {
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
        secure: this.isSecure,
      }));
    }
  }
}
