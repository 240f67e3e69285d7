/**
 * @module
 * One lookup: the initiator asks for nodes ever closer to a key, over d disjoint paths (S/Kademlia, section 4.4). It divides
 * the k closest nodes that it knows among the paths. Each path asks the α closest nodes that no path has asked before, adds
 * their answers to its list, and ends with success at an honest node that knows all siblings of the key. The model is
 * synchronous: all paths take a step, then the next one. With links, each message takes its time or is lost, a path keeps α
 * questions open, and a question that is not answered in time counts as answered with nothing.
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

/** What messages between nodes meet. */
export interface OverlayLinks {
  /** Draws the ticks that a message takes. */
  readonly delay: () => number;
  /** Draws whether a message is lost. */
  readonly isLost: () => boolean;
  /** 1 for nodes that have left since the tables were filled. */
  readonly hasLeft: Uint8Array;
  /** Ticks until a question counts as unanswered. */
  readonly timeoutTicks: number;
}

/** What became of a lookup. */
export interface Lookup {
  /**
   * Steps of each path that ended with success, in the order in which they ended. With links, α questions count as one
   * step.
   */
  readonly lengths: readonly number[];
  /** Messages: questions, and answers to them. */
  readonly messages: number;
  /** Ticks until the first path succeeded. Null without links, or if none did. */
  readonly ticks: number | null;
  /** Questions that were not answered in time. 0 without links. */
  readonly timeouts: number;
}

/** What is looked up. */
interface Question {
  readonly key: Key;
  readonly knowsAll: (node: number) => boolean;
  /** The adversaries closest to the key, if they name each other. */
  readonly colluders: readonly number[];
}

/** A question that is open until a tick, at which its answer comes or it counts as unanswered. */
interface Open {
  readonly at: number;
  readonly node: number;
  readonly list: Shortlist;
  readonly isAnswered: boolean;
}

/** Adds a question behind those that end before it or at the same tick. */
function addOpen(open: Open[], added: Open): void {
  const after = open.findLastIndex(({ at }) => at <= added.at);
  open.splice(after + 1, 0, added);
}

/** Carries out lookups in one network. The object keeps memory that all lookups use. */
export class Lookups {
  readonly #network: Network;
  readonly #tables: Tables;
  readonly #rules: LookupRules;
  readonly #links: OverlayLinks | null;
  /** The number of the last lookup in which each node was asked. */
  readonly #askedIn: Int32Array;
  readonly #colluders: { readonly network: Network; readonly nodes: readonly number[] };
  #lookup = 0;

  constructor(network: Network, tables: Tables, rules: LookupRules, links?: OverlayLinks) {
    this.#links = links ?? null;
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
    const { paths, conduct } = this.#rules;
    const [least, most] = [Math.min(...siblings), Math.max(...siblings)];
    const knowsAll = (node: number) =>
      (this.#tables.nearLow[node] ?? 0) <= least && (this.#tables.nearHigh[node] ?? 0) > most;
    if (knowsAll(initiator)) {
      return { lengths: [0], messages: 0, ticks: this.#links && 0, timeouts: 0 };
    }
    this.#lookup += 1;
    this.#askedIn[initiator] = this.#lookup;
    const colluders = conduct === 'collude' ? this.#colludersNear(key) : [];
    const lists = this.#begin(initiator, key, paths);
    const question: Question = { key, knowsAll, colluders };
    return this.#links === null
      ? this.#inSteps(lists, question)
      : this.#inTime(lists, question, this.#links);
  }

  /** All paths take a step, then the next one. */
  #inSteps(lists: readonly Shortlist[], question: Question): Lookup {
    const { parallel, conduct } = this.#rules;
    const lengths: number[] = [];
    let messages = 0;
    for (let step = 1, active = lists; active.length > 0; step += 1) {
      const going: Shortlist[] = [];
      for (const list of active) {
        const next = list.takeUnasked(parallel, this.#askedIn, this.#lookup);
        messages += next.length;
        let end: 'found' | 'lost' | null = next.length === 0 ? 'lost' : null;
        for (const node of next) {
          if (this.#network.isAdversary[node] === 0 || conduct !== 'silent') messages += 1;
          const heard = this.#heard(node, list, question);
          end = heard === 'lost' ? heard : (end ?? heard);
        }
        if (end === 'found') lengths.push(step);
        if (end === null) going.push(list);
      }
      active = going;
    }
    return { lengths, messages, ticks: null, timeouts: 0 };
  }

  /** Each path keeps α questions open until it ends. */
  #inTime(lists: readonly Shortlist[], question: Question, links: OverlayLinks): Lookup {
    const { parallel } = this.#rules;
    const open: Open[] = [];
    const lengths: number[] = [];
    let [messages, timeouts] = [0, 0];
    let ticks: number | null = null;
    const ask = (list: Shortlist, now: number): void => {
      const [node] = list.takeUnasked(1, this.#askedIn, this.#lookup);
      if (node === undefined) return;
      messages += 1;
      list.asked += 1;
      list.open += 1;
      const [there, isLost] = [links.delay(), links.isLost()];
      const isSilent = this.#network.isAdversary[node] === 1 && this.#rules.conduct === 'silent';
      const isHeard = !isLost && links.hasLeft[node] === 0;
      let at: number | null = null;
      if (isHeard && !isSilent) {
        messages += 1;
        const back = links.delay();
        if (!links.isLost() && there + back <= links.timeoutTicks) at = now + there + back;
      }
      addOpen(open, { at: at ?? now + links.timeoutTicks, node, list, isAnswered: at !== null });
      if (list.open < parallel) ask(list, now);
    };
    for (const list of lists) ask(list, 0);
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { at, node, list, isAnswered } = next;
      if (list.isOver) continue;
      list.open -= 1;
      const end = isAnswered ? this.#heard(node, list, question) : null;
      if (!isAnswered) timeouts += 1;
      list.isOver = end !== null;
      if (end === null) ask(list, at);
      if (end !== 'found') continue;
      lengths.push(Math.ceil(list.asked / parallel));
      ticks ??= at;
    }
    return { lengths, messages, ticks, timeouts };
  }

  /** What the answer of a node does to a path. */
  #heard(node: number, list: Shortlist, { key, knowsAll, colluders }: Question) {
    if (this.#network.isAdversary[node] === 0) {
      if (knowsAll(node)) return 'found';
      this.#answer(node, key, list);
    } else if (this.#rules.conduct === 'invent') {
      return 'lost';
    } else {
      const named = colluders.slice(list.named, list.named + this.#tables.rules.bucket);
      for (const colluder of named) list.add(colluder);
      list.named += named.length;
    }
    return null;
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
  /** Number of nodes that the path has asked, if messages take time. */
  asked = 0;
  /** Questions that are open, if messages take time. */
  open = 0;
  /** Whether the path has ended, if messages take time. */
  isOver = false;

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
