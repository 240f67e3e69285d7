/**
 * @module
 * This folder measures failure detectors alone: the quality of service of W. Chen, S. Toueg and M. Aguilera ("On the
 * quality of service of failure detectors", IEEE Transactions on Computers 51(5), 2002). This file is one observation:
 * two nodes run the detector, and what one of them says of the other is recorded, until the other crashes at a random
 * moment. A message is lost or takes a drawn time. At one tick, messages arrive before timers expire.
 */

import type { AnyDetector, DetectorEvent } from '../../election/detectors/detector.ts';
import type { Json, Message, Rank, Self } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import type { Random } from '../../random.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { createDelay, latencyTicksMax } from '../../simulation/faults/latency.ts';

export interface ObservationSettings {
  readonly latency: Latency;
  /** Probability that a message is lost. */
  readonly loss: number;
  /** The period of the detector, in ticks. */
  readonly everyTicks: number;
  /** Periods that are observed before the crash, after `WARM_UP_PERIODS` others. */
  readonly periods: number;
  readonly random: Random;
}

/** What the observer said of the other node. */
export interface Observation {
  /** Ticks before the crash that were observed, and those of them under suspicion. */
  readonly ticks: number;
  readonly suspectedTicks: number;
  /** Suspicions that began in these ticks. */
  readonly mistakes: number;
  /** From the crash to the suspicion that lasts, 0 if it was there before. Null if there is none within the limit. */
  readonly detectionTicks: number | null;
  /** From the last tick at which a period of the crashed node began to the crash. */
  readonly phaseTicks: number;
}

/** Windows of intervals are filled before the observation begins. */
export const WARM_UP_PERIODS = 100;
/** A crash counts as missed if there is no suspicion after this number of periods. */
const PATIENCE_PERIODS = 1000;

const OBSERVER = toRank(1);
const OBSERVED = toRank(2);

interface Timer {
  readonly at: number;
  readonly everyTicks: number | null;
}

interface Node {
  readonly self: Self;
  readonly state: Json;
  readonly timers: Map<string, Timer>;
}

interface Flight {
  readonly at: number;
  readonly from: Rank;
  readonly to: Rank;
  readonly message: Message;
}

interface Start {
  readonly at: number;
  readonly rank: Rank;
}

type OnChange = (isSuspected: boolean, now: number) => void;

/** Observes the detector once. */
export function observe(detector: AnyDetector, settings: ObservationSettings): Observation {
  const { latency, everyTicks, periods, random } = settings;
  const startsAt = WARM_UP_PERIODS * everyTicks;
  const phaseTicks = random.below(everyTicks);
  const crashesAt = startsAt + periods * everyTicks + phaseTicks;
  const endsAt = crashesAt + PATIENCE_PERIODS * everyTicks + latencyTicksMax(latency);
  const pair = new Pair(detector, settings, [
    { at: 0, rank: OBSERVED },
    { at: random.below(everyTicks), rank: OBSERVER },
  ]);
  let [mistakes, suspectedTicks] = [0, 0];
  pair.runUntil(startsAt, () => undefined);
  let since = pair.suspectedSince === null ? null : startsAt;
  pair.runUntil(crashesAt, (isSuspected, now) => {
    if (isSuspected) mistakes += 1;
    if (since !== null) suspectedTicks += now - since;
    since = isSuspected ? now : null;
  });
  if (since !== null) suspectedTicks += crashesAt - since;
  pair.crash(OBSERVED);
  // Messages on their way can still change the opinion.
  pair.runUntil(endsAt, () => undefined);
  const last = pair.suspectedSince;
  const detectionTicks = last === null ? null : Math.max(0, last - crashesAt);
  return { ticks: crashesAt - startsAt, suspectedTicks, mistakes, detectionTicks, phaseTicks };
}

/** Two nodes and the messages between them. */
class Pair {
  readonly #detector: AnyDetector;
  readonly #random: Random;
  readonly #loss: number;
  readonly #delay: () => number;
  readonly #nodes = new Map<Rank, Node>();
  #starts: readonly Start[];
  readonly #flights: Flight[] = [];
  #now = 0;
  #onChange: OnChange = () => undefined;
  /** Since when the observer has suspected the other node; null if it does not. */
  suspectedSince: number | null = null;

