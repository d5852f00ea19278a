import ipaddr from 'ipaddr.js';

/**
 * Returns the part of a host name that has one owner: its last two labels. The owner may create any number of names
 * below it. Where a registry owns more labels (`example.co.uk`), all names there count as one site, which is the safe
 * side.
 *
 * @param host - Host of a URL: a name, an IPv4 address, or an IPv6 address in brackets. The site of an IPv6 address is
 * its /64, in which one owner may have any number of addresses.
 */
export function siteOf(host: string): string {
  const address = host.replaceAll(/^\[|\]$/gu, '');
  if (ipaddr.IPv6.isValid(address)) {
    return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
  }
  return ipaddr.IPv4.isValid(host) ? host : host.replace(/\.$/u, '').split('.').slice(-2).join('.');
}
