/**
 * @module
 * `usurp elect --runs N`: the same election with N consecutive seeds. Reports how often each outcome
 * occurred, the distributions of the measures, and for each failure the first seed with its replay command.
 */

import { setImmediate } from 'node:timers/promises';

import type { ProtocolName } from '../../election/registry.ts';
import type { Asked, Measured, MeasuredRun, Summary } from '../../experiment/elections/tables.ts';
import {
  measuredRun,
  measureTexts,
  summariesOf,
  unfinishedRun,
} from '../../experiment/elections/tables.ts';
import { formatPercent } from '../../operations/figures.ts';
import type { Seed } from '../../random.ts';
import type { Failing, Outcome } from '../../simulation/report/outcome.ts';
import { failingsOf, OUTCOMES } from '../../simulation/report/outcome.ts';
import { seedAfter } from '../../simulation/request/compare.ts';
import { settleIfHeld } from '../../simulation/request/settle.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { columns } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';
import { isAudited, leadershipOf } from './leadership.ts';
import type { ElectRequest } from './options.ts';
import { begun } from './plan.ts';
import { replayOf } from './replay-command.ts';
import { FAILINGS } from './report.ts';
import type { RunsLeadership } from './runs-leadership.ts';
import { createRunsLeadership, sumsTable } from './runs-leadership.ts';

export interface RunsReport extends RunsLeadership {
  readonly protocol: ProtocolName;
  /** Number of runs, including unfinished ones. After an interrupt fewer than requested. */
  readonly runs: number;
  /** Number of runs that exceeded the memory limit. They have no outcome and are in no spread or sum. */
  readonly unfinished: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Null without `--measure`. */
  readonly measure: Asked | null;
  readonly distributions: Readonly<Partial<Record<Measured, Summary>>>;
  readonly failures: readonly {
    readonly failing: Failing | 'unfinished';
    readonly runs: number;
    readonly seed: Seed;
    readonly replay: string;
  }[];
  /** Seed of the first finished run that failed. */
  readonly firstFailure: Seed | null;
  readonly seed: Seed;
  readonly replay: string;
}

/** The kept facts of one run. */
interface Run extends MeasuredRun {
  readonly failings: readonly Failing[];
}

export interface HeldRuns {
  readonly report: RunsReport;
  readonly runs: readonly MeasuredRun[];
}

/** Runs the elections. After an interrupt it reports the finished ones. */
export async function electOften(
  request: ElectRequest,
  { seed: first, runs: count }: { readonly seed: Seed; readonly runs: number },
  terminal: Terminal,
): Promise<HeldRuns> {
  const runs: Run[] = [];
  seedAfter(first, count - 1);
  const leadership = createRunsLeadership();
  for (let run = 0; run < count && !terminal.signal.aborted; run += 1) {
    const seed = seedAfter(first, run);
    const simulation = await electOnce(request, seed, `run ${run + 1} of ${count}`, terminal);
    if (terminal.signal.aborted) break;
    if (simulation === null) {
      runs.push({ ...unfinishedRun(request.protocol, seed), failings: [] });
      continue;
    }
    runs.push({ ...measuredRun(simulation), failings: failingsOf(simulation.status()) });
    leadership.add(leadershipOf(simulation));
  }
  const { protocol, options } = request;
  const { measure = null } = options;
  const unfinished = runs.filter(({ outcome }) => outcome === null).length;
  const report = {
    ...{ protocol, runs: runs.length, unfinished, outcomes: countOutcomes(runs) },
    measure,
    distributions: summariesOf(runs, measure),
    failures: failuresOf(request, runs),
    firstFailure: runs.find(({ failings }) => failings.length > 0)?.seed ?? null,
    ...{ seed: first, replay: replayOf(request, first, count) },
    ...leadership.report(),
  };
  return { report, runs };
}

/** The report as tables for people. */
export function runsTable(report: RunsReport): string {
  const { runs, unfinished, outcomes, failures } = report;
  const share = (count: number) => formatPercent(runs === 0 ? 0 : count / runs);
  return [
    columns([
      ['outcome', 'runs', 'share'],
      ...OUTCOMES.map((outcome) => [
        ...[outcome, String(outcomes[outcome]), share(outcomes[outcome])],
      ]),
      ...(unfinished === 0 ? [] : [['unfinished', String(unfinished), share(unfinished)]]),
    ]),
    summaryTable(report.distributions),
    ...sumsTable(report),
    ...(failures.length === 0 ? [] : [columns(failureRows(failures))]),
    columns([['replay', report.replay]]),
  ].join('\n');
}

/** A row per measure. A dash stands for an event that does not happen in that part of the runs. */
function summaryTable(distributions: RunsReport['distributions']): string {
  const known = (value: number | null) => value?.toString() ?? '-';
  // Object.keys loses the type of the keys.
  const names = Object.keys(distributions) as readonly Measured[];
  const isPartial = names.some((name) => (distributions[name]?.never ?? 0) > 0);
  const rowOf = (label: string, { min, p50, p90, p99, max, mean, never }: Summary) => [
    ...[label, known(min), known(p50.value), known(p90.value), known(p99.value), known(max)],
    ...[mean?.toFixed(1) ?? '-', ...(isPartial ? [String(never)] : [])],
  ];
  const head = ['', 'min', 'p50', 'p90', 'p99', 'max', 'mean', ...(isPartial ? ['never'] : [])];
  const rows = names.flatMap((name) => {
    const summary = distributions[name];
    return summary === undefined ? [] : [rowOf(measureTexts(name)[0], summary)];
  });
  return columns([head, ...rows]);
}

/** Null for a run that exceeds the memory limit. */
async function electOnce(
  request: ElectRequest,
  seed: Seed,
  name: string,
  terminal: Terminal,
): Promise<Simulation | null> {
  const { simulation } = begun(request, seed, { audit: isAudited(request.nodes), bytes: true });
  terminal.progress(() => name);
  const isHeld = await settleIfHeld(simulation, terminal, { name });
  await setImmediate();
  return isHeld ? simulation : null;
}

/** Each failure with the first seed in which it occurred. */
function failuresOf(request: ElectRequest, runs: readonly Run[]): RunsReport['failures'] {
  const seedsOf = (has: (run: Run) => boolean) => runs.filter(has).map(({ seed }) => seed);
  const seeds = [
    ...FAILINGS.map((name) => [name, seedsOf(({ failings }) => failings.includes(name))] as const),
    ['unfinished', seedsOf(({ outcome }) => outcome === null)] as const,
  ];
  return seeds.flatMap(([failing, [seed, ...others]]) => {
    if (seed === undefined) return [];
    return [{ failing, runs: 1 + others.length, seed, replay: replayOf(request, seed) }];
  });
}

function countOutcomes(runs: readonly Run[]): Record<Outcome, number> {
  const counts = { leader: 0, 'no-leader': 0, split: 0, until: 0 };
  for (const { outcome } of runs) if (outcome !== null) counts[outcome] += 1;
  return counts;
}

const FAILURE_TEXTS: Readonly<Record<Failing | 'unfinished', string>> = {
  agreement: 'agreement violated',
  uniqueness: 'uniqueness violated',
  termination: 'termination violated',
  highestLiveWins: 'highestLiveWins violated',
  until: 'until (a bound)',
  unfinished: 'unfinished',
};

function failureRows(failures: RunsReport['failures']): string[][] {
  return [
    ['failure', 'runs', 'first seed', 'replay of the first'],
    ...failures.map(({ failing, runs, seed, replay }) => [
      ...[FAILURE_TEXTS[failing], String(runs), seed, replay],
    ]),
  ];
}
