/**
 * @module
 * Which places of an election are played from outside, which may be entered while it goes on, and what
 * can be wrong with it.
 */

import { LabError } from '../../errors.ts';
import { JOIN_NODES_LIMIT } from '../faults/schedule.ts';
import type { Byzantine } from './byzantine.ts';

/** A place that a program elsewhere plays. */
export interface OutsideNode {
  readonly rank: number;
  /** Whether virtual time stands still until what it was told is answered. */
  readonly waits: boolean;
}

/** Of a simulation's options. */
export interface OutsideOptions {
  readonly outside?: readonly OutsideNode[] | undefined;
  /** Places that nobody holds at first; whoever enters one plays it from outside. */
  readonly openings?: readonly number[] | undefined;
  /** What the election is called under signatures; default `1`. */
  readonly election?: string | undefined;
}

export interface OutsidePlan {
  readonly outside: readonly OutsideNode[];
  /** Ascending. */
  readonly openings: readonly number[];
  readonly election: string;
}

/** What one election is called unless it is told otherwise. */
export const ONE_ELECTION = '1';
export const ELECTION_CHARACTERS_MAX = 100;

/** The other options that have a say in it. */
interface OtherPlaces extends OutsideOptions {
  readonly nodes: number;
  readonly crashedBefore?: readonly number[] | undefined;
  readonly byzantine?: readonly Byzantine[] | undefined;
  readonly phantoms?: readonly number[] | undefined;
}

/** Whether anybody plays from outside, or may come to. */
export function hasOutsideNodes({ outside = [], openings = [] }: OutsideOptions): boolean {
  return outside.length + openings.length > 0;
}

/** Checks and completes it; `absent` are those who are not there at first anyway. Throws LabError `arguments`. */
export function planOutside(options: OtherPlaces, absent: readonly number[]): OutsidePlan {
  const { nodes, outside = [], openings = [], election = ONE_ELECTION } = options;
  const { crashedBefore = [], byzantine = [], phantoms = [] } = options;
  const ranks = outside.map(({ rank }) => rank);
  const cheats = byzantine.map(({ rank }) => rank);
  assertDistinct('outside', ranks, nodes);
  assertDistinct('openings', openings, nodes);
  assertNone('outside', ranks, [...phantoms, ...crashedBefore], 'a phantom or died before the run');
  assertNone('outside', ranks, cheats, 'corrupted, which the simulation plays');
  assertNone('openings', openings, [...absent, ...crashedBefore], 'a phantom, dead or to join');
  assertNone('openings', openings, cheats, 'corrupted, which the simulation plays');
  assertNone('openings', openings, ranks, 'played from outside from the start');
  if (openings.length > 0) {
    const missing = new Set([...absent, ...crashedBefore, ...openings]);
    assertThat(missing.size < nodes, 'openings leaves nobody there and alive at first');
    assertThat(nodes <= JOIN_NODES_LIMIT, `openings takes ${JOIN_NODES_LIMIT} nodes at most`);
  }
  const isNamed = election.length > 0 && election.length <= ELECTION_CHARACTERS_MAX;
  assertThat(isNamed, `election has 1..${ELECTION_CHARACTERS_MAX} characters`);
  return { outside, openings: openings.toSorted((one, other) => one - other), election };
}

function assertDistinct(name: string, ranks: readonly number[], nodes: number): void {
  const seen = new Set<number>();
  for (const rank of ranks) {
    const isPlace = Number.isSafeInteger(rank) && rank >= 1 && rank <= nodes;
    assertThat(isPlace, `${name}: rank must be a whole number in 1..${nodes}, not ${rank}`);
    assertThat(!seen.has(rank), `${name} names rank ${rank} twice`);
    seen.add(rank);
  }
}

function assertNone(
  name: string,
  ranks: readonly number[],
  others: readonly number[],
  what: string,
): void {
  const both = ranks.filter((rank) => others.includes(rank));
  assertThat(both.length === 0, `${name}: ${both} is ${what}`);
}

function assertThat(holds: boolean, detail: string): void {
  if (!holds) throw new LabError('arguments', detail);
}
