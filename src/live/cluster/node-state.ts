/**
 * @module
 * The state of one node of a cluster, as its controller knows it.
 */

import type { ChildProcess } from 'node:child_process';

import type { Json } from '../../election/machine.ts';
import type { CrashPoint } from '../crash-points.ts';
import type { LiveRecord } from '../node-record.ts';

/** One node of a cluster that is up. */
export interface Member extends Seen {
  /** Null of a node of another machine. */
  readonly child: ChildProcess | null;
  /** Null until it is ready. */
  rank: string | null;
  /** The nodes that have not answered it since it started for the first time; null until it asks them. */
  unmet: readonly number[] | null;
  /** Whether its peers have answered, and it waits until those of the others have. */
  isWaiting: boolean;
  isPaused: boolean;
  isWanted: boolean;
  /** Ticks of its clock in one real millisecond. */
  rate: number;
  /** Where it dies; null if it lives on. */
  dieAt: CrashPoint | null;
  stderr: string;
  /** What it has persisted. */
  persisted: Json;
}

export interface NodeState extends Follower {
  readonly status: 'starting' | 'up' | 'paused' | 'down' | 'removed';
  /** The rank that it follows if no node has it; else null. */
  readonly phantom: string | null;
  /** The nodes that its detector suspects. */
  readonly suspects: readonly number[];
  /** Messages that it has refused since its start, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Ticks of its clock in one real millisecond, as `skew` has set it; 1 of a node that is down. */
  readonly rate: number;
}

/** A node whose process has been started; null of a node of another machine. */
export function newMember(child: ChildProcess | null): Member {
  const seen = { leader: null, epoch: 0, refused: {}, suspects: new Set<string>() };
  return {
    child,
    rank: null,
    unmet: null,
    isWaiting: false,
    isPaused: false,
    ...seen,
    isWanted: child !== null,
    rate: 1,
    dieAt: null,
    stderr: '',
    persisted: null,
  };
}

/** The state of a node, which is down if it is undefined; `numbers` are those of the ranks. */
export function nodeState(
  node: number,
  running: Pick<Member, keyof Seen | 'rank' | 'isPaused' | 'rate'> | undefined,
  numbers: ReadonlyMap<string, number>,
): NodeState {
  if (running === undefined) {
    const nothing = { leader: null, phantom: null, epoch: 0, suspects: [], refused: {} };
    return { node, status: 'down', ...nothing, rate: 1 };
  }
  const { rank, isPaused, leader, epoch, refused, rate } = running;
  const up = rank === null ? 'starting' : 'up';
  const number = leader === null ? undefined : numbers.get(leader);
  const suspects = [...running.suspects].flatMap((each) => numbers.get(each) ?? []);
  return {
    node,
    epoch,
    refused,
    rate,
    status: isPaused ? 'paused' : up,
    suspects: suspects.sort((one, other) => one - other),
    leader: number ?? null,
    phantom: number === undefined ? leader : null,
  };
}

/**
 * The nodes that can begin: those that wait, if all that are starting here do. If some began sooner, Bully would hold one election
 * after the other, whose messages delay the start of the rest.
 */
export function together(members: readonly Member[]): readonly Member[] {
  const starting = members.filter(
    ({ child, rank, isPaused }) => child !== null && rank === null && !isPaused,
  );
  return starting.every(({ isWaiting }) => isWaiting) ? starting : [];
}

/** How far the start of nodes has come. */
export interface StartState {
  /** Whether they wait for each other, or begin. */
  readonly phase: 'meet' | 'begin';
  /** Nodes that have met all others, or have begun. */
  readonly done: number;
  readonly all: number;
  /** The nodes that have answered no other one, or have not begun. */
  readonly missing: readonly number[];
}

/** How far the start of these nodes has come. One that has ended is missing while others wait for it. */
export function startOf(
  nodes: readonly number[],
  members: ReadonlyMap<number, Member>,
): StartState {
  const own = [...members];
  const begun = own.filter(([, { rank }]) => rank !== null);
  const asking = own.flatMap(([node, { unmet }]) => (unmet === null ? [] : { node, unmet }));
  if (begun.length > 0 || asking.length === 0) {
    const missing = own.flatMap(([node, { rank }]) => (rank === null ? node : []));
    return { phase: 'begin', done: begun.length, all: own.length, missing };
  }
  const missing = nodes.filter((node) => {
    const others = asking.filter((each) => each.node !== node);
    return others.length > 0 && others.every(({ unmet }) => unmet.includes(node));
  });
  const met = asking.filter(({ unmet }) => unmet.length === 0);
  return { phase: 'meet', done: met.length, all: own.length, missing };
}

/** Notes that the node suspects another one, or trusts it again, and what it has persisted. */
export function noteStep(member: Member, { event, effects }: LiveRecord): void {
  const { suspects } = member;
  if (event.type === 'recover') member.persisted = event.persisted;
  for (const effect of effects) if (effect.type === 'persist') member.persisted = effect.fields;
  if (event.type === 'suspect') suspects.add(String(event.node));
  if (event.type === 'trust') suspects.delete(String(event.node));
}

/** The sums of counts by name. */
export function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of all.flatMap((each) => Object.entries(each))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/**
 * What is known of a node that is up. Decides whether the nodes of a cluster agree on a leader, from what each of
 * them reports and from the sides of a partition.
 */
export interface Seen {
  /** By rank. */
  leader: string | null;
  epoch: number;
  /** Messages that it has refused, by reason. */
  refused: Readonly<Record<string, number>>;
  /** Refused messages that no level has checked, by reason. Absent if it is not known. */
  unseen?: Readonly<Record<string, number>> | undefined;
  /** The ranks that its detector suspects. */
  readonly suspects: Set<string>;
}

/** A node that leads, with its epoch; 0 in a protocol without epochs. */
export interface Led {
  readonly node: number;
  readonly epoch: number;
}

/** Which leader one node follows. */
export interface Follower {
  readonly node: number;
  readonly leader: number | null;
  readonly epoch: number;
}

/** Nodes that follow one leader. */
export interface Agreement {
  readonly leader: number;
  readonly epoch: number;
  readonly nodes: readonly number[];
}

/**
 * The agreement of the followers on the largest side; null if there is none now. No node may suspect the leader: it
 * would not notice if the leader failed now.
 */
export function agreementOf(
  sides: readonly (readonly number[])[],
  followers: readonly Follower[],
  suspects: (node: number, leader: number) => boolean,
): Agreement | null {
  const groups = sides.map((side) => followers.filter(({ node }) => side.includes(node)));
  const [largest = []] = groups.toSorted((one, other) => other.length - one.length);
  const [first, ...others] = largest;
  if (first === undefined || first.leader === null) return null;
  const { leader, epoch } = first;
  const nodes = largest.map(({ node }) => node);
  const isShared = others.every((each) => each.leader === leader && each.epoch === epoch);
  if (nodes.some((node) => suspects(node, leader))) return null;
  return isShared && nodes.includes(leader) ? { leader, epoch, nodes } : null;
}
