/**
 * @module
 * The same election with consecutive seeds: how often each outcome occurred, the distributions of the measures, and for each
 * failure the first seed with its replay command.
 */

import { z } from 'zod';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { ElectionPicture } from '../../experiment/elections/chart.ts';
import type {
  Asked,
  ElectionCell,
  Measured,
  MeasuredRun,
  Share,
  Summary,
} from '../../experiment/elections/tables.ts';
import {
  askedLabel,
  distributionOf,
  isProperty,
  MEASURE_NAMES,
  measuredRun,
  measureTexts,
  RUN_PROPERTIES,
  shareIn,
  shareSchema,
  summariesOf,
  summarySchema,
  typeCounted,
  unfinishedRun,
  valuesOf,
} from '../../experiment/elections/tables.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import type { Axis } from '../../experiment/sweep/grid.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import type { Failing } from '../../simulation/report/outcome.ts';
import { FAILINGS, failingsOf, OUTCOMES } from '../../simulation/report/outcome.ts';
import { seedAfter } from '../../simulation/request/compare.ts';
import { begunElection } from '../../simulation/request/election.ts';
import { replayWords } from '../../simulation/request/replay-words.ts';
import type { ElectRequest } from '../../simulation/request/request.ts';
import { settleIfHeld } from '../../simulation/request/settle.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { flagOf } from '../command-words.ts';
import { formatPercent } from '../figures.ts';
import type { OperationContext } from '../operation.ts';
import type { Block } from '../report.ts';
import { answerBlocks, answerSchema } from './answer.ts';
import { linearizabilityOf } from './client-history.ts';
import {
  addLeadership,
  isAudited,
  leadershipOf,
  SUMMED_LEADERSHIP,
  summedRows,
} from './leadership.ts';
import { inWordsOfMembers, watcherOf } from './members.ts';

const endsSchema = shareSchema.pick({ ciLow: true, ciHigh: true });

const failuresSchema = z
  .array(
    z.object({
      failing: z.enum([...FAILINGS, 'unfinished']),
      runs: z.int(),
      seed: z.string().describe('The first seed with this failure.'),
      replay: z.string(),
      share: shareSchema,
    }),
  )
  .readonly();

/** The report of several runs. */
export const runsSchema = z
  .object({
    protocol: z.enum(PROTOCOL_NAMES),
    runs: z.int().describe('With unfinished ones. Smaller than requested if interrupted.'),
    unfinished: z
      .int()
      .describe('Runs that grew too large. They have no outcome and are in no spread or sum.'),
    outcomes: z.record(z.string(), z.int()).describe('Runs by outcome.'),
    shares: z.record(z.string(), shareSchema).describe('Shares of all runs by outcome.'),
    measure: z.string().nullable().describe('The measure that was asked for.'),
    distributions: z.record(z.string(), summarySchema).describe('By the names of the measures.'),
    failures: failuresSchema,
    firstFailure: z.string().nullable().describe('The seed of the first finished run that failed.'),
    seed: z.string(),
    replay: z.string(),
    ...SUMMED_LEADERSHIP,
    distribution: z
      .array(endsSchema.extend({ atMost: z.number(), share: z.number() }))
      .readonly()
      .optional()
      .describe('The distribution function of the measure that was asked for.'),
    smallest: answerSchema
      .optional()
      .describe('The first failed run, with the fewest faults that make it fail.'),
  })
  .meta({ id: 'ElectionRuns' });

type RunsReport = z.output<typeof runsSchema>;

/** The kept facts of one run. */
interface Run extends MeasuredRun {
  readonly failings: readonly Failing[];
}

/** The elections to run: their first seed, their number, and what to measure. */
export interface Often {
  readonly seed: Seed;
  readonly runs: number;
  readonly measure: Asked | null;
}

/** Runs the elections. After an interrupt it reports the finished ones. */
export async function electOften(
  request: ElectRequest,
  asked: Often,
  context: OperationContext,
): Promise<{ readonly report: RunsReport; readonly cell: ElectionCell }> {
  const { seed: first, runs: count, measure } = asked;
  const runs: Run[] = [];
  let leadership = {};
  for (let run = 0; run < count; run += 1) {
    const seed = seedAfter(first, run);
    const simulation = await electOnce(request, seed, { done: run, total: count }, context);
    if (context.signal.aborted) break;
    if (simulation === null) {
      runs.push({ ...unfinishedRun(request.protocol, seed), failings: [] });
      continue;
    }
    runs.push({
      ...measuredRun(simulation),
      failings: failingsOf(simulation.status(), linearizabilityOf(simulation)),
    });
    leadership = addLeadership(leadership, leadershipOf(simulation));
  }
  const { protocol } = request;
  const replayOf = (seed: Seed) => context.machine.command(replayWords(request, seed));
  const replay = context.machine.command(wordsOf(request, asked));
  const unfinished = runs.filter(({ outcome }) => outcome === null).length;
  const outcomes = countOutcomes(runs);
  const report = {
    protocol,
    runs: runs.length,
    unfinished,
    outcomes,
    shares: sharesOf({ ...outcomes, unfinished }, runs.length),
    measure,
    distributions: summariesOf(runs, measure),
    failures: failuresOf(runs, replayOf),
    firstFailure: runs.find(({ failings }) => failings.length > 0)?.seed ?? null,
    seed: first,
    replay,
    ...leadership,
  };
  return { report, cell: { values: [], runs, replay, replayOf } };
}

