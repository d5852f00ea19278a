import { siteOf } from '../../../src/platform/siteOf';

describe('The site of a host', (): void => {
  it.each([
    [ 'https://idp.example/', 'idp.example' ],
    [ 'https://a.b.idp.example:8443/realms/1', 'idp.example' ],
    [ 'https://A.IDP.EXAMPLE./', 'idp.example' ],
    [ 'https://abc.be/', 'abc.be' ],
    [ 'https://x.abc.be/', 'abc.be' ],
    [ 'https://localhost/', 'localhost' ],
    [ 'https://192.0.2.7/', '192.0.2.7' ],
    [ 'https://0xC0000207/', '192.0.2.7' ],
    [ 'https://[2001:db8::1]/', '2001:db8::' ],
    [ 'https://[2001:db8:0:0:ffff::1]:444/', '2001:db8::' ],
  ])('%s is %s.', (issuer, site): void => {
    expect(siteOf(new URL(issuer).hostname)).toBe(site);
  });
});
