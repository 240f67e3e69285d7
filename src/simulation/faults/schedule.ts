/**
 * @module
 * This folder describes faults: what goes wrong in a run, when, and when it stops. A schedule is plain
 * JSON data, so that it can be written, drawn, shrunk, saved and replayed. Ticks count from 0. A window
 * contains its tick `from` and not its tick `to`.
 *
 * A schedule has two phases. Before `calm.at` its faults occur. At `calm.at` all of them stop: pauses end,
 * links heal, clocks run evenly, and nodes that were to return later return now. Within `calm.ticks` more,
 * the election must succeed. A fault that has no effect, such as the crash of a node that is down, is
 * skipped. Therefore every subset of a schedule is a schedule.
 */

import { z } from 'zod';
import type { InputFault, LabError } from '../../errors.ts';
import { jsonPointer } from '../../errors.ts';
import { parseBySchema, schemaError } from '../../schema.ts';
import { LATENCY_TICKS_LIMIT } from './latency.ts';
import { integer, list, must, object, oneOf, truth } from './schemas.ts';

/** The last tick of a schedule. Ten such spans fit into the longest run. */
export const SCHEDULE_TICKS_LIMIT = 100_000_000_000;
export const SCHEDULED_FAULTS_LIMIT = 10_000;
/** The largest factor by which a clock may be slow or fast. */
export const SKEW_LIMIT = 1000;
/** Crashes and joins that the churns of a schedule may draw together, each an equal part. */
export const CHURN_EVENTS_LIMIT = 10_000;
/** Writes of a store that one fail-over may lose. */
export const LOST_WRITES_LIMIT = 100;
/** Crashes of leaders that the faults of a schedule may name together. */
export const LEADER_CRASHES_LIMIT = 10_000;
/** With more nodes, a detector of links has too many pairs of nodes to watch. */
export const DETECTOR_NODES_LIMIT = 512;
/** With more nodes, a join takes too long, since every node gets a new list of members. */
export const JOIN_NODES_LIMIT = 10_000;
/** Links that a partition may name. */
const CUT_LINKS_LIMIT = 1_000_000;
const PROBABILITY = 'a probability in 0..1';

const share = z.number(must(PROBABILITY)).min(0, must(PROBABILITY)).max(1, must(PROBABILITY));
/** Whether the rank belongs to a node is checked later, when the number of nodes is known. */
const rank = integer(1, Number.MAX_SAFE_INTEGER);
const tick = ticks(0);
const factor = integer(1, LATENCY_TICKS_LIMIT);
/** A null end is the calm, or the end of the run where there is no calm. */
const window = { from: tick, to: tick.nullable() };
const link = z
  .tuple([rank, rank], must('two ranks'))
  .refine(([one, other]) => one !== other, must('two different ranks'));

const CUTS = [
  /** Cuts one node off, in both directions. */
  cutOf('isolate', { rank }),
  /** Separates the lower half of the ranks, rounded down, from the upper half. */
  cutOf('halves', {}),
  /** Separates the largest set of highest ranks that is no majority from the others. */
  cutOf('minority', {}),
  /** Every node reaches a majority, and no two nodes the same one: the nearest ranks, in a circle. */
  cutOf('majorities-ring', {}),
  /** Cuts one direction of one link. */
  cutOf('one-way', { from: rank, to: rank }),
  /** Cuts these links, in both directions. */
  cutOf('links', { links: list(link, CUT_LINKS_LIMIT) }),
] as const;

