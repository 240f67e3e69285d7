/**
 * @module
 * The order of nodes, and the routing tables: against comparisons of all nodes, and against tables that split their
 * buckets node by node as Kademlia describes it.
 */

import { describe, expect, it } from 'vitest';
import type { Key } from '../../src/overlay/network.ts';
import {
  closestTo,
  digitOf,
  drawKey,
  keyOf,
  networkOf,
  sharedBits,
} from '../../src/overlay/network.ts';
import { buildTables, poisonedShare } from '../../src/overlay/tables.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { plainId, plainNodes } from './plain.ts';

const random = createRandom(parseSeed('7'), 'network');
const drawn = (count: number) => Array.from({ length: count }, () => drawKey(random));
/** IDs that differ in their last bits only, in the lower half, and in both halves. */
const CROWDED: readonly Key[] = [0, 1, 2, 3, 2 ** 31, 2 ** 32 - 1].flatMap((low) =>
  [0, 1, 2 ** 31, 2 ** 32 - 1].map((high) => ({ high, low })),
);
const NETWORKS: readonly (readonly [name: string, ids: readonly Key[]])[] = [
  ['one node', drawn(1)],
  ['two nodes', drawn(2)],
  ['64 random nodes', drawn(64)],
  ['150 random nodes', drawn(150)],
  ['nodes with long common prefixes', CROWDED],
];

describe.each(NETWORKS)('%s', (_name, ids) => {
  const network = networkOf(ids, []);
  const plain = ids.map(plainId).sort((one, other) => (one < other ? -1 : 1));
  const keys = [...drawn(20), ...ids.slice(0, 10), { high: 0, low: 0 }];

  it.each([1, 3, 16, 1000])('has the %i nodes closest to a key', (count) => {
    for (const key of keys) {
      const expected = plain
        .toSorted((one, other) => ((one ^ plainId(key)) < (other ^ plainId(key)) ? -1 : 1))
        .slice(0, count);

      expect(closestTo(network, key, count).map((node) => plain[node])).toEqual(expected);
    }
  });

  it('has common bits and digits as binary numbers do', () => {
    const binary = (key: Key) => plainId(key).toString(2).padStart(64, '0');
    for (const key of keys) {
      for (const [node, id] of plain.entries()) {
        const differing = [...id.toString(2).padStart(64, '0')].findIndex(
          (bit, at) => bit !== binary(key)[at],
        );
        expect(sharedBits(network, node, key)).toBe(differing === -1 ? 64 : differing);
      }
      for (const at of [0, 29, 30, 31, 32, 61]) {
        expect(digitOf(key, at, 3)).toBe(Number.parseInt(binary(key).slice(at, at + 3), 2));
      }
    }
  });

  it.each([
    [1, 1, 1],
    [4, 1, 4],
    [4, 1, 20],
    [3, 2, 6],
    [2, 4, 9],
  ])('has tables with k = %i, b = %i and %i neighbours', (bucket, bits, neighbours) => {
    const rules = { bucket, bits, neighbours, poison: 1 };
    const nodes = plainNodes(network, buildTables(network, rules, random));
    for (const [node, { buckets, near }] of nodes.entries()) {
      const trees = splitTables(plain, node, { bits, neighbours });

      expect(near).toEqual(nearOf(plain, node, neighbours));
      expect(buckets.map(({ length }) => length)).toEqual(
        trees.map(({ length }) => Math.min(bucket, length)),
      );
      for (const [at, contacts] of buckets.entries()) {
        expect(new Set(contacts).size).toBe(contacts.length);
        expect(contacts.filter((contact) => !trees[at]?.includes(contact))).toEqual([]);
      }
    }
  });
});

/**
 * The subtrees of the buckets of a node. The table begins with one bucket of all nodes. While the bucket around the own ID
 * has more nodes than the node may know there, it is split into 2^b.
 */
function splitTables(
  ids: readonly bigint[],
  node: number,
  { bits, neighbours }: { readonly bits: number; readonly neighbours: number },
): readonly (readonly number[])[] {
  const buckets: number[][] = [];
  let own = [...ids.keys()];
  for (let depth = 0; own.length > neighbours; depth += bits) {
    const digit = (id: bigint) => Number((id >> BigInt(64 - depth - bits)) % 2n ** BigInt(bits));
    const parts = Array.from({ length: 2 ** bits }, (_, value) =>
      own.filter((other) => digit(ids[other] ?? 0n) === value),
    );
    const mine = digit(ids[node] ?? 0n);
    buckets.push(...parts.filter((_, value) => value !== mine));
    own = parts[mine] ?? [];
  }
  return buckets;
}

/** The largest subtree around a node with so few nodes. */
function nearOf(ids: readonly bigint[], node: number, most: number): readonly number[] {
  for (let depth = 0n; ; depth += 1n) {
    const prefix = (index: number) => (ids[index] ?? 0n) >> (64n - depth);
    const tree = [...ids.keys()].filter((other) => prefix(other) === prefix(node));
    if (tree.length <= most) return tree;
  }
}

describe('a network', () => {
  it('has each ID once, and knows its adversaries', () => {
    const [one, two] = drawn(2);
    const ids = one === undefined || two === undefined ? [] : [one, two, one];
    const network = networkOf(ids, ids);

    expect(network.size).toBe(2);
    expect([...network.isAdversary]).toEqual([0, 0]);
  });

  it('reads the first 64 bits of an earned ID', () => {
    const bytes = Uint8Array.from([1, 2, 3, 4, 0xff, 0, 0, 5, 99, 99]);

    expect(keyOf(bytes)).toEqual({ high: 0x01020304, low: 0xff000005 });
  });

  it.each([1, 5, 1000])('has adversaries in its buckets with weight %i', (poison) => {
    const network = networkOf(drawn(900), drawn(100));
    const rules = { bucket: 4, bits: 1, neighbours: 4, poison };
    const tables = buildTables(network, rules, random);
    const first = plainNodes(network, tables).flatMap(({ buckets }) => buckets[0] ?? []);
    const share = first.filter((node) => network.isAdversary[node] === 1).length / first.length;
    const expected = (poison * 0.1) / (poison * 0.1 + 0.9);

    // The first bucket is a sample of half the network.
    expect(share).toBeGreaterThan(0.9 * expected);
    expect(share).toBeLessThan(1.1 * expected);
    if (poison === 1) expect(poisonedShare(network, tables)).toBeCloseTo(0.1, 1);
  });
});
