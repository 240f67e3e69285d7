/**
 * @module
 * Interventions in a run between two of its steps: suspicions, partitions, and single messages in flight,
 * which are delivered at once, lost or delayed. Like a start, each restarts the time limit of an advance to
 * `idle`. An intervention that is never possible is refused with LabError `arguments`, one that is not possible
 * now with `election.conflict`; then nothing has changed. A message that is sent over a cut is lost; one that
 * is in flight when the cut is made still arrives, as under a scheduled partition. Latencies are drawn for lost
 * messages, too, so that those of all others stay the same.
 */

import { LabError } from '../../errors.ts';
import type { Flight, TakenFlight } from '../engine/flights.ts';
import { flightsAfter, flightsOf, takeFlight, widenWheel } from '../engine/flights.ts';
import type { Fate, Network } from '../engine/network.ts';
import { createFifoLinks } from '../engine/network.ts';
import { pushFlight } from '../engine/wheel.ts';
import type { IsCut } from '../faults/cuts.ts';
import { createCut } from '../faults/cuts.ts';
import type { Cut } from '../faults/schedule.ts';
import { assertInteger, assertRanks } from '../plan/assertions.ts';
import { deliverReport, liveRanks, notifyDetector, wake } from './environment.ts';
import type { Parts } from './parts.ts';
import { whole } from './parts.ts';
import type { Run } from './status.ts';

/** Cuts at the same time. */
export const LIVE_CUTS_LIMIT = 32;
/** The latest arrival of a delayed message, in ticks from now. */
export const HELD_TICKS_LIMIT = 10_000;

/** A message in flight, and the tick of its sending; null if that is unknown. */
export interface SentFlight extends Flight {
  readonly sentAt: number | null;
}

export interface Intervention {
  /** Makes live nodes, by default all but `about`, suspect `about` now. */
  suspect(about: number, by?: readonly number[]): void;
  suspecting(about: number, by?: readonly number[]): Parts;
  /** Loses what is sent over this cut, and over the earlier ones, from now on. */
  partition(cut: Cut): void;
  partitioning(cut: Cut): Parts;
  /** Ends all partitions made by `partition`; those of a schedule go on. */
  heal(): void;
  healing(): Parts;
  /** Messages in flight, by number. */
  flights(): SentFlight[];
  /** The first `count` of those above number `after`, which is cheaper than all of them. */
  flightsAfter(after: number, count: number): SentFlight[];
  /** Delivers a message now, before it is due. */
  deliver(message: number): void;
  drop(message: number): void;
  /** Delays a message by this number of ticks; later ones of its link may overtake it. */
  delay(message: number, ticks: number): void;
}

/** A run with what interventions need. */
export interface Intervened {
  readonly run: Run;
  readonly cuts: LiveCuts;
  /** For a network that does what the engine does without one. */
  readonly links: Omit<PlainLinks, 'flights'>;
}

export function interventionIn(intervened: Intervened): Intervention {
  const { run } = intervened;
  const { engine } = run;
  return {
    suspect: (about, by) => whole(suspecting(run, about, by)),
    suspecting: (about, by) => suspecting(run, about, by),
    partition: (cut) => whole(partitioning(intervened, cut)),
    partitioning: (cut) => partitioning(intervened, cut),
    heal: () => whole(healing(intervened)),
    healing: () => healing(intervened),
    flights: () => sentFlights(run),
    flightsAfter: (after, count) => sent(run, flightsAfter(engine, after, count)),
    deliver(message) {
      engine.arrive(take(run, message));
      stir(run);
    },
    drop(message) {
      engine.drop(take(run, message).id);
      stir(run);
    },
    delay(message, ticks) {
      assertInteger('ticks', ticks, { min: 1, max: HELD_TICKS_LIMIT });
      const {
        due,
        id,
        from,
        to,
        message: body,
      } = take(run, message, (at) => {
        const ahead = at + ticks - engine.now;
        if (ahead <= HELD_TICKS_LIMIT) return;
        throw conflict(
          `message ${message} would arrive in ${ahead} ticks; ${HELD_TICKS_LIMIT} is the most`,
        );
      });
      widenWheel(engine.wheel, engine.now, due + ticks - engine.now);
      pushFlight(engine.wheel, due + ticks, id, from, to, body);
      stir(run);
    },
  };
}

function sentFlights({ engine, sendTimes }: Run): SentFlight[] {
  const flights = flightsOf(engine.wheel, engine.now).sort((one, other) => one.id - other.id);
  return sent({ sendTimes }, flights);
}

/** Adds the ticks of their sending. */
function sent({ sendTimes }: Pick<Run, 'sendTimes'>, flights: readonly Flight[]): SentFlight[] {
  return flights.map(({ id, from, to, message, due }) => {
    return { id, from, to, message, due, sentAt: sendTimes?.sentAt(id) ?? null };
  });
}

function* partitioning(intervened: Intervened, cut: Cut): Parts {
  const { run, cuts } = intervened;
  assertCut(run, cut);
  if (cuts.count >= LIVE_CUTS_LIMIT) throw conflict(`there are ${cuts.count} cuts; heal first`);
  layUnder(intervened);
  cuts.add(cut);
  yield* rewired(run);
}

