/**
 * @module
 * What becomes of a message: lost, late, twice, or out of order. Everything is decided when it is
 * sent, from the seed and the message's own place (its link and its number on it), so that a fault
 * elsewhere does not shift what happens to it. Several losses at once are one: the shares that
 * survive are multiplied, and what a run with less of it lost, a run with more of it loses too.
 */

import type { Json, Message } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { IsCut } from '../faults/cuts.ts';
import { createCut } from '../faults/cuts.ts';
import { createKeyedDraws } from '../faults/keyed-draws.ts';
import type { Latency } from '../faults/latency.ts';
import { latencyTicks } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import { createLinkFactors } from '../faults/link-factors.ts';
import type { MessageFault, Schedule, Window } from '../faults/schedule.ts';
import { clipped, isWithin } from '../faults/schedule.ts';
import { createFifoLinks } from './links.ts';

/** Where one message goes. The network writes the next one into the same object. */
export interface Fate {
  lost: boolean;
  /** The tick at which it arrives. */
  at: number;
  /** The tick at which its copy arrives; 0 for no copy. */
  copyAt: number;
}

export interface Network {
  /** Decides the next message of a link. */
  route(now: number, from: number, to: number): Fate;
  /** Whether what one rank sends to another is lost for certain now. */
  isCut(now: number, from: number, to: number): boolean;
}

export interface NetworkOptions {
  readonly nodes: number;
  /** Those and, where there is one, the store. */
  readonly endpoints: number;
  readonly latency: Latency;
  readonly links: LinkFactors | null;
  readonly fifo: boolean;
  readonly schedule: Schedule;
  readonly seed: Seed;
}

/** Purposes of the draws for one message. */
const DRAW = {
  latency: 0,
  loss: 1,
  duplication: 2,
  copyLatency: 3,
  reordering: 4,
  held: 5,
} as const;

/** What all faults together do to a message at one moment. */
interface Weather {
  survivingShare: number;
  singleShare: number;
  orderlyShare: number;
  heldTicksMax: number;
  factor: number;
}

export function createNetwork(options: NetworkOptions): Network {
  const { nodes, endpoints, latency, schedule, seed } = options;
  const draws = createKeyedDraws(seed, 'messages');
  const linkFactor = createLinkFactors(options.links, seed);
  const inOrder = options.fifo ? createFifoLinks(endpoints) : null;
  const countOf = createCounters(endpoints);
  const cuts = cutsOf(schedule, nodes);
  const forecast = createForecast(schedule);
  const fate: Fate = { lost: false, at: 0, copyAt: 0 };
  const isCut = (now: number, from: number, to: number) =>
    cuts.some((cut) => isWithin(cut, now) && cut.isCut(from, to));
  return {
    isCut,
    route(now, from, to) {
      const count = countOf(from, to);
      const weather = forecast(now);
      fate.copyAt = 0;
      fate.lost =
        isCut(now, from, to) || draws(DRAW.loss, from, to, count) >= weather.survivingShare;
      if (fate.lost) return fate;
      const scale = weather.factor * linkFactor(from, to);
      const ticksOf = (purpose: number) =>
        scale * latencyTicks(latency, draws(purpose, from, to, count));
      const due = now + ticksOf(DRAW.latency);
      if (draws(DRAW.reordering, from, to, count) >= weather.orderlyShare) {
        const held = Math.floor(draws(DRAW.held, from, to, count) * weather.heldTicksMax);
        fate.at = due + 1 + held;
      } else {
        fate.at = inOrder === null ? due : inOrder(from, to, due);
      }
      if (draws(DRAW.duplication, from, to, count) >= weather.singleShare) {
        const copyDue = now + ticksOf(DRAW.copyLatency);
        fate.copyAt = inOrder === null ? copyDue : inOrder(from, to, copyDue);
      }
      return fate;
    },
  };
}

/** Three times what a ring of a million nodes has in flight, copies and all; about 1 GB. */
export const COPIED_FLIGHTS_LIMIT = 5_000_000;
/** As many entries of lists count as one message, with what is left of the lists they were made from. */
const ENTRIES_PER_FLIGHT = 4;

