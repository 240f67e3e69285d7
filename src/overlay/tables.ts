/**
 * @module
 * The routing tables of a network that has come to rest. Node x keeps a bucket of at most k contacts for each subtree that
 * it is not in, down to the subtree of its own whose nodes it knows all. A table of Kademlia begins with one bucket, and
 * splits the bucket around the ID of its node when it is full (section 2.4): the same subtrees remain. With b bits a step,
 * the other buckets are split to depth b, too (section 4.2). S/Kademlia's list of siblings makes the subtree that x knows
 * larger (section 4.3). As nodes arrive in random order and stay, the contacts of a bucket are a random sample.
 */

import type { Random } from '../random.ts';
import { shuffled } from '../random.ts';
import type { Network, Range } from './network.ts';
import { boundaryOf, digitOf, ID_BITS, idOf } from './network.ts';

/** What the routing tables of a network are like. */
export interface TableRules {
  /** Most contacts in a bucket: Kademlia's k. */
  readonly bucket: number;
  /** Bits of the ID that a step resolves: Kademlia's b. */
  readonly bits: number;
  /** Nodes around its own ID that each node knows: η·s of S/Kademlia, and k if that is more. */
  readonly neighbours: number;
  /** How many times as likely an adversary is to enter a bucket as an honest node. 1 if tables are not poisoned. */
  readonly poison: number;
}

/** Routing tables in flat arrays. The buckets of a node are those of its first step, then of its second, and so on. */
export interface Tables {
  readonly rules: TableRules;
  /** Index of the first bucket of each node, and of the end. */
  readonly firstBucket: Int32Array;
  /** Index of the first contact of each bucket, and of the end. */
  readonly firstContact: Int32Array;
  readonly contacts: Int32Array;
  /** The subtree of each node whose nodes it knows all. */
  readonly nearLow: Int32Array;
  readonly nearHigh: Int32Array;
}

/** Builds the tables of all nodes. */
export function buildTables(network: Network, rules: TableRules, random: Random): Tables {
  const { size } = network;
  const fanOut = 2 ** rules.bits;
  const draw = drawerOf(network, rules, random);
  const root = rootOf(network, rules);
  const firstBucket = new Int32Array(size + 1);
  const { nearLow, nearHigh } = nearSubtrees(network, rules);
  const ends: number[] = [0];
  const contacts = new GrowingList(size * rules.bucket);
  for (let node = 0; node < size; node += 1) {
    const id = idOf(network, node);
    let depth = 0;
    let tree = root;
    while (tree.children !== null) {
      const own = digitOf(id, depth, rules.bits);
      for (let digit = 0; digit < fanOut; digit += 1) {
        if (digit === own) continue;
        draw(tree.children[digit] ?? tree, contacts);
        ends.push(contacts.length);
      }
      tree = tree.children[own] ?? tree;
      depth += rules.bits;
    }
    firstBucket[node + 1] = ends.length - 1;
  }
  const firstContact = Int32Array.from(ends);
  return { rules, firstBucket, firstContact, contacts: contacts.whole(), nearLow, nearHigh };
}

/** A subtree of the ID space. It has no children if its nodes know each other. */
interface Subtree extends Range {
  readonly children: readonly Subtree[] | null;
}

/** All subtrees that have different buckets, from the whole space on. */
function rootOf(network: Network, { bits, neighbours }: TableRules): Subtree {
  const divide = (range: Range, from: number, to: number): readonly Range[] => {
    if (from === to) return [range];
    const middle = boundaryOf(network, range, from);
    return [
      ...divide({ low: range.low, high: middle }, from + 1, to),
      ...divide({ low: middle, high: range.high }, from + 1, to),
    ];
  };
  const grow = ({ low, high }: Range, depth: number): Subtree => {
    if (high - low <= neighbours || depth + bits > ID_BITS) return { low, high, children: null };
    const parts = divide({ low, high }, depth, depth + bits);
    return { low, high, children: parts.map((part) => grow(part, depth + bits)) };
  };
  return grow({ low: 0, high: network.size }, 0);
}

