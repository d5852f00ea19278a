import type { ServerResponse } from 'node:http';
import { RepresentationMetadata, SOLID_HTTP } from '@solid/community-server';
import { receiveCookies } from '../../../../src/server/accounts/accountCookie';
import { AccountCookieWriter } from '../../../../src/server/accounts/AccountCookieWriter';

async function written(baseUrl: string, headers: Record<string, string> = {}, expiration?: string): Promise<unknown> {
  const set = new Map<string, unknown>();
  const response = {
    req: { headers },
    hasHeader: (name: string): boolean => set.has(name),
    getHeader: (name: string): unknown => set.get(name),
    setHeader: (name: string, value: unknown): unknown => set.set(name, value),
  } as unknown as ServerResponse;
  const metadata = new RepresentationMetadata();
  metadata.set(SOLID_HTTP.terms.accountCookie, 'secret');
  if (expiration !== undefined) {
    metadata.set(SOLID_HTTP.terms.accountCookieExpiration, expiration);
  }
  await new AccountCookieWriter(baseUrl).handleSafe({ response, metadata });
  return set.get('Set-Cookie');
}

describe('The cookie of a log-in', (): void => {
  it('is for requests to this host only, and hidden from scripts.', async(): Promise<void> => {
    await expect(written('https://data.example/')).resolves
      .toBe('__Host-css-account=secret; Path=/; HttpOnly; Secure; SameSite=Lax');
    await expect(written('http://localhost:3000/')).resolves
      .toBe('css-account=secret; Path=/; HttpOnly; SameSite=Lax');
  });

  it('ends on request.', async(): Promise<void> => {
    await expect(written('http://localhost:3000/', {}, new Date(0).toISOString())).resolves
      .toContain('Expires=Thu, 01 Jan 1970 00:00:00 GMT');
  });

  it('is not set for a client that sends a token.', async(): Promise<void> => {
    await expect(written('https://data.example/', { authorization: 'CSS-Account-Token secret' })).resolves.toBeUndefined();
  });

  it.each([
    [ '__Host-css-account=mine', 'css-account=mine' ],
    [ 'css-account=planted; a=b; __Host-css-account=mine', 'a=b; css-account=mine' ],
    [ 'css-account=planted', '' ],
    [ ' css-account =planted;css-account', '' ],
    [ 'a=b; xcss-account=c', 'a=b; xcss-account=c' ],
  ])('with https cannot be planted by a subdomain: %s.', (sent, received): void => {
    const headers = { cookie: sent };
    receiveCookies(headers, true);
    expect(headers.cookie).toBe(received);
  });

  it('is unchanged with http.', (): void => {
    const headers = { cookie: 'css-account=mine' };
    receiveCookies(headers, false);
    expect(headers.cookie).toBe('css-account=mine');
  });
});
