/**
 * @module
 * The leadership in all elections of `--runs`: minimum, mean and maximum of the audits' measures, and sums
 * of the counts of detectors and resources.
 */

import type { Detection, Lengths } from '../../simulation/detection/detection.ts';
import type { LeadershipMeasures } from '../../simulation/run/audit.ts';
import { columns } from '../shell/layout.ts';
import type { Leadership, ResourceCounts } from './leadership.ts';
import { detectionRows, resourceRow } from './leadership.ts';

/** Minimum, mean and maximum of one measure over many elections. */
export interface Spread {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** Adds values and keeps sums only. All three members are 0 where no value was added. */
export function createSpread(): { add(value: number): void; spread(): Spread } {
  let count = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  return {
    add(value) {
      count += 1;
      sum += value;
      min = Math.min(min, value);
      max = Math.max(max, value);
    },
    spread: () => (count === 0 ? { min: 0, mean: 0, max: 0 } : { min, mean: sum / count, max }),
  };
}

/** A table row below `SPREAD_HEAD`. */
export function spreadRow(name: string, { min, mean, max }: Spread): string[] {
  return [name, String(min), mean.toFixed(1), String(max)];
}

const SPREAD_HEAD: readonly string[] = ['', 'min', 'mean', 'max'];

/** The measures of several runs. */
interface RunsMeasures {
  readonly ticksWithoutLeader: Spread;
  readonly ticksSplit: Spread;
  readonly changes: Spread;
  /** Maximum number of nodes that led in one epoch. Null if elections have no number. */
  readonly leadersPerEpochMax: number | null;
  /** Number of runs that ended with one leader that all followed, and the tick from which they did. */
  readonly stableRuns: number;
  readonly stableFrom: Spread;
}

/** Each member is absent if the elections have none. */
export interface RunsLeadership {
  readonly measures?: RunsMeasures;
  readonly detector?: string;
  /** Sum over the runs in which all suspicions were kept. Null if there is no such run. */
  readonly detection?: Detection | null;
  readonly resource?: ResourceCounts;
}

/** A sum of no runs yet. */
export function createRunsLeadership(): { add(run: Leadership): void; report(): RunsLeadership } {
  const measures = createMeasures();
  let detector: string | undefined;
  let detection: Detection | null | undefined;
  let resource: ResourceCounts | undefined;
  return {
    add(run) {
      if (run.audit !== undefined) measures.add(run.audit.measures);
      detector = run.detector;
      if (run.detection !== undefined) detection = sumOfDetections(detection, run.detection);
      if (run.resource !== undefined) resource = sumOfCounts(resource, run.resource);
    },
    report: () => ({
      ...measures.report(),
      ...(detector === undefined ? {} : { detector }),
      ...(detection === undefined ? {} : { detection }),
      ...(resource === undefined ? {} : { resource }),
    }),
  };
}

/** A table of spreads. Begins with the rows of `others`. */
export function measuresTable(
  others: readonly (readonly string[])[],
  measures: RunsMeasures | undefined,
): string {
  if (measures === undefined) return columns([SPREAD_HEAD, ...others]);
  return columns([
    SPREAD_HEAD,
    ...others,
    spreadRow('ticks without leader', measures.ticksWithoutLeader),
    spreadRow('ticks split', measures.ticksSplit),
    spreadRow('changes of leader', measures.changes),
    ...(measures.stableRuns === 0 ? [] : [spreadRow('stable from tick', measures.stableFrom)]),
  ]);
}

/** The sums as a table. No text if there are none. */
export function sumsTable({ measures, detector, detection, resource }: RunsLeadership): string[] {
  const most = measures?.leadersPerEpochMax ?? null;
  const rows = [
    ...(most === null ? [] : [['epochs', `at most ${most} led in one`]]),
    ...(detector === undefined ? [] : [['detector', detector]]),
    ...(detection === undefined ? [] : detectionRows(detection)),
    ...(resource === undefined ? [] : [resourceRow(resource)]),
  ];
  return rows.length === 0 ? [] : [columns(rows)];
}

function createMeasures() {
  const spreads = {
    ticksWithoutLeader: createSpread(),
    ticksSplit: createSpread(),
    changes: createSpread(),
    stableFrom: createSpread(),
  };
  let runs = 0;
  let stableRuns = 0;
  let most: number | null = null;
  return {
    add(measures: LeadershipMeasures): void {
      const { leadersPerEpochMax, stableFrom } = measures;
      runs += 1;
      spreads.ticksWithoutLeader.add(measures.ticksWithoutLeader);
      spreads.ticksSplit.add(measures.ticksSplit);
      spreads.changes.add(measures.changes);
      if (leadersPerEpochMax !== null) most = Math.max(most ?? 0, leadersPerEpochMax);
      if (stableFrom === null) return;
      stableRuns += 1;
      spreads.stableFrom.add(stableFrom);
    },
    report(): { measures?: RunsMeasures } {
      if (runs === 0) return {};
      const measures: RunsMeasures = {
        ticksWithoutLeader: spreads.ticksWithoutLeader.spread(),
        ticksSplit: spreads.ticksSplit.spread(),
        changes: spreads.changes.spread(),
        leadersPerEpochMax: most,
        stableRuns,
        stableFrom: spreads.stableFrom.spread(),
      };
      return { measures };
    },
  };
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