/** The largest subtree around each node that is small enough for the node to know all of its nodes. */
function nearSubtrees(network: Network, { neighbours }: TableRules) {
  const nearLow = new Int32Array(network.size);
  const nearHigh = new Int32Array(network.size);
  const visit = (range: Range, depth: number): void => {
    if (range.high - range.low <= neighbours || depth === ID_BITS) {
      nearLow.fill(range.low, range.low, range.high);
      nearHigh.fill(range.high, range.low, range.high);
      return;
    }
    const middle = boundaryOf(network, range, depth);
    visit({ low: range.low, high: middle }, depth + 1);
    visit({ low: middle, high: range.high }, depth + 1);
  };
  visit({ low: 0, high: network.size }, 0);
  return { nearLow, nearHigh };
}

/** Integers in one array that doubles when it is full. */
class GrowingList {
  #items: Int32Array;
  length = 0;

  constructor(capacity: number) {
    this.#items = new Int32Array(Math.max(1, capacity));
  }

  push(item: number): void {
    if (this.length === this.#items.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.#items);
      this.#items = larger;
    }
    this.#items[this.length] = item;
    this.length += 1;
  }

  /** Whether the item is among those from this index on. */
  hasFrom(start: number, item: number): boolean {
    for (let index = start; index < this.length; index += 1) {
      if (this.#items[index] === item) return true;
    }
    return false;
  }

  whole(): Int32Array {
    return this.#items.subarray(0, this.length);
  }
}

/** Returns what adds the contacts of a bucket: all nodes of its subtree, or a sample of them. */
function drawerOf(network: Network, { bucket, poison }: TableRules, random: Random) {
  const parties = [0, 1].map((party) => {
    const before = new Int32Array(network.size + 1);
    const members: number[] = [];
    for (let node = 0; node < network.size; node += 1) {
      if (network.isAdversary[node] === party) members.push(node);
      before[node + 1] = members.length;
    }
    return { before, members };
  });
  return ({ low, high }: Range, contacts: GrowingList): void => {
    const start = contacts.length;
    const isWhole = high - low <= bucket;
    for (let node = low; isWhole && node < high; node += 1) contacts.push(node);
    const left = parties.map(({ before }) => (before[high] ?? 0) - (before[low] ?? 0));
    const all = [...left];
    while (!isWhole && contacts.length - start < bucket) {
      const [honest = 0, adversaries = 0] = left;
      const weight = poison * adversaries;
      const party = poison === 1 ? null : Number(random.unit() * (weight + honest) < weight);
      const { before, members } = parties[party ?? 0] ?? { before: [], members: [] };
      const contact =
        party === null
          ? low + random.below(high - low)
          : (members[(before[low] ?? 0) + random.below(all[party] ?? 1)] ?? low);
      if (contacts.hasFrom(start, contact)) continue;
      contacts.push(contact);
      if (party !== null) left[party] = (left[party] ?? 1) - 1;
    }
  };
}

/** Share of the contacts in the tables of honest nodes that are adversaries. */
export function poisonedShare(network: Network, tables: Tables): number {
  const { firstBucket, firstContact, contacts } = tables;
  let [poisoned, all] = [0, 0];
  for (let node = 0; node < network.size; node += 1) {
    if (network.isAdversary[node] === 1) continue;
    const end = firstContact[firstBucket[node + 1] ?? 0] ?? 0;
    for (let at = firstContact[firstBucket[node] ?? 0] ?? 0; at < end; at += 1) {
      poisoned += network.isAdversary[contacts[at] ?? 0] ?? 0;
      all += 1;
    }
  }
  return all === 0 ? 0 : poisoned / all;
}

/** The number of nodes of the adversary: this share of the nodes, and at most all but one. */
export function adversariesAmong(nodes: number, share: number): number {
  return Math.min(Math.round(share * nodes), nodes - 1);
}

/** Divides nodes at random between the adversary, which has this share of them, and honest ones, at least one. */
export function drawParties<T extends NonNullable<unknown>>(
  ids: readonly T[],
  share: number,
  random: Random,
): { readonly honest: readonly T[]; readonly adversaries: readonly T[] } {
  const mixed = shuffled(ids, random);
  const count = adversariesAmong(ids.length, share);
  return { honest: mixed.slice(count), adversaries: mixed.slice(0, count) };
}
