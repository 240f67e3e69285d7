/**
 * @module
 * The leadership during an election: the audit trail and its measures, the quality of failure detection,
 * and the results of the writes of leaders. As members of an answer and as rows of a table.
 */

import { detectorText } from '../../election/detectors/registry.ts';
import type { Detection, Lengths } from '../../simulation/detection/detection.ts';
import { workloadText } from '../../simulation/plan/workload.ts';
import type { LeadershipMeasures } from '../../simulation/run/audit.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';

/** Maximum number of nodes of an audited election. Larger ones are for measuring costs. */
const AUDITED_NODES_MAX = 10_000;

/** Whether an election with this number of nodes is audited. */
export function isAudited(nodes: number): boolean {
  return nodes <= AUDITED_NODES_MAX;
}

/**
 * The members: `audit` if the simulation kept one; with it `detection` if there are faults or a detector
 * (null if there were more suspicions than are kept); `detector` if one runs on the nodes; `resource` if
 * leaders write to one.
 */
export function leadershipOf(simulation: Simulation) {
  const { plan } = simulation;
  const audit = simulation.audit();
  const resource = resourceCounts(simulation);
  const isDetecting = audit !== null && (plan.schedule !== null || plan.detector !== null);
  return {
    ...(audit === null
      ? {}
      : {
          audit: {
            measures: audit.finish(simulation.status().ticks),
            trail: audit.trail(),
            omitted: audit.omitted(),
          },
        }),
    ...(plan.detector === null ? {} : { detector: detectorText(plan.detector) }),
    ...(isDetecting ? { detection: simulation.detection() } : {}),
    ...(resource === null ? {} : { resource }),
  };
}

export type Leadership = ReturnType<typeof leadershipOf>;

export interface ResourceCounts {
  /** The text form of the workload. */
  readonly form: string;
  /** Operations that took effect. */
  readonly accepted: number;
  readonly refused: number;
  /** Accepted writes of leaders that another node had replaced. */
  readonly staleWrites: number;
  /** Accepted writes after an operation of a later leader, which a fence refuses. */
  readonly lateWrites: number;
}

/** Null if leaders do not write to a resource. */
export function resourceCounts(simulation: Simulation): ResourceCounts | null {
  const { workload } = simulation.plan;
  const state = simulation.resource();
  if (workload === null || state === null) return null;
  const { accepted, refused, staleWrites, lateWrites } = state;
  return { form: workloadText(workload), accepted, refused, staleWrites, lateWrites };
}

/** The members as rows of a table for people. */
export function leadershipRows({ audit, detector, detection, resource }: Leadership): string[][] {
  return [
    ...(audit === undefined ? [] : measureRows(audit.measures)),
    ...(detector === undefined ? [] : [['detector', detector]]),
    ...(detection === undefined ? [] : detectionRows(detection)),
    ...(resource === undefined ? [] : [resourceRow(resource)]),
  ];
}

function measureRows(measures: LeadershipMeasures): string[][] {
  const { ticks, ticksWithoutLeader, ticksSplit, reigns, changes } = measures;
  const { epochs, leadersPerEpochMax, stableFrom } = measures;
  const numbered =
    leadersPerEpochMax === null
      ? []
      : [['epochs', `${epochs}; at most ${leadersPerEpochMax} led in one`]];
  return [
    ['no leader', `${ticksWithoutLeader} of ${ticks} ticks`],
    ['split', `${ticksSplit} ticks`],
    ['reigns', `${reigns}; changes of leader ${changes}`],
    ...numbered,
    ['stable', stableFrom === null ? 'never' : `from tick ${stableFrom}`],
  ];
}

/** No rows if there was nothing to detect and no detector message. */
export function detectionRows(detection: Detection | null): string[][] {
  if (detection === null) return [['detection', 'unknown: more suspicions than are kept']];
  const { detections, missed, mistakes, messages } = detection;
  if (detections.count + missed + mistakes.count + messages === 0) return [];
  return [
    ['detections', `${lengthsText(detections, 'after')}; missed ${missed}`],
    ['mistakes', lengthsText(mistakes, 'for')],
    ...(messages === 0 ? [] : [['detecting', `${messages} messages`]]),
  ];
}

function lengthsText({ count, meanTicks, maxTicks }: Lengths, word: string): string {
  if (meanTicks === null || maxTicks === null) return String(count);
  return `${count}, ${word} ${meanTicks.toFixed(1)} ticks on average, ${maxTicks} at most`;
}

export function resourceRow(counts: ResourceCounts): string[] {
  const { form, accepted, refused, staleWrites, lateWrites } = counts;
  const harm = `stale writes ${staleWrites}, late writes ${lateWrites}`;
  return ['resource', `${form}: accepted ${accepted}, ${harm}; refused ${refused}`];
}