function* healing({ run, cuts }: Intervened): Parts {
  if (cuts.count === 0) throw conflict('nothing is cut');
  cuts.clear();
  yield* rewired(run);
}

function* suspecting(run: Run, about: number, by: readonly number[] | undefined): Parts {
  const { plan, environment, engine } = run;
  assertRanks('suspect', [about], plan.nodes);
  const live = liveRanks(environment);
  if (by !== undefined) {
    assertRanks('suspect: by', by, plan.nodes);
    const other = by.find((rank) => rank === about || !live.includes(rank));
    if (other === about) {
      throw new LabError('arguments', `node ${about} cannot suspect itself`);
    }
    if (other !== undefined) throw conflict(`node ${other} is down at ${engine.now}`);
  }
  // With detectors on the nodes, every live node runs one from the first moment on.
  const isFirst = run.lastIntervention === null;
  run.lastIntervention = engine.now;
  if (plan.detector !== null && isFirst) yield* wake(environment, live);
  const observers = by ?? live.filter((rank) => rank !== about);
  for (const to of observers) {
    yield* deliverReport(environment, { type: 'suspect', to, about });
    yield;
  }
}

/** The engine gets a network with the first cut. */
function layUnder({ run, cuts, links }: Intervened): void {
  const { engine } = run;
  if (run.isUnderCuts) return;
  const flights = flightsOf(engine.wheel, engine.now);
  engine.network = underCuts(engine.network ?? plainNetwork({ ...links, flights }), cuts);
  run.isUnderCuts = true;
}

/** Notifies a detector that watches links. */
function* rewired(run: Run): Parts {
  stir(run);
  yield* notifyDetector(run.environment, 'other', 0);
}

function stir(run: Run): void {
  if (run.lastIntervention !== null) run.lastIntervention = run.engine.now;
}

/** Takes a message out of flight. `judge` gets its due tick and may throw. */
function take({ engine }: Run, message: number, judge?: (due: number) => void): TakenFlight {
  const { wheel, now } = engine;
  if (judge !== undefined) {
    for (const { id, due } of flightsOf(wheel, now)) if (id === message) judge(due);
  }
  const flight = takeFlight(wheel, now, message);
  if (flight === null) throw conflict(`no message ${message} is on the way at ${now}`);
  return flight;
}

function assertCut({ plan }: Run, cut: Cut): void {
  const max = plan.nodes;
  switch (cut.kind) {
    case 'isolate':
      assertRanks('cut', [cut.rank], max);
      return;
    case 'one-way':
      assertRanks('cut', [cut.from, cut.to], max);
      return;
    case 'links':
      for (const link of cut.links) assertRanks('cut: link', link, max);
      return;
    case 'halves':
    case 'minority':
    case 'majorities-ring':
      return;
    default:
      cut satisfies never;
  }
}

/** For an intervention that another state allows. */
function conflict(detail: string): LabError {
  return new LabError('election.conflict', detail);
}

interface LiveCuts {
  readonly count: number;
  readonly isCut: IsCut;
  add(cut: Cut): void;
  /** Removes all of them. */
  clear(): void;
}

/** Without cuts, among ranks 1..nodes. */
export function createLiveCuts(nodes: number): LiveCuts {
  let cuts: readonly IsCut[] = [];
  return {
    get count() {
      return cuts.length;
    },
    isCut: (from, to) => cuts.some((isCut) => isCut(from, to)),
    add(cut) {
      cuts = [...cuts, createCut(cut, nodes)];
    },
    clear() {
      cuts = [];
    },
  };
}

/** The network with these cuts over it. */
function underCuts(network: Network, cuts: LiveCuts): Network {
  return {
    isCut: (now, from, to) => cuts.isCut(from, to) || network.isCut(now, from, to),
    route(now, from, to) {
      const fate = network.route(now, from, to);
      if (!cuts.isCut(from, to)) return fate;
      fate.lost = true;
      fate.copyAt = 0;
      return fate;
    },
  };
}

interface PlainLinks {
  /** Draws one message's latency. */
  readonly delay: () => number;
  readonly endpoints: number;
  /** Whether no message may overtake another on its link. */
  readonly orderLinks: boolean;
  /** Messages in flight. Later messages of their links arrive after them. */
  readonly flights: Iterable<Flight>;
}

/** A network that does what an engine without one does: every message arrives once. */
function plainNetwork({ delay, endpoints, orderLinks, flights }: PlainLinks): Network {
  const inOrder = orderLinks ? createFifoLinks(endpoints) : null;
  if (inOrder !== null) for (const { from, to, due } of flights) inOrder(from, to, due);
  const fate: Fate = { lost: false, at: 0, copyAt: 0 };
  return {
    isCut: () => false,
    route(now, from, to) {
      const due = now + delay();
      fate.lost = false;
      fate.at = inOrder === null ? due : inOrder(from, to, due);
      return fate;
    },
  };
}
