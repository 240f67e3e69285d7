/**
 * @module
 * The leadership during an election: the audit trail and its measures, the quality of failure detection,
 * and the results of the writes of leaders. This file makes members of an answer, rows of a table, and sums over elections.
 */

import { z } from 'zod';
import { detectorText } from '../../election/detectors/registry.ts';
import type { Detection, Lengths } from '../../simulation/detection/detection.ts';
import { workloadText } from '../../simulation/plan/workload.ts';
import type { LeadershipMeasures } from '../../simulation/run/audit.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { clientRows, clientsOf, clientsSchema } from './client-history.ts';

/** Maximum number of nodes of an audited election. Larger ones are for measuring costs. */
const AUDITED_NODES_MAX = 10_000;

/** Whether an election with this number of nodes is audited. */
export function isAudited(nodes: number): boolean {
  return nodes <= AUDITED_NODES_MAX;
}

const ticksOrNull = z.number().nullable();
const lengthsSchema = z.object({
  count: z.int(),
  meanTicks: ticksOrNull.describe('Null if there are none.'),
  maxTicks: ticksOrNull,
});

const detectionSchema: z.ZodType<Detection> = z.object({
  detections: lengthsSchema.describe('From a crash to the lasting suspicion, for each observer.'),
  missed: z.int().describe('Crashed nodes that an observer did not suspect to the end.'),
  mistakes: lengthsSchema.describe('Suspicions of live nodes.'),
  messages: z.int().describe('Messages of the detectors.'),
});

const resourceSchema = z.object({
  form: z.string().describe('The resource with its options.'),
  accepted: z.int().describe('Operations that took effect.'),
  refused: z.int(),
  staleWrites: z.int().describe('Accepted writes of leaders that another node had replaced.'),
  lateWrites: z.int().describe('Accepted writes after an operation of a later leader.'),
});

type ResourceCounts = z.output<typeof resourceSchema>;

/** The results of one election besides its audit, or their sums over several elections. */
const counted = {
  detector: z.string().optional().describe('The detector on the nodes.'),
  detection: detectionSchema.nullish().describe('Null if not all suspicions were kept.'),
  resource: resourceSchema.optional(),
};

/** The members of one election. */
export const LEADERSHIP = {
  audit: z
    .object({
      measures: z.object({
        ticks: z.number(),
        ticksWithoutLeader: z.number(),
        ticksSplit: z.number().describe('Ticks in which two or more led at once.'),
        reigns: z.int().describe('How often a node began to lead.'),
        changes: z.int().describe('How often a leader replaced another node.'),
        epochs: z.int().describe('Number of epochs above 0 with a leader.'),
        leadersPerEpochMax: z.int().nullable().describe('Null if elections have no number.'),
        stableFrom: ticksOrNull.describe('First tick from which the last leader led to the end.'),
      }),
      trail: z
        .array(z.object({ at: z.number(), node: z.int(), leads: z.boolean(), epoch: z.int() }))
        .readonly(),
      omitted: z.int().describe('Changes that are not in the trail because it was full.'),
    })
    .optional()
    .describe(`For up to ${AUDITED_NODES_MAX} nodes.`),
  clients: clientsSchema.optional(),
  ...counted,
};

/** The members of the sums over several elections. */
export const SUMMED_LEADERSHIP = {
  leadersPerEpochMax: z.int().nullable().optional().describe('Null if elections have no number.'),
  ...counted,
};

const leadershipSchema = z.object(LEADERSHIP);
type Leadership = z.output<typeof leadershipSchema>;
const summedSchema = z.object(SUMMED_LEADERSHIP);
type SummedLeadership = z.output<typeof summedSchema>;

/**
 * The members: `audit` if the simulation kept one; with it `detection` if there are faults or a detector
 * (null if there were more suspicions than are kept); `detector` if one runs on the nodes; `resource` if
 * leaders write to one.
 */
export function leadershipOf(simulation: Simulation): Leadership {
  const { plan } = simulation;
  const audit = simulation.audit();
  const resource = resourceCounts(simulation);
  const clients = clientsOf(simulation);
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
    ...(clients === null ? {} : { clients }),
  };
}

/** Null if leaders do not write to a resource. */
function resourceCounts(simulation: Simulation): ResourceCounts | null {
  const { workload } = simulation.plan;
  const state = simulation.resource();
  if (workload === null || state === null) return null;
  const { accepted, refused, staleWrites, lateWrites } = state;
  return { form: workloadText(workload), accepted, refused, staleWrites, lateWrites };
}

/** A row of a report for people. */
export type Row = readonly [name: string, text: string];

/** The members as rows for people. */
export function leadershipRows({ audit, clients, ...others }: Leadership): Row[] {
  return [
    ...(audit === undefined ? [] : measureRows(audit.measures)),
    ...countRows(others),
    ...(clients === undefined ? [] : clientRows(clients)),
  ];
}

/** The members of several elections as rows for people. */
export function summedRows({
  leadersPerEpochMax: most = null,
  ...others
}: SummedLeadership): Row[] {
  const epochs: Row[] = most === null ? [] : [['epochs', `at most ${most} led in one`]];
  return [...epochs, ...countRows(others)];
}

function countRows({ detector, detection, resource }: SummedLeadership): Row[] {
  return [
    ...(detector === undefined ? [] : [['detector', detector] as const]),
    ...(detection === undefined ? [] : detectionRows(detection)),
    ...(resource === undefined ? [] : [resourceRow(resource)]),
  ];
}

function measureRows(measures: LeadershipMeasures): Row[] {
  const { ticks, ticksWithoutLeader, ticksSplit, reigns, changes } = measures;
  const { epochs, leadersPerEpochMax, stableFrom } = measures;
  const numbered: Row[] =
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
function detectionRows(detection: Detection | null): Row[] {
  if (detection === null) return [['detection', 'unknown: more suspicions than are kept']];
  const { detections, missed, mistakes, messages } = detection;
  if (detections.count + missed + mistakes.count + messages === 0) return [];
  const own: Row[] = messages === 0 ? [] : [['detecting', `${messages} messages`]];
  return [
    ['detections', `${lengthsText(detections, 'after')}; missed ${missed}`],
    ['mistakes', lengthsText(mistakes, 'for')],
    ...own,
  ];
}

function lengthsText({ count, meanTicks, maxTicks }: Lengths, word: string): string {
  if (meanTicks === null || maxTicks === null) return String(count);
  return `${count}, ${word} ${meanTicks.toFixed(1)} ticks on average, ${maxTicks} at most`;
}

function resourceRow(counts: ResourceCounts): Row {
  const { form, accepted, refused, staleWrites, lateWrites } = counts;
  const harm = `stale writes ${staleWrites}, late writes ${lateWrites}`;
  return ['resource', `${form}: accepted ${accepted}, ${harm}; refused ${refused}`];
}

/** The sums with one more election. Without elections there are no members. */
export function addLeadership(sums: SummedLeadership, run: Leadership): SummedLeadership {
  const { audit, detector, detection, resource } = run;
  const most = [sums.leadersPerEpochMax, audit?.measures.leadersPerEpochMax].flatMap(
    (each) => each ?? [],
  );
  return {
    ...sums,
    ...(audit && { leadersPerEpochMax: most.length === 0 ? null : Math.max(...most) }),
    ...(detector !== undefined && { detector }),
    ...(detection !== undefined && { detection: sumOfDetections(sums.detection, detection) }),
    ...(resource && { resource: sumOfCounts(sums.resource, resource) }),
  };
}

/** The sum over the runs in which all suspicions were kept. Null if there is no such run. */
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
