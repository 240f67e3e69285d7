/**
 * @module
 * Carries out what happens to nodes: crashes and returns, pauses, newcomers, and what a detector says
 * of them. What a paused node would have been told, it is told when it resumes, before its messages.
 */

import type { Cast } from '../../election/world/cast.ts';
import { castWithout } from '../../election/world/membership.ts';

import type { DeliveredReport } from '../detection/detection.ts';
import type { Detector, Report } from '../detection/perfect-detector.ts';
import type { Engine } from '../engine/engine.ts';
import type { ReportType } from '../engine/engine-options.ts';
import type { Incident } from '../faults/timeline.ts';

export interface Environment {
  /** With those who have yet to join. */
  readonly cast: Cast;
  readonly engine: Engine;
  readonly detector: Detector;
  /** The order in which nodes are told something. */
  readonly nodeOrder: readonly number[];
  readonly absent: Set<number>;
  /** What paused nodes will be told. */
  readonly deferred: Map<number, (() => void)[]>;
  /** Told of every word of the detector that reaches a node; null where nobody keeps count. */
  readonly onReport: ((word: DeliveredReport) => void) | null;
}

/** Carries out an incident, unless it finds nothing to do: somebody may have been there first. */
export function applyIncident(environment: Environment, incident: Incident): void {
  const { engine, absent } = environment;
  switch (incident.type) {
    case 'crash':
      if (engine.isUp(incident.rank)) crash(environment, incident.rank);
      break;
    case 'recover': {
      const { rank, amnesia } = incident;
      if (!engine.isUp(rank) && !absent.has(rank)) recover(environment, rank, amnesia);
      break;
    }
    case 'pause':
      if (engine.isUp(incident.rank) && !engine.isPaused(incident.rank)) {
        pause(environment, incident.rank);
      }
      break;
    case 'resume':
      if (engine.isPaused(incident.rank)) resume(environment, incident.rank);
      break;
    case 'enter':
      if (absent.has(incident.rank)) enter(environment, incident.rank);
      break;
    case 'rewire':
      notifyDetector(environment, 'other', 0);
      break;
    case 'calm':
      if (incident.restart) start(environment, liveRanks(environment));
      break;
    default:
      incident satisfies never;
  }
}

export function liveRanks({ engine, nodeOrder }: Environment): number[] {
  return nodeOrder.filter((rank) => engine.isUp(rank));
}

/** Starts an election at nodes that are up; at a paused one when it resumes. */
export function start(environment: Environment, ranks: readonly number[]): void {
  const { engine } = environment;
  for (const rank of ranks) {
    if (!engine.isPaused(rank)) engine.start(rank);
    else defer(environment, rank, () => engine.start(rank));
  }
}

/** Tells nodes that they are up, which starts their own detectors; a paused one when it resumes. */
export function wake(environment: Environment, ranks: readonly number[]): void {
  const { engine } = environment;
  for (const rank of ranks) {
    const tellIt = () => engine.report('trust', { to: rank, about: rank });
    if (engine.isPaused(rank)) defer(environment, rank, tellIt);
    else tellIt();
  }
}

export function crash(environment: Environment, rank: number): void {
  environment.deferred.delete(rank);
  environment.engine.crash(rank);
  notifyDetector(environment, 'crash', rank);
}

export function recover(environment: Environment, rank: number, amnesia: boolean): void {
  notifyDetector(environment, 'return', rank);
  environment.engine.recover(rank, amnesia);
  // What the returned node cannot hear, it begins to miss now.
  notifyDetector(environment, 'other', rank);
}

/** Says a suspicion or its end to whom it concerns. */
export function deliverReport(environment: Environment, { type, to, about }: Report): void {
  if (to === 'all') reportToAll(environment, type, about);
  else if (environment.engine.isUp(to)) report(environment, type, to, about);
}

function pause(environment: Environment, rank: number): void {
  environment.engine.pause(rank);
  notifyDetector(environment, 'other', rank);
}

function resume(environment: Environment, rank: number): void {
  const { engine, deferred } = environment;
  engine.resume(rank);
  const waiting = deferred.get(rank) ?? [];
  deferred.delete(rank);
  for (const tellIt of waiting) tellIt();
  notifyDetector(environment, 'other', rank);
}

/** Others hear `join`, then `trust` as of any node that is up anew, and then the newcomer starts. */
export function enter(environment: Environment, rank: number): void {
  const { cast, engine, absent } = environment;
  absent.delete(rank);
  engine.enter(rank, castWithout(cast, [...absent]));
  reportToAll(environment, 'join', rank);
  notifyDetector(environment, 'return', rank);
  start(environment, [rank]);
}

/** Tells the detector that something has changed, and nodes what it says of that at once. */
export function notifyDetector(
  environment: Environment,
  type: 'crash' | 'return' | 'other',
  rank: number,
): void {
  const { detector, engine } = environment;
  for (const word of detector.notify(engine.now, { type, rank })) deliverReport(environment, word);
}

function reportToAll(environment: Environment, type: ReportType, about: number): void {
  for (const rank of liveRanks(environment)) {
    if (rank !== about) report(environment, type, rank, about);
  }
}

function report(environment: Environment, type: ReportType, to: number, about: number): void {
  const { engine, onReport } = environment;
  const tellIt = () => {
    if (type !== 'join') onReport?.({ at: engine.now, by: to, about, type });
    engine.report(type, { to, about });
  };
  if (engine.isPaused(to)) defer(environment, to, tellIt);
  else tellIt();
}

function defer({ deferred }: Environment, rank: number, act: () => void): void {
  deferred.set(rank, [...(deferred.get(rank) ?? []), act]);
}
