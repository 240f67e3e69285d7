/**
 * @module
 * Rank keys: an election orders nodes by them, the highest first. A rank key is derived from the admitted node
 * ID and never chosen by the node. All rank keys of one population have one length and compare as unsigned
 * big-endian integers. A rank salted by a beacon that is drawn after registration makes a search for high IDs
 * worthless. Salting the puzzle alone does not: the best IDs can be kept, and solved first. No two nodes of a network
 * have one ID: the first one that registers it keeps it.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { compareBytes, concatBytes } from '../../bytes.ts';
import type { NodeIdRules } from './node-id.ts';
import { idRuleOf } from './node-id.ts';

export type RankRule =
  /** The node ID itself. */
  | { readonly type: 'node-id' }
  /** SHA-256(beacon ‖ nodeId). */
  | { readonly type: 'salted'; readonly beacon: Uint8Array }
  /** The smallest ID ranks highest, as in Yggdrasil: the bitwise complement reverses the order. */
  | { readonly type: 'smallest' };

/** How a network with this policy orders its nodes as long as no beacon is drawn. */
export function rankRuleOf(policy: Pick<NodeIdRules, 'idRule'>): RankRule {
  return { type: idRuleOf(policy).ranks };
}

/** The rank key of a node ID: as long as the ID, or 32 bytes if it is salted. */
export function rankKeyOf(nodeId: Uint8Array, rule: RankRule): Uint8Array {
  switch (rule.type) {
    case 'node-id':
      return nodeId;
    case 'salted':
      return sha256(concatBytes(rule.beacon, nodeId));
    case 'smallest':
      return nodeId.map((byte) => ~byte);
    default:
      return rule satisfies never;
  }
}

/** The nodes in the order of their rank keys, the lowest first. */
export function byRank<Node extends { readonly nodeId: Uint8Array }>(
  nodes: readonly Node[],
  rule: RankRule,
): Node[] {
  const keyed = nodes.map((node) => ({ node, key: rankKeyOf(node.nodeId, rule) }));
  return keyed.sort((one, other) => compareBytes(one.key, other.key)).map(({ node }) => node);
}