/**
 * Refuses one more copy of a message when so many are in flight, fewer of those that carry lists, as
 * each relay writes them anew. What nobody takes off a ring is copied in every lap, so that without a
 * bound a run would end with the memory. Throws LabError `job.size`.
 */
export function assertRoomForCopy(inFlight: number, message: Message): void {
  // With fewer than this many no list that a protocol sends is too long.
  if (inFlight < ROOMY_FLIGHTS) return;
  const limit = Math.floor(COPIED_FLIGHTS_LIMIT / (1 + entriesOf(message) / ENTRIES_PER_FLIGHT));
  if (inFlight < limit) return;
  const detail = `copies multiply: ${inFlight} messages are in flight, ${limit} of this size is the most; duplicate a smaller share, or for a shorter time`;
  throw new LabError('job.size', detail);
}

const ROOMY_FLIGHTS = 20_000;

/** How many entries the lists of a message have, those of one that it wraps included. */
function entriesOf(value: Json | Message): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  let entries = 0;
  for (const part of Object.values(value)) entries += entriesOf(part);
  return entries;
}

/** Partitions and blackouts, as far as the calm. */
function cutsOf({ faults, calm }: Schedule, nodes: number): (Window & { readonly isCut: IsCut })[] {
  return faults.flatMap((fault) => {
    if (fault.type === 'partition') {
      return [{ ...clipped(fault, calm), isCut: createCut(fault.cut, nodes) }];
    }
    return fault.type === 'blackout' ? [{ ...clipped(fault, calm), isCut: () => true }] : [];
  });
}

/** The weather of a moment; it changes where windows begin and end and is kept between. */
function createForecast({ faults, calm }: Schedule): (now: number) => Weather {
  const windows = faults.filter(isWeather).map((fault) => ({ ...fault, ...clipped(fault, calm) }));
  const weather = fairWeather();
  let validFrom = 0;
  let validTo = 0;
  return (now) => {
    if (now >= validFrom && now < validTo) return weather;
    Object.assign(weather, fairWeather());
    validFrom = now;
    validTo = Number.POSITIVE_INFINITY;
    for (const fault of windows) {
      if (now < fault.from) validTo = Math.min(validTo, fault.from);
      if (!isWithin(fault, now)) continue;
      if (fault.to !== null) validTo = Math.min(validTo, fault.to);
      worsen(weather, fault);
    }
    return weather;
  };
}

type WeatherFault = Exclude<MessageFault, { readonly type: 'blackout' }>;

function isWeather(fault: Schedule['faults'][number]): fault is WeatherFault {
  return ['loss', 'duplication', 'reordering', 'slowdown'].includes(fault.type);
}

function fairWeather(): Weather {
  return { survivingShare: 1, singleShare: 1, orderlyShare: 1, heldTicksMax: 0, factor: 1 };
}

function worsen(weather: Weather, fault: WeatherFault): void {
  switch (fault.type) {
    case 'loss':
      weather.survivingShare *= 1 - fault.share;
      break;
    case 'duplication':
      weather.singleShare *= 1 - fault.share;
      break;
    case 'reordering':
      weather.orderlyShare *= 1 - fault.share;
      weather.heldTicksMax = Math.max(weather.heldTicksMax, fault.ticksMax);
      break;
    case 'slowdown':
      weather.factor = Math.max(weather.factor, fault.factor);
      break;
    default:
      fault satisfies never;
  }
}

/** Up to here the counts of all n² links are one array; above, a map. */
const DENSE_NODES_MAX = 1024;

/** Numbers the messages of each link from 0. */
function createCounters(nodes: number): (from: number, to: number) => number {
  if (nodes <= DENSE_NODES_MAX) {
    const counts = new Uint32Array(nodes * nodes);
    return (from, to) => {
      const link = (from - 1) * nodes + to - 1;
      const count = counts[link] ?? 0;
      counts[link] = count + 1;
      return count;
    };
  }
  const counts = new Map<number, number>();
  return (from, to) => {
    const link = (from - 1) * nodes + to - 1;
    const count = counts.get(link) ?? 0;
    counts.set(link, count + 1);
    return count;
  };
}
