/**
 * @module
 * The fate of a message in a network with faults: lost, late, copied or reordered. It is decided when the
 * message is sent, from the seed, the link and the sequence number of the message on its link. Therefore a
 * fault elsewhere does not change it. The survival probabilities of simultaneous losses are multiplied, and a
 * message that is lost at some loss probability is also lost at every higher one.
 */

import type { Json, Message } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { IsCut } from '../faults/cuts.ts';
import { createCut } from '../faults/cuts.ts';
import type { Latency } from '../faults/latency.ts';
import { latencyTicks } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import { createKeyedDraws, createLinkFactors } from '../faults/link-factors.ts';
import type { MessageFault, Schedule, Window } from '../faults/schedule.ts';
import { clipped, isWithin } from '../faults/schedule.ts';

/** The fate of one message. The network overwrites it with the next one. */
export interface Fate {
  lost: boolean;
  /** The tick at which it arrives. */
  at: number;
  /** The tick at which its copy arrives; 0 for no copy. */
  copyAt: number;
}

export interface Network {
  /** Decides the fate of the next message of a link. */
  route(now: number, from: number, to: number): Fate;
  /** Whether every message of a link is lost now. */
  isCut(now: number, from: number, to: number): boolean;
}

export interface NetworkOptions {
  readonly nodes: number;
  /** The number of nodes, plus one if there is a store. */
  readonly endpoints: number;
  readonly latency: Latency;
  readonly links: LinkFactors | null;
  readonly fifo: boolean;
  readonly schedule: Schedule;
  readonly seed: Seed;
}

/** Purposes of the draws of one message. */
const DRAW = { latency: 0, loss: 1, duplication: 2, copyLatency: 3, reordering: 4, delay: 5 };
/** Up to this many endpoints, the sequence numbers of all links are one array. */
const DENSE_ENDPOINTS_MAX = 1024;

/** The joint effect of all faults on a message at one tick. */
interface Conditions {
  survivingShare: number;
  singleShare: number;
  orderedShare: number;
  delayTicksMax: number;
  factor: number;
}

export function createNetwork(options: NetworkOptions): Network {
  const { nodes, endpoints, latency, schedule, seed } = options;
  const draws = createKeyedDraws(seed, 'messages');
  const linkFactor = createLinkFactors(options.links, seed);
  const inOrder = options.fifo
    ? createFifoLinks(endpoints)
    : (_from: number, _to: number, due: number) => due;
  const counts = createLinkTable(endpoints, DENSE_ENDPOINTS_MAX);
  const cuts = cutsOf(schedule, nodes);
  const conditionsAt = createConditions(schedule);
  const fate: Fate = { lost: false, at: 0, copyAt: 0 };
  const isCut = (now: number, from: number, to: number) =>
    cuts.some((cut) => isWithin(cut, now) && cut.isCut(from, to));
  return {
    isCut,
    route(now, from, to) {
      const count = counts.get(from, to);
      counts.set(from, to, count + 1);
      const conditions = conditionsAt(now);
      const draw = (purpose: number) => draws(purpose, from, to, count);
      fate.copyAt = 0;
      fate.lost = isCut(now, from, to) || draw(DRAW.loss) >= conditions.survivingShare;
      if (fate.lost) return fate;
      const scale = conditions.factor * linkFactor(from, to);
      const dueOf = (purpose: number) => now + scale * latencyTicks(latency, draw(purpose));
      const due = dueOf(DRAW.latency);
      if (draw(DRAW.reordering) >= conditions.orderedShare) {
        fate.at = due + 1 + Math.floor(draw(DRAW.delay) * conditions.delayTicksMax);
      } else {
        fate.at = inOrder(from, to, due);
      }
      if (draw(DRAW.duplication) >= conditions.singleShare) {
        fate.copyAt = inOrder(from, to, dueOf(DRAW.copyLatency));
      }
      return fate;
    },
  };
}

/** Three times the messages in flight of a ring of a million nodes, with copies; about 1 GB. */
export const COPIED_FLIGHTS_LIMIT = 5_000_000;
/** This many entries of lists count as one message, since each relay writes the lists again. */
const ENTRIES_PER_FLIGHT = 4;
/** With fewer messages in flight, no list that a protocol sends is too long. */
const UNCHECKED_FLIGHTS_MAX = 20_000;

/**
 * Refuses one more copy of a message if too many messages are in flight. The limit is lower for messages with
 * lists. On a ring, a message that no node removes is copied in every lap, so that a run without a limit would
 * use all memory. Throws LabError `job.size`.
 */
export function assertRoomForCopy(inFlight: number, message: Message): void {
  if (inFlight < UNCHECKED_FLIGHTS_MAX) return;
  const limit = Math.floor(COPIED_FLIGHTS_LIMIT / (1 + entriesOf(message) / ENTRIES_PER_FLIGHT));
  if (inFlight < limit) return;
  const detail = `copies multiply: ${inFlight} messages are in flight, at most ${limit} of this size are possible; duplicate a smaller share, or for a shorter time`;
  throw new LabError('job.size', detail);
}

