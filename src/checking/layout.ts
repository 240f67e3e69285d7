/**
 * @module
 * A world as 16-bit words: the number of each node's local state, what the environment may still do, which crashes
 * were reported, which returns were missed, who is absent, how the network is divided, the state of the monitor, and
 * then the numbers of the messages in flight. Messages are sorted, so that equal worlds have equal words: by number if
 * links have no order, else by link and then in the order of sending. What only counts the past (ids of messages,
 * numbers of sends) is no part of a world.
 */

import type { Instance } from './instance.ts';
import { BOUND_MAX, BOUND_NAMES, NO_FAULTS } from './instance.ts';

/** Words of the largest world: fixed part and messages. */
export const WORDS_MAX = 1024;

/** A world, or the space for one. Only the first `length` words have a meaning. */
export interface Packed {
  readonly words: Uint16Array;
  length: number;
}

export function emptyPacked(): Packed {
  return { words: new Uint16Array(WORDS_MAX), length: 0 };
}

/** Copies a world. A loop is faster than `set` for few words. */
export function copyWorld(source: Packed, target: Packed): void {
  const { words, length } = source;
  const copy = target.words;
  for (let index = 0; index < length; index += 1) copy[index] = words[index] ?? 0;
  target.length = length;
}

/** Indexes of words; −1 for a part that this instance does not need. */
export interface Layout {
  /** Nodes and store. The local state of rank r is word r − 1. */
  readonly endpoints: number;
  /** Three bits for each bound, five bounds in a word. Without the bounds from departures on there are two words. */
  readonly budgets: number;
  readonly budgetWords: number;
  /** One bit for each node that has not started. */
  readonly starts: number;
  /** A word for each node: one bit for each node whose crash was reported to it. */
  readonly reports: number;
  /** A word for each node: one bit for each node whose return it has missed while it was paused. */
  readonly missed: number;
  /** One bit for each node that has not joined. */
  readonly absent: number;
  /** One bit for each node, and the store, on the other side of the partition than the first node that is on one side. */
  readonly split: number;
  /** The sender and the recipient of a cut in one direction, or the node that is on both sides, with four bits each. */
  readonly link: number;
  /** A word for each history: the number of its state. */
  readonly monitor: number;
  /** Number of words before the messages. */
  readonly fixed: number;
}

export function layoutOf(instance: Instance, histories: number): Layout {
  const endpoints = instance.cast.store ?? instance.cast.nodes;
  let next = endpoints;
  const take = (isNeeded: boolean, words: number) => {
    if (!isNeeded) return -1;
    next += words;
    return next - words;
  };
  const { bounds } = instance;
  const hasFaults = BOUND_NAMES.some((name) => bounds[name] !== NO_FAULTS[name]);
  const budgetWords = BOUND_NAMES.slice(10).some((name) => bounds[name] !== 0) ? 3 : 2;
  const links = bounds.oneWay + bounds.bridge;
  return {
    endpoints,
    budgets: take(hasFaults, budgetWords),
    budgetWords,
    starts: take(instance.initiators.length > 0, 1),
    reports: take(isReporting(instance), endpoints),
    missed: take(bounds.pause > 0 && returnsOf(instance) > 0, endpoints),
    absent: take(bounds.join > 0, 1),
    split: take(bounds.partition + links > 0, 1),
    link: take(links > 0, 1),
    monitor: take(histories > 0, histories),
    fixed: next,
  };
}

/** Whether the detector has something to report: a node can crash, or one that was down can return. */
export function isReporting(instance: Instance): boolean {
  const { bounds, crashedBefore } = instance;
  return bounds.crash > 0 || (crashedBefore.length > 0 && returnsOf(instance) > 0);
}

function returnsOf({ bounds }: Instance): number {
  return bounds.recover + bounds.amnesia;
}

/** How often the environment may still do what the bound with this index limits. */
export function budgetIn(words: Uint16Array, layout: Layout, index: number): number {
  const { budgets, budgetWords } = layout;
  if (budgets < 0 || index >= 5 * budgetWords) return 0;
  const word = words[budgets + Math.floor(index / 5)] ?? 0;
  return (word >>> (3 * (index % 5))) & BOUND_MAX;
}

/** Uses one unit of a budget, which must not be 0. */
export function spend(words: Uint16Array, { budgets }: Layout, index: number): void {
  const at = budgets + Math.floor(index / 5);
  words[at] = (words[at] ?? 0) - (1 << (3 * (index % 5)));
}

export const BUDGET = {
  crash: 0,
  recover: 1,
  amnesia: 2,
  loss: 3,
  duplicate: 4,
  pause: 5,
  timeout: 6,
  partition: 7,
  join: 8,
  lies: 9,
  leave: 10,
  oneWay: 11,
  bridge: 12,
  jump: 13,
  failover: 14,
} as const;

/** The budgets at the beginning. */
export function writeBudgets(words: Uint16Array, layout: Layout, { bounds }: Instance): void {
  if (layout.budgets < 0) return;
  BOUND_NAMES.forEach((name, index) => {
    const bound = (bounds[name] ?? 0) << (3 * (index % 5));
    const at = layout.budgets + Math.floor(index / 5);
    if (bound > 0) words[at] = (words[at] ?? 0) | bound;
  });
}

/** Whether no link has more messages in a world than this. */
export function fitsLinks(
  { words, length }: { readonly words: Uint16Array; readonly length: number },
  { fixed }: Layout,
  links: readonly number[],
  perLink: number | null,
): boolean {
  if (perLink === null || length - fixed <= perLink) return true;
  const counts = new Uint16Array(256);
  for (let at = fixed; at < length; at += 1) {
    const link = links[words[at] ?? 0] ?? 0;
    counts[link] = (counts[link] ?? 0) + 1;
    if ((counts[link] ?? 0) > perLink) return false;
  }
  return true;
}

export function hasBit(words: Uint16Array, at: number, rank: number): boolean {
  return ((words[at] ?? 0) & (1 << (rank - 1))) !== 0;
}

export function setBit(words: Uint16Array, at: number, rank: number): void {
  words[at] = (words[at] ?? 0) | (1 << (rank - 1));
}

export function clearBit(words: Uint16Array, at: number, rank: number): void {
  words[at] = (words[at] ?? 0) & ~(1 << (rank - 1));
}

/** One bit for each rank. */
export function maskOf(ranks: readonly number[]): number {
  return ranks.reduce((mask, rank) => mask | (1 << (rank - 1)), 0);
}

/** The ranks of a mask, ascending. */
export function ranksIn(mask: number): number[] {
  const ranks: number[] = [];
  for (let rank = 1; mask >>> (rank - 1) !== 0; rank += 1) {
    if ((mask & (1 << (rank - 1))) !== 0) ranks.push(rank);
  }
  return ranks;
}
