/**
 * @module
 * Rank keys: what an election orders nodes by, highest first, derived from what is admitted and never
 * chosen by the node. All keys of one population have one length and compare as unsigned big-endian
 * integers. Salting the rank by a beacon that is drawn after registration is what takes the value out
 * of ground IDs; salting the puzzle alone does not (the best IDs can be kept and solved first).
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '../../bytes.ts';
import type { NodeIdRules } from './node-id.ts';

/** Every rank rule, the default first. */
export const RANK_RULES = ['node-id', 'salted', 'smallest'] as const;

export type RankRule =
  /** The node ID itself. */
  | { readonly type: 'node-id' }
  /** SHA-256(beacon ‖ nodeId). */
  | { readonly type: 'salted'; readonly beacon: Uint8Array }
  /** The smallest ID leads, as in Yggdrasil: the bitwise complement, which reverses the order. */
  | { readonly type: 'smallest' };

/** How a network with this policy orders its nodes while no beacon is drawn. */
export function rankRuleOf({ idRule }: Pick<NodeIdRules, 'idRule'>): RankRule {
  return { type: idRule === 'yggdrasil' ? 'smallest' : 'node-id' };
}

/** The rank key of a node ID: as long as the ID, 32 bytes where it is salted. */
export function rankKeyOf(nodeId: Uint8Array, rule: RankRule): Uint8Array {
  switch (rule.type) {
    case 'node-id':
      return nodeId;
    case 'salted':
      return sha256(concatBytes(rule.beacon, nodeId));
    case 'smallest':
      return nodeId.map((byte) => ~byte);
    default:
      return unknownRule(rule);
  }
}

function unknownRule(rule: never): never {
  throw new TypeError(
    `"rule" expected one of ${RANK_RULES.join(', ')}, got ${JSON.stringify(rule)}`,
  );
}
