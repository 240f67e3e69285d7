/**
 * @module
 * Derives the plan of a simulation. All options from outside are checked here, once. A wrong option is
 * refused with LabError `arguments`. A plan needs no further checks.
 */

import { PHANTOM_ID } from '../../adversary/behaviours/impersonation.ts';
import { BEHAVIOUR_NAMES, findBehaviour } from '../../adversary/behaviours/registry.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { isClients, unservedReason } from '../../election/clients/client-form.ts';
import {
  DETECTORS,
  detectorClash,
  detectorText,
  entriesKept,
} from '../../election/detectors/registry.ts';
import { flagClash, flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import { linkedGraph } from '../../election/topology/registry.ts';
import type { Graph } from '../../election/topology/topology.ts';
import { LabError } from '../../errors.ts';
import { createRandom, shuffled } from '../../random.ts';
import { LATENCY_TICKS_LIMIT, latencyProblem, latencyTicksMax } from '../faults/latency.ts';
import { assertLinkFactors, linkFactorMax } from '../faults/link-factors.ts';
import type { Schedule, ScheduledFault } from '../faults/schedule.ts';
import {
  absentAtFirst,
  DETECTOR_NODES_LIMIT,
  EMPTY_SCHEDULE,
  faultyTicksMax,
  JOIN_NODES_LIMIT,
  parseSchedule,
} from '../faults/schedule.ts';
import { assertDisjoint, assertInteger, assertRanks, assertThat } from './assertions.ts';
import { planDefences } from './defences.ts';
import type { Plan, SimulationOptions } from './plan.ts';
import {
  ATTRIBUTE_LIMIT,
  DETECTOR_ENTRIES_LIMIT,
  ENTRIES_LIMIT,
  FAULTS_LIMIT,
  hasOutsideNodes,
  MESSAGES_LIMIT,
  NODES_LIMIT,
  planOutside,
} from './plan.ts';
import { lastDisturbance, runTicksMax, steadyTicksOf, TICKS_LIMIT } from './time-limits.ts';
import { isWorkload } from './workload.ts';

/** Checks the options and fills in the defaults. Throws LabError `arguments`. */
export function planSimulation(options: SimulationOptions): Plan {
  const { protocol, nodes, seed, flags = {}, crashedBefore = [], faults = [] } = options;
  const { latency = { type: 'constant', ticks: 1 }, links = null, workload = null } = options;
  const { clients = null } = options;
  assertProtocol(options);
  const problem = latencyProblem(latency);
  assertThat(problem === null, () => `latency ${problem}`);
  assertRanks('crashedBefore', crashedBefore, nodes);
  assertThat(
    crashedBefore.length < nodes,
    () => `crashedBefore leaves none of ${nodes} nodes alive`,
  );
  assertFaults(options);
  if (links !== null) assertLinkFactors(links, nodes);
  const timing = { latencyTicksMax: latencyTicksMax(latency) * linkFactorMax(links) };
  const schedule = planSchedule(options, timing);
  assertDetector(options, timing);
  const clash = flagClash(protocol, timing, flags);
  assertThat(clash === null, () => `flags: ${clash?.flag} ${clash?.detail}`);
  assertThat(
    workload === null || isWorkload(workload),
    () => `workload: ${workload?.resource} is not a resource with valid options`,
  );
  const unserved =
    clients === null ? null : unservedReason(protocol, flags, workload?.resource ?? null);
  assertThat(unserved === null, () => `clients: ${unserved}`);
  assertThat(clients === null || isClients(clients), () => 'clients: not a number of clients');
  const { detector } = options;
  const isLoaded = workload !== null || clients !== null;
  const shape = { protocol, flags, nodes, timing, detector, isLoaded };
  const disturbedUntil = lastDisturbance(faults, schedule);
  const untilTicks = options.untilTicks ?? runTicksMax(shape, schedule, disturbedUntil);
  assertInteger('untilTicks', untilTicks, { min: 0, max: TICKS_LIMIT });
  const ring = orderRing(options);
  const absent = planAbsent(options, schedule);
  const { family, store } = PROTOCOLS[protocol];
  return {
    protocol,
    flags,
    attributes: options.attributes ?? null,
    nodes,
    ring,
    topology: options.topology ?? null,
    graph: planGraph({ ...options, ring, absent: absent.absent }),
    nodeOrder: family === 'ring' ? ring : ascending(nodes),
    latency,
    links,
    timing,
    fifo: options.fifo ?? true,
    seed,
    crashedBefore,
    sameTick: options.sameTick ?? 'messages-first',
    store: isLoaded || store !== null ? nodes + 1 : null,
    faults: faults.toSorted((left, right) => left.at - right.at),
    schedule,
    detector: detector ?? null,
    workload,
    clients,
    ...planByzantine(options),
    ...absent,
    audit: options.audit ?? false,
    untilTicks,
    steadyTicks: steadyTicksOf(shape),
    disturbedUntil,
    trace: options.trace ?? false,
    sendTimes: options.sendTimes ?? false,
    bytes: options.bytes ?? false,
  };
}

function assertProtocol({ protocol, nodes, flags = {}, attributes }: SimulationOptions): void {
  assertThat(
    PROTOCOL_NAMES.includes(protocol),
    () => `protocol must be one of ${PROTOCOL_NAMES.join(', ')}`,
  );
  const definition = PROTOCOLS[protocol];
  assertInteger('nodes', nodes, { min: 1, max: NODES_LIMIT });
  const fault = flagFault(protocol, flags);
  assertThat(fault === null, () => `flags: ${fault?.flag} ${fault?.detail}`);
  assertAttributes(protocol, attributes, nodes);
  const tooMany = `${nodes} nodes are too many for ${protocol}`;
  assertThat(
    definition.messagesAbout(nodes, flags) <= MESSAGES_LIMIT,
    () => `${tooMany}: it would send over ${MESSAGES_LIMIT} messages`,
  );
  assertThat(
    (definition.entriesAbout?.(nodes) ?? 0) <= ENTRIES_LIMIT,
    () => `${tooMany}: the lists in its messages would have over ${ENTRIES_LIMIT} entries`,
  );
}

function assertAttributes(
  protocol: Plan['protocol'],
  attributes: readonly number[] | undefined,
  nodes: number,
): void {
  if (attributes === undefined) return;
  assertThat(
    PROTOCOLS[protocol].attributes !== null,
    () => `attributes do not apply to ${protocol}`,
  );
  assertThat(
    attributes.length === nodes,
    () => `attributes has ${attributes.length} entries for ${nodes} nodes`,
  );
  for (const attribute of attributes) {
    assertInteger('attributes: entry', attribute, { min: 0, max: ATTRIBUTE_LIMIT });
  }
}

function isNamed({ type }: ScheduledFault): boolean {
  return type !== 'crash-leader';
}

function assertDetector({ detector, nodes, schedule }: SimulationOptions, timing: Timing): void {
  if (detector === undefined) return;
  const { nodesMax } = DETECTORS[detector.name];
  assertThat(
    detector.name !== 'fd-oracle' || schedule?.faults.every(isNamed) !== false,
    () =>
      'detector: fd-oracle must know which nodes crash; name ranks instead of leader in --crash',
  );
  assertThat(
    nodes <= nodesMax,
    () => `detector: ${detector.name} takes at most ${nodesMax} nodes, not ${nodes}`,
  );
  const { node } = detector.options;
  assertThat(
    node === undefined || Number(node) <= nodes,
    () => `detector: node=${node} is none of ${nodes} nodes`,
  );
  assertThat(
    entriesKept(detector, timing, nodes) <= DETECTOR_ENTRIES_LIMIT,
    () => `detector: ${nodes} nodes keep too many intervals of each other; use a smaller window`,
  );
  const clash = detectorClash(detector, timing);
  assertThat(clash === null, () => `detector ${JSON.stringify(detectorText(detector))} ${clash}`);
}

/** The parsed schedule, which fits the election. */
function planSchedule(options: SimulationOptions, timing: Timing): Schedule | null {
  const { nodes, crashedBefore = [] } = options;
  const schedule = options.schedule === undefined ? null : parseSchedule(options.schedule, nodes);
  const ticks = faultyTicksMax(schedule ?? EMPTY_SCHEDULE, timing.latencyTicksMax);
  assertThat(
    ticks <= LATENCY_TICKS_LIMIT,
    () => `a message could take ${ticks} ticks; at most ${LATENCY_TICKS_LIMIT} are possible`,
  );
  if (schedule === null) return null;
  const absent = absentAtFirst(schedule);
  const dead = absent.filter((rank) => crashedBefore.includes(rank));
  assertThat(dead.length === 0, () => `schedule: ${dead} joins, but died before the run`);
  assertThat(
    absent.length + crashedBefore.length < nodes,
    () => 'schedule leaves no node present and up at first',
  );
  assertThat(
    absent.length === 0 || nodes <= JOIN_NODES_LIMIT,
    () => `schedule has joins, which are possible among at most ${JOIN_NODES_LIMIT} nodes`,
  );
  assertThat(
    schedule.detector === 'crashes' || nodes <= DETECTOR_NODES_LIMIT,
    () => `schedule has detector links, which takes at most ${DETECTOR_NODES_LIMIT} nodes`,
  );
  for (const fault of schedule.faults) {
    if (fault.type === 'restart') assertRecoverable(options, fault.rank);
  }
  return schedule;
}

/** In the order of the ticks, a node crashes while it is up and recovers while it is down. */
function assertFaults(options: SimulationOptions): void {
  const { nodes, faults = [], crashedBefore = [] } = options;
  assertThat(faults.length <= FAULTS_LIMIT, () => `faults has more than ${FAULTS_LIMIT} entries`);
  const down = new Set(crashedBefore);
  for (const { type, rank, at } of faults.toSorted((left, right) => left.at - right.at)) {
    assertInteger('faults: rank', rank, { min: 1, max: nodes });
    assertInteger('faults: at', at, { min: 0, max: TICKS_LIMIT });
    assertThat(
      down.has(rank) === (type === 'recover'),
      () => `faults: ${rank} cannot ${type} at ${at}, it is ${down.has(rank) ? 'down' : 'up'} then`,
    );
    if (type === 'recover') assertRecoverable(options, rank);
    if (type === 'crash') down.add(rank);
    else down.delete(rank);
  }
}

/** A ring is closed around nodes that died before the run, which cannot return to it. */
export function assertRecoverable(
  { protocol, crashedBefore = [] }: Pick<SimulationOptions, 'protocol' | 'crashedBefore'>,
  rank: number,
  code: 'arguments' | 'election.conflict' = 'arguments',
): void {
  if (PROTOCOLS[protocol].family !== 'ring' || !crashedBefore.includes(rank)) return;
  const detail = `${rank} died before the run and the ring is closed around it, so it cannot recover`;
  throw new LabError(code, detail);
}

/** The nodes that join later or never, and the outside nodes. */
function planAbsent(
  options: SimulationOptions,
  schedule: Schedule | null,
): ReturnType<typeof planOutside> & Pick<Plan, 'absent'> {
  const { phantoms = [], nodes } = options;
  const joining = schedule === null ? [] : absentAtFirst(schedule);
  const both = joining.filter((rank) => phantoms.includes(rank));
  assertThat(both.length === 0, () => `schedule: ${both} joins, but is a phantom`);
  assertThat(phantoms.length < nodes, () => 'phantoms leaves no node');
  const outside = planOutside(options, [...joining, ...phantoms]);
  const absent = [...joining, ...phantoms, ...outside.openings];
  return { ...outside, absent: absent.toSorted((left, right) => left - right) };
}

/** The links of the topology. Throws LabError `arguments`. */
export function planGraph({
  topology,
  detector,
  ...options
}: SimulationOptions & Pick<Plan, 'ring' | 'absent'>): Graph | null {
  const { protocol, seed, crashedBefore = [], phantoms = [] } = options;
  const linked = { ...options, topology, crashedBefore, protocol: PROTOCOLS[protocol] };
  const graph = linkedGraph(linked, createRandom(seed, 'topology'));
  if (graph === null) return null;
  assertThat(
    detector === undefined,
    () => `topology: ${detector?.name} on the nodes needs a link between each pair of them`,
  );
  assertThat(
    options.absent.length === phantoms.length,
    () => 'topology: no node can join a network with links',
  );
  return graph;
}

/** All ranks in clockwise order. Throws LabError `arguments`. */
export function orderRing({
  ring = 'shuffled',
  nodes,
  seed,
}: SimulationOptions): readonly number[] {
  if (ring === 'by-id') return ascending(nodes);
  if (ring === 'shuffled') return shuffled(ascending(nodes), createRandom(seed, 'ring'));
  assertThat(ring.length === nodes, () => `ring has ${ring.length} ranks for ${nodes} nodes`);
  assertRanks('ring', ring, nodes);
  return [...ring];
}

function ascending(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}

/** The checked part of a plan. Throws LabError `arguments`. */
export function planByzantine(
  options: SimulationOptions,
): Pick<Plan, 'level' | 'byzantine' | 'phantoms' | 'defences'> {
  const { protocol, nodes, byzantine = [], phantoms = [], crashedBefore = [] } = options;
  const isGuarded = byzantine.length > 0 || hasOutsideNodes(options);
  const level = options.level ?? (isGuarded ? 'L0' : null);
  assertThat(level === null || LEVELS.includes(level), () => `level must be one of ${LEVELS}`);
  assertRanks('phantoms', phantoms, nodes);
  const ranks = byzantine.map(({ rank }) => rank);
  assertRanks('byzantine', ranks, nodes);
  const gone = [...phantoms, ...crashedBefore];
  assertDisjoint('byzantine', ranks, gone, 'a phantom or died before the run');
  for (const name of byzantine.flatMap(({ behaviours }) => behaviours)) {
    assertBehaviour(name, options);
  }
  const defences = planDefences(options.defences ?? [], { protocol, level });
  return { level, byzantine, phantoms, defences };
}

function assertBehaviour(
  name: string,
  { protocol, nodes, phantoms = [] }: SimulationOptions,
): void {
  const behaviour = findBehaviour(name);
  const names = BEHAVIOUR_NAMES.join(', ');
  assertThat(
    behaviour !== null,
    () => `there is no behaviour ${JSON.stringify(name)}; there are ${names}`,
  );
  const unsupportedReason = behaviour?.unsupportedReason(protocol) ?? null;
  assertThat(
    unsupportedReason === null,
    () => `${name} does not fit ${protocol}: ${unsupportedReason}`,
  );
  assertThat(
    behaviour !== PHANTOM_ID || phantoms.includes(nodes),
    () =>
      `${name} names the highest rank, which no node may have: add ${nodes} to phantoms, or one more node that is a phantom`,
  );
}
