/**
 * @module
 * What somebody outside does to a run between two of its steps, other than to start nodes or take them
 * down: suspicions, partitions, and single messages on the way, which are handed over at once, lost or
 * held back. Like a start, each gives an advance to `idle` its patience anew. What no run could do is
 * refused with LabError `arguments`, what this one cannot do now with `election.conflict`, and nothing
 * has changed then.
 */

import { LabError } from '../../errors.ts';
import type { Flight, TakenFlight } from '../engine/flights.ts';
import { flightsAfter, flightsOf, takeFlight, widenWheel } from '../engine/flights.ts';
import { pushFlight } from '../engine/wheel.ts';
import type { Cut } from '../faults/schedule.ts';
import { assertInteger, assertRanks } from '../plan/assertions.ts';
import { deliverReport, liveRanks, notifyDetector, wake } from './environment.ts';
import type { LiveCuts, PlainLinks } from './live-cuts.ts';
import { plainNetwork, underCuts } from './live-cuts.ts';
import type { Run } from './status.ts';

/** Cuts at the same time. */
export const LIVE_CUTS_LIMIT = 32;
/** How far ahead of now a message that is held back may arrive. */
export const HELD_TICKS_LIMIT = 10_000;

/** A message on the way, and when it was sent; null where that is not known. */
export interface SentFlight extends Flight {
  readonly sentAt: number | null;
}

export interface Intervention {
  /** Tells live nodes, all but the suspect by default, that they are to suspect `about` now. */
  suspect(about: number, by?: readonly number[]): void;
  /** Loses what is sent over this cut from now on, and over those made before. */
  partition(cut: Cut): void;
  /** Ends all partitions made by `partition`; those of a schedule go on. */
  heal(): void;
  /** Messages on the way, by number. */
  flights(): SentFlight[];
  /** Of those above number `after` the first `count`, which is cheaper than to look at all. */
  flightsAfter(after: number, count: number): SentFlight[];
  /** Hands a message over now, whatever its due tick. */
  deliver(message: number): void;
  drop(message: number): void;
  /** Holds a message back for so many ticks more; later ones of its link may overtake it. */
  delay(message: number, ticks: number): void;
}

/** What a run needs to be intervened in. */
export interface Intervened {
  readonly run: Run;
  readonly cuts: LiveCuts;
  /** What sends as the engine itself does, for when it gets a network. */
  readonly links: Omit<PlainLinks, 'flights'>;
}

export function interventionIn(intervened: Intervened): Intervention {
  const { run, cuts } = intervened;
  const { engine } = run;
  return {
    suspect: (about, by) => suspect(run, about, by),
    partition(cut) {
      assertCut(run, cut);
      if (cuts.count >= LIVE_CUTS_LIMIT) throw conflict(`there are ${cuts.count} cuts; heal first`);
      layUnder(intervened);
      cuts.add(cut);
      rewired(run);
    },
    heal() {
      if (cuts.count === 0) throw conflict('nothing is cut');
      cuts.clear();
      rewired(run);
    },
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

/** Looks up when they were sent. */
function sent({ sendTimes }: Pick<Run, 'sendTimes'>, flights: readonly Flight[]): SentFlight[] {
  return flights.map(({ id, from, to, message, due }) => {
    return { id, from, to, message, due, sentAt: sendTimes?.sentAt(id) ?? null };
  });
}

function suspect(run: Run, about: number, by: readonly number[] | undefined): void {
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
  // With detectors on the nodes, whoever is up runs one from the first moment on.
  if (plan.detector !== null && run.lastIntervention === null) wake(environment, live);
  const told = by ?? live.filter((rank) => rank !== about);
  for (const to of told) deliverReport(environment, { type: 'suspect', to, about });
  run.lastIntervention = engine.now;
}

/** Before the first cut: an engine sends by itself until then. */
function layUnder({ run, cuts, links }: Intervened): void {
  const { engine } = run;
  if (run.isUnderCuts) return;
  const flights = flightsOf(engine.wheel, engine.now);
  engine.network = underCuts(engine.network ?? plainNetwork({ ...links, flights }), cuts);
  run.isUnderCuts = true;
}

/** Who listens to links hears of it. */
function rewired(run: Run): void {
  notifyDetector(run.environment, 'other', 0);
  stir(run);
}

function stir(run: Run): void {
  if (run.lastIntervention !== null) run.lastIntervention = run.engine.now;
}

/** Takes a message off its way unless `judge`, told when it would arrive, refuses. */
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

/** What another state would allow. */
function conflict(detail: string): LabError {
  return new LabError('election.conflict', detail);
}
