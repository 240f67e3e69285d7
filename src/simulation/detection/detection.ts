/**
 * @module
 * The quality of failure detection in a run, from the reports of the detectors and the times at which nodes
 * crashed and returned: how soon crashes were noticed, and how often and how long live nodes were suspected
 * (W. Chen, S. Toueg, M. Aguilera, "On the quality of service of failure detectors", IEEE Transactions on
 * Computers 51(5), 2002), and what it cost. A paused node is up, so that suspecting it is a mistake.
 */

import { isDetectorType } from '../../election/detectors/detector.ts';
import type { LeaderView } from '../engine/engine-options.ts';
import { pairOf } from './perfect-detector.ts';

/** A report that the detector of node `by` made, or that node `by` received. */
export interface DeliveredReport {
  readonly at: number;
  readonly by: number;
  readonly about: number;
  readonly type: 'suspect' | 'trust';
}

/** A crash or a return. It precedes the reports of its tick. */
export interface UpDownChange {
  readonly at: number;
  readonly rank: number;
  readonly type: 'crash' | 'return';
}

export interface DetectionFacts {
  readonly nodes: number;
  /** In the order in which they were made. */
  readonly reports: readonly DeliveredReport[];
  /** A node that was down from the start crashed at 0. */
  readonly changes: readonly UpDownChange[];
  readonly endsAt: number;
  /** Messages sent, by type. */
  readonly messages: Readonly<Record<string, number>>;
}

export interface Lengths {
  readonly count: number;
  /** Null if there are none. */
  readonly meanTicks: number | null;
  readonly maxTicks: number | null;
}

export interface Detection {
  /** From a crash to the lasting suspicion, for each observer that was up all the time. */
  readonly detections: Lengths;
  /** Pairs of a crash and an observer without a suspicion, although the node stayed down to the end. */
  readonly missed: number;
  /** Suspicions of live nodes, until they were withdrawn, became true, or the run ended. */
  readonly mistakes: Lengths;
  /** Messages of the detectors. */
  readonly messages: number;
}

/** Records the reports of a run, and when nodes were up. */
export interface DetectionLog {
  note(report: DeliveredReport): void;
  observe(now: number, view: LeaderView): void;
  /** The quality if the run ends now; null if there were more reports than can be kept. */
  detection(endsAt: number, messages: Readonly<Record<string, number>>): Detection | null;
}

/** About 100 MB. */
const REPORTS_LIMIT = 1_000_000;

/** A log of a run in which all nodes are up until it observes something else. */
export function createDetectionLog(nodes: number): DetectionLog {
  const reports: DeliveredReport[] = [];
  const changes: UpDownChange[] = [];
  const isUp = new Array<boolean>(nodes).fill(true);
  let isFull = false;
  return {
    note(report) {
      if (reports.length < REPORTS_LIMIT) reports.push(report);
      else isFull = true;
    },
    observe(at, { rank, up }) {
      if (rank > nodes || isUp[rank - 1] === up) return;
      isUp[rank - 1] = up;
      changes.push({ at, rank, type: up ? 'return' : 'crash' });
    },
    detection: (endsAt, messages) =>
      isFull ? null : detectionOf({ nodes, reports, changes, endsAt, messages }),
  };
}

/** Reads every report and change once: O(reports + crashes · nodes). */
export function detectionOf(facts: DetectionFacts): Detection {
  const { reports, endsAt, messages } = facts;
  const watch = createWatch(facts.nodes);
  const changes = facts.changes.toSorted((left, right) => left.at - right.at);
  let next = 0;
  const changeUntil = (at: number) => {
    for (
      let change = changes[next];
      change !== undefined && change.at <= at;
      change = changes[next]
    ) {
      next += 1;
      if (change.type === 'crash') watch.crash(change);
      else watch.return(change);
    }
  };
  for (const report of reports) {
    changeUntil(report.at);
    watch.report(report);
  }
  changeUntil(endsAt);
  const sent = Object.entries(messages).filter(([type]) => isDetectorType(type));
  return { ...watch.end(endsAt), messages: sent.reduce((sum, [, count]) => sum + count, 0) };
}

function createWatch(nodes: number) {
  const downSince = new Map<number, number>();
  /** Only nodes that have returned. */
  const upSince = new Map<number, number>();
  /** By pair: when it began, and whether the suspected node was up then and still is. */
  const suspicions = new Map<string, { readonly at: number; isMistake: boolean }>();
  const detections: number[] = [];
  const mistakes: number[] = [];
  let missed = 0;
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);

  /** The suspicion has become true, or its observer has crashed. */
  const endMistake = (pair: string, at: number) => {
    const suspicion = suspicions.get(pair);
    if (suspicion?.isMistake !== true) return;
    mistakes.push(at - suspicion.at);
    suspicion.isMistake = false;
  };
  /** A node has returned, or the run has ended. A crash that was too short to notice is not missed. */
  const settle = (rank: number, isEnd: boolean) => {
    const crashedAt = downSince.get(rank);
    if (crashedAt === undefined) return;
    for (const by of ranks) {
      const wasUp = !downSince.has(by) && (upSince.get(by) ?? 0) <= crashedAt;
      if (by === rank || !wasUp) continue;
      const suspicion = suspicions.get(pairOf({ to: by, about: rank }));
      if (suspicion !== undefined) detections.push(Math.max(0, suspicion.at - crashedAt));
      else if (isEnd) missed += 1;
    }
  };
  return {
    report({ at, by, about, type }: DeliveredReport) {
      const pair = pairOf({ to: by, about });
      const suspicion = suspicions.get(pair);
      if (type === 'suspect') {
        if (suspicion === undefined) suspicions.set(pair, { at, isMistake: !downSince.has(about) });
        return;
      }
      endMistake(pair, at);
      suspicions.delete(pair);
    },
    crash({ at, rank }: UpDownChange) {
      downSince.set(rank, at);
      for (const other of ranks) {
        endMistake(pairOf({ to: other, about: rank }), at);
        const own = pairOf({ to: rank, about: other });
        endMistake(own, at);
        suspicions.delete(own);
      }
    },
    return({ at, rank }: UpDownChange) {
      settle(rank, false);
      downSince.delete(rank);
      upSince.set(rank, at);
      for (const by of ranks) suspicions.delete(pairOf({ to: by, about: rank }));
    },
    end(at: number): Omit<Detection, 'messages'> {
      for (const rank of downSince.keys()) settle(rank, true);
      for (const pair of suspicions.keys()) endMistake(pair, at);
      return { detections: lengthsOf(detections), missed, mistakes: lengthsOf(mistakes) };
    },
  };
}

function lengthsOf(ticks: readonly number[]): Lengths {
  if (ticks.length === 0) return { count: 0, meanTicks: null, maxTicks: null };
  const sum = ticks.reduce((total, length) => total + length, 0);
  const maxTicks = ticks.reduce((most, length) => Math.max(most, length), 0);
  return { count: ticks.length, meanTicks: sum / ticks.length, maxTicks };
}
