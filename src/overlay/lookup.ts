/**
 * @module
 * One lookup: the initiator asks for nodes ever closer to a key, over d disjoint paths (S/Kademlia, section 4.4). It divides
 * the k closest nodes that it knows among the paths. Each path asks the α closest nodes that no path has asked before, adds
 * their answers to its list, and ends with success at an honest node that knows all siblings of the key. The model is
 * synchronous: all paths take a step, then the next one.
 *
 * Answers are signed, so that an adversary can hide nodes, but cannot invent IDs. Without signatures it names IDs that no
 * node has and that are closer to the key than all others: the path is lost (section 5.1 of the paper).
 */

import type { Key, Network } from './network.ts';
import { closestTo, digitOf, idOf, networkOf, sharedBits } from './network.ts';
import type { Tables } from './tables.ts';

/** What the nodes of the adversary answer: nothing, the next colluders by closeness, or invented nodes. */
export const CONDUCTS = ['silent', 'collude', 'invent'] as const;
export type Conduct = (typeof CONDUCTS)[number];

/** How lookups are carried out. */
export interface LookupRules {
  /** Number of disjoint paths: d. */
  readonly paths: number;
  /** Nodes that a path asks at once: α. */
  readonly parallel: number;
  /** Nodes that are responsible for a key: s. */
  readonly siblings: number;
  readonly conduct: Conduct;
}

/** What became of a lookup. */
export interface Lookup {
  /** Steps of each path that ended with success, in the order in which they ended. */
  readonly lengths: readonly number[];
  /** Messages: questions, and answers to them. */
  readonly messages: number;
}

/** Carries out lookups in one network. The object keeps memory that all lookups use. */
export class Lookups {
  readonly #network: Network;
  readonly #tables: Tables;
  readonly #rules: LookupRules;
  /** The number of the last lookup in which each node was asked. */
  readonly #askedIn: Int32Array;
  readonly #colluders: { readonly network: Network; readonly nodes: readonly number[] };
  #lookup = 0;

  constructor(network: Network, tables: Tables, rules: LookupRules) {
    this.#network = network;
    this.#tables = tables;
    this.#rules = rules;
    this.#askedIn = new Int32Array(network.size);
    const nodes = [...network.isAdversary.keys()].filter((node) => network.isAdversary[node] === 1);
    const ids = nodes.map((node) => idOf(network, node));
    this.#colluders = { network: networkOf([], ids), nodes };
  }