  constructor(detector: AnyDetector, settings: ObservationSettings, starts: readonly Start[]) {
    const { latency, loss, random } = settings;
    this.#detector = detector;
    this.#random = random;
    this.#loss = loss;
    this.#delay = createDelay(latency, random);
    this.#starts = starts;
  }

  crash(rank: Rank): void {
    this.#nodes.delete(rank);
  }

  /** Carries out everything before this tick. The listener receives each change of opinion. */
  runUntil(endsAt: number, onChange: OnChange): void {
    this.#onChange = onChange;
    for (;;) {
      const start = earliest(this.#starts);
      const flight = earliest(this.#flights);
      let timer = Number.POSITIVE_INFINITY;
      for (const { timers } of this.#nodes.values()) timer = earliest(timers.values(), timer);
      const at = Math.min(start, flight, timer);
      if (at >= endsAt) break;
      this.#now = at;
      if (start === at) this.#start();
      else if (flight === at) this.#arrive();
      else this.#expire();
    }
    this.#now = endsAt;
  }

  #start(): void {
    for (const { rank } of this.#starts.filter(({ at }) => at === this.#now)) {
      const node = nodeOf(this.#detector, rank);
      this.#nodes.set(rank, node);
      this.#step(node, { type: 'start' });
    }
    this.#starts = this.#starts.filter(({ at }) => at > this.#now);
  }

  #arrive(): void {
    const index = this.#flights.findIndex(({ at }) => at === this.#now);
    for (const { from, to, message } of this.#flights.splice(index, 1)) {
      const node = this.#nodes.get(to);
      if (node !== undefined) this.#step(node, { type: 'deliver', from, message });
    }
  }

  #expire(): void {
    for (const node of this.#nodes.values()) {
      for (const [timer, { at, everyTicks }] of node.timers) {
        if (at !== this.#now) continue;
        if (everyTicks === null) node.timers.delete(timer);
        else node.timers.set(timer, { at: at + everyTicks, everyTicks });
        this.#step(node, { type: 'timeout', timer });
        return;
      }
    }
  }

  #step(node: Node, event: DetectorEvent<Message>): void {
    const { self, state, timers } = node;
    const now = this.#now;
    const chosen: number[] = [];
    const report = (isSuspected: boolean) => {
      if (self.rank === OBSERVER && isSuspected !== (this.suspectedSince !== null)) {
        this.suspectedSince = isSuspected ? now : null;
        this.#onChange(isSuspected, now);
      }
    };
    this.#detector.step(self, state, event, now, {
      send: (to, message) => {
        if (this.#random.unit() < this.#loss) return;
        this.#flights.push({ at: now + this.#delay(), from: self.rank, to, message });
      },
      setTimer: (timer, ticks, isPeriodic) =>
        timers.set(timer, { at: now + ticks, everyTicks: isPeriodic ? ticks : null }),
      cancelTimer: (timer) => timers.delete(timer),
      choose: (below) => chosen.push(this.#random.below(below)),
      suspect: () => report(true),
      trust: () => report(false),
    });
    for (const value of chosen) this.#step(node, { type: 'chosen', value });
  }
}

/** The least tick of the items and of another one. */
function earliest(
  items: Iterable<{ readonly at: number }>,
  other = Number.POSITIVE_INFINITY,
): number {
  let first = other;
  for (const { at } of items) if (at < first) first = at;
  return first;
}

/** One of two nodes, which know each other. */
function nodeOf(detector: AnyDetector, rank: Rank): Node {
  const other = rank === OBSERVER ? OBSERVED : OBSERVER;
  const ring = { successors: [other], predecessor: other, ringNodes: 2, links: null };
  const members = [OBSERVER, OBSERVED];
  const self: Self = { rank, members, founders: members, ...ring, incumbent: null };
  return { self, state: detector.init(self), timers: new Map() };
}