/** The words of the command that repeats the elections. */
export function wordsOf(request: ElectRequest, { seed, runs, measure }: Often): readonly string[] {
  const asking = measure === null ? [] : ['--measure', measure];
  return [...replayWords(request, seed, runs), ...asking];
}

/** Null for a run that exceeds the memory limit. */
async function electOnce(
  request: ElectRequest,
  seed: Seed,
  counts: { readonly done: number; readonly total: number },
  context: OperationContext,
): Promise<Simulation | null> {
  const keeps = { audit: isAudited(request.nodes), bytes: true };
  const { simulation } = begunElection(request, seed, { keeps, words: inWordsOfMembers });
  context.onProgress({ now: 'runs', ...counts });
  const watcher = watcherOf(context, counts);
  const isHeld = await settleIfHeld(simulation, watcher, { name: 'runs' });
  await watcher.pause();
  return isHeld ? simulation : null;
}

/** Each failure with the first seed in which it occurred. */
function failuresOf(
  runs: readonly Run[],
  replayOf: (seed: Seed) => string,
): RunsReport['failures'] {
  const seedsOf = (has: (run: Run) => boolean) => runs.filter(has).map(({ seed }) => seed);
  const seeds = [
    ...FAILINGS.map((name) => [name, seedsOf(({ failings }) => failings.includes(name))] as const),
    ['unfinished', seedsOf(({ outcome }) => outcome === null)] as const,
  ];
  return seeds.flatMap(([failing, [seed, ...others]]) => {
    if (seed === undefined) return [];
    const share = shareIn(1 + others.length, runs.length);
    return [{ failing, runs: share.k, seed, replay: replayOf(seed), share }];
  });
}

/** Empty without runs. */
function sharesOf(counts: Readonly<Record<string, number>>, runs: number): RunsReport['shares'] {
  const known = runs === 0 ? [] : Object.entries(counts);
  return Object.fromEntries(known.map(([name, count]) => [name, shareIn(count, runs)]));
}

function countOutcomes(runs: readonly Run[]): RunsReport['outcomes'] {
  const counts = { leader: 0, 'no-leader': 0, split: 0, until: 0 };
  for (const { outcome } of runs) if (outcome !== null) counts[outcome] += 1;
  return counts;
}

/** The report for people. */
export function runsBlocks(report: RunsReport): Block[] {
  const { unfinished, shares, failures, replay } = report;
  const sums = summedRows(report);
  const names = [...OUTCOMES, ...(unfinished === 0 ? [] : ['unfinished'])];
  return [
    table('Outcomes', [
      ['outcome', ...SHARE_HEADS],
      ...names.map((name) => [name, ...shareCells(shares[name])]),
    ]),
    summaryTable(report.distributions),
    ...(sums.length === 0 ? [] : [{ type: 'facts', isWhole: true, rows: sums } as const]),
    ...(failures.length === 0 ? [] : [table('Failures', failureRows(failures))]),
    { type: 'facts', isWhole: true, rows: [['replay', replay]] },
    ...distributionTable(report),
    ...(report.smallest === undefined ? [] : answerBlocks(report.smallest)),
  ];
}

const SHARE_HEADS = ['runs', 'share', '95 %'] as const;

function shareCells(share: Share | undefined): readonly string[] {
  if (share === undefined) return ['0', '-', '-'];
  return [String(share.k), formatPercent(share.p), endsText(share)];
}

function endsText({ ciLow: low, ciHigh: high }: z.output<typeof endsSchema>): string {
  return [low, high].map(formatPercent).join('–');
}

/** A table whose title people do not need. Its first row has the names of the columns. */
function table(title: string, [head = [], ...rows]: readonly (readonly string[])[]): Block {
  return { type: 'table', title, isUntitled: true, columns: head.map((name) => ({ name })), rows };
}

/** A row per measure. A dash stands for an event that does not happen in that part of the runs. */
function summaryTable(distributions: RunsReport['distributions']): Block {
  const known = (value: number | null) => value?.toString() ?? '-';
  // Object.entries loses the type of the keys.
  const named = Object.entries(distributions) as [Measured, Summary][];
  const isPartial = named.some(([, { never }]) => never > 0);
  return table('Measures', [
    ['', 'min', 'p50', 'p90', 'p99', 'max', 'mean', ...(isPartial ? ['never'] : [])],
    ...named.map(([name, { min, p50, p90, p99, max, mean, never }]) => [
      ...[measureTexts(name)[0], known(min), known(p50.value), known(p90.value), known(p99.value)],
      ...[known(max), mean?.toFixed(1) ?? '-', ...(isPartial ? [String(never)] : [])],
    ]),
  ]);
}

