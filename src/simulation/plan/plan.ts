/**
 * @module
 * This folder checks the options of a simulation and derives its plan. This file has the options, the plan,
 * and the limits of both.
 */

import type { Level } from '../../election/authentication/authenticated.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import type { Graph } from '../../election/topology/topology.ts';
import type { Seed } from '../../random.ts';
import type { Latency } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import type { Fault, Schedule } from '../faults/schedule.ts';
import { JOIN_NODES_LIMIT } from '../faults/schedule.ts';
import { assertDisjoint, assertRanks, assertThat } from './assertions.ts';
import type { Workload } from './workload.ts';

/** 1 000 000 nodes of Chang and Roberts take about 1 GB. */
export const NODES_LIMIT = 1_000_000;
/** Half of the messages of an election can be in flight at once, at about 54 bytes each. */
export const MESSAGES_LIMIT = 17_000_000;
/** Entries of lists in messages. Every relay copies them, which takes about 20 s. */
export const ENTRIES_LIMIT = 2_000_000_000;
export const FAULTS_LIMIT = 100_000;
/** About 500 MB. */
export const DETECTOR_ENTRIES_LIMIT = 60_000_000;
export const ATTRIBUTE_LIMIT = Number.MAX_SAFE_INTEGER;

/** Whether the messages or the timers of a tick come first. An event that becomes due in the tick is ordered alike. */
export const SAME_TICK_ORDERS = ['messages-first', 'timers-first'] as const;
/** The rule in the words of help and schemas. */
export const SAME_TICK_MEANING =
  'Which come first at one tick: messages that arrive or timers that fire';
export type SameTickOrder = (typeof SAME_TICK_ORDERS)[number];

export interface Byzantine {
  readonly rank: number;
  /** Names of behaviours. The first wraps the machine of the node, each next one the one before it. */
  readonly behaviours: readonly string[];
}

/** A node whose machine runs in a program outside the simulator. */
export interface OutsideNode {
  readonly rank: number;
  /** Whether virtual time stops until the events of the node are answered. */
  readonly waits: boolean;
}

export interface SimulationOptions {
  readonly protocol: ProtocolName;
  /** Flags of the protocol that differ from their defaults. */
  readonly flags?: Flags | undefined;
  /** The attribute of each rank, for protocols that elect by attribute. By default all are equal. */
  readonly attributes?: readonly number[] | undefined;
  /** Ranks are 1..nodes. The highest wins. */
  readonly nodes: number;
  /** Ranks clockwise, `shuffled` by the seed (default), or ascending. */
  readonly ring?: readonly number[] | 'shuffled' | 'by-id' | undefined;
  /** Which nodes have a link, as parseTopology reads it. The ring gives the positions. Default: each pair of nodes. */
  readonly topology?: string | undefined;
  /** Default: one tick. */
  readonly latency?: Latency | undefined;
  /** Whether no message overtakes another on its link. Default: true. */
  readonly fifo?: boolean | undefined;
  /** What comes first of messages and timers that are due at the same tick. Default: messages. */
  readonly sameTick?: SameTickOrder | undefined;
  readonly seed: Seed;
  /** Ranks that crashed before the run. All nodes know the highest of them as their leader. */
  readonly crashedBefore?: readonly number[] | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Factors of the latencies of each link. */
  readonly links?: LinkFactors | undefined;
  /**
   * Faults of nodes and network. With a schedule, even an empty one, and with `links`, the latency of each
   * message is an independent draw. Therefore latencies differ from those of a run without both.
   */
  readonly schedule?: Schedule | undefined;
  /** Detector on every node. It replaces the detector beside the run, see `schedule.detector`. */
  readonly detector?: DetectorSpec | undefined;
  /** What leaders do while they lead. Default: nothing. */
  readonly workload?: Workload | undefined;
  /** Clients that the leader serves from the resource, or from the log of the protocol. Default: none. */
  readonly clients?: Clients | undefined;
  /** What honest nodes check of messages. Default: nothing; L0 if there may be other nodes. */
  readonly level?: Level | undefined;
  readonly byzantine?: readonly Byzantine[] | undefined;
  /** Ranks that no node has. They never join, but messages can name them. */
  readonly phantoms?: readonly number[] | undefined;
  /** Names of the defences of honest nodes, in any order. Settings must have been applied. */
  readonly defences?: readonly string[] | undefined;
  readonly outside?: readonly OutsideNode[] | undefined;
  /** Ranks that are absent at first and that outside nodes may take. */
  readonly openings?: readonly number[] | undefined;
  /** Name of the election in signatures. Default: `1`. */
  readonly election?: string | undefined;
  /** Whether the run records who led when. Default: false. */
  readonly audit?: boolean | undefined;
  /**
   * Ticks after which an advance to `idle` ends. Default: `settleTicks` after the last fault. With a calm,
   * the advance ends at `calm.at + calm.ticks` at the latest.
   */
  readonly untilTicks?: number | undefined;
  /** Whether the run records every action. Default: false. */
  readonly trace?: boolean | undefined;
  /** Whether the run records when messages in flight were sent. Default: false. */
  readonly sendTimes?: boolean | undefined;
  /** Whether the run counts the bytes of its messages. Default: false. */
  readonly bytes?: boolean | undefined;
}

