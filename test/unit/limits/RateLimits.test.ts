import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientAddresses } from '../../../src/limits/ClientAddresses';
import { RateLimits } from '../../../src/limits/RateLimits';

const response = { setHeader: (): void => undefined } as unknown as ServerResponse;

function request(url: string): IncomingMessage {
  return { method: 'POST', url, headers: {}, socket: { remoteAddress: '198.51.100.7' }} as unknown as IncomingMessage;
}

describe('RateLimits', (): void => {
  it.each([
    [ '/.account/login/password/forgot/', 5 ],
    [ '/.account/account/', 25 ],
    [ '/.account/account', 25 ],
    [ '/.oidc/reg', 10 ],
    [ '/.oidc/reg?x', 10 ],
  ])('limits POST %s from one address in a minute, even successful ones: %i.', (url, most): void => {
    const limits = new RateLimits({
      perAddress: 0,
      perCaller: 0,
      failures: 100,
      addresses: new ClientAddresses(0, 'x-forwarded-for'),
      now: (): Date => new Date('2026-11-22T12:00:00Z'),
    });
    for (let asked = 0; asked < most; asked += 1) {
      expect(limits.admit(request(url), response)).toBeUndefined();
      limits.observe(request(url), 200);
    }
    expect(limits.admit(request(url), response)).toMatchObject({ status: 429 });
    expect(limits.admit(request('/pod/'), response)).toBeUndefined();
  });
});
