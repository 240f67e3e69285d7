/**
 * @module
 * This folder contains the operations that simulate elections. This file has what a person states of an election besides
 * its protocol: the nodes, their network, its faults, and what runs on the nodes.
 */

import { z } from 'zod';
import { LEVEL_CHECKS, LEVELS } from '../../election/authentication/authenticated.ts';
import { parseClients } from '../../election/clients/client-form.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import { DETECTOR_NAMES, DETECTORS, entriesKept } from '../../election/detectors/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { nodesOf, parseTopology, TOPOLOGY_MEANING } from '../../election/topology/registry.ts';
import { LabError } from '../../errors.ts';
import { parseJsonText } from '../../experiment/reading/json-scan.ts';
import { USUAL_KINDS } from '../../simulation/faults/draw.ts';
import { latencyTicksMax, parseLatency } from '../../simulation/faults/latency.ts';
import { linkFactorMax } from '../../simulation/faults/link-factors.ts';
import type { Schedule } from '../../simulation/faults/schedule.ts';
import { absentAtFirst, faultProblem, faultyTicksMax } from '../../simulation/faults/schedule.ts';
import { FAULT_FORMS, faultText, parseFaultText } from '../../simulation/faults/text.ts';
import { assertRanks } from '../../simulation/plan/assertions.ts';
import { NODES_LIMIT, SAME_TICK_MEANING, SAME_TICK_ORDERS } from '../../simulation/plan/plan.ts';
import { TICKS_LIMIT } from '../../simulation/plan/time-limits.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import type { Words } from '../../simulation/request/election.ts';
import {
  readAttributes,
  readCalm,
  readCrash,
  readDetector,
  readInitiators,
  readLinkFactors,
  readRanks,
  scheduleFrom,
} from '../../simulation/request/reading.ts';
import type { Settled } from '../../simulation/request/remote-limits.ts';
import {
  DETECTOR_ENTRIES_MAX,
  LATENCY_TICKS_MAX,
  NODES_MAX,
  sizeProblem,
} from '../../simulation/request/remote-limits.ts';
import type { AskedElection, ScheduledFlag } from '../../simulation/request/request.ts';
import { SCHEDULED_FLAGS } from '../../simulation/request/request.ts';
import type { Watcher } from '../../simulation/request/settle.ts';
import { HELD_TICKS_LIMIT } from '../../simulation/run/intervention.ts';
import type { ElectionOptions } from '../../simulation/run/simulate.ts';
import type { NamedFile } from '../file.ts';
import { file } from '../file.ts';
import type { InputOf } from '../member.ts';
import { amount, choice, choices, settings, text, texts, toggle } from '../member.ts';
import type { OperationContext } from '../operation.ts';
import { inMember, memberFault } from '../operation.ts';

/** Most characters of a list of ranks or attributes. */
const LIST_CHARACTERS_MAX = 16 * NODES_LIMIT;
/** The largest attribute that can be written with 15 digits. */
const ATTRIBUTE_MAX = 10 ** 15 - 1;
/** Ranks as a request lists them. */
const RANKS = { min: 1, max: NODES_MAX, most: NODES_MAX };
const FLAG_CHARACTERS_MAX = 64;
const FAULTS_CHARACTERS_MAX = 10_000_000;
const flagText = z.string().max(FLAG_CHARACTERS_MAX);
const FAULT_RULES = { most: 1_000, longest: 1_000, separator: '\n' } as const;

/** The member of one kind of fault. `isFurther`: whether a form shows it on request only. */
function fault(
  flag: ScheduledFlag,
  { isFurther, ...facts }: { label: string; meaning: string; example: string; isFurther?: true },
) {
  const read = (given: string) => parseFaultText(flag, given);
  return texts(
    { ...FAULT_RULES, read },
    { ...facts, ...(isFurther && { isFurther }), otherwise: 'none' },
  );
}

