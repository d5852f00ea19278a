import { IPv6, isValid, parse } from 'ipaddr.js';

const globalUnicast = IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one that any host of the internet could have: not private, loopback, link-local, shared,
 * reserved or multicast, and no IPv6 form that leads to an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo).
 *
 * @param address - IPv4 or IPv6, without brackets.
 *
 * @see [IANA special-purpose address registries](https://www.iana.org/assignments/iana-ipv6-special-registry)
 */
export function isPublicAddress(address: string): boolean {
  if (!isValid(address)) {
    return false;
  }
  const parsed = parse(address);
  return parsed.range() === 'unicast' && (!(parsed instanceof IPv6) || parsed.match(globalUnicast));
}

/** Whether an address may be reached on somebody else's word. */
export function isReachable(address: string, allowLoopback: boolean): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

/** Whether an address is 127.0.0.0/8 or ::1. */
function isLoopbackAddress(address: string): boolean {
  return isValid(address) && parse(address).range() === 'loopback';
}