const FAULTS = [
  faultOf('crash', { rank, at: tick }),
  /** With amnesia, the node has lost what it persisted. */
  faultOf('restart', { rank, at: tick, amnesia: truth }),
  /** No message reaches the node and its timers wait. At `to`, all of them are due at once. */
  faultOf('pause', { rank, from: tick, to: tick }),
  /** Adds a member that was absent before and that no node knew. */
  faultOf('join', { rank, at: tick }),
  /** Messages sent over a cut link are lost. Messages that are in flight arrive. */
  faultOf('partition', {
    cut: z.discriminatedUnion('kind', CUTS, oneOf(CUTS.map(({ shape }) => shape.kind.value))),
    ...window,
  }),
  /** Loses each message with probability `share`. */
  faultOf('loss', { share, ...window }),
  /** Copies each message with probability `share`. The copy has its own latency, in link order. */
  faultOf('duplication', { share, ...window }),
  /** Delays a message by 1..ticksMax more ticks. Later ones overtake it, on FIFO links too. */
  faultOf('reordering', { share, ticksMax: factor, ...window }),
  /** Loses every message. */
  faultOf('blackout', window),
  /** Multiplies every latency, so that Δ does not hold. */
  faultOf('slowdown', { factor, ...window }),
  /** Timers of the node take numerator / denominator times their ticks. */
  faultOf('skew', { rank, numerator: integer(1, SKEW_LIMIT), denominator: integer(1, SKEW_LIMIT) }),
  /** The clock of the node jumps by this number of ticks, back if they are below 0. Timers that are overdue then fire at once. */
  faultOf('jump', {
    rank,
    at: tick,
    ticks: integer(-SCHEDULE_TICKS_LIMIT, SCHEDULE_TICKS_LIMIT),
  }),
  /** A replica takes the place of the store. It lacks its last writes. Without a store nothing happens. */
  faultOf('failover', { at: tick, writes: integer(1, LOST_WRITES_LIMIT) }),
  /**
   * Drawn from the seed. About every `ticksMean` ticks a member crashes and returns after the same time on
   * average, with amnesia with probability `amnesiaShare`, or a node of `joins` joins. One node stays up.
   */
  faultOf('churn', {
    from: tick,
    to: tick,
    ticksMean: ticks(1),
    amnesiaShare: share,
    joins: list(rank, JOIN_NODES_LIMIT),
  }),
  /**
   * Crashes the node that leads then: at one tick drawn uniformly from the window, `times` times, `everyTicks` apart. If
   * several nodes lead, it is the one that most live nodes follow, the highest of equals; if none leads, no node
   * crashes. The node returns `backTicks` later with what it stored, or never if that is null.
   */
  faultOf('crash-leader', {
    from: tick,
    to: tick,
    everyTicks: ticks(1),
    times: integer(1, LEADER_CRASHES_LIMIT),
    backTicks: ticks(1).nullable(),
  }),
] as const;

const FAULT = z.discriminatedUnion(
  'type',
  FAULTS,
  oneOf(FAULTS.map(({ shape }) => shape.type.value)),
);

const SCHEDULE = object({
  faults: list(FAULT, SCHEDULED_FAULTS_LIMIT),
  /** Null: faults end with their windows, and liveness has no deadline. */
  calm: object({
    at: ticks(1),
    /** Bound within which liveness is judged. */
    ticks: tick,
    /**
     * Whether every live node starts again at `at`. Without it, a protocol that repeats nothing cannot
     * recover from a lost message.
     */
    restart: truth,
  }).nullable(),
  /**
   * What is suspected T = 2Δ + 1 ticks later. `crashes`: every node suspects a node that crashed. `links`:
   * a node suspects each node that it cannot receive from (down, paused, or its link is cut).
   */
  detector: z.enum(['crashes', 'links'], oneOf(['crashes', 'links'])),
});

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

export type Schedule = DeepReadonly<z.output<typeof SCHEDULE>>;
/** A schedule as an answer prints it: without its detector if one on the nodes replaces it. */
export type PrintedSchedule = Omit<Schedule, 'detector'> & {
  readonly detector?: Schedule['detector'] | undefined;
};
export const printedSchedule: z.ZodType<PrintedSchedule> = SCHEDULE.partial({ detector: true });
export type Calm = NonNullable<Schedule['calm']>;
export type ScheduledFault = Schedule['faults'][number];
export type Churn = Extract<ScheduledFault, { readonly type: 'churn' }>;
export type LeaderCrash = Extract<ScheduledFault, { readonly type: 'crash-leader' }>;
export type Cut = Extract<ScheduledFault, { readonly type: 'partition' }>['cut'];
/** A fault whose effect is drawn for each message. */
export type MessageFault = Extract<
  ScheduledFault,
  { readonly type: 'loss' | 'duplication' | 'reordering' | 'blackout' | 'slowdown' }
>;
export type Window = Pick<MessageFault, 'from' | 'to'>;

/** A scripted change of one node at one tick, before the deliveries of that tick. */
export interface Fault {
  readonly type: 'crash' | 'recover';
  readonly rank: number;
  readonly at: number;
}

export const EMPTY_SCHEDULE: Schedule = { faults: [], calm: null, detector: 'crashes' };

/** Parses the schedule of an election among ranks 1..nodes. Throws LabError `schema`. */
export function parseSchedule(value: unknown, nodes: number): Schedule {
  const schedule: Schedule = parseBySchema(SCHEDULE, value, 'schedule');
  const found = contradictions(schedule, nodes);
  if (found.length > 0) throw schemaError('schedule', found);
  return schedule;
}

/** The fault that such an error is about, and what is wrong with it; null for another error. */
export function faultProblem({ faults }: LabError): { index: number; detail: string } | null {
  const [first] = faults;
  const [, index, member] = /^\/faults\/(\d+)(?:\/(.+))?$/.exec(first?.pointer ?? '') ?? [];
  if (first === undefined || index === undefined) return null;
  const detail = member === undefined ? first.detail : `${member} ${first.detail}`;
  return { index: Number(index), detail };
}

