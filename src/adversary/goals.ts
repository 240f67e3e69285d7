/**
 * @module
 * What an adversary wants of the node IDs that it forges, in terms of a whole network, and the goal of a
 * search for them. A node ID above every honest one is the attack on elections by highest ID: Bully
 * (Garcia-Molina 1982) and Chang–Roberts (1979) elect the maximum.
 */

import { compareBytes, hexToBytes } from '../bytes.ts';
import type { RankRule } from '../identity/ids/rank-key.ts';
import type { Goal } from '../mining/goal.ts';
import { xorDistance } from '../mining/goal.ts';
import { IDENTITIES_MAX } from '../mining/saved-search.ts';
import { parseQuantity } from '../quantities.ts';

/** What is wanted; `top`, above every honest node ID, is a goal only once those are known. */
export type Wish = Goal | { readonly type: 'top' };

/** Every way to write a wish. */
export const WISH_FORMS = 'any, top, above:<id>, near:<id>, between:<id>:<id> or count:<k>';

/** Reads a wish: node IDs in lower-case hex, counts as everywhere; null for anything else. */
export function parseWish(text: string): Wish | null {
  if (text === 'any' || text === 'top') return { type: text };
  const [kind, ...parts] = text.split(':');
  if (kind === 'count' && parts.length === 1) return countOf(parts[0] ?? '');
  const ids = parts.map(idOf);
  const [first, second] = ids;
  if (first === undefined || ids.some((id) => id?.length !== first.length)) return null;
  if (kind === 'above' && ids.length === 1) return { type: 'above', nodeId: first };
  if (kind === 'near' && ids.length === 1) return { type: 'near', nodeId: first, closerThan: null };
  if (kind !== 'between' || ids.length !== 2 || second === undefined) return null;
  return { type: 'between', low: first, high: second };
}

/**
 * The goal of a search against a network of these honest node IDs (of one length, in any order): top
 * passes all of them, near comes closer than all. Against an empty network every identity is on top.
 * Where the smallest ID leads, top is below all. Throws RangeError for ranks that a later beacon salts,
 * because no search can aim at them.
 */
export function resolveGoal(
  wish: Wish,
  honestNodeIds: readonly Uint8Array[],
  rule: RankRule = { type: 'node-id' },
): Goal {
  switch (wish.type) {
    case 'top':
      return topUnder(rule, honestNodeIds);
    case 'near':
      return { ...wish, closerThan: closestDistance(wish.nodeId, honestNodeIds) };
    case 'any':
    case 'count':
    case 'pair':
    case 'above':
    case 'between':
      return wish;
    default:
      return wish satisfies never;
  }
}

/** A node ID in lower-case hex, of a length that some policy has. */
export function idOf(text: string): Uint8Array | undefined {
  return /^(?:[0-9a-f]{2}){2,32}$/.test(text) ? hexToBytes(text) : undefined;
}

function countOf(digits: string): Wish | null {
  const identities = parseQuantity('count', digits);
  return identities >= 1 && identities <= IDENTITIES_MAX ? { type: 'count', identities } : null;
}

function closestDistance(target: Uint8Array, ids: readonly Uint8Array[]): Uint8Array | null {
  const [closest = null] = ids.map((id) => xorDistance(id, target)).sort(compareBytes);
  return closest;
}

function topUnder(rule: RankRule, nodeIds: readonly Uint8Array[]): Goal {
  switch (rule.type) {
    case 'node-id':
      return aboveAll(nodeIds);
    case 'smallest':
      return belowAll(nodeIds);
    case 'salted':
      throw new RangeError('"rule" expected one that is known before the beacon, got salted');
    default:
      return rule satisfies never;
  }
}

/** On the ring the way from the highest ID to the lowest honest one, zero included. */
function belowAll(nodeIds: readonly Uint8Array[]): Goal {
  const [lowest] = nodeIds.toSorted(compareBytes);
  if (lowest === undefined) return { type: 'any' };
  return { type: 'between', low: lowest.map(() => 0xff), high: lowest };
}

function aboveAll(nodeIds: readonly Uint8Array[]): Goal {
  const [first, ...others] = nodeIds;
  if (first === undefined) return { type: 'any' };
  let top = first;
  for (const nodeId of others) {
    if (compareBytes(nodeId, top) > 0) top = nodeId;
  }
  return { type: 'above', nodeId: top };
}