/** The members of an election besides its protocol and seed. */
export const ELECTION = {
  nodes: amount({
    kind: 'count',
    bounds: { min: 1, max: NODES_LIMIT },
    remoteMax: NODES_MAX,
    slider: [0, 2.7],
    label: 'Nodes',
    meaning: 'Number of nodes. The seed shuffles their ring',
    example: '5',
    inForm: '5',
    otherwise: 'those of ring, or of a mesh or torus',
  }),
  latency: text(
    { read: parseLatency, number: { min: 1, max: LATENCY_TICKS_MAX } },
    {
      label: 'Latency',
      meaning: 'Latency of a message in ticks: 1, uniform:10:50, or exp:30 (the mean)',
      example: 'uniform:10:50',
      initial: '1',
    },
  ),
  topology: text(
    { read: parseTopology },
    {
      label: 'Topology',
      meaning: TOPOLOGY_MEANING,
      example: 'torus:4x4',
      isFurther: true,
      otherwise: 'each pair of nodes has one',
    },
  ),
  randomFaults: choices(
    ['usual', ...FAULT_KINDS],
    {
      label: 'Drawn faults',
      meaning: `Kinds of faults to draw from the seed: usual (all but amnesia), or some of ${FAULT_KINDS.join(', ')}`,
      example: 'usual',
      otherwise: 'none are drawn',
    },
    'usual',
  ),
  crash: texts(
    { ...FAULT_RULES, read: readCrash },
    {
      label: 'Crashes',
      meaning:
        'Nodes that crash: highest or ranks, before the run or at a tick, as in 5@20,3@40; or the present leader: leader@100, leader@100-250 (at a drawn tick), leader@100:every=500:times=3:back=200',
      example: 'highest@3',
      otherwise: 'none',
    },
  ),
  loss: fault('loss', {
    label: 'Losses',
    meaning: 'Share of messages lost, for the whole run or in a window',
    example: '5%@100-300',
  }),
  partition: fault('partition', {
    label: 'Partitions',
    meaning: `Groups of nodes between which links are cut: ${FAULT_FORMS.partition.example}`,
    example: 'halves@100-300',
  }),
  detector: text(
    { read: readDetector },
    {
      label: 'Failure detector',
      meaning:
        'Failure detector: crashes suspects crashed nodes, links also unreachable ones; others run on the nodes, such as fd-phi-akka:threshold=8',
      example: 'links',
      otherwise: 'that of faults, else crashes',
      each: {
        crashes: 'suspects crashed nodes',
        links: 'suspects unreachable nodes',
        ...Object.fromEntries(DETECTOR_NAMES.map((name) => [name, DETECTORS[name].rule])),
      },
    },
  ),
  flags: settings(
    { schema: z.record(flagText, flagText, 'must be a list such as rejoin=naive, each name once') },
    {
      label: 'Variants',
      meaning: 'Variants and numbers of the protocol',
      example: 'rejoin=naive',
      isFurther: true,
      otherwise: 'those of the protocol',
    },
  ),
  attributes: text(
    {
      read: readAttributes,
      longest: LIST_CHARACTERS_MAX,
      list: { min: 0, max: ATTRIBUTE_MAX, most: NODES_MAX },
    },
    {
      label: 'Attributes',
      meaning: 'Attributes that ranks 1, 2, … claim; usurp elect --list prints their meaning',
      example: '7,9,8',
      isFurther: true,
      otherwise: 'all equal',
    },
  ),
  ring: text(
    { read: readRanks, longest: LIST_CHARACTERS_MAX, list: RANKS },
    {
      label: 'Ring',
      meaning: 'Ranks in clockwise order',
      example: '3,1,2',
      isFurther: true,
      otherwise: 'all, in the order of ringOrder',
    },
  ),
  ringOrder: choice(['shuffled', 'by-id'], {
    label: 'Order of the ring',
    meaning: 'Order of the ranks if ring is not given',
    example: 'by-id',
    isFurther: true,
    initial: 'shuffled',
  }),
  initiators: text(
    { read: readInitiators, longest: LIST_CHARACTERS_MAX, list: RANKS },
    {
      label: 'Initiators',
      meaning: 'Nodes that start: all, lowest, highest, or ranks such as 3,1',
      example: 'lowest',
      isFurther: true,
      initial: 'all',
    },
  ),
  resource: text(
    { read: parseWorkload },
    {
      label: 'Resource',
      meaning:
        'Resource that leaders write to: unfenced, fencing-register or fencing-max, with options as in fencing-max:every=5,step=10',
      example: 'fencing-max:every=5',
      isFurther: true,
      otherwise: 'none',
    },
  ),
  clients: text(
    { read: parseClients },
    {
      label: 'Clients',
      meaning:
        'Clients that leaders serve, from the resource or from the log of the protocol: a number, with options as in 3:reads=resource,patience=50,every=20',
      example: '3',
      isFurther: true,
      otherwise: 'none',
    },
  ),
  until: amount({
    kind: 'count',
    bounds: { min: 0, max: TICKS_LIMIT },
    slider: [1, 5],
    label: 'Last tick',
    meaning: 'Last tick of the run',
    example: '1000',
    isFurther: true,
    otherwise: 'the tick at which the protocol gives up',
  }),
  linkFactors: text(
    { read: readLinkFactors, longest: 100_000, number: { min: 1, max: LATENCY_TICKS_MAX } },
    {
      label: 'Factors of links',
      meaning:
        'Factors of the latency of links: 4 draws one in 1..4 for each link; 1>2:5,3>1:2 names links',
      example: '4',
      isFurther: true,
      otherwise: 'none',
    },
  ),
  fifo: toggle({
    label: 'Messages of a link stay in order',
    meaning: 'Deliver the messages of a link in the order of sending',
    example: '',
    isFurther: true,
    initial: true,
  }),
  sameTick: choice(SAME_TICK_ORDERS, {
    label: 'Order at one tick',
    meaning: SAME_TICK_MEANING,
    example: 'timers-first',
    isFurther: true,
    initial: 'messages-first',
  }),
  restart: fault('restart', {
    label: 'Restarts',
    meaning: 'Crashed node that restarts, with what it stored or without (amnesia)',
    example: '5@80:amnesia',
    isFurther: true,
  }),
  pause: fault('pause', {
    label: 'Pauses',
    meaning: 'Node that pauses and then handles all waiting events',
    example: '2@10-60',
    isFurther: true,
  }),
  join: fault('join', {
    label: 'Joins',
    meaning: 'Node that joins during the run',
    example: '5@50',
    isFurther: true,
  }),
  duplicate: fault('duplicate', {
    label: 'Duplicates',
    meaning: 'Share of messages delivered twice',
    example: '10%@100-300',
    isFurther: true,
  }),
  reorder: fault('reorder', {
    label: 'Reordering',
    meaning: 'Share of messages delayed so that later ones overtake them, and ticks of the delay',
    example: '10%:20@100-300',
    isFurther: true,
  }),
  blackout: fault('blackout', {
    label: 'Blackouts',
    meaning: 'Window in which every message is lost',
    example: '100-300',
    isFurther: true,
  }),
  slowdown: fault('slowdown', {
    label: 'Slowdowns',
    meaning: 'Factor of every latency',
    example: '10@100-300',
    isFurther: true,
  }),
  skew: fault('skew', {
    label: 'Wrong clocks',
    meaning: 'Node with a wrong clock, and the factor of its timers, in 0.01..1000',
    example: '3:1.5',
    isFurther: true,
  }),
  jump: fault('jump', {
    label: 'Clock jumps',
    meaning: 'Node whose clock jumps, at which tick, and by how many ticks',
    example: '2@500:+300',
    isFurther: true,
  }),
  failover: fault('failover', {
    label: 'Fail-overs of the store',
    meaning: 'Tick at which a replica takes over, and the number of last writes that it lacks',
    example: '500:1',
    isFurther: true,
  }),
  churn: fault('churn', {
    label: 'Churn',
    meaning:
      'Mean interval in ticks between crashes of nodes that restart: 30@0-500, 30@0-500:20% (amnesia) or 30@0-500:20%:6,7 (joins)',
    example: '30@0-500',
    isFurther: true,
  }),
  faults: file(
    z.union([z.string().max(FAULTS_CHARACTERS_MAX), z.looseObject({})], 'must be JSON'),
    {
      label: 'Schedule of faults',
      meaning: 'JSON with a schedule of faults, in addition to the other given faults',
      example: 'faults.json',
      isFurther: true,
      otherwise: 'none',
    },
  ),
  calm: text(
    { read: readCalm },
    {
      label: 'Calm',
      meaning:
        'Tick at which faults end, and ticks until a leader must exist, as in 300+2000; 300:restart starts all nodes again',
      example: '300',
      isFurther: true,
      otherwise: 'none; with drawn faults chosen by the protocol',
    },
  ),
  level: choice(LEVELS, {
    label: 'Level of authentication',
    meaning: 'What honest nodes check of messages',
    example: 'L2',
    isFurther: true,
    otherwise: 'nothing',
    each: LEVEL_CHECKS,
  }),
  defences: choices(DEFENCE_NAMES, {
    label: 'Defences',
    meaning: 'Defences of honest nodes',
    example: 'hop-limit',
    isFurther: true,
    otherwise: 'none',
    each: Object.fromEntries(DEFENCE_NAMES.map((name) => [name, DEFENCES[name].summary])),
  }),
} as const;

