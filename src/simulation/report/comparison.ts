/**
 * @module
 * Several protocols under the same seeds, faults and latencies, each to the same tick, and what each
 * cost and how it was led. A protocol that rests sends nothing more, one with heartbeats goes on: the
 * messages are those of the whole time. Same options, same figures.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { Detection } from '../detection/detection.ts';
import { assertInteger } from '../plan/assertions.ts';
import { planSimulation } from '../plan/options.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import type { LeadershipMeasures } from '../run/audit.ts';
import type { ElectionOptions } from '../run/simulate.ts';
import type { Simulation } from '../run/simulation.ts';
import { createSimulation } from '../run/simulation.ts';

/** What one protocol's runs came to. */
export interface ComparedProtocol {
  readonly protocol: ProtocolName;
  /** Those that could not be held included. */
  readonly runs: number;
  /** Runs that grew beyond what can be held: not stable, and in no mean, median or highest value. */
  readonly unheld: number;
  readonly messagesMean: number;
  /** Of the runs, those that ended under one leader whom all live nodes followed. */
  readonly stableShare: number;
  /** Ticks from the start to the last time that leader was agreed upon, over those runs alone. */
  readonly stableTicksMedian: number | null;
  readonly stableTicksMax: number | null;
  /** Of the time, that in which no live node led. */
  readonly withoutLeaderShare: number;
  /** In which two or more led at once. */
  readonly splitTicksMean: number;
  readonly splitTicksMax: number;
  /** Nodes that led in one epoch, at most; null where elections have no number. */
  readonly leadersPerEpochMax: number | null;
  /** How often another node led than before. */
  readonly changesMean: number;
  readonly changesMax: number;
  /** Writes accepted of a leader that another had followed; where leaders work. */
  readonly staleWritesMean?: number | undefined;
  /** Where a detector was asked for: over all crashes that were noticed, null without one. */
  readonly detectionTicksMean?: number | null | undefined;
  /** Suspicions of nodes that were up; where a detector was asked for. */
  readonly mistakesMean?: number | undefined;
}

/** One protocol's run to its end. */
export interface ComparedRun {
  readonly messages: number;
  readonly measures: LeadershipMeasures;
  /** Null where leaders do not work. */
  readonly staleWrites: number | null;
  /** Null where no detector was asked for. */
  readonly detection: Detection | null;
}

/**
 * Runs under one seed, in the order of the protocols: a seed counts for all of them or for none. Null
 * is a run that could not be held.
 */
export interface Comparison {
  add(runs: readonly (ComparedRun | null)[]): void;
  report(): readonly ComparedProtocol[];
}

export interface ComparisonOptions extends Omit<ElectionOptions, 'protocol' | 'flags' | 'seed'> {
  /** Each once. */
  readonly protocols: readonly ProtocolName[];
  readonly seeds: readonly Seed[];
  /** Every run ends after the events of this tick. */
  readonly horizonTicks: number;
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

/**
 * Runs every protocol under every seed. Throws LabError `arguments`, before the first run, for what
 * one of them cannot have.
 */
export function compareProtocols(options: ComparisonOptions): readonly ComparedProtocol[] {
  const { protocols, seeds, horizonTicks, initiators, ...shared } = options;
  assertInteger('horizonTicks', horizonTicks, { min: 1, max: TICKS_LIMIT });
  const [first] = seeds;
  if (first !== undefined) assertForAll(protocols, { ...shared, seed: first });
  const comparison = createComparison(protocols);
  for (const seed of seeds) {
    const runs = protocols.map((protocol) => {
      const simulation = createSimulation({ ...shared, protocol, seed, audit: true });
      simulation.start(initiators);
      return isHeld(simulation, horizonTicks) ? comparedRun(simulation) : null;
    });
    comparison.add(runs);
  }
  return comparison.report();
}

/** False where it grows on the way beyond what can be held. */
function isHeld(simulation: Simulation, horizonTicks: number): boolean {
  try {
    simulation.advance({ until: horizonTicks });
    return true;
  } catch (error) {
    if (error instanceof LabError && error.code === 'job.size') return false;
    throw error;
  }
}

/** What a run comes to as it stands. Its options must have asked for an audit. */
export function comparedRun(simulation: Simulation): ComparedRun {
  const { ticks, messages } = simulation.status();
  const audit = simulation.audit();
  if (audit === null) throw new TypeError('"simulation" expected one with an audit, got none');
  return {
    messages: messages.total ?? 0,
    measures: audit.finish(ticks),
    staleWrites: simulation.resource()?.staleAccepted ?? null,
    detection: simulation.plan.detector && simulation.detection(),
  };
}

/**
 * How long to watch all of them: as long as the most patient of them waits for an election. Throws
 * LabError `arguments`.
 */
export function horizonOf(elections: readonly SimulationOptions[]): number {
  return Math.max(1, ...elections.map((election) => planSimulation(election).untilTicks));
}

function assertForAll(
  protocols: readonly ProtocolName[],
  shared: Omit<SimulationOptions, 'protocol'>,
): void {
  for (const protocol of protocols) {
    inNameOf(protocol, () => planSimulation({ ...shared, protocol }));
  }
}

/** Does `work` for a protocol; what it refuses is refused in that protocol's name. */
export function inNameOf<T>(protocol: ProtocolName, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${protocol} cannot take part: ${error.message}`, error.faults);
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
    unheld: all.length - runs.length,
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
    ...fittingsOf(runs),
  };
}

/** What only some runs can tell: those with work, and those with a detector of their own. */
function fittingsOf(
  runs: readonly ComparedRun[],
): Pick<ComparedProtocol, 'staleWritesMean' | 'detectionTicksMean' | 'mistakesMean'> {
  const stale = runs.flatMap(({ staleWrites }) => staleWrites ?? []);
  const detections = runs.flatMap(({ detection }) => detection ?? []);
  const noticed = detections.reduce((sum, each) => sum + each.detections.count, 0);
  const ticks = detections.reduce(
    (sum, { detections: { count, meanTicks } }) => sum + count * (meanTicks ?? 0),
    0,
  );
  return {
    ...(stale.length === 0 ? {} : { staleWritesMean: mean(stale) }),
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

/** 0 of nothing. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

/** 0 of nothing; of as many values as there are, which are too many for one call of `Math.max`. */
function highest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/** Between the two in the middle where there are two; null of nothing. */
function medianOfSorted(values: readonly number[]): number | null {
  const low = values[(values.length - 1) >> 1];
  const high = values[values.length >> 1];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