/** What is wrong although every member is right: foreign ranks, order in time, repeated joins. */
function contradictions({ faults, calm }: Schedule, nodes: number): InputFault[] {
  const found: InputFault[] = [];
  const joined = new Set<number>();
  for (const [index, fault] of faults.entries()) {
    const note = (path: readonly PropertyKey[], detail: string) =>
      found.push({ pointer: jsonPointer(['faults', index, ...path]), detail });
    mapRanks(fault, (each, path) => {
      if (each > nodes) note(path, `must be a whole number in 1..${nodes}`);
      return each;
    });
    const begin = 'at' in fault ? fault.at : 'from' in fault ? fault.from : 0;
    if (calm !== null && begin >= calm.at && fault.type !== 'restart') {
      note([], `begins at ${begin}, after the calm has begun`);
    }
    if ('to' in fault && fault.to !== null && fault.to <= fault.from) {
      note(['to'], `must be after from, ${fault.from}`);
    }
    for (const each of joinsOf(fault)) {
      if (joined.has(each)) note([], `${each} joins twice`);
      joined.add(each);
    }
  }
  const crashes = faults.reduce((sum, each) => sum + ('times' in each ? each.times : 0), 0);
  if (crashes > LEADER_CRASHES_LIMIT) {
    const detail = `crash the leader ${crashes} times together; at most ${LEADER_CRASHES_LIMIT}`;
    found.push({ pointer: '/faults', detail });
  }
  if (joined.size >= nodes) {
    found.push({ pointer: '/faults', detail: 'leave no node that is present at first' });
  }
  return found;
}

/** The same fault with every rank replaced. `change` also gets the path of the rank in the fault. */
export function mapRanks(
  fault: ScheduledFault,
  change: (rank: number, path: readonly PropertyKey[]) => number,
): ScheduledFault {
  if ('rank' in fault) return { ...fault, rank: change(fault.rank, ['rank']) };
  if (fault.type === 'churn') {
    return { ...fault, joins: fault.joins.map((each, index) => change(each, ['joins', index])) };
  }
  if (fault.type !== 'partition') return fault;
  const { cut } = fault;
  const at = (each: number, ...path: PropertyKey[]) => change(each, ['cut', ...path]);
  if (cut.kind === 'isolate') return { ...fault, cut: { ...cut, rank: at(cut.rank, 'rank') } };
  if (cut.kind === 'one-way') {
    return { ...fault, cut: { ...cut, from: at(cut.from, 'from'), to: at(cut.to, 'to') } };
  }
  if (cut.kind !== 'links') return fault;
  const links = cut.links.map(
    ([one, other], index) => [at(one, 'links', index, 0), at(other, 'links', index, 1)] as const,
  );
  return { ...fault, cut: { ...cut, links } };
}

/** The ranks that are absent at first, ascending: those that a fault adds. */
export function absentAtFirst({ faults }: Schedule): number[] {
  return [...new Set(faults.flatMap(joinsOf))].toSorted((left, right) => left - right);
}

function joinsOf(fault: ScheduledFault): readonly number[] {
  return fault.type === 'join' ? [fault.rank] : fault.type === 'churn' ? fault.joins : [];
}

/** The last tick at which a crash of the leader, or the return after it, can happen. */
export function lastLeaderCrash({ to, everyTicks, times, backTicks }: LeaderCrash): number {
  return to - 1 + (times - 1) * everyTicks + (backTicks ?? 0);
}

/** The most writes that the fail-overs of a schedule can lose at once. */
export function lostWritesOf(schedule: Schedule | null): number {
  const faults = schedule?.faults ?? [];
  return faults.reduce((sum, each) => sum + (each.type === 'failover' ? each.writes : 0), 0);
}

/** The longest time that a message can take under a schedule, given the Δ of the protocols. */
export function faultyTicksMax({ faults }: Schedule, latencyTicksMax: number): number {
  let factorMax = 1;
  let delayMax = 0;
  for (const fault of faults) {
    if (fault.type === 'slowdown') factorMax = Math.max(factorMax, fault.factor);
    if (fault.type === 'reordering') delayMax = Math.max(delayMax, fault.ticksMax);
  }
  return latencyTicksMax * factorMax + delayMax;
}

/** Whether a window contains `now`. The window must have been clipped at the calm. */
export function isWithin({ from, to }: Window, now: number): boolean {
  return from <= now && (to === null || now < to);
}

/** A window, ended by the calm. */
export function clipped({ from, to }: Window, calm: Schedule['calm']): Window {
  if (calm === null) return { from, to };
  return { from, to: to === null ? calm.at : Math.min(to, calm.at) };
}

function faultOf<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return object({ type: z.literal(name), ...shape });
}

function cutOf<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return object({ kind: z.literal(name), ...shape });
}

function ticks(min: number) {
  return integer(min, SCHEDULE_TICKS_LIMIT);
}
