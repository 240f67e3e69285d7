/**
 * @module
 * What a simulation is asked to do, and the check of it: everything that arrives from outside is
 * judged here, once, and refused with LabError `arguments`; a plan needs no further checks.
 */

import type { Level } from '../../election/authenticated.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { DETECTORS, entriesKept } from '../../election/detectors/registry.ts';
import type { Flags } from '../../election/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { createRandom, shuffled } from '../../random.ts';
import { faultyTicksMax } from '../engine/network.ts';
import { parseSchedule } from '../faults/check.ts';
import type { Latency } from '../faults/latency.ts';
import { LATENCY_TICKS_LIMIT, latencyFault, latencyTicksMax } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import { assertLinkFactors, linkFactorMax } from '../faults/link-factors.ts';
import type { Schedule } from '../faults/schedule.ts';
import { absentAtFirst, DETECTOR_NODES_LIMIT, JOIN_NODES_LIMIT } from '../faults/schedule.ts';
import { planDefences } from './asked-defences.ts';
import type { Byzantine } from './byzantine.ts';
import { byzantineFault } from './byzantine.ts';
import { assertCompatible } from './compatible.ts';
import type { OutsideOptions, OutsidePlan } from './outside-places.ts';
import { isPlayedOutside, planOutside } from './outside-places.ts';
import { lastDisturbance, patienceTicks, steadyTicksOf, TICKS_LIMIT } from './patience.ts';
import type { Work } from './work.ts';
import { isWork } from './work.ts';

/** 1 000 000 nodes of Chang and Roberts fit into about 1 GB. */
export const NODES_LIMIT = 1_000_000;
/** Half of an election's messages can be in flight at once, at about 54 bytes each. */
export const MESSAGES_LIMIT = 17_000_000;
/** Of lists in messages, which every relay copies: some 20 s. */
export const ENTRIES_LIMIT = 2_000_000_000;
export const FAULTS_LIMIT = 100_000;
/** Some 500 MB. */
export const DETECTOR_ENTRIES_LIMIT = 60_000_000;
/** Some 500 MB of records. */
export const TRACE_RECORDS_LIMIT = 1_000_000;
export const ATTRIBUTE_LIMIT = Number.MAX_SAFE_INTEGER;

/** A scripted change of one node at one tick, before that tick's deliveries. */
export interface Fault {
  readonly type: 'crash' | 'recover';
  readonly rank: number;
  readonly at: number;
}

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
  readonly work?: Work | undefined;
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
  readonly seating: readonly number[];
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
  readonly work: Work | null;
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

/** Checks the options and fills in the defaults. Throws LabError `arguments`. */
export function planSimulation(options: SimulationOptions): Plan {
  const { protocol, nodes, seed } = options;
  const latency = options.latency ?? { type: 'constant', ticks: 1 };
  const crashedBefore = options.crashedBefore ?? [];
  const faults = options.faults ?? [];
  const flags = options.flags ?? {};
  assertThat(PROTOCOL_NAMES.includes(protocol), () => `protocol is one of ${PROTOCOL_NAMES}`);
  assertInteger('nodes', nodes, { min: 1, max: NODES_LIMIT });
  assertFlags(protocol, flags);
  assertAttributes(options);
  assertThat(
    PROTOCOLS[protocol].messagesAbout(nodes, flags) <= MESSAGES_LIMIT,
    () =>
      `${nodes} nodes are too many for ${protocol}: it would send over ${MESSAGES_LIMIT} messages`,
  );
  assertThat(
    (PROTOCOLS[protocol].entriesAbout?.(nodes) ?? 0) <= ENTRIES_LIMIT,
    () =>
      `${nodes} nodes are too many for ${protocol}: the lists in its messages would have over ${ENTRIES_LIMIT} entries`,
  );
  const fault = latencyFault(latency);
  assertThat(fault === null, () => `latency ${fault}`);
  assertRanks('crashedBefore', crashedBefore, nodes);
  assertThat(
    crashedBefore.length < nodes,
    () => `crashedBefore leaves none of ${nodes} nodes alive`,
  );
  assertFaults(options, faults, crashedBefore);
  const links = options.links ?? null;
  if (links !== null) assertLinkFactors(links, nodes);
  const timing = { latencyTicksMax: latencyTicksMax(latency) * linkFactorMax(links) };
  const schedule = planSchedule(options, timing);
  const work = options.work ?? null;
  assertDetector(options, timing);
  assertCompatible(options, timing);
  assertThat(work === null || isWork(work), () => `work is none that there is: ${work?.resource}`);
  const pace = { protocol, flags, nodes, timing, detector: options.detector, work: options.work };
  const disturbedUntil = lastDisturbance(faults, schedule);
  const untilTicks = options.untilTicks ?? patienceTicks(pace, schedule, disturbedUntil);
  assertInteger('untilTicks', untilTicks, { min: 0, max: TICKS_LIMIT });
  const ring = orderRing(options);
  return {
    protocol,
    flags,
    attributes: options.attributes ?? null,
    nodes,
    ring,
    seating: PROTOCOLS[protocol].family === 'ring' ? ring : ascending(nodes),
    latency,
    links,
    timing,
    store: work === null && PROTOCOLS[protocol].createStore === undefined ? null : nodes + 1,
    fifo: options.fifo ?? true,
    seed,
    crashedBefore,
    faults: faults.toSorted((left, right) => left.at - right.at),
    schedule,
    detector: options.detector ?? null,
    work,
    ...planCheats(options),
    audit: options.audit ?? false,
    ...planPlaces(options, schedule),
    untilTicks,
    steadyTicks: steadyTicksOf(pace),
    disturbedUntil,
    trace: options.trace ?? false,
    sendTimes: options.sendTimes ?? false,
  };
}

