/**
 * @module
 * What a simulation is given (`SimulationOptions`), what is derived from it once (`Plan`), and the
 * limits of both.
 */

import type { Level } from '../../election/authenticated.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import type { Flags } from '../../election/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import type { Seed } from '../../random.ts';
import type { Latency } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import type { Fault, Schedule } from '../faults/schedule.ts';
import type { Byzantine } from './byzantine.ts';
import type { OutsideOptions, OutsidePlan } from './outside-places.ts';
import type { Workload } from './workload.ts';

/** 1 000 000 nodes of Chang and Roberts fit into about 1 GB. */
export const NODES_LIMIT = 1_000_000;

/** Half of an election's messages can be in flight at once, at about 54 bytes each. */
export const MESSAGES_LIMIT = 17_000_000;

/** Of lists in messages, which every relay copies: some 20 s. */
export const ENTRIES_LIMIT = 2_000_000_000;

export const FAULTS_LIMIT = 100_000;

/** Some 500 MB. */
export const DETECTOR_ENTRIES_LIMIT = 60_000_000;

export const ATTRIBUTE_LIMIT = Number.MAX_SAFE_INTEGER;

export interface SimulationOptions extends OutsideOptions {
  readonly protocol: ProtocolName;
  /** The protocol's flags, where they are not its defaults. */
  readonly flags?: Flags | undefined;
  /** What each rank claims of itself, for protocols that elect by attribute; all equal by default. */
  readonly attributes?: readonly number[] | undefined;
  /** Ranks are 1..nodes, the highest wins. */
  readonly nodes: number;
  /** Ranks clockwise, or `shuffled` by the seed (default), or ascending. */
  readonly ring?: readonly number[] | 'shuffled' | 'by-id' | undefined;
  /** Default: one tick. */
  readonly latency?: Latency | undefined;
  /** Whether no message overtakes another on its link; default true. */
  readonly fifo?: boolean | undefined;
  readonly seed: Seed;
  /** Ranks that died before the run and were the leaders everybody knew, the highest last. */
  readonly crashedBefore?: readonly number[] | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Latencies multiplied link by link. */
  readonly links?: LinkFactors | undefined;
  /**
   * Everything that goes wrong, the network's part included. With one, even an empty one, and with
   * `links`, every message draws for itself, so that latencies are others than without.
   */
  readonly schedule?: Schedule | undefined;
  /** Runs on every node instead of the one beside the run; see `schedule.detector` for that. */
  readonly detector?: DetectorSpec | undefined;
  /** What leaders do while they lead; nothing by default. */
  readonly workload?: Workload | undefined;
  /** What nodes demand of messages; by default nothing, and nobody lies (L0, if somebody may). */
  readonly level?: Level | undefined;
  /** Corrupted places and how they behave. */
  readonly byzantine?: readonly Byzantine[] | undefined;
  /** Places among `nodes` that nobody holds: they never join, but can be named. */
  readonly phantoms?: readonly number[] | undefined;
  /** What honest nodes do against cheats, by name, in any order; settings are applied before. */
  readonly defences?: readonly string[] | undefined;
  /** Whether it is kept who led when; default false. */
  readonly audit?: boolean | undefined;
  /**
   * How long an advance to `idle` goes on; by default `settleTicks` after the last fault. A schedule
   * with a calm ends it at `calm.at + calm.ticks` at the latest.
   */
  readonly untilTicks?: number | undefined;
  /** Whether every action is recorded; default false. */
  readonly trace?: boolean | undefined;
  /** Whether it is kept when messages on the way were sent; default false. */
  readonly sendTimes?: boolean | undefined;
}

/** Options with every default filled in and nothing left to refuse. */
export interface Plan extends OutsidePlan {
  readonly protocol: ProtocolName;
  readonly flags: Flags;
  readonly attributes: readonly number[] | null;
  readonly nodes: number;
  readonly ring: readonly number[];
  /** The order in which all nodes are started or told something: clockwise, for Bully ascending. */
  readonly nodeOrder: readonly number[];
  readonly latency: Latency;
  readonly links: LinkFactors | null;
  readonly timing: Timing;
  /** The place of the store that nodes call, after the last rank; null without one. */
  readonly store: number | null;
  readonly fifo: boolean;
  readonly seed: Seed;
  readonly crashedBefore: readonly number[];
  /** By tick; those of one tick in the order given. */
  readonly faults: readonly Fault[];
  readonly schedule: Schedule | null;
  readonly detector: DetectorSpec | null;
  readonly workload: Workload | null;
  /** Null where messages are not even looked at. */
  readonly level: Level | null;
  readonly byzantine: readonly Byzantine[];
  readonly phantoms: readonly number[];
  /** In the order of the registry. */
  readonly defences: readonly DefenceName[];
  readonly audit: boolean;
  /** Ranks that have yet to join when the run begins, ascending. */
  readonly absent: readonly number[];
  readonly untilTicks: number;
  /**
   * How long one agreed leader must last for a run to be at rest that is never silent; null where
   * silence is rest.
   */
  readonly steadyTicks: number | null;
  /** The last tick at which a fault begins or ends, as far as it is given; 0 for none. */
  readonly disturbedUntil: number;
  readonly trace: boolean;
  readonly sendTimes: boolean;
}
