/**
 * @module
 * Figures of several protocols under the same seeds, faults and latencies, each to the same tick: messages
 * and leadership. A protocol that rests sends nothing more, one with heartbeats goes on: the messages are
 * those of the whole time.
 */

import { z } from 'zod';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Detection } from '../detection/detection.ts';
import { planSimulation } from '../plan/options.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { LeadershipMeasures } from '../run/audit.ts';
import type { Simulation } from '../run/simulation.ts';

/** The figures of one protocol's runs. */
export const comparedSchema = z.object({
  protocol: z.enum(PROTOCOL_NAMES),
  runs: z.int(),
  unfinished: z
    .int()
    .describe('Runs that grew too large. They are not stable, and in no mean or maximum.'),
  messagesMean: z.number().describe('All messages of the run, heartbeats included.'),
  stableShare: z
    .number()
    .describe('Share of the runs that ended under one leader that all live nodes followed.'),
  stableTicksMedian: z.number().nullable().describe('Ticks until then. Null without such a run.'),
  stableTicksMax: z.number().nullable(),
  withoutLeaderShare: z.number().describe('Share of the time in which no live node led.'),
  splitTicksMean: z.number().describe('Ticks in which two or more led at once.'),
  splitTicksMax: z.number(),
  leadersPerEpochMax: z.int().nullable().describe('Null if elections have no number.'),
  changesMean: z.number().describe('How often another node led than before.'),
  changesMax: z.number(),
  staleWritesMean: z
    .number()
    .optional()
    .describe('Accepted writes of leaders that another node had replaced; with a resource only.'),
  lateWritesMean: z
    .number()
    .optional()
    .describe('Accepted writes after an operation of a later leader; with a resource only.'),
  detectionTicksMean: z
    .number()
    .nullable()
    .optional()
    .describe('Over all detected crashes; with a detector on the nodes only.'),
  mistakesMean: z
    .number()
    .optional()
    .describe('Suspicions of live nodes; with a detector on the nodes only.'),
});

export type ComparedProtocol = Readonly<z.output<typeof comparedSchema>>;

/** One protocol's run to its end. */
export interface ComparedRun {
  readonly messages: number;
  readonly measures: LeadershipMeasures;
  /** Both null without a leader workload. */
  readonly staleWrites: number | null;
  readonly lateWrites: number | null;
  /** Null without a detector. */
  readonly detection: Detection | null;
}

/**
 * The runs of each seed, in the order of the protocols: a seed counts for all of them or for none. Null
 * is a run that grew too large.
 */
export interface Comparison {
  add(runs: readonly (ComparedRun | null)[]): void;
  report(): readonly ComparedProtocol[];
}

/** A comparison of these protocols in which nothing has been run. */
export function createComparison(protocols: readonly ProtocolName[]): Comparison {
  const all = protocols.map((): (ComparedRun | null)[] => []);
  return {
    add(runs) {
      if (runs.length !== protocols.length) {
        throw new RangeError(`"runs" expected ${protocols.length} runs, got ${runs.length}`);
      }
      for (const [index, run] of runs.entries()) all[index]?.push(run);
    },
    report: () =>
      protocols.map((protocol, index) => ({ protocol, ...summarised(all[index] ?? []) })),
  };
}

/** The present figures of a run with an audit. */
export function comparedRun(simulation: Simulation): ComparedRun {
  const { ticks, messages } = simulation.status();
  const audit = simulation.audit();
  const resource = simulation.resource();
  if (audit === null) throw new TypeError('"simulation" expected one with an audit, got none');
  return {
    messages: messages.total ?? 0,
    measures: audit.finish(ticks),
    staleWrites: resource?.staleWrites ?? null,
    lateWrites: resource?.lateWrites ?? null,
    detection: simulation.plan.detector && simulation.detection(),
  };
}

/**
 * How long to run all of them, in ticks: as long as the slowest waits for an election. Throws LabError
 * `arguments`.
 */
export function horizonOf(elections: readonly SimulationOptions[]): number {
  return Math.max(1, ...elections.map((election) => planSimulation(election).untilTicks));
}

/** Does `work` for a protocol. A LabError names the protocol. */
export function inNameOf<T>(protocol: ProtocolName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const named = (detail: string) => `${protocol} cannot take part: ${detail}`;
    const faults = error.faults.map((fault) => ({ ...fault, detail: named(fault.detail) }));
    throw new LabError(error.code, named(error.message), faults);
  }
}

function summarised(all: readonly (ComparedRun | null)[]): Omit<ComparedProtocol, 'protocol'> {
  const runs = all.filter((run) => run !== null);
  const measures = runs.map((run) => run.measures);
  const stable = measures
    .flatMap(({ stableFrom }) => (stableFrom === null ? [] : [stableFrom]))
    .toSorted((one, other) => one - other);
  const splits = measures.map(({ ticksSplit }) => ticksSplit);
  const changes = measures.map((each) => each.changes);
  const perEpoch = measures.flatMap(({ leadersPerEpochMax: most }) =>
    most === null ? [] : [most],
  );
  return {
    runs: all.length,
    unfinished: all.length - runs.length,
    messagesMean: mean(runs.map(({ messages }) => messages)),
    stableShare: all.length === 0 ? 0 : stable.length / all.length,
    stableTicksMedian: medianOfSorted(stable),
    stableTicksMax: stable.at(-1) ?? null,
    withoutLeaderShare: mean(measures.map(shareWithoutLeader)),
    splitTicksMean: mean(splits),
    splitTicksMax: highest(splits),
    leadersPerEpochMax: perEpoch.length === 0 ? null : highest(perEpoch),
    changesMean: mean(changes),
    changesMax: highest(changes),
    ...optionalFigures(runs),
  };
}

/** The figures of leader workload and detectors, which only some runs have. */
function optionalFigures(
  runs: readonly ComparedRun[],
): Pick<
  ComparedProtocol,
  'staleWritesMean' | 'lateWritesMean' | 'detectionTicksMean' | 'mistakesMean'
> {
  const stale = runs.flatMap(({ staleWrites }) => staleWrites ?? []);
  const late = runs.flatMap(({ lateWrites }) => lateWrites ?? []);
  const detections = runs.flatMap(({ detection }) => detection ?? []);
  const noticed = detections.reduce((sum, each) => sum + each.detections.count, 0);
  const ticks = detections.reduce(
    (sum, { detections: { count, meanTicks } }) => sum + count * (meanTicks ?? 0),
    0,
  );
  return {
    ...(stale.length === 0 ? {} : { staleWritesMean: mean(stale), lateWritesMean: mean(late) }),
    ...(detections.length === 0
      ? {}
      : {
          detectionTicksMean: noticed === 0 ? null : ticks / noticed,
          mistakesMean: mean(detections.map(({ mistakes }) => mistakes.count)),
        }),
  };
}

function shareWithoutLeader({ ticks, ticksWithoutLeader }: LeadershipMeasures): number {
  return ticks === 0 ? 0 : ticksWithoutLeader / ticks;
}

/** 0 without values. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** 0 without values. There may be too many for one call of `Math.max`. */
function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** Between the two in the middle if there are two; null without values. */
function medianOfSorted(values: readonly number[]): number | null {
  const low = values[(values.length - 1) >> 1];
  const high = values[values.length >> 1];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