const FAILURE_TEXTS: Readonly<Record<Failing | 'unfinished', string>> = {
  agreement: 'agreement violated',
  uniqueness: 'uniqueness violated',
  termination: 'termination violated',
  highestLiveWins: 'highestLiveWins violated',
  linearizable: 'history of clients not linearizable',
  until: 'until (a bound)',
  unfinished: 'unfinished',
};

function failureRows(failures: RunsReport['failures']): string[][] {
  return [
    ['failure', ...SHARE_HEADS, 'first seed', 'replay of the first'],
    ...failures.map(({ failing, share, seed, replay }) => [
      ...[FAILURE_TEXTS[failing], ...shareCells(share), seed, replay],
    ]),
  ];
}

const BARS = 10;
const BAR_WIDTH = 40;

/** The distribution function of the measure that was asked for; nothing for a property, or without values. */
export function distributionOfRuns(
  asked: Asked | null,
  { runs }: ElectionCell,
): Pick<RunsReport, 'distribution'> {
  if (asked === null || isProperty(asked)) return {};
  const values = valuesOf(runs, asked);
  const steps = distributionOf(values, Number.POSITIVE_INFINITY);
  const [low, high] = [steps[0]?.value, steps.at(-1)?.value];
  if (low === undefined || high === undefined) return {};
  const bars = low === high ? 0 : BARS;
  const distribution = Array.from({ length: bars + 1 }, (_, index) => {
    const atMost = Math.round(bars === 0 ? high : low + ((high - low) * index) / bars);
    const reached = values.filter((value) => value <= atMost).length;
    const { p: share, ciLow, ciHigh } = shareIn(reached, values.length);
    return { atMost, share, ciLow, ciHigh };
  });
  return { distribution };
}

function distributionTable({ distribution, measure }: RunsReport): Block[] {
  if (distribution === undefined || measure === null) return [];
  const rows = distribution.map(({ atMost, share, ...ends }) => {
    const bar = '#'.repeat(Math.round(BAR_WIDTH * share));
    return [`at most ${atMost}`, formatPercent(share), endsText(ends), bar];
  });
  return [table('Distribution', [[askedLabel(readAsked(measure)), 'runs', '95 %', ''], ...rows])];
}

/** Reads the name of a measure or of a property. Throws LabError. */
export function readAsked(text: string): Asked {
  const type = typeCounted(text);
  if (type !== null) return `messages.${type}`;
  const names = [...MEASURE_NAMES, ...RUN_PROPERTIES];
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  const known = [...names, 'messages.TYPE'];
  throw new LabError('arguments', `must be one of ${known.join(', ')}${suggestion(known, text)}`);
}

/** The measure that is asked for, or the first of downtime, time to agreement and messages that the runs have. */
export function askedOf(given: Asked | null, cells: readonly ElectionCell[]): Asked {
  const usual = ['downtimeTicks', 'agreementTicks'] as const;
  const has = (name: (typeof usual)[number]) =>
    cells.some(({ runs }) => valuesOf(runs, name).length > 0);
  return given ?? usual.find(has) ?? 'messages';
}

/** The title and the settings of a picture: those of the request, without the members of `axes`. */
export function captionOf(
  request: ElectRequest,
  axes: readonly Axis[],
  runs: string,
): Pick<ElectionPicture, 'title' | 'sentence'> {
  const words = replayWords(request, ANY_SEED);
  const isFree = (path: string) => axes.every((axis) => axis.path !== path);
  const pairs = words.flatMap((word, index) => {
    const flags = word === '--flags' ? (words[index + 1] ?? '').split(',') : null;
    const own = flags?.filter((each) => isFree(`flags.${each.split('=', 1)[0]}`)).join(', ');
    const value = own ?? words[index + 1] ?? '';
    const isShown = word.startsWith('--') && word !== '--seed' && value !== '';
    const isAxis = axes.some(({ path }) => flagOf(path) === word);
    return isShown && !isAxis ? [[word.slice(2), value] as const] : [];
  });
  const nodes = pairs.flatMap(([name, value]) => (name === 'nodes' ? [`${value} nodes`] : []));
  const titles = [...(isFree('protocol') ? [request.protocol] : []), ...nodes];
  const others = pairs.flatMap(([name, value]) => (name === 'nodes' ? [] : [`${name} ${value}`]));
  return {
    title: `elections: ${titles.join(', ') || 'see the axes'}`,
    sentence: `${others.join(', ')}; ${runs}`,
  };
}

const ANY_SEED = parseSeed('0');
