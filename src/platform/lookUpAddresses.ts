import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

const timeoutMs = 1500;
const tries = 2;
const hostsFile = '/etc/hosts';
const ownMachine = /(?:^|\.)localhost$/u;

/**
 * Looks up all addresses of a host name that a caller gave: in the system's file of hosts, else by asking its name
 * servers. There, the system's own look-up would occupy one of the few threads of the process until the name servers
 * answer: a domain whose servers never do would delay all other look-ups, those of hosts in the settings too.
 *
 * @returns No addresses for an unknown name.
 */
export async function lookUpAddresses(hostname: string): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/u, '');
  if (ownMachine.test(name) || await isListed(name)) {
    return lookup(name, { all: true, verbatim: true });
  }
  // Made anew, because it reads once which name servers to ask.
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  const [ ipv4, ipv6 ] = await Promise.all([ found(resolver.resolve4(name)), found(resolver.resolve6(name)) ]);
  return [
    ...ipv4.map((address): LookupAddress => ({ address, family: 4 })),
    ...ipv6.map((address): LookupAddress => ({ address, family: 6 })),
  ];
}

async function isListed(name: string): Promise<boolean> {
  const text = await readFile(hostsFile, 'utf8').catch((): string => '');
  return text.split('\n').some((line): boolean =>
    line.replace(/#.*$/u, '').trim().toLowerCase().split(/\s+/u).slice(1).includes(name));
}

/** Takes a failure as no address: the name may have addresses of the other family. */
async function found(addresses: Promise<string[]>): Promise<string[]> {
  return addresses.catch((): string[] => []);
}
