import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientAddresses } from '../../../src/limits/ClientAddresses';
import { RateLimits } from '../../../src/limits/RateLimits';

const response = { setHeader: (): void => undefined } as unknown as ServerResponse;

function request(url: string, method = 'POST'): IncomingMessage {
  return { method, url, headers: {}, socket: { remoteAddress: '198.51.100.7' }} as unknown as IncomingMessage;
}

function limitsWith(failures: number): RateLimits {
  return new RateLimits({
    perAddress: 0,
    perCaller: 0,
    failures,
    addresses: new ClientAddresses(0, 'x-forwarded-for'),
    now: (): Date => new Date('2026-11-22T12:00:00Z'),
  });
}

describe('RateLimits', (): void => {
  it.each([
    [ '/.account/login/password/forgot/', 5 ],
    [ '/.account/account/', 25 ],
    [ '/.account/account', 25 ],
    [ '/.account/login/national/', 50 ],
    [ '/.oidc/reg', 10 ],
    [ '/.oidc/reg?x', 10 ],
    [ '/.oidc/request', 100 ],
    [ '/.oidc/auth?prompt=none', 100 ],
  ])('limits POST %s from one address in a minute, even successful ones: %i.', (url, most): void => {
    const limits = limitsWith(100);
    for (let asked = 0; asked < most; asked += 1) {
      expect(limits.admit(request(url), response)).toBeUndefined();
      limits.observe(request(url), 200);
    }
    expect(limits.admit(request(url), response)).toMatchObject({ status: 429 });
    expect(limits.admit(request('/pod/'), response)).toBeUndefined();
  });

  it.each([
    [ 'GET', '/.oidc/auth?client_id=a&prompt=login', 429 ],
    [ 'HEAD', '/.oidc/auth?client_id=a', 429 ],
    [ 'GET', '/.oidc/auth?client_id=a&prompt=none', undefined ],
    [ 'GET', '/.oidc/auth?prompt=none&client_id=a', undefined ],
    [ 'GET', '/.oidc/auth/uid', undefined ],
  ])('after a hundred %s %s, which are stored unless silent, another gets %s.', (method, url, expected): void => {
    const limits = limitsWith(100);
    for (let asked = 0; asked < 100; asked += 1) {
      limits.observe(request(url, method), 303);
    }
    expect(limits.admit(request(url, method), response)?.status).toBe(expected);
  });

  it.each([
    [ '/.account/login/password/', 403, 429 ],
    [ '/.account/login/national/stateid/', 403, 429 ],
    [ '/.account/login/national/stateid/', 503, undefined ],
    [ '/.account/login/password/', 500, undefined ],
  ])('after five log-ins at %s that got %i, another gets %s.', (url, status, expected): void => {
    const limits = limitsWith(100);
    for (let asked = 0; asked < 5; asked += 1) {
      limits.observe(request(url), status);
    }
    expect(limits.admit(request(url), response)?.status).toBe(expected);
  });
});
