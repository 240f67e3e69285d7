/**
 * @module
 * This folder contains Kademlia overlays (Maymounkov and Mazières 2002) with the extensions of S/Kademlia (Baumgart and
 * Mies 2007): routing tables, lookups over disjoint paths, adversaries, and what it costs to lead a key. This file has the
 * nodes of a network in the order of their IDs. An ID is represented by its first 64 bits, as two halves. Nodes with a
 * common prefix are neighbours in this order, so that each subtree of the ID space is a range of indices.
 */

import type { Random } from '../random.ts';

/** The first 64 bits of a key, or of an ID, as two unsigned integers of 32 bits. */
export interface Key {
  readonly high: number;
  readonly low: number;
}

/** The nodes of an overlay by ascending ID. An index is the name of a node. */
export interface Network {
  readonly size: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** 1 for the nodes of the adversary. */
  readonly isAdversary: Uint8Array;
}

/** Bits of an ID that a network knows. */
export const ID_BITS = 64;
const HALF_BITS = 32;
const HALF = 2 ** HALF_BITS;

/** A uniformly random key. */
export function drawKey(random: Random): Key {
  return { high: random.below(HALF), low: random.below(HALF) };
}

/** The first 64 bits of a node ID. A shorter ID is followed by zeros. */
export function keyOf(nodeId: Uint8Array): Key {
  const half = (at: number) =>
    [0, 1, 2, 3].reduce((value, index) => value * 256 + (nodeId[at + index] ?? 0), 0);
  return { high: half(0), low: half(4) };
}

/** The network of these nodes. Of nodes with the same 64 bits, only the first is kept. */
export function networkOf(honest: readonly Key[], adversaries: readonly Key[]): Network {
  const ids = [...honest, ...adversaries].map(integerOf);
  const owners = new Map<bigint, number>();
  for (const [index, id] of ids.entries()) {
    if (!owners.has(id)) owners.set(id, index < honest.length ? 0 : 1);
  }
  const sorted = BigUint64Array.from(owners.keys()).sort();
  return {
    size: sorted.length,
    high: Uint32Array.from(sorted, (id) => Number(id >> 32n)),
    low: Uint32Array.from(sorted, (id) => Number(id & 0xffffffffn)),
    isAdversary: Uint8Array.from(sorted, (id) => owners.get(id) ?? 0),
  };
}

function integerOf({ high, low }: Key): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Number of leading bits that the ID of a node and a key have in common. */
export function sharedBits({ high, low }: Network, node: number, key: Key): number {
  const top = (high[node] ?? 0) ^ key.high;
  return top === 0 ? HALF_BITS + Math.clz32((low[node] ?? 0) ^ key.low) : Math.clz32(top);
}

/** The `bits` bits of an ID from bit `at` on. `bits` is at most 8. */
export function digitOf({ high, low }: Key, at: number, bits: number): number {
  const mask = 2 ** bits - 1;
  const end = at + bits;
  if (end <= HALF_BITS) return (high >>> (HALF_BITS - end)) & mask;
  const rest = low >>> (ID_BITS - end);
  return (at >= HALF_BITS ? rest : (high << (end - HALF_BITS)) | rest) & mask;
}

/** The ID of a node. */
export function idOf({ high, low }: Network, node: number): Key {
  return { high: high[node] ?? 0, low: low[node] ?? 0 };
}

/** The XOR distance of two keys, compared as an integer: below 0 if `one` is closer to `key` than `other`. */
export function compareDistances(key: Key, one: Key, other: Key): number {
  const top = ((one.high ^ key.high) >>> 0) - ((other.high ^ key.high) >>> 0);
  return top !== 0 ? top : ((one.low ^ key.low) >>> 0) - ((other.low ^ key.low) >>> 0);
}

/** The nodes closest to a key, the closest first: `count` of them, or all. */
export function closestTo(network: Network, key: Key, count: number): number[] {
  const { low, high } = subtreeOf(network, key, count);
  return Array.from({ length: high - low }, (_, index) => low + index)
    .sort((one, other) => compareDistances(key, idOf(network, one), idOf(network, other)))
    .slice(0, count);
}

/** A range of nodes: from `low` to before `high`. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The smallest subtree around a key with at least `count` nodes, or all nodes. The closest nodes to the key are in it. */
function subtreeOf(network: Network, key: Key, count: number): Range {
  let [low, high] = [0, network.size];
  for (let depth = 0; depth < ID_BITS; depth += 1) {
    const middle = boundaryOf(network, { low, high }, depth);
    const isUpper = digitOf(key, depth, 1) === 1;
    const [from, to] = isUpper ? [middle, high] : [low, middle];
    if (to - from < count) break;
    [low, high] = [from, to];
  }
  return { low, high };
}

/** The first node of a range whose bit at this depth is 1. All nodes of the range have the bits before it in common. */
export function boundaryOf(network: Network, { low, high }: Range, depth: number): number {
  const half = depth < HALF_BITS ? network.high : network.low;
  const bit = 2 ** (HALF_BITS - 1 - (depth % HALF_BITS));
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (((half[middle] ?? 0) & bit) === 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
