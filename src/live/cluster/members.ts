/**
 * @module
 * The members of a cluster whose protocol changes them: the removal of one, and why a change is not over yet.
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Cluster } from './cluster.ts';

const REMOVE_MS_MAX = 10_000;

/** What a protocol whose members change says of them. */
export function votersIn(protocol: ProtocolName): Protocol['votersIn'] {
  const { votersIn: found }: Protocol = PROTOCOLS[protocol];
  return found;
}

/** Removes a node. Throws LabError `arguments` as `remove` of a session does. */
export async function removal(
  protocol: ProtocolName,
  cluster: Cluster,
  node: number,
  signal: AbortSignal,
): Promise<string | null> {
  if (votersIn(protocol) === null) {
    const others = PROTOCOL_NAMES.filter((name) => votersIn(name) !== null);
    throw new LabError(
      'arguments',
      `the members of ${protocol} are never removed; kill the node, or use ${others.join(', ')}`,
    );
  }
  if (await cluster.remove(node, REMOVE_MS_MAX, signal)) return null;
  return admissionText(cluster) ?? 'a majority of the other members has not confirmed it';
}

/** Why nodes that are up are no members yet; null if none is known to be none. */
export function admissionText(cluster: Pick<Cluster, 'voters' | 'awake'>): string | null {
  const voters = cluster.voters();
  const awake = cluster.awake();
  if (voters === null) return null;
  const missing = awake.filter((node) => !voters.includes(node));
  const up = voters.filter((node) => awake.includes(node));
  const needed = Math.floor(voters.length / 2) + 1;
  const majority = `the members are ${voters.join(', ')}, and ${needed} of them must confirm each change`;
  if (up.length < needed)
    return `${majority}; ${up.length === 0 ? 'none of them is up' : `of them, only ${up.join(', ')} ${up.length === 1 ? 'is' : 'are'} up`}`;
  return missing.length === 0 ? null : `${majority}; node ${missing.join(', ')} is none yet`;
}
