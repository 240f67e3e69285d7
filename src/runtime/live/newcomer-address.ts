/**
 * @module
 * The addresses at which nodes can join. All members send to the address of a newcomer, so that no two may reach the same
 * member: its owner would pay for what is meant for others.
 */

import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Peer } from './peers.ts';

/** Addresses of the own machine. */
const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8);
OWN.addSubnet('0.0.0.0', 8);
OWN.addSubnet('::', 127, 'ipv6');

/**
 * Whether no member can have this address in another spelling. Names can be made that resolve to any member, and each
 * machine has many addresses of its own. Those that the peers file has are few.
 */
export function isFree(url: string, peers: readonly Pick<Peer, 'url' | 'isFounder'>[]): boolean {
  const { host, port } = endpointOf(url);
  const isDirect = isIP(host) !== 0 && !OWN.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  const atHost = peers
    .map(({ url: other, isFounder }) => ({ ...endpointOf(other), isFounder }))
    .filter((other) => other.host === host);
  if (!isDirect && !atHost.some(({ isFounder }) => isFounder)) return false;
  return atHost.every((other) => other.port !== port);
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
