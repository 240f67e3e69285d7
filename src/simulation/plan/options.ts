/**
 * @module
 * What a simulation is asked to do, and the check of it: everything that arrives from outside is
 * judged here, once, and refused with LabError `arguments`; a plan needs no further checks.
 */

import { DETECTORS, entriesKept } from '../../election/detectors/registry.ts';
import type { Flags } from '../../election/flags.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { LabError } from '../../errors.ts';
import { createRandom, shuffled } from '../../random.ts';
import { LATENCY_TICKS_LIMIT, latencyProblem, latencyTicksMax } from '../faults/latency.ts';
import { assertLinkFactors, linkFactorMax } from '../faults/link-factors.ts';
import type { Fault, Schedule } from '../faults/schedule.ts';
import {
  absentAtFirst,
  DETECTOR_NODES_LIMIT,
  faultyTicksMax,
  JOIN_NODES_LIMIT,
  parseSchedule,
} from '../faults/schedule.ts';
import { planDefences } from './asked-defences.ts';
import { byzantineFault } from './byzantine.ts';
import { assertCompatible } from './compatible.ts';
import type { OutsidePlan } from './outside-places.ts';
import { hasOutsideNodes, planOutside } from './outside-places.ts';
import { lastDisturbance, runTicksMax, steadyTicksOf, TICKS_LIMIT } from './patience.ts';
import type { Plan, SimulationOptions } from './plan.ts';
import {
  ATTRIBUTE_LIMIT,
  DETECTOR_ENTRIES_LIMIT,
  ENTRIES_LIMIT,
  FAULTS_LIMIT,
  MESSAGES_LIMIT,
  NODES_LIMIT,
} from './plan.ts';
import { isWorkload } from './workload.ts';

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
  assertSize(options, flags);
  const fault = latencyProblem(latency);
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
  const workload = options.workload ?? null;
  assertDetector(options, timing);
  assertCompatible(options, timing);
  assertThat(
    workload === null || isWorkload(workload),
    () => `workload is none that there is: ${workload?.resource}`,
  );
  const pace = {
    protocol,
    flags,
    nodes,
    timing,
    detector: options.detector,
    workload: options.workload,
  };
  const disturbedUntil = lastDisturbance(faults, schedule);
  const untilTicks = options.untilTicks ?? runTicksMax(pace, schedule, disturbedUntil);
  assertInteger('untilTicks', untilTicks, { min: 0, max: TICKS_LIMIT });
  const ring = orderRing(options);
  return {
    protocol,
    flags,
    attributes: options.attributes ?? null,
    nodes,
    ring,
    nodeOrder: PROTOCOLS[protocol].family === 'ring' ? ring : ascending(nodes),
    latency,
    links,
    timing,
    store: workload === null && PROTOCOLS[protocol].store === null ? null : nodes + 1,
    fifo: options.fifo ?? true,
    seed,
    crashedBefore,
    faults: faults.toSorted((left, right) => left.at - right.at),
    schedule,
    detector: options.detector ?? null,
    workload,
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
  const mayLie = byzantine.length > 0 || hasOutsideNodes(options);
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

function assertSize({ protocol, nodes }: SimulationOptions, flags: Flags): void {
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
}

function assertFlags(protocol: ProtocolName, flags: Flags): void {
  const fault = flagFault(protocol, flags);
  assertThat(fault === null, () => `flags: ${fault?.flag} ${fault?.detail}`);
}

function assertAttributes({ protocol, attributes, nodes }: SimulationOptions): void {
  if (attributes === undefined) return;
  assertThat(
    PROTOCOLS[protocol].attributes !== null,
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
    if (fault.type === 'restart') assertRecoverable({ protocol, crashedBefore }, fault.rank);
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
    () => `${name} must be a whole number in ${bounds.min}..${bounds.max}, not ${value}`,
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
    if (type === 'recover') assertRecoverable({ protocol: options.protocol, crashedBefore }, rank);
    if (type === 'crash') down.add(rank);
    else down.delete(rank);
  }
}

/** A ring is closed around those who died before the run; there is no way back into it. */
export function assertRecoverable(
  { protocol, crashedBefore }: Pick<Plan, 'protocol' | 'crashedBefore'>,
  rank: number,
  code: 'arguments' | 'election.conflict' = 'arguments',
): void {
  if (PROTOCOLS[protocol].family !== 'ring' || !crashedBefore.includes(rank)) return;
  const detail = `${rank} died before the run and the ring is closed around it, so it cannot recover`;
  throw new LabError(code, detail);
}
