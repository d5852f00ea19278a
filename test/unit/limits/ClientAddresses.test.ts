import type { IncomingMessage } from 'node:http';
import { ClientAddresses, readProxyHeader, readTrustedProxies } from '../../../src/limits/ClientAddresses';

function keyOf(proxies: string, remoteAddress: string, forwarded?: string): string | undefined {
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded }};
  return new ClientAddresses(readTrustedProxies(proxies)).keyOf(request as unknown as IncomingMessage);
}

describe('The address of a client', (): void => {
  it.each([
    [ '198.51.101.7', '198.51.101.7' ],
    [ '::ffff:198.51.101.7', '198.51.101.7' ],
    [ '2a02:1811:10:1:2:3:4:5', '2a02:1811:10:1' ],
    [ '2a02:1811:10:1::', '2a02:1811:10:1' ],
  ])('%s is counted as %s.', (remote, key): void => {
    expect(keyOf('', remote)).toBe(key);
  });

  it.each([ '127.0.0.1', '::1', '10.1.2.3', '::ffff:192.168.0.1', 'fe80::1', '' ])(
    '%s can be a proxy\'s, and is not counted.',
    (remote): void => {
      expect(keyOf('', remote)).toBeUndefined();
      expect(keyOf('', remote, '198.51.101.7')).toBeUndefined();
    },
  );

  it.each([
    [ '1', '127.0.0.1', '198.51.101.7', '198.51.101.7' ],
    [ '1', '127.0.0.1', '203.0.114.1, 198.51.101.7', '198.51.101.7' ],
    [ '2', '127.0.0.1', '203.0.114.1, 198.51.101.7, 10.0.0.1', '198.51.101.7' ],
    [ '2', '127.0.0.1', '198.51.101.7', '198.51.101.7' ],
    [ '1', '10.0.0.9', undefined, '10.0.0.9' ],
    [ '127.0.0.1, 10.0.0.0/8', '127.0.0.1', '203.0.114.1, 198.51.101.7, 10.0.0.1', '198.51.101.7' ],
    [ '127.0.0.1', '::ffff:127.0.0.1', '198.51.101.7:4711', '198.51.101.7' ],
    [ '::1/128', '::1', '[2a02:1811:10:1::5]:443', '2a02:1811:10:1' ],
    [ '127.0.0.1', '198.51.101.9', '203.0.114.1', '198.51.101.9' ],
    [ '127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1' ],
    [ '127.0.0.1', '127.0.0.1', '198.51.101.7, nonsense', undefined ],
    [ '1', '127.0.0.1', '203.0.114.1, unknown', undefined ],
  ])('with --trustedProxies %s, peer %s and X-Forwarded-For %s is %s.', (proxies, remote, forwarded, key): void => {
    expect(keyOf(proxies, remote, forwarded)).toBe(key);
  });

  it.each([
    [ '1', '127.0.0.1', 'for=198.51.101.7', '198.51.101.7' ],
    [ '1', '127.0.0.1', 'for=203.0.114.1, For="198.51.101.7:4711";proto=https;by=10.0.0.1', '198.51.101.7' ],
    [ '127.0.0.1, 10.0.0.0/8', '127.0.0.1', 'for=198.51.101.7;by="10.0.0.1",proto=http;for=10.0.0.1', '198.51.101.7' ],
    [ '1', '127.0.0.1', 'proto=http; for = "[2a02:1811:10:1::5]:443"', '2a02:1811:10:1' ],
    // The client's part cannot absorb the proxy's.
    [ '1', '127.0.0.1', 'for="203.0.114.1, for=198.51.101.7', '198.51.101.7' ],
    [ '1', '127.0.0.1', 'for=203.0.114.1", for="[2a02:1811:10:1::5]"', '2a02:1811:10:1' ],
    [ '1', '127.0.0.1', 'for="\\", for=198.51.101.7;host="a,b;for=203.0.114.1"', '198.51.101.7' ],
    // Our proxy states that the address is unknown.
    [ '1', '127.0.0.1', 'for=203.0.114.1, for=unknown', undefined ],
    [ '1', '127.0.0.1', 'for=203.0.114.1, proto=https', undefined ],
    [ '1', '127.0.0.1', 'for=203.0.114.1, for=_hidden', undefined ],
    [ '', '127.0.0.1', 'for=203.0.114.1', undefined ],
    [ '10.0.0.1', '198.51.101.9', 'for=203.0.114.1', '198.51.101.9' ],
  ])('with --trustedProxies %s, peer %s and Forwarded %s is %s.', (proxies, remoteAddress, forwarded, key): void => {
    const request = { socket: { remoteAddress }, headers: { forwarded, 'x-forwarded-for': '203.0.114.99' }};
    const addresses = new ClientAddresses(readTrustedProxies(proxies), readProxyHeader('Forwarded'));
    expect(addresses.keyOf(request as unknown as IncomingMessage)).toBe(key);
  });

  it('is not read from a header that the proxies do not write.', (): void => {
    const request = { socket: { remoteAddress: '127.0.0.1' }, headers: { forwarded: 'for=203.0.114.1' }};
    const addresses = new ClientAddresses(readTrustedProxies('127.0.0.1'), readProxyHeader('x-forwarded-for'));
    expect(addresses.keyOf(request as unknown as IncomingMessage)).toBe('127.0.0.1');
    expect((): unknown => readProxyHeader('X-Real-IP')).toThrow('--proxyHeader');
  });

  it.each([ '0', '10', 'everybody', '10.0.0.0/33', '127.0.0.1,2' ])(
    'is not read with a setting such as %s.',
    (text): void => {
      expect((): unknown => readTrustedProxies(text)).toThrow('--trustedProxies');
    },
  );
});
