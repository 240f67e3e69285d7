/**
 * @module
 * The addresses at which nodes can join. All members send to the address of a newcomer, so that no two may reach the same
 * member: its owner would pay for what is meant for others.
 */

import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Peer } from '../peers.ts';

/** Addresses of the own machine. */
const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8);
OWN.addSubnet('0.0.0.0', 8);
OWN.addSubnet('::', 127, 'ipv6');

/** What can be wrong with the address of a newcomer. Only the first can change while it waits. */
export const ADDRESS_FAULTS = ['silent', 'known', 'taken', 'host', 'tls'] as const;
export type AddressFault = (typeof ADDRESS_FAULTS)[number];

/** Each with what to do. */
export const ADDRESS_REASONS: Readonly<Record<AddressFault, string>> = {
  silent: 'it does not answer there at its address; give one that the members reach with --listen',
  known: 'it is known with another address; give that one with --listen, or join with a new key',
  taken: 'its address is that of another member; give another one with --listen',
  host: 'the host of its address is neither the IP address of another machine nor the host of a founder; give such an address with --listen',
  tls: 'only one side speaks TLS, it or the members; give it the peers file of the members',
};

/**
 * Why a member can have this address in another spelling; null if none can. Names can be made that resolve to any member, and
 * each machine has many addresses of its own. Those that the peers file has are few.
 */
export function addressFault(
  url: string,
  peers: readonly Pick<Peer, 'url' | 'isFounder'>[],
): AddressFault | null {
  const { host, port } = endpointOf(url);
  const isDirect = isIP(host) !== 0 && !OWN.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  const atHost = peers
    .map(({ url: other, isFounder }) => ({ ...endpointOf(other), isFounder }))
    .filter((other) => other.host === host);
  if (!isDirect && !atHost.some(({ isFounder }) => isFounder)) return 'host';
  return atHost.every((other) => other.port !== port) ? null : 'taken';
}

/** The host of an address in one spelling. */
export function hostOf(url: string): string {
  return endpointOf(url).host;
}

/** The host in one spelling, and the port; empty if it is the standard one. */
function endpointOf(url: string): { readonly host: string; readonly port: string } {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return { host: host.replace(/\.$/, ''), port };
  const bytes = [high, low].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return { host: bytes.join('.'), port };
}