type ElectionInput = InputOf<typeof ELECTION>;

/** The members of one election, or of several elections of one protocol, besides their seed. */
export const ELECTED = {
  protocol: choice(PROTOCOL_NAMES, {
    label: 'Protocol',
    meaning: 'Protocol of the election',
    example: 'bully-oneshot',
    isArgument: true,
    inForm: 'bully-oneshot',
    otherwise: 'that of vary',
  }),
  ...ELECTION,
} as const;

export type ElectedInput = InputOf<typeof ELECTED>;

/** The election of an input, and the schedule of its member `faults`. Throws LabError. */
export function askedIn(input: ElectionInput): {
  readonly asked: AskedElection;
  readonly nodes: number;
  readonly given: Schedule | null;
} {
  const { flags = {}, attributes, ring, crash, linkFactors, randomFaults, calm, detector } = input;
  const { resource, clients, faults, latency, initiators, ...rest } = input;
  const ranks = read(ring, readRanks);
  const nodes = input.nodes ?? ranks?.length ?? nodesOf(rest.topology?.toString());
  if (nodes === undefined) {
    throw memberFault('schema', 'nodes', 'is missing: give a number, such as 5, or a ring');
  }
  if (ranks !== undefined && rest.ringOrder === 'by-id') {
    throw memberFault('arguments', 'ringOrder', 'has no effect beside ring');
  }
  const scheduled = SCHEDULED_FLAGS.flatMap((flag) => {
    const given = input[flag];
    return given === undefined
      ? []
      : [[flag, given.flatMap((each) => parseFaultText(flag, each))] as const];
  });
  const [beside] = [
    ...scheduled.map(([flag]) => flag),
    ...(faults === undefined ? [] : ['faults']),
  ];
  if (randomFaults !== undefined && beside !== undefined) {
    throw memberFault('arguments', 'randomFaults', `has no meaning beside ${beside}`);
  }
  const asked: AskedElection = {
    ringOrder: rest.ringOrder,
    fifo: rest.fifo,
    sameTick: rest.sameTick,
    nodes,
    level: rest.level,
    defences: rest.defences,
    until: rest.until,
    ...Object.fromEntries(scheduled),
    faults: faults?.name,
    flag: Object.entries(flags),
    attr: read(attributes, readAttributes),
    ring: ranks,
    initiators: readInitiators(String(initiators)),
    crash: crash?.map(readCrash),
    topology: rest.topology?.toString(),
    latency: parseLatency(String(latency)),
    linkFactors: read(linkFactors, readLinkFactors),
    randomFaults: kindsOf(randomFaults),
    calm: read(calm, readCalm),
    detector: read(detector, readDetector),
    resource: read(resource, parseWorkload),
    clients: read(clients, parseClients),
  };
  return {
    asked,
    nodes,
    given: faults === undefined ? null : inMember('faults', () => scheduleIn(faults, nodes)),
  };
}

