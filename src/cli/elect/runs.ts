/**
 * @module
 * `usurp elect --runs N`: the same election with N consecutive seeds. Reports how often each outcome
 * occurred, the costs, and for each failure the first seed with its replay command.
 */

import { setImmediate } from 'node:timers/promises';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { seedAfter } from '../../runtime/elect/compare.ts';
import { settleIfHeld } from '../../runtime/elect/settle.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { columns, formatPercent } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';
import { isAudited, leadershipOf } from './leadership.ts';
import type { ElectRequest } from './options.ts';
import { begun } from './plan.ts';
import { replayOf } from './replay-command.ts';
import type { Failing, Outcome } from './report.ts';
import { FAILINGS, failingsOf, OUTCOMES, outcomeOf } from './report.ts';
import type { RunsLeadership, Spread } from './runs-leadership.ts';
import {
  createRunsLeadership,
  createSpread,
  measuresTable,
  spreadRow,
  sumsTable,
} from './runs-leadership.ts';

export interface RunsReport extends RunsLeadership {
  readonly protocol: ProtocolName;
  /** Number of runs, including unfinished ones. After an interrupt fewer than requested. */
  readonly runs: number;
  /** Number of runs that exceeded the memory limit. They have no outcome and are in no spread or sum. */
  readonly unfinished: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly messages: Spread;
  readonly ticks: Spread;
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
interface Run {
  readonly seed: Seed;
  readonly outcome: Outcome;
  readonly failings: readonly Failing[];
}

/** Runs the elections. After an interrupt it reports the finished ones. */
export async function electOften(
  request: ElectRequest,
  { seed: first, runs: count }: { readonly seed: Seed; readonly runs: number },
  terminal: Terminal,
): Promise<RunsReport> {
  const held: Run[] = [];
  const unfinished: Seed[] = [];
  seedAfter(first, count - 1);
  const messages = createSpread();
  const ticks = createSpread();
  const leadership = createRunsLeadership();
  for (let run = 0; run < count && !terminal.signal.aborted; run += 1) {
    const seed = seedAfter(first, run);
    const simulation = await electOnce(request, seed, `run ${run + 1} of ${count}`, terminal);
    if (terminal.signal.aborted) break;
    if (simulation === null) {
      unfinished.push(seed);
      continue;
    }
    const status = simulation.status();
    held.push({ seed, outcome: outcomeOf(status), failings: failingsOf(status) });
    messages.add(status.messages.total ?? 0);
    ticks.add(status.lastEventTicks);
    leadership.add(leadershipOf(simulation));
  }
  const { protocol } = request;
  const outcomes = countOutcomes(held);
  const failures = failuresOf(request, held, unfinished);
  const spreads = { messages: messages.spread(), ticks: ticks.spread() };
  const again = { seed: first, replay: replayOf(request, first, count) };
  const firstFailure = held.find(({ failings }) => failings.length > 0)?.seed ?? null;
  return {
    ...{ protocol, runs: held.length + unfinished.length, unfinished: unfinished.length, outcomes },
    ...{ ...spreads, failures, firstFailure, ...again },
    ...leadership.report(),
  };
}

/** The report as tables for people. */
export function runsTable(report: RunsReport): string {
  const { runs, unfinished, outcomes, messages, ticks, failures } = report;
  const share = (count: number) => formatPercent(runs === 0 ? 0 : count / runs);
  return [
    columns([
      ['outcome', 'runs', 'share'],
      ...OUTCOMES.map((outcome) => [
        ...[outcome, String(outcomes[outcome]), share(outcomes[outcome])],
      ]),
      ...(unfinished === 0 ? [] : [['unfinished', String(unfinished), share(unfinished)]]),
    ]),
    measuresTable([spreadRow('messages', messages), spreadRow('ticks', ticks)], report.measures),
    ...sumsTable(report),
    ...(failures.length === 0 ? [] : [columns(failureRows(failures))]),
    columns([['replay', report.replay]]),
  ].join('\n');
}

/** Null for a run that exceeds the memory limit. */
async function electOnce(
  request: ElectRequest,
  seed: Seed,
  name: string,
  terminal: Terminal,
): Promise<Simulation | null> {
  const { simulation } = begun(request, seed, { audit: isAudited(request.nodes) });
  terminal.progress(() => name);
  const isHeld = await settleIfHeld(simulation, terminal, { name });
  await setImmediate();
  return isHeld ? simulation : null;
}

/** Each failure with the first seed in which it occurred. */
function failuresOf(
  request: ElectRequest,
  held: readonly Run[],
  unfinished: readonly Seed[],
): RunsReport['failures'] {
  const seeds = [
    ...FAILINGS.map((failing) => {
      const runs = held.filter(({ failings }) => failings.includes(failing));
      return [failing, runs.map(({ seed }) => seed)] as const;
    }),
    ['unfinished', unfinished] as const,
  ];
  return seeds.flatMap(([failing, [seed, ...others]]) => {
    if (seed === undefined) return [];
    return [{ failing, runs: 1 + others.length, seed, replay: replayOf(request, seed) }];
  });
}

function countOutcomes(runs: readonly Run[]): Record<Outcome, number> {
  const counts = { leader: 0, 'no-leader': 0, split: 0, until: 0 };
  for (const { outcome } of runs) counts[outcome] += 1;
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
