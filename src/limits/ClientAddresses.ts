import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { IPv6, isValid, isValidCIDR, parse, parseCIDR } from 'ipaddr.js';
import type { IPv4 } from 'ipaddr.js';
import { RefusedSetting } from '../platform/RefusedSetting';

type Address = IPv4 | IPv6;

/** Proxies in front of this server: their number, or their addresses. None are trusted by default. */
export type TrustedProxies = number | [ Address, number ][] | undefined;

/** The header by which proxies name their client, in lower case. */
export type ProxyHeader = 'forwarded' | 'x-forwarded-for';

const maxRemembered = 10_000;
const maxHops = 20;

/**
 * Parses `--trustedProxies`: the number of proxies, or a comma-separated list of their addresses and networks.
 *
 * @throws Error naming the flag.
 */
export function readTrustedProxies(text: string): TrustedProxies {
  const items = text.split(',').map((item): string => item.trim()).filter((item): boolean => item !== '');
  if (items.length === 0) {
    return;
  }
  if (items.length === 1 && /^[1-9]$/u.test(items[0])) {
    return Number(items[0]);
  }
  return items.map((item): [ Address, number ] => {
    if (isValidCIDR(item)) {
      return parseCIDR(item);
    }
    const address = parseAddress(item);
    if (address) {
      return [ address, address.kind() === 'ipv4' ? 32 : 128 ];
    }
    throw new RefusedSetting(`--trustedProxies must be a number from 1 to 9, or addresses and networks: ${item}`);
  });
}

/**
 * Parses `--proxyHeader`. Only one header is trusted: a proxy that writes one passes the other on as the client sent
 * it.
 *
 * @throws Error naming the flag.
 */
export function readProxyHeader(text: string): ProxyHeader {
  const name = text.toLowerCase();
  if (name !== 'forwarded' && name !== 'x-forwarded-for') {
    throw new RefusedSetting('--proxyHeader must be X-Forwarded-For or Forwarded');
  }
  return name;
}

/** Determines the address of a request, and the key under which it is counted. */
export class ClientAddresses {
  private readonly ofSockets = new WeakMap<Socket, string>();
  private readonly ofHeaders = new Map<string, string>();

  public constructor(
    private readonly proxies: TrustedProxies,
    private readonly header: ProxyHeader = 'x-forwarded-for',
  ) {}

  /**
   * Returns the key under which a request's address is counted: an IPv4 address, or the /64 network of an IPv6 address,
   * which one subscriber has. Undefined for a private address without a trusted proxy: it may be that of a proxy in
   * front of everybody.
   */
  public keyOf({ socket, headers }: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined {
    const peer = this.keyOfSocket(socket);
    if (this.proxies === undefined) {
      return peer === '' ? undefined : peer;
    }
    const given = headers[this.header];
    const header = Array.isArray(given) ? given.join(',') : given ?? '';
    return this.keyOfHeader(header, socket.remoteAddress ?? '', this.proxies);
  }

  private keyOfSocket(socket: Socket): string {
    let key = this.ofSockets.get(socket);
    if (key === undefined) {
      const address = parseHop(socket.remoteAddress ?? '');
      key = address?.range() === 'unicast' ? keyOfAddress(address) : '';
      this.ofSockets.set(socket, key);
    }
    return key;
  }

  private keyOfHeader(header: string, peer: string, proxies: Exclude<TrustedProxies, undefined>): string | undefined {
    const chain = `${header},${peer}`;
    let key = this.ofHeaders.get(chain);
    if (key === undefined) {
      const hops = this.header === 'forwarded' ? forwardedHops(header) : header.split(',');
      const address = clientOf([ ...hops.slice(1 - maxHops), peer ].map((each): string => each.trim()), proxies);
      key = address ? keyOfAddress(address) : '';
      if (this.ofHeaders.size >= maxRemembered) {
        this.ofHeaders.clear();
      }
      if (chain.length < 200) {
        this.ofHeaders.set(chain, key);
      }
    }
    return key === '' ? undefined : key;
  }
}

/**
 * Returns the client of each proxy, the last proxy last. An element without address gives a placeholder: omitting it
 * would shift the proxies.
 *
 * @see [RFC 7239, section 4](https://www.rfc-editor.org/rfc/rfc7239#section-4)
 */
function forwardedHops(header: string): string[] {
  return splitFromEnd(header, ',').filter((element): boolean => element.trim() !== '')
    .map((element): string => {
      const found = splitFromEnd(element, ';')
        .map((pair): RegExpExecArray | null => /^\s*for\s*=\s*(?:"([^"]*)"|([^"\s]+))\s*$/iu.exec(pair))
        .find((match): boolean => match !== null);
      return found?.[1] ?? found?.[2] ?? 'unknown';
    });
}

/**
 * Splits outside of quotes, from the end: the part added by trusted proxies is well formed, and nothing before it can
 * change its meaning.
 */
function splitFromEnd(text: string, separator: ',' | ';'): string[] {
  const pieces: string[] = [];
  let quoted = false;
  let end = text.length;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === '"') {
      quoted = !quoted;
    } else if (text[at] === separator && !quoted) {
      pieces.unshift(text.slice(at + 1, end));
      end = at;
    }
  }
  return [ text.slice(0, end), ...pieces ];
}

/**
 * Returns the first address, from the last hop backwards, that is not a trusted proxy. Entries before it can be forged.
 */
function clientOf(chain: string[], proxies: Exclude<TrustedProxies, undefined>): Address | undefined {
  const hops = chain.filter((each): boolean => each !== '').map(parseHop);
  if (typeof proxies === 'number') {
    return hops[Math.max(0, hops.length - 1 - proxies)];
  }
  const found = hops.findLastIndex((hop): boolean => !hop || !proxies.some((proxy): boolean => isIn(hop, proxy)));
  return hops[Math.max(0, found)];
}

/** Parses an address as proxies write it, with or without a port; IPv4 also in the form of IPv6. */
function parseHop(text: string): Address | undefined {
  const plain = text.replace(/^\[([^\]]+)\](?::\d+)?$/u, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/u, '$1');
  const address = parseAddress(plain);
  return address instanceof IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Parses an address with both parsers: Node refuses forms that the library accepts (`0x7f.1`), the library refuses
 * zones that Node accepts (`%..eth0`).
 */
function parseAddress(text: string): Address | undefined {
  return isIP(text) !== 0 && isValid(text) ? parse(text) : undefined;
}

function isIn(address: Address, [ network, bits ]: [ Address, number ]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function keyOfAddress(address: Address): string {
  return address instanceof IPv6 ?
      address.parts.slice(0, 4).map((part): string => part.toString(16)).join(':') :
      address.toString();
}