type Given = string | number | readonly number[];

function read<T>(given: Given | undefined, reader: (text: string) => T): T | undefined {
  return given === undefined ? undefined : reader(String(given));
}

/** The schedule of a file. A refusal names the file. */
function scheduleIn({ name, text }: NamedFile, nodes: number): Schedule {
  try {
    return scheduleFrom(parseJsonText(text), nodes);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const what = error.code === 'json.syntax' ? 'is not JSON, ' : '';
    throw new LabError(error.code, `${name === '-' ? 'stdin' : name}: ${what}${error.message}`);
  }
}

function kindsOf(names: ElectionInput['randomFaults']): AskedElection['randomFaults'] {
  if (names?.join() === 'usual') return true;
  const kinds = names?.flatMap((name) => (name === 'usual' ? USUAL_KINDS : [name]));
  return kinds && [...new Set(kinds)];
}

/** The messages, progress and abort of an operation, in the form that the simulator uses. */
export function watcherOf(
  { onNote, onProgress, machine, signal }: OperationContext,
  counts: { readonly done: number; readonly total: number } = { done: 0, total: 1 },
): Watcher {
  return {
    note: onNote,
    progress: (line) => onProgress({ now: line(), ...counts }),
    pause: () => machine.pause(),
    signal,
  };
}

