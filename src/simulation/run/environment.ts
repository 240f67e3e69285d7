/**
 * @module
 * Carries out what happens to nodes: crashes and returns, pauses, joins, and the reports of a detector. A
 * paused node gets its reports and starts when it resumes, before its messages. Each step of a node is a part.
 */

import type { Cast } from '../../election/world/cast.ts';
import { castWithout } from '../../election/world/membership.ts';

import type { DeliveredReport } from '../detection/detection.ts';
import type { Detector, Report } from '../detection/perfect-detector.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReportType } from '../engine/engine-options.ts';
import type { Incident, TimedIncident } from '../faults/timeline.ts';
import type { Parts } from './parts.ts';

export interface Environment {
  /** Including nodes that have not joined. */
  readonly cast: Cast;
  readonly engine: Engine;
  readonly detector: Detector;
  /** The order of reports to nodes. */
  readonly nodeOrder: readonly number[];
  readonly absent: Set<number>;
  /** Reports and starts that wait for paused nodes. */
  readonly deferred: Map<number, (() => void)[]>;
  /** The nodes that crashed as the leader, by the turn of the crash. */
  readonly fallenLeaders: Map<number, number>;
  /** Receives every report of the detector that reaches a node; null if none is counted. */
  readonly onReport: ((report: DeliveredReport) => void) | null;
}

/** Carries out an incident, unless the node already has that state. */
export function* applyIncident(environment: Environment, incident: Incident): Parts {
  const { engine, absent } = environment;
  switch (incident.type) {
    case 'crash':
      if (engine.isUp(incident.rank)) yield* crash(environment, incident.rank);
      break;
    case 'crash-leader': {
      const leader = mostFollowed(environment);
      if (leader === null) break;
      environment.fallenLeaders.set(incident.turn, leader);
      yield* crash(environment, leader);
      break;
    }
    case 'recover-leader': {
      const rank = environment.fallenLeaders.get(incident.turn);
      if (rank !== undefined && !engine.isUp(rank)) yield* recover(environment, rank, false);
      break;
    }
    case 'recover': {
      const { rank, amnesia } = incident;
      if (!engine.isUp(rank) && !absent.has(rank)) yield* recover(environment, rank, amnesia);
      break;
    }
    case 'pause':
      if (engine.isUp(incident.rank) && !engine.isPaused(incident.rank)) {
        yield* pause(environment, incident.rank);
      }
      break;
    case 'resume':
      if (engine.isPaused(incident.rank)) yield* resume(environment, incident.rank);
      break;
    case 'enter':
      if (absent.has(incident.rank)) yield* enter(environment, incident.rank);
      break;
    case 'jump':
      engine.jump(incident.rank, incident.ticks);
      break;
    case 'failover': {
      const { store } = environment.cast;
      for (let lost = 0; store !== null && lost < incident.writes; lost += 1) {
        engine.report('leave', { to: store, about: store });
        yield;
      }
      break;
    }
    case 'rewire':
      yield* notifyDetector(environment, 'other', 0);
      break;
    case 'calm':
      if (incident.restart) yield* start(environment, liveRanks(environment));
      break;
    default:
      incident satisfies never;
  }
}

/** Whether a node is up when these incidents have happened. Reports of a detector change nothing of it. */
export function isUpAfter(
  { engine, absent }: Environment,
  incidents: readonly Incident[],
  rank: number,
): boolean {
  let isUp = engine.isUp(rank);
  let isAbsent = absent.has(rank);
  for (const incident of incidents) {
    if (!('rank' in incident) || incident.rank !== rank) continue;
    if (incident.type === 'crash') isUp = false;
    if (incident.type === 'recover') isUp ||= !isAbsent;
    if (incident.type !== 'enter') continue;
    isUp ||= isAbsent;
    isAbsent = false;
  }
  return isUp;
}

/** The live node that leads itself and that most live nodes follow, the highest of equals; null for none. */
function mostFollowed(environment: Environment): number | null {
  const { engine } = environment;
  const live = liveRanks(environment);
  const followers = new Map<number | null, number>();
  for (const rank of live) {
    const leader = engine.leaderOf(rank);
    followers.set(leader, (followers.get(leader) ?? 0) + 1);
  }
  const leaders = live.filter((rank) => engine.leaderOf(rank) === rank);
  const weight = (rank: number) => followers.get(rank) ?? 0;
  leaders.sort((one, other) => weight(other) - weight(one) || other - one);
  return leaders[0] ?? null;
}

export function liveRanks({ engine, nodeOrder }: Environment): number[] {
  return nodeOrder.filter((rank) => engine.isUp(rank));
}