type Filled =
  | ('protocol' | 'flags' | 'nodes' | 'latency' | 'fifo' | 'seed' | 'crashedBefore' | 'faults')
  | 'sameTick'
  | ('byzantine' | 'phantoms' | 'outside' | 'openings' | 'election')
  | ('audit' | 'untilTicks' | 'trace' | 'sendTimes' | 'bytes');
type Nullable =
  | ('attributes' | 'topology' | 'links' | 'schedule')
  | ('detector' | 'workload' | 'clients' | 'level');
type OptionsWithDefaults = {
  readonly [Key in Filled]: NonNullable<SimulationOptions[Key]>;
} & {
  readonly [Key in Nullable]: NonNullable<SimulationOptions[Key]> | null;
};

/** Checked options with every default, `faults` by tick and `openings` ascending. */
export interface Plan extends OptionsWithDefaults {
  readonly ring: readonly number[];
  /** The links of the topology by position in the ring, without absent nodes. Null if each pair of nodes has one. */
  readonly graph: Graph | null;
  /** The order in which all nodes start or are notified: clockwise in a ring, else ascending. */
  readonly nodeOrder: readonly number[];
  readonly timing: Timing;
  /** The number of the store that nodes call, which follows the last rank; null without a store. */
  readonly store: number | null;
  /** In the order of the registry. */
  readonly defences: readonly DefenceName[];
  /** Ranks that are absent when the run begins, ascending. */
  readonly absent: readonly number[];
  /**
   * How long an agreement must last for a run to be at rest that never becomes silent; null if silence is
   * rest.
   */
  readonly steadyTicks: number | null;
  /** The last tick at which a fault begins or ends; 0 without faults. */
  readonly disturbedUntil: number;
}

/**
 * Default name of an election. Outside nodes: nodes whose machine runs in a program outside the simulator. Some are
 * there from the start. Others join later, at ranks that are open for them.
 */
export const ONE_ELECTION = '1';
const ELECTION_CHARACTERS_MAX = 100;

/** Whether a run has outside nodes or may get some. */
export function hasOutsideNodes({
  outside = [],
  openings = [],
}: Pick<SimulationOptions, 'outside' | 'openings'>): boolean {
  return outside.length + openings.length > 0;
}

/** The checked part of a plan. `absent` are the other nodes that are absent at first. */
export function planOutside(
  options: SimulationOptions,
  absent: readonly number[],
): Pick<Plan, 'outside' | 'openings' | 'election'> {
  const { nodes, outside = [], openings = [], election = ONE_ELECTION } = options;
  const { crashedBefore = [], phantoms = [] } = options;
  const ranks = outside.map(({ rank }) => rank);
  const byzantine = options.byzantine?.map(({ rank }) => rank) ?? [];
  assertRanks('outside', ranks, nodes);
  assertRanks('openings', openings, nodes);
  const gone = [...phantoms, ...crashedBefore];
  assertDisjoint('outside', ranks, gone, 'a phantom or died before the run');
  assertDisjoint('outside', ranks, byzantine, 'Byzantine, which the simulation plays');
  assertDisjoint('openings', openings, [...absent, ...crashedBefore], 'a phantom, down or to join');
  assertDisjoint('openings', openings, byzantine, 'Byzantine, which the simulation plays');
  assertDisjoint('openings', openings, ranks, 'an outside node from the start');
  if (openings.length > 0) {
    const missing = new Set([...absent, ...crashedBefore, ...openings]);
    assertThat(missing.size < nodes, () => 'openings leaves no node present and up at first');
    assertThat(nodes <= JOIN_NODES_LIMIT, () => `openings takes at most ${JOIN_NODES_LIMIT} nodes`);
  }
  assertThat(
    election.length > 0 && election.length <= ELECTION_CHARACTERS_MAX,
    () => `election must have 1..${ELECTION_CHARACTERS_MAX} characters`,
  );
  return { outside, openings: openings.toSorted((left, right) => left - right), election };
}