/** Refuses initiators that do not exist, or are away at the start. */
export function assertInitiators({
  initiators,
  nodes,
  crashedBefore = [],
  schedule,
}: ElectionOptions): void {
  if (initiators === undefined) return;
  inMember('initiators', () => assertRanks('initiators', initiators, nodes));
  const away = [...crashedBefore, ...(schedule ? absentAtFirst(schedule) : [])];
  const missing = initiators.find((rank) => away.includes(rank));
  if (missing === undefined) return;
  const detail = `node ${missing} has crashed or not joined when the election starts`;
  throw memberFault('arguments', 'initiators', detail);
}

/** Throws LabError `job.size` for an election with too many messages for a server. */
export function assertFewMessages(settled: Settled, nodes: number): void {
  const problem = sizeProblem(settled, nodes);
  if (problem !== null) throw memberFault('job.size', 'nodes', problem);
}

/** Throws LabError `job.size` for an election that is too large for a server. */
export function assertSmall({ nodes, level, ...election }: ElectionOptions): void {
  const { protocol, flags = {}, latency, links, schedule, detector } = election;
  assertFewMessages({ protocol, flags, ...(level && { level }) }, nodes);
  const refuse = (member: string, detail: string) => {
    throw memberFault('job.size', member, detail);
  };
  const ticks = latency === undefined ? 1 : latencyTicksMax(latency);
  if (ticks > LATENCY_TICKS_MAX) refuse('latency', `at most ${LATENCY_TICKS_MAX} ticks here`);
  const longest = ticks * linkFactorMax(links ?? null);
  if (longest > LATENCY_TICKS_MAX) {
    refuse('linkFactors', `at most ${LATENCY_TICKS_MAX} ticks of latency here`);
  }
  const timing = { nodes, latencyTicksMax: ticks };
  if (detector !== undefined && entriesKept(detector, timing, nodes) > DETECTOR_ENTRIES_MAX) {
    const detail = `${nodes} nodes would keep more than ${DETECTOR_ENTRIES_MAX} intervals of each other; give it a smaller window`;
    refuse('detector', detail);
  }
  const held = schedule === undefined ? 0 : faultyTicksMax(schedule, longest);
  if (held > HELD_TICKS_LIMIT) {
    refuse('slowdown', `a message could take ${held} ticks; at most ${HELD_TICKS_LIMIT} here`);
  }
}

/** Makes a refusal of the simulator point at the member of the input. */
export const inWordsOfMembers: Words = (schedule, work) => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const { member, detail } = faultOf(error, schedule);
    throw member === undefined ? error : memberFault(error.code, member, detail);
  }
};

function faultOf(error: LabError, schedule: Schedule | null) {
  const problem = faultProblem(error);
  const fault = problem === null ? undefined : schedule?.faults[problem.index];
  if (problem !== null && fault !== undefined) {
    const { flag, text } = faultText(fault);
    const hint = flag === 'join' ? ' (a node that joins is one of nodes)' : '';
    return { member: flag, detail: `${text}: ${problem.detail}${hint}` };
  }
  const { message } = error;
  const [start = '', name = ''] = /^(?:--)?(\w+)\b:? */.exec(message) ?? [];
  // Without a schedule, only crash names faults.
  const called = name === 'faults' && schedule === null ? 'crash' : name;
  const member = Object.hasOwn(ELECTION, called) ? called : MEMBERS.get(called);
  return { member, detail: message.slice(start.length) };
}

/** The options of a simulation that have another name than the member. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['crashedBefore', 'crash'],
  ['start', 'initiators'],
  ['links', 'linkFactors'],
  ['workload', 'resource'],
]);
