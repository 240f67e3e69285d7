/**
 * @module
 * The failure detector of a run: the one beside it, the oracle, or those on the nodes, beside which
 * nobody else says anything. Where a run is audited, what was said of whom is kept, and what it was
 * worth can be told.
 */

import { ORACLE_CLASSES } from '../../election/detectors/fd-oracle.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { detectorOptions } from '../../election/detectors/registry.ts';
import { answerTicks } from '../../election/timing.ts';
import type { LeaderView } from '../engine/engine-options.ts';
import type { TimedIncident } from '../faults/timeline.ts';
import type { Plan } from '../plan/plan.ts';
import type { DeliveredReport, Detection, UpDownChange } from './detection.ts';
import { detectionOf } from './detection.ts';
import { createOracleDetector } from './oracle-detector.ts';
import type { Detector, Reachability } from './perfect-detector.ts';
import { createCrashDetector, createLinkDetector } from './perfect-detector.ts';

/** Says nothing: nodes have detectors of their own. */
const SILENT: Detector = {
  earliest: () => Number.POSITIVE_INFINITY,
  take: () => null,
  notify: () => [],
};

/** The detector beside a run to whose nodes all this is going to happen. */
export function createPlannedDetector(
  plan: Plan,
  audibility: Reachability,
  incidents: readonly TimedIncident[],
): Detector {
  const { detector, schedule, timing, crashedBefore } = plan;
  if (detector?.name === 'fd-oracle') return createOracle(plan, detector, audibility, incidents);
  if (detector !== null) return SILENT;
  return schedule?.detector === 'links'
    ? createLinkDetector(answerTicks(timing), audibility, crashedBefore)
    : createCrashDetector(answerTicks(timing));
}

function createOracle(
  { nodes, seed, timing, crashedBefore }: Plan,
  spec: DetectorSpec,
  { isUp }: Reachability,
  incidents: readonly TimedIncident[],
): Detector {
  const read = detectorOptions(spec, timing);
  const faulty = new Set(crashedBefore);
  for (const { incident } of incidents) if (incident.type === 'crash') faulty.add(incident.rank);
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const script = {
    class: ORACLE_CLASSES.find((each) => each === read.text('class')) ?? 'P',
    stableAt: read.number('stableAt'),
    everyTicks: read.number('every'),
    node: read.number('node') || null,
  } as const;
  const correct = ranks.filter((rank) => !faulty.has(rank));
  return createOracleDetector(script, {
    ...{ nodes, seed, correct, isUp },
    answerTicks: answerTicks(timing),
  });
}

/** What was said, and who was up when. */
export interface DetectionLog {
  /** A word that a node has heard. */
  hear(word: DeliveredReport): void;
  observe(now: number, view: LeaderView): void;
  /** What it was worth if the run ends now; null when more was said than is kept. */
  detection(endsAt: number, messages: Readonly<Record<string, number>>): Detection | null;
}

/** Some 100 MB. */
export const REPORTS_LIMIT = 1_000_000;

/** Of a run of so many nodes, all of them up until something else is observed. */
export function createDetectionLog(nodes: number): DetectionLog {
  const reports: DeliveredReport[] = [];
  const changes: UpDownChange[] = [];
  const isUp = new Array<boolean>(nodes).fill(true);
  let said = 0;
  return {
    hear(word) {
      said += 1;
      if (said <= REPORTS_LIMIT) reports.push(word);
    },
    observe(at, { rank, up }) {
      if (rank > nodes || isUp[rank - 1] === up) return;
      isUp[rank - 1] = up;
      changes.push({ at, rank, type: up ? 'return' : 'crash' });
    },
    detection(endsAt, messages) {
      if (said > REPORTS_LIMIT) return null;
      return detectionOf({ nodes, reports, changes, endsAt, messages });
    },
  };
}
