import type { IPv4 } from 'ipaddr.js';
import { IPv6, isValid, parse, parseCIDR } from 'ipaddr.js';

type Address = IPv4 | IPv6;

const globalUnicast = IPv6.parseCIDR('2000::/3');

/**
 * Ranges that count as public but lead inside: the wire server of Azure, which gives every virtual machine there its
 * configuration and certificates; segment routing and ORCHID, which no internet host has; documentation.
 */
const inside = [
  '168.63.129.16/32',
  '192.88.99.0/24',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
].map((range): [Address, number] => parseCIDR(range));

/**
 * Checks whether an internet host could have an address: not private, loopback, link-local, shared, reserved or
 * multicast, and no IPv6 form of an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo).
 *
 * @param address - IPv4 or IPv6, without brackets.
 *
 * @see [IANA special-purpose address registries](https://www.iana.org/assignments/iana-ipv6-special-registry)
 */
function isPublicAddress(address: string): boolean {
  if (!isValid(address)) {
    return false;
  }
  const parsed = parse(address);
  return parsed.range() === 'unicast' && (!(parsed instanceof IPv6) || parsed.match(globalUnicast)) &&
    !inside.some(([ range, bits ]): boolean => range.kind() === parsed.kind() && parsed.match(range, bits));
}

/** Checks whether this server may connect to an address that a caller names. */
export function isReachable(address: string, allowLoopback: boolean): boolean {
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

/** Checks whether an address is in 127.0.0.0/8 or is ::1. */
function isLoopbackAddress(address: string): boolean {
  return isValid(address) && parse(address).range() === 'loopback';
}