  /** Looks a key with these siblings up from an honest node. */
  from(initiator: number, key: Key, siblings: readonly number[]): Lookup {
    const { paths, parallel, conduct } = this.#rules;
    const [least, most] = [Math.min(...siblings), Math.max(...siblings)];
    const knowsAll = (node: number) =>
      (this.#tables.nearLow[node] ?? 0) <= least && (this.#tables.nearHigh[node] ?? 0) > most;
    if (knowsAll(initiator)) return { lengths: [0], messages: 0 };

    this.#lookup += 1;
    this.#askedIn[initiator] = this.#lookup;
    const colluders = conduct === 'collude' ? this.#colludersNear(key) : [];
    const { bucket } = this.#tables.rules;
    const lists = this.#begin(initiator, key, paths);
    const lengths: number[] = [];
    let messages = 0;
    for (let step = 1, active = lists; active.length > 0; step += 1) {
      const going: Shortlist[] = [];
      for (const list of active) {
        const next = list.takeUnasked(parallel, this.#askedIn, this.#lookup);
        messages += next.length;
        let end: 'found' | 'lost' | null = next.length === 0 ? 'lost' : null;
        for (const node of next) {
          const isHonest = this.#network.isAdversary[node] === 0;
          if (isHonest || conduct !== 'silent') messages += 1;
          if (isHonest && knowsAll(node)) end ??= 'found';
          else if (isHonest) this.#answer(node, key, list);
          else if (conduct === 'invent') end = 'lost';
          else {
            const named = colluders.slice(list.named, list.named + bucket);
            for (const colluder of named) list.add(colluder);
            list.named += named.length;
          }
        }
        if (end === 'found') lengths.push(step);
        if (end === null) going.push(list);
      }
      active = going;
    }
    return { lengths, messages };
  }

  /** Divides the closest nodes that the initiator knows among the paths, in turn. */
  #begin(initiator: number, key: Key, paths: number): readonly Shortlist[] {
    const { bucket } = this.#tables.rules;
    const known = new Shortlist(this.#network, key, bucket);
    this.#answer(initiator, key, known);
    const lists = Array.from({ length: paths }, () => {
      return new Shortlist(this.#network, key, listedMost(bucket));
    });
    for (const [index, node] of known.nodes().entries()) lists[index % paths]?.add(node);
    return lists;
  }

  /** Adds the contacts of a node that are closest to the key. */
  #answer(node: number, key: Key, list: Shortlist): void {
    const { rules, firstBucket, firstContact, contacts, nearLow, nearHigh } = this.#tables;
    const first = firstBucket[node] ?? 0;
    const end = firstBucket[node + 1] ?? 0;
    const perStep = 2 ** rules.bits - 1;
    const step = Math.floor(sharedBits(this.#network, node, key) / rules.bits);
    const own = digitOf(idOf(this.#network, node), step * rules.bits, rules.bits);
    const digit = digitOf(key, step * rules.bits, rules.bits);
    const bucket = first + step * perStep + digit - Number(digit > own);
    const from = firstContact[bucket] ?? 0;
    const to = firstContact[bucket + 1] ?? 0;
    // The bucket of the key's own subtree is closer to the key than all other contacts.
    if (bucket < end && to - from >= rules.bucket) {
      for (let at = from; at < to; at += 1) list.add(contacts[at] ?? 0);
      return;
    }
    const answer = new Shortlist(this.#network, key, rules.bucket);
    const last = firstContact[end] ?? 0;
    for (let at = firstContact[first] ?? 0; at < last; at += 1) answer.add(contacts[at] ?? 0);
    for (let near = nearLow[node] ?? 0; near < (nearHigh[node] ?? 0); near += 1) {
      if (near !== node) answer.add(near);
    }
    for (const contact of answer.nodes()) list.add(contact);
  }

  /** The adversaries closest to the key, as many as a path remembers. Farther ones enter no list that has these. */
  #colludersNear(key: Key): readonly number[] {
    const near = closestTo(this.#colluders.network, key, listedMost(this.#tables.rules.bucket));
    return near.map((index) => this.#colluders.nodes[index] ?? 0);
  }
}

/** The nodes that a path remembers, with buckets of k contacts. Farther ones are forgotten. */
export function listedMost(bucket: number): number {
  return Math.max(64, 4 * bucket);
}

/** Nodes by their distance from a key, the closest first. A list that is full forgets the farthest. */
class Shortlist {
  readonly #network: Network;
  readonly #key: Key;
  readonly #nodes: Int32Array;
  #length = 0;
  /** Number of colluders that adversaries have named to the path. */
  named = 0;

  constructor(network: Network, key: Key, capacity: number) {
    this.#network = network;
    this.#key = key;
    this.#nodes = new Int32Array(capacity);
  }

  nodes(): Int32Array {
    return this.#nodes.subarray(0, this.#length);
  }

  /** Adds a node that it does not have. */
  add(node: number): void {
    const { high, low } = this.#network;
    const key = this.#key;
    const top = ((high[node] ?? 0) ^ key.high) >>> 0;
    const rest = ((low[node] ?? 0) ^ key.low) >>> 0;
    let at = this.#length;
    while (at > 0) {
      const other = this.#nodes[at - 1] ?? 0;
      if (other === node) return;
      const otherTop = ((high[other] ?? 0) ^ key.high) >>> 0;
      if (otherTop < top) break;
      if (otherTop === top && ((low[other] ?? 0) ^ key.low) >>> 0 < rest) break;
      at -= 1;
    }
    if (at === this.#nodes.length) return;
    this.#nodes.copyWithin(at + 1, at, Math.min(this.#length, this.#nodes.length - 1));
    this.#nodes[at] = node;
    this.#length = Math.min(this.#length + 1, this.#nodes.length);
  }

  /** The closest nodes that were not asked in this lookup. They are asked now. */
  takeUnasked(count: number, askedIn: Int32Array, lookup: number): readonly number[] {
    const taken: number[] = [];
    for (let index = 0; index < this.#length && taken.length < count; index += 1) {
      const node = this.#nodes[index] ?? 0;
      if (askedIn[node] === lookup) continue;
      askedIn[node] = lookup;
      taken.push(node);
    }
    return taken;
  }
}