function planCheats(
  options: SimulationOptions,
): Pick<Plan, 'level' | 'byzantine' | 'phantoms' | 'defences'> {
  const { protocol, nodes, byzantine = [], phantoms = [], crashedBefore = [] } = options;
  const mayLie = byzantine.length > 0 || isPlayedOutside(options);
  const level = options.level ?? (mayLie ? 'L0' : null);
  const fault = byzantineFault({ level, byzantine, phantoms }, { protocol, nodes });
  assertThat(fault === null, () => String(fault));
  assertRanks('phantoms', phantoms, nodes);
  for (const { rank } of byzantine) {
    const isThere = !phantoms.includes(rank) && !crashedBefore.includes(rank);
    assertThat(isThere, () => `byzantine: ${rank} is a phantom or died before the run`);
  }
  const defences = planDefences(options.defences ?? [], { protocol, level });
  return { level, byzantine, phantoms, defences };
}

/** Who is not there at first, ascending, and who plays from outside. */
function planPlaces(
  options: SimulationOptions,
  schedule: Schedule | null,
): OutsidePlan & Pick<Plan, 'absent'> {
  const others = absentOf(options, schedule);
  const played = planOutside(options, others);
  const absent = [...others, ...played.openings].toSorted((left, right) => left - right);
  return { ...played, absent };
}

/** Newcomers to be, and phantoms. */
function absentOf({ phantoms = [], nodes }: SimulationOptions, schedule: Schedule | null) {
  const newcomers = schedule === null ? [] : absentAtFirst(schedule);
  const both = newcomers.filter((rank) => phantoms.includes(rank));
  assertThat(both.length === 0, () => `schedule: ${both} joins, but is a phantom`);
  assertThat(phantoms.length < nodes, () => 'phantoms leaves nobody');
  return [...newcomers, ...phantoms];
}

function assertDetector({ detector, nodes }: SimulationOptions, timing: Timing): void {
  if (detector === undefined) return;
  const { nodesMax } = DETECTORS[detector.name];
  assertThat(
    nodes <= nodesMax,
    () => `detector: ${detector.name} takes ${nodesMax} nodes at most, not ${nodes}`,
  );
  const { node } = detector.options;
  assertThat(
    node === undefined || Number(node) <= nodes,
    () => `detector: node=${node} names none of ${nodes} nodes`,
  );
  assertThat(
    entriesKept(detector, timing, nodes) <= DETECTOR_ENTRIES_LIMIT,
    () =>
      `detector: ${nodes} nodes keep too many intervals of each other; give it a smaller window`,
  );
}

function assertFlags(protocol: ProtocolName, flags: Flags): void {
  const fault = flagFault(protocol, flags);
  assertThat(fault === null, () => `flags: ${fault?.flag} ${fault?.detail}`);
}

function assertAttributes({ protocol, attributes, nodes }: SimulationOptions): void {
  if (attributes === undefined) return;
  assertThat(
    PROTOCOLS[protocol].attributes !== undefined,
    () => `attributes are nothing to ${protocol}`,
  );
  assertThat(
    attributes.length === nodes,
    () => `attributes has ${attributes.length} entries for ${nodes} nodes`,
  );
  for (const attribute of attributes) {
    assertInteger('attributes: entry', attribute, { min: 0, max: ATTRIBUTE_LIMIT });
  }
}

