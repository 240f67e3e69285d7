/**
 * @module
 * This folder contains the tests of overlays. This file has a small network in the plainest form, as an oracle: IDs are
 * bigints, and everything is found by comparing all nodes. It shares no code with src/overlay.
 */

import type { Key, Network } from '../../src/overlay/network.ts';
import type { Tables } from '../../src/overlay/tables.ts';

/** A node with all nodes that it knows. */
export interface PlainNode {
  readonly id: bigint;
  readonly isHonest: boolean;
  readonly buckets: readonly (readonly number[])[];
  readonly near: readonly number[];
}

/** The ID as one integer. */
export function plainId({ high, low }: Key): bigint {
  return BigInt(high) * 2n ** 32n + BigInt(low);
}

/** The nodes of a network with their tables. */
export function plainNodes(network: Network, tables: Tables): readonly PlainNode[] {
  const ids = Array.from({ length: network.size }, (_, node) =>
    plainId({ high: network.high[node] ?? 0, low: network.low[node] ?? 0 }),
  );
  return ids.map((id, node) => {
    const from = tables.firstBucket[node] ?? 0;
    const to = tables.firstBucket[node + 1] ?? 0;
    const buckets = Array.from({ length: to - from }, (_, at) => [
      ...tables.contacts.subarray(
        tables.firstContact[from + at],
        tables.firstContact[from + at + 1],
      ),
    ]);
    const near = ids.flatMap((_, other) => {
      return other >= (tables.nearLow[node] ?? 0) && other < (tables.nearHigh[node] ?? 0)
        ? [other]
        : [];
    });
    return { id, isHonest: network.isAdversary[node] === 0, buckets, near };
  });
}

/** All nodes by their distance from a key. */
export function byDistance(nodes: readonly PlainNode[], key: bigint): readonly number[] {
  return [...nodes.keys()].sort((one, other) => {
    const left = (nodes[one]?.id ?? 0n) ^ key;
    const right = (nodes[other]?.id ?? 0n) ^ key;
    return left < right ? -1 : 1;
  });
}

/** What an honest node answers: the `count` contacts closest to the key that it knows. */
export function answerOf(
  nodes: readonly PlainNode[],
  asked: number,
  { key, count }: { readonly key: bigint; readonly count: number },
): readonly number[] {
  const own = nodes[asked];
  const known = new Set([...(own?.buckets.flat() ?? []), ...(own?.near ?? [])]);
  known.delete(asked);
  return byDistance(nodes, key)
    .filter((node) => known.has(node))
    .slice(0, count);
}

/** Whether a node knows all siblings of a key around its own ID. */
export function knowsSiblings(
  nodes: readonly PlainNode[],
  node: number,
  siblings: readonly number[],
): boolean {
  return siblings.every((sibling) => nodes[node]?.near.includes(sibling));
}
