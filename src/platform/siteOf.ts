import ipaddr from 'ipaddr.js';

/**
 * Names the part of a host name that somebody has to own: its last two labels. Below it one may have any number of
 * names. Where more labels belong to a registry (`example.co.uk`), all of it is one site, which is the safe side.
 *
 * @param host - Of a URL: a name, an IPv4 address, or an IPv6 address in brackets, of which any number are in a /64.
 */
export function siteOf(host: string): string {
  const address = host.replaceAll(/^\[|\]$/gu, '');
  if (ipaddr.IPv6.isValid(address)) {
    return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
  }
  return ipaddr.IPv4.isValid(host) ? host : host.replace(/\.$/u, '').split('.').slice(-2).join('.');
}