/** The schedule, once nothing in it can be refused for the election that it is for. */
function planSchedule(options: SimulationOptions, timing: Timing): Schedule | null {
  const { nodes, protocol, crashedBefore = [] } = options;
  if (options.schedule === undefined) {
    assertTicks(timing.latencyTicksMax);
    return null;
  }
  const schedule = parseSchedule(options.schedule, nodes);
  assertTicks(faultyTicksMax(schedule, timing.latencyTicksMax));
  const absent = absentAtFirst(schedule);
  for (const rank of absent) {
    assertThat(
      !crashedBefore.includes(rank),
      () => `schedule: ${rank} joins, but died before the run`,
    );
  }
  assertThat(
    absent.length + crashedBefore.length < nodes,
    () => 'schedule leaves nobody there and alive at first',
  );
  assertThat(
    absent.length === 0 || nodes <= JOIN_NODES_LIMIT,
    () => `schedule has newcomers; that takes ${JOIN_NODES_LIMIT} nodes at most`,
  );
  assertThat(
    schedule.detector === 'crashes' || nodes <= DETECTOR_NODES_LIMIT,
    () => `schedule has detector links; that takes ${DETECTOR_NODES_LIMIT} nodes at most`,
  );
  for (const fault of schedule.faults) {
    if (fault.type === 'restart') assertPlace({ protocol, crashedBefore }, fault.rank);
  }
  return schedule;
}

function assertTicks(ticks: number): void {
  assertThat(
    ticks <= LATENCY_TICKS_LIMIT,
    () => `a message could take ${ticks} ticks; ${LATENCY_TICKS_LIMIT} is the most`,
  );
}

/** Refuses ranks that are not members or come twice. */
export function assertRanks(name: string, ranks: readonly number[], nodes: number): void {
  const named = new Set<number>();
  for (const rank of ranks) {
    assertInteger(`${name}: rank`, rank, { min: 1, max: nodes });
    assertThat(!named.has(rank), () => `${name} names rank ${rank} twice`);
    named.add(rank);
  }
}

/** Refuses what is not a whole number within bounds. */
export function assertInteger(
  name: string,
  value: number,
  bounds: { readonly min: number; readonly max: number },
): void {
  assertThat(
    Number.isSafeInteger(value) && value >= bounds.min && value <= bounds.max,
    () => `${name} is a whole number in ${bounds.min}..${bounds.max}, not ${value}`,
  );
}

function assertThat(holds: boolean, detail: () => string): void {
  if (!holds) throw new LabError('arguments', detail());
}

function orderRing({ ring = 'shuffled', nodes, seed }: SimulationOptions): readonly number[] {
  if (ring === 'by-id') return ascending(nodes);
  if (ring === 'shuffled') return shuffled(ascending(nodes), createRandom(seed, 'ring'));
  assertThat(ring.length === nodes, () => `ring has ${ring.length} ranks for ${nodes} nodes`);
  assertRanks('ring', ring, nodes);
  return [...ring];
}

function ascending(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}

/** A node crashes while it is up and recovers while it is down, in the order of the ticks. */
function assertFaults(
  options: SimulationOptions,
  faults: readonly Fault[],
  crashedBefore: readonly number[],
): void {
  assertThat(faults.length <= FAULTS_LIMIT, () => `faults has more than ${FAULTS_LIMIT} entries`);
  const down = new Set(crashedBefore);
  for (const { type, rank, at } of faults.toSorted((left, right) => left.at - right.at)) {
    assertInteger('faults: rank', rank, { min: 1, max: options.nodes });
    assertInteger('faults: at', at, { min: 0, max: TICKS_LIMIT });
    assertThat(
      down.has(rank) === (type === 'recover'),
      () => `faults: ${rank} cannot ${type} at ${at}, it is ${down.has(rank) ? 'down' : 'up'} then`,
    );
    if (type === 'recover') assertPlace({ protocol: options.protocol, crashedBefore }, rank);
    if (type === 'crash') down.add(rank);
    else down.delete(rank);
  }
}

/** A ring is closed around those who died before the run; there is no way back into it. */
export function assertPlace(
  { protocol, crashedBefore }: Pick<Plan, 'protocol' | 'crashedBefore'>,
  rank: number,
  code: 'arguments' | 'election.conflict' = 'arguments',
): void {
  if (PROTOCOLS[protocol].family !== 'ring' || !crashedBefore.includes(rank)) return;
  const detail = `${rank} died before the run and the ring is closed around it, so it cannot recover`;
  throw new LabError(code, detail);
}