/** Entries of the lists of a message and of the messages that it contains. */
function entriesOf(value: Json | Message): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  return Object.values(value).reduce((entries, part) => entries + entriesOf(part), 0);
}

/** Partitions and blackouts, ended by the calm. */
function cutsOf({ faults, calm }: Schedule, nodes: number): (Window & { readonly isCut: IsCut })[] {
  return faults.flatMap((fault) => {
    if (fault.type !== 'partition' && fault.type !== 'blackout') return [];
    const isCut = fault.type === 'blackout' ? () => true : createCut(fault.cut, nodes);
    return [{ ...clipped(fault, calm), isCut }];
  });
}

/** The conditions at a tick. They are kept until a window begins or ends. */
function createConditions({ faults, calm }: Schedule): (now: number) => Conditions {
  const windows = faults.flatMap((fault) =>
    isGradual(fault) ? [{ ...fault, ...clipped(fault, calm) }] : [],
  );
  let conditions = noFaults();
  let validFrom = 0;
  let validTo = 0;
  return (now) => {
    if (now >= validFrom && now < validTo) return conditions;
    conditions = noFaults();
    validFrom = now;
    validTo = Number.POSITIVE_INFINITY;
    for (const fault of windows) {
      if (now < fault.from) validTo = Math.min(validTo, fault.from);
      if (!isWithin(fault, now)) continue;
      if (fault.to !== null) validTo = Math.min(validTo, fault.to);
      worsen(conditions, fault);
    }
    return conditions;
  };
}

type GradualFault = Exclude<MessageFault, { readonly type: 'blackout' }>;

function isGradual(fault: Schedule['faults'][number]): fault is GradualFault {
  return ['loss', 'duplication', 'reordering', 'slowdown'].includes(fault.type);
}

function noFaults(): Conditions {
  return { survivingShare: 1, singleShare: 1, orderedShare: 1, delayTicksMax: 0, factor: 1 };
}

function worsen(conditions: Conditions, fault: GradualFault): void {
  switch (fault.type) {
    case 'loss':
      conditions.survivingShare *= 1 - fault.share;
      break;
    case 'duplication':
      conditions.singleShare *= 1 - fault.share;
      break;
    case 'reordering':
      conditions.orderedShare *= 1 - fault.share;
      conditions.delayTicksMax = Math.max(conditions.delayTicksMax, fault.ticksMax);
      break;
    case 'slowdown':
      conditions.factor = Math.max(conditions.factor, fault.factor);
      break;
    default:
      fault satisfies never;
  }
}

const FIFO_DENSE_ENDPOINTS_MAX = 4096;

/**
 * A number for each link, 0 at first. Up to `denseMax` endpoints the numbers of all n² links are one array of 8n²
 * bytes. Above, they are a map. On FIFO links no message overtakes an earlier one from the same sender to the same
 * recipient: a message with a shorter latency arrives in the tick of the message before it, right after it. Δ is
 * still the longest latency, since the message before it was not sent later.
 */
interface LinkTable {
  get(from: number, to: number): number;
  set(from: number, to: number, value: number): void;
  /** Raises the number of a link to `least` if it is lower. Returns the number. */
  raise(from: number, to: number, least: number): number;
}

/** A table of the links among ranks 1..endpoints. */
function createLinkTable(endpoints: number, denseMax: number): LinkTable {
  const indexOf = (from: number, to: number) => (from - 1) * endpoints + to - 1;
  if (endpoints > denseMax) {
    const values = new Map<number, number>();
    return {
      get: (from, to) => values.get(indexOf(from, to)) ?? 0,
      set: (from, to, value) => values.set(indexOf(from, to), value),
      raise(from, to, least) {
        const index = indexOf(from, to);
        const value = Math.max(least, values.get(index) ?? 0);
        values.set(index, value);
        return value;
      },
    };
  }
  let values: Float64Array | null = null;
  return {
    get: (from, to) => values?.[indexOf(from, to)] ?? 0,
    set(from, to, value) {
      values ??= new Float64Array(endpoints * endpoints);
      values[indexOf(from, to)] = value;
    },
    raise(from, to, least) {
      values ??= new Float64Array(endpoints * endpoints);
      const index = indexOf(from, to);
      const value = Math.max(least, values[index] ?? 0);
      values[index] = value;
      return value;
    },
  };
}

/** The tick at which a message between two ranks arrives that would otherwise arrive at `due`. */
export type FifoLinks = (from: number, to: number, due: number) => number;

/** All links among ranks 1..endpoints, without messages. */
export function createFifoLinks(endpoints: number): FifoLinks {
  return createLinkTable(endpoints, FIFO_DENSE_ENDPOINTS_MAX).raise;
}
