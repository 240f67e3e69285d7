/**
 * @module
 * `usurp elect --runs N`: the same election under the seed and the N − 1 that follow it. How often
 * each outcome came, what it cost, and the first seed of each bad one with the command that shows it.
 */

import { setImmediate } from 'node:timers/promises';
import type { AlgorithmName } from '../election/registry.ts';
import type { Seed } from '../random.ts';
import { parseSeed } from '../random.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { isAudited, leadershipOf } from './elect-leadership.ts';
import type { ElectRequest } from './elect-options.ts';
import { begun } from './elect-plan.ts';
import { replayOf } from './elect-replay.ts';
import type { Failing, Outcome } from './elect-report.ts';
import { FAILINGS, failingsOf, OUTCOMES, outcomeOf } from './elect-report.ts';
import type { RunsLeadership } from './elect-runs-leadership.ts';
import { createRunsLeadership, measuresTable, sumsTable } from './elect-runs-leadership.ts';
import { settle } from './elect-settle.ts';
import type { Spread } from './elect-spread.ts';
import { createSpread, spreadRow } from './elect-spread.ts';
import type { ExitCode } from './exit.ts';
import { EXIT } from './exit.ts';
import { columns, formatPercent } from './layout.ts';
import type { Terminal } from './terminal.ts';

export interface RunsReport extends RunsLeadership {
  readonly algorithm: AlgorithmName;
  /** As many as were held; fewer than asked for after an interrupt. */
  readonly runs: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly messages: Spread;
  readonly ticks: Spread;
  readonly failures: readonly {
    readonly failing: Failing;
    readonly runs: number;
    readonly seed: Seed;
    readonly replay: string;
  }[];
  /** The first in which anything failed. */
  readonly firstFailure: Seed | null;
  readonly seed: Seed;
  readonly replay: string;
}

/** What is kept of each run. */
interface Run {
  readonly seed: Seed;
  readonly outcome: Outcome;
  readonly failings: readonly Failing[];
}

/** Holds the elections; an interrupt ends them early, and what was held is reported. */
export async function electOften(
  request: ElectRequest,
  { seed: first, runs: count }: { readonly seed: Seed; readonly runs: number },
  terminal: Terminal,
): Promise<RunsReport> {
  const held: Run[] = [];
  seedAfter(first, count - 1);
  const messages = createSpread();
  const ticks = createSpread();
  const leadership = createRunsLeadership();
  for (let run = 0; run < count && !terminal.signal.aborted; run += 1) {
    const seed = seedAfter(first, run);
    const simulation = await electOnce(request, seed, `run ${run + 1} of ${count}`, terminal);
    if (terminal.signal.aborted) break;
    const status = simulation.status();
    held.push({ seed, outcome: outcomeOf(status), failings: failingsOf(status) });
    messages.add(status.messages.total ?? 0);
    ticks.add(status.lastEventTicks);
    leadership.add(leadershipOf(simulation));
  }
  const { algorithm } = request;
  const outcomes = countOutcomes(held);
  const failures = FAILINGS.flatMap((failing) => {
    const runs = held.filter(({ failings }) => failings.includes(failing));
    const [worst] = runs;
    if (worst === undefined) return [];
    const { seed } = worst;
    return [{ failing, runs: runs.length, seed, replay: replayOf(request, seed) }];
  });
  const spreads = { messages: messages.spread(), ticks: ticks.spread() };
  const again = { seed: first, replay: replayOf(request, first, count) };
  const firstFailure = held.find(({ failings }) => failings.length > 0)?.seed ?? null;
  return {
    ...{ algorithm, runs: held.length, outcomes, ...spreads, failures, firstFailure, ...again },
    ...leadership.report(),
  };
}

/** 0 when all agreed, 2 when some hit a bound and none failed, else 1. */
export function exitOfRuns({ outcomes }: RunsReport): ExitCode {
  if (outcomes.split + outcomes['no-leader'] > 0) return EXIT.violated;
  return outcomes.until > 0 ? EXIT.unknown : EXIT.holds;
}

/** The report for people. */
export function runsTable(report: RunsReport): string {
  const { runs, outcomes, messages, ticks, failures } = report;
  const share = (count: number) => formatPercent(runs === 0 ? 0 : count / runs);
  return [
    columns([
      ['outcome', 'runs', 'share'],
      ...OUTCOMES.map((outcome) => [
        ...[outcome, String(outcomes[outcome]), share(outcomes[outcome])],
      ]),
    ]),
    measuresTable([spreadRow('messages', messages), spreadRow('ticks', ticks)], report.measures),
    ...sumsTable(report),
    ...(failures.length === 0 ? [] : [columns(failureRows(failures))]),
    columns([['replay', report.replay]]),
  ].join('\n');
}

/** Throws LabError beyond the last seed there is. */
export function seedAfter(seed: Seed, places: number): Seed {
  return parseSeed(String(BigInt(seed) + BigInt(places)));
}

async function electOnce(
  request: ElectRequest,
  seed: Seed,
  name: string,
  terminal: Terminal,
): Promise<Simulation> {
  const { simulation } = begun(request, seed, { audit: isAudited(request.nodes) });
  terminal.progress(() => name);
  await settle(simulation, terminal, name);
  await setImmediate();
  return simulation;
}

function countOutcomes(runs: readonly Run[]): Record<Outcome, number> {
  const counts = { leader: 0, 'no-leader': 0, split: 0, until: 0 };
  for (const { outcome } of runs) counts[outcome] += 1;
  return counts;
}

function failureRows(failures: RunsReport['failures']): string[][] {
  return [
    ['failing', 'runs', 'first seen with'],
    ...failures.map(({ failing, runs, replay }) => [failing, String(runs), replay]),
  ];
}
