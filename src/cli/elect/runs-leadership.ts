/**
 * @module
 * Sums over all elections of `--runs`: the counts of detectors and resources, and the most leaders in one epoch.
 */

import type { Detection, Lengths } from '../../simulation/detection/detection.ts';
import { columns } from '../shell/layout.ts';
import type { Leadership, ResourceCounts } from './leadership.ts';
import { detectionRows, resourceRow } from './leadership.ts';

/** Each member is absent if the elections have none. */
export interface RunsLeadership {
  /** Maximum number of nodes that led in one epoch. Null if elections have no number. */
  readonly leadersPerEpochMax?: number | null;
  readonly detector?: string;
  /** Sum over the runs in which all suspicions were kept. Null if there is no such run. */
  readonly detection?: Detection | null;
  readonly resource?: ResourceCounts;
}

/** A sum of no runs yet. */
export function createRunsLeadership(): { add(run: Leadership): void; report(): RunsLeadership } {
  let most: number | null | undefined;
  let detector: string | undefined;
  let detection: Detection | null | undefined;
  let resource: ResourceCounts | undefined;
  return {
    add(run) {
      if (run.audit !== undefined) {
        const { leadersPerEpochMax } = run.audit.measures;
        most =
          leadersPerEpochMax === null ? (most ?? null) : Math.max(most ?? 0, leadersPerEpochMax);
      }
      detector = run.detector;
      if (run.detection !== undefined) detection = sumOfDetections(detection, run.detection);
      if (run.resource !== undefined) resource = sumOfCounts(resource, run.resource);
    },
    report: () => ({
      ...(most === undefined ? {} : { leadersPerEpochMax: most }),
      ...(detector === undefined ? {} : { detector }),
      ...(detection === undefined ? {} : { detection }),
      ...(resource === undefined ? {} : { resource }),
    }),
  };
}

/** The sums as a table. No text if there are none. */
export function sumsTable({
  leadersPerEpochMax: most = null,
  detector,
  detection,
  resource,
}: RunsLeadership): string[] {
  const rows = [
    ...(most === null ? [] : [['epochs', `at most ${most} led in one`]]),
    ...(detector === undefined ? [] : [['detector', detector]]),
    ...(detection === undefined ? [] : detectionRows(detection)),
    ...(resource === undefined ? [] : [resourceRow(resource)]),
  ];
  return rows.length === 0 ? [] : [columns(rows)];
}

function sumOfDetections(
  before: Detection | null | undefined,
  run: Detection | null,
): Detection | null {
  if (run === null) return before ?? null;
  if (before === undefined || before === null) return run;
  return {
    detections: sumOfLengths(before.detections, run.detections),
    missed: before.missed + run.missed,
    mistakes: sumOfLengths(before.mistakes, run.mistakes),
    messages: before.messages + run.messages,
  };
}

function sumOfLengths(one: Lengths, other: Lengths): Lengths {
  const count = one.count + other.count;
  if (count === 0) return one;
  const ticks = one.count * (one.meanTicks ?? 0) + other.count * (other.meanTicks ?? 0);
  const maxTicks = Math.max(one.maxTicks ?? 0, other.maxTicks ?? 0);
  return { count, meanTicks: ticks / count, maxTicks };
}

function sumOfCounts(before: ResourceCounts | undefined, run: ResourceCounts): ResourceCounts {
  if (before === undefined) return run;
  return {
    form: run.form,
    accepted: before.accepted + run.accepted,
    refused: before.refused + run.refused,
    staleWrites: before.staleWrites + run.staleWrites,
    lateWrites: before.lateWrites + run.lateWrites,
  };
}