/** Starts an election at nodes that are up; at a paused one when it resumes. */
export function* start(environment: Environment, ranks: readonly number[]): Parts {
  const { engine } = environment;
  for (const rank of ranks) {
    if (!engine.isPaused(rank)) engine.start(rank);
    else defer(environment, rank, () => engine.start(rank));
    yield;
  }
}

/** Reports to nodes that they are up, which starts their own detectors; to a paused one when it resumes. */
export function* wake(environment: Environment, ranks: readonly number[]): Parts {
  const { engine } = environment;
  for (const rank of ranks) {
    const deliver = () => engine.report('trust', { to: rank, about: rank });
    if (engine.isPaused(rank)) defer(environment, rank, deliver);
    else deliver();
    yield;
  }
}

export function* crash(environment: Environment, rank: number): Parts {
  environment.deferred.delete(rank);
  environment.engine.crash(rank);
  yield* notifyDetector(environment, 'crash', rank);
}

export function* recover(environment: Environment, rank: number, amnesia: boolean): Parts {
  yield* notifyDetector(environment, 'return', rank);
  environment.engine.recover(rank, amnesia);
  // The returned node begins now to miss the nodes that cannot reach it.
  yield* notifyDetector(environment, 'other', rank);
}

/** Delivers a suspicion or its end to its recipients. */
export function* deliverReport(environment: Environment, { type, to, about }: Report): Parts {
  if (to === 'all') yield* reportToAll(environment, type, about);
  else if (environment.engine.isUp(to)) report(environment, type, to, about);
}

function* pause(environment: Environment, rank: number): Parts {
  environment.engine.pause(rank);
  yield* notifyDetector(environment, 'other', rank);
}

function* resume(environment: Environment, rank: number): Parts {
  const { engine, deferred } = environment;
  engine.resume(rank);
  const waiting = deferred.get(rank) ?? [];
  deferred.delete(rank);
  for (const deliver of waiting) {
    deliver();
    yield;
  }
  yield* notifyDetector(environment, 'other', rank);
}

/** The others receive `join`, then `trust` as for a returned node, and then the newcomer starts. */
export function* enter(environment: Environment, rank: number): Parts {
  const { cast, engine, absent } = environment;
  absent.delete(rank);
  engine.enter(rank, castWithout(cast, [...absent]));
  yield* reportToAll(environment, 'join', rank);
  yield* notifyDetector(environment, 'return', rank);
  yield* start(environment, [rank]);
}

/** Notifies the detector of a change, and delivers its immediate reports. */
export function* notifyDetector(
  environment: Environment,
  type: 'crash' | 'return' | 'other',
  rank: number,
): Parts {
  const { detector, engine } = environment;
  for (const each of detector.notify(engine.now, { type, rank })) {
    yield* deliverReport(environment, each);
    yield;
  }
}

function* reportToAll(
  environment: Environment,
  type: Exclude<ReportType, 'leave'>,
  about: number,
): Parts {
  for (const rank of liveRanks(environment)) {
    if (rank === about) continue;
    report(environment, type, rank, about);
    yield;
  }
}

function report(
  environment: Environment,
  type: Exclude<ReportType, 'leave'>,
  to: number,
  about: number,
): void {
  const { engine, onReport } = environment;
  const deliver = () => {
    if (type !== 'join') onReport?.({ at: engine.now, by: to, about, type });
    engine.report(type, { to, about });
  };
  if (engine.isPaused(to)) defer(environment, to, deliver);
  else deliver();
}

function defer({ deferred }: Environment, rank: number, act: () => void): void {
  deferred.set(rank, [...(deferred.get(rank) ?? []), act]);
}

/** The incidents of a run, in the order of their ticks. */
export interface Script {
  /** The tick of the next incident; Infinity if there is none. */
  earliest(): number;
  /** The incidents due at `now` that were not taken. */
  due(now: number): Incident[];
  /** Takes the next of them; null if there is none. */
  take(now: number): Incident | null;
}

/** `incidents` by tick. */
export function createScript(incidents: readonly TimedIncident[]): Script {
  let taken = 0;
  return {
    earliest: () => incidents[taken]?.at ?? Number.POSITIVE_INFINITY,
    due(now) {
      const end = incidents.findIndex(({ at }, index) => index >= taken && at > now);
      const due = incidents.slice(taken, end === -1 ? undefined : end);
      return due.map(({ incident }) => incident);
    },
    take(now) {
      const next = incidents[taken];
      if (next === undefined || next.at > now) return null;
      taken += 1;
      return next.incident;
    },
  };
}
