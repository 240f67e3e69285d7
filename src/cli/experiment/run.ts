/**
 * @module
 * This folder contains the verbs of threat models: `run`, `design`, `sweep` and `worker`.
 * `usurp run`: runs a threat model and prints whether its expected property holds.
 */

import type { Command } from 'commander';
import { stringify } from 'yaml';
import { LabError } from '../../errors.ts';
import { workPicture } from '../../experiment/charts/work-chart.ts';
import { RUNS_MAX } from '../../experiment/document/limits.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { adversariesOf } from '../../experiment/document/threat-model.ts';
import { PROPERTIES } from '../../experiment/properties/registry.ts';
import { applySettings, readSetting } from '../../experiment/reading/settings.ts';
import type { ResponseReport } from '../../experiment/response/report.ts';
import { responseText } from '../../experiment/response/report.ts';
import type { PlanOdds } from '../../experiment/verdict/plan-odds.ts';
import type { GroupResult, RunReport } from '../../experiment/verdict/report.ts';
import { report } from '../../experiment/verdict/report.ts';
import type { Counts } from '../../experiment/verdict/stopping.ts';
import { confirmingRuns, looksUpTo, runsStillNeeded } from '../../experiment/verdict/stopping.ts';
import { sharedAmong, shortPercent } from '../../experiment/verdict/verdict.ts';
import type { StrategyName } from '../../mining/strategy.ts';
import { STRATEGY_NAMES } from '../../mining/strategy.ts';
import { formatPercent, formatSeconds, spendText, workTable } from '../../operations/figures.ts';
import { costRows } from '../../operations/honest-cost.ts';
import type { Seed } from '../../random.ts';
import { readCatalogue } from '../../runtime/files/catalogue.ts';
import type { ExperimentProgress } from '../../runtime/threads/experiment-pool.ts';
import { runExperiment } from '../../runtime/threads/experiment-pool.ts';
import { confidence, integer, oneOf, probability } from '../shell/arguments.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import { readModel } from '../shell/model-file.ts';
import type { OutputOptions } from '../shell/options.ts';
import { seedOrChosen, verb, wantsJson, withSeed, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface RunOptions extends OutputOptions {
  readonly runs?: number | undefined;
  readonly seed?: Seed | undefined;
  readonly set: readonly string[];
  readonly confidence?: number | undefined;
  readonly untilWidth?: number | undefined;
  readonly untilDecided?: true | undefined;
  readonly maxRuns?: number | undefined;
  readonly list?: true | undefined;
  readonly show?: true | undefined;
  readonly strategy?: StrategyName | undefined;
  readonly threads: number;
  readonly chart?: string;
  readonly force?: true | undefined;
}

export function runCommand(session: Session): Command {
  const command = verb('run', 'run a threat model and print its verdict')
    .argument('[model]', 'id of a threat model of the catalogue, a file, or - for stdin')
    .option('--list', 'list the threat models of the catalogue')
    .option('--show', 'print the threat model in YAML after all changes, without running it')
    .option('--runs <count>', 'number of runs (default: that of the model)', integer(1, RUNS_MAX))
    .option('--set <path=value>', 'set a member of the model; repeatable', collect, [])
    .option(
      '--strategy <name>',
      `mining strategy of every adversary: ${STRATEGY_NAMES.join(', ')}`,
      oneOf(STRATEGY_NAMES),
    )
    .option(
      '--confidence <level>',
      'confidence level of the interval (default: that of the model)',
      confidence,
    )
    .option(
      '--until-width <width>',
      'run until the interval is at most this wide, such as 0.01, instead of --runs',
      probability('0.01'),
    )
    .option('--until-decided', 'run until the verdict is true or false, instead of --runs')
    .option(
      '--max-runs <count>',
      `maximum number of runs with --until-width or --until-decided (default: ${MAX_RUNS_DEFAULT})`,
      integer(1, RUNS_MAX),
    );
  command
    .option('--chart <file>', 'file for a picture of the work and the chance by epoch: .svg')
    .option('--force', 'replace an existing file of --chart');
  withSeed(command, 'seed of all runs (default: chosen and printed)');
  return withThreads(command)
    .addHelpText('after', RUN_EXAMPLES)
    .action((model: string | undefined, options: RunOptions) =>
      session.run(options, (terminal) => {
        if (options.list === true) return listModels(options, terminal);
        if (model !== undefined) return runModel(model, options, terminal);
        const detail = 'name a threat model or a file, for example top-id; --list shows all';
        throw new LabError('arguments', detail);
      }),
    );
}

const MAX_RUNS_DEFAULT = 1_000_000;

const RUN_EXAMPLES = `
Quantities: counts 1000, 1e6, 2^20; probabilities 0.05, 5%; times 100ms, 90s, 5m, 2h.
Exit codes: 0 true, 1 false, 2 unknown, 130 interrupted (the finished runs are reported).

Examples:
  usurp run --list
  usurp run top-id
  usurp run top-id --set work=sampled --runs 1e5 --seed 1 --json
  usurp run top-id --set work=sampled --until-width 1% --seed 1
  usurp run top-id --set work=sampled --until-decided --seed 1
  usurp run my-model.yaml --set network.identity.c1=6 --set adversaries.main.budget.attempts=400`;

/** Runs a model and prints its report. */
export async function runModel(
  id: string,
  options: RunOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const document = await readModel(id, terminal);
  const settings = settingsOf(document, options);
  const model = applySettings(document, settings.map(readSetting));
  if (options.show === true) {
    terminal.print(`${stringify(model)}${openPartsText(model)}`);
    return EXIT.holds;
  }
  if (options.chart !== undefined) await refuseChart(model, options.chart, options.force === true);
  const seed = seedOrChosen(options.seed, terminal);
  const runs = runsOf(model, options);
  if (options.untilWidth === undefined) warnOfFew(model, runs, options, terminal);
  const { tally, isComplete, isNarrow, looks, constant, rateMeasured } = await runExperiment(
    { model, seed, runs, untilWidth: options.untilWidth, untilDecided: options.untilDecided },
    {
      threads: options.threads,
      onProgress: (progress) => terminal.progress(() => progressLine(model, progress, options)),
      signal: terminal.signal,
    },
  );
  if (isComplete && tally.runs === 1 && runs > 1) {
    terminal.note(`every run is the same, whatever the seed: 1 run was made instead of ${runs}`);
  }
  if (looks > 1 && tally.runs > 0) {
    noteNeeded(sharedAmong(model, looks), { ...tally, constant }, terminal);
  }
  if (!isComplete) terminal.note(`interrupted: ${tally.runs} of ${runs} runs are reported`);
  if (tally.runs === 0) return EXIT.interrupted;
  if (isComplete && isNarrow === false) {
    terminal.note(`the interval is wider than ${options.untilWidth} after --max-runs ${runs}`);
  }
  const named = id.startsWith('-') && id !== '-' ? `./${id}` : id;
  const counted = looks > 1 ? runs : tally.runs;
  const request = { id: named, seed, runs: counted, settings, rateMeasured, looks };
  const reported = report(model, tally, request);
  const result = { ...reported, replay: runnable(reported.replay) };
  terminal.print(wantsJson(options) ? `${JSON.stringify(result)}\n` : tableOf(result));
  if (options.chart !== undefined) {
    const picture = { title: result.threatModel, rows: result.workByEpoch ?? [] };
    const svg = workPicture({ ...picture, replay: result.replay });
    await writeWhole(options.chart, svg, { force: options.force === true, isPrivate: false });
    terminal.note(`chart written to ${options.chart}`);
  }
  return isComplete ? VERDICT_EXIT[result.verdict.value] : EXIT.interrupted;
}

/** Checks the target before the runs. Throws LabError. */
async function refuseChart(model: ThreatModel, path: string, isForced: boolean): Promise<void> {
  if (model.epochs === undefined) {
    throw new LabError('arguments', '--chart: expected a model with epochs');
  }
  if (!path.endsWith('.svg')) {
    throw new LabError('arguments', '--chart: expected a file that ends in .svg');
  }
  await refuseTarget(path, isForced);
}

/** Comments below a document: the aim and the parts of each response that it leaves open. */
function openPartsText(model: ThreatModel): string {
  const comments = adversariesOf(model).flatMap(([name, adversary]) => {
    const { aim = PROPERTIES[model.expect.property].aim } = adversary;
    const parts = ['goal', 'registers', 'behaviours'] as const;
    const open = parts.filter((part) => adversary[part] === undefined);
    const chosen = open.length === 0 ? 'fixed' : `best response for ${open.join(', ')}`;
    return `# adversaries.${name}: aim ${aim}; ${chosen}\n`;
  });
  return comments.join('');
}

/** The number of runs, or with --until-width its maximum. Throws LabError `arguments`. */
function runsOf(
  model: ThreatModel,
  { runs, untilWidth, untilDecided, maxRuns }: RunOptions,
): number {
  if (untilWidth !== undefined && untilDecided === true) {
    throw new LabError('arguments', '--until-width and --until-decided exclude each other');
  }
  if (untilWidth === undefined && untilDecided === undefined) {
    if (maxRuns === undefined) return runs ?? model.runs;
    throw new LabError(
      'arguments',
      '--max-runs needs --until-width or --until-decided; without them use --runs',
    );
  }
  if (runs === undefined) return maxRuns ?? MAX_RUNS_DEFAULT;
  throw new LabError(
    'arguments',
    '--runs excludes --until-width and --until-decided; use --max-runs',
  );
}

/** Says before the runs that they cannot confirm the expectation, and how many could. */
function warnOfFew(
  model: ThreatModel,
  runs: number,
  { untilDecided }: RunOptions,
  terminal: Terminal,
): void {
  const looks = untilDecided === true ? looksUpTo(runs).length : 1;
  const least = confirmingRuns(sharedAmong(model, looks));
  if (runs <= 1 || least <= runs) return;
  const advice =
    least === Number.POSITIVE_INFINITY ? 'no number can' : `it takes at least ${least}`;
  terminal.note(
    `${runs} runs can refute the expectation, but not confirm it: ${advice}, unless every run is the same`,
  );
}

/** The estimate of the runs that are missing for a verdict. */
function noteNeeded(strict: ThreatModel, counts: Counts, terminal: Terminal): void {
  const needed = runsStillNeeded(strict, counts);
  if (needed === 0) return;
  const about =
    needed === Number.POSITIVE_INFINITY ? 'too many to estimate' : `about ${needed} more`;
  terminal.note(`not decided after ${counts.runs} runs; needed: ${about} (see --max-runs)`);
}

async function listModels(options: RunOptions, terminal: Terminal): Promise<ExitCode> {
  const models = await readCatalogue();
  const listed = models.map(({ id, title, work, runs }) => ({ id, title, work, runs }));
  const rows = listed.map(({ id, title }) => [id, title]);
  terminal.print(wantsJson(options) ? `${JSON.stringify(listed)}\n` : columns(rows));
  return EXIT.holds;
}

const VERDICT_EXIT = { true: EXIT.holds, false: EXIT.violated, unknown: EXIT.unknown } as const;

/** The flags that change the model, as settings. */
function settingsOf(document: ThreatModel, options: RunOptions): readonly string[] {
  const { confidence: level, strategy, set } = options;
  const strategies = adversariesOf(document).flatMap(([name, { stockpile }]) => {
    if (strategy === undefined) return [];
    const path = `adversaries.${name}`;
    const isDropped = strategy !== 'stockpile' && stockpile !== undefined;
    return [`${path}.strategy=${strategy}`, ...(isDropped ? [`${path}.stockpile=null`] : [])];
  });
  return [...strategies, ...(level === undefined ? [] : [`expect.confidence=${level}`]), ...set];
}

function progressLine(
  model: ThreatModel,
  { done, total, wins, constant }: ExperimentProgress,
  { untilDecided }: RunOptions,
): string {
  const [least, most] = [Math.min(...wins), Math.max(...wins)];
  const range = least === most ? `${most}` : `${least} to ${most}, by protocol,`;
  const strict = sharedAmong(model, looksUpTo(total).length);
  const counts = { runs: done, wins, constant };
  const needed = untilDecided === true ? runsStillNeeded(strict, counts) : null;
  const left = needed === null || !Number.isFinite(needed) ? '' : `, about ${needed} more needed`;
  return `${model.id}: ${done} of ${total} runs, ${range} with ${model.expect.property}${left}`;
}

function tableOf(answer: RunReport): string {
  const { verdict, results, elections, ledger, honestCost, replay } = answer;
  const [first, ...others] = results;
  if (first === undefined) throw new TypeError('"results" expected at least one, got none');
  const measured = others.length === 0 ? singleRows(first) : [];
  const table = others.length === 0 ? '' : columns(protocolRows(results));
  const rows = [
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ...measured,
    ...theoryRows(results),
    ...answer.response.flatMap((each) => responseRows(each, answer.response.length)),
    ...answer.response.flatMap(({ plans = [] }) => planRows(plans)),
    ['elections', `${elections.held} held, ${elections.messages} messages`],
    ...Object.entries(ledger?.adversaries ?? {}).map(([name, spent]) => [
      name,
      `${spent.attempts} attempts, ${spent.hashes} hashes, ${formatSeconds(spent.cpuSeconds)} CPU`,
    ]),
    ...results.flatMap(({ protocols, observations }) => {
      const name = others.length === 0 ? 'seen' : `seen with ${protocols.join(', ')}`;
      return observations === undefined ? [] : [[name, seenText(observations)]];
    }),
    ...costRows(honestCost),
    ...(answer.spendRates === undefined ? [] : [['spend rates', spendText(answer.spendRates)]]),
    ['replay', replay],
  ];
  return `${verdict.sentence}\n${table}${columns(rows)}${workText(answer)}`;
}

/** What each plan for keys reaches, if they differ. */
function planRows(plans: readonly PlanOdds[]): readonly string[][] {
  const texts = plans.map(({ plan, probability, interval }) => {
    const [low, high] = interval ?? [];
    const range =
      low === undefined || high === undefined
        ? ''
        : ` (95 % interval ${formatPercent(low)} to ${formatPercent(high)})`;
    return `${plan} ${formatPercent(probability)}${range}`;
  });
  const isOne = new Set(plans.map(({ probability }) => probability)).size === 1;
  return isOne || plans.length === 0 ? [] : [['plans', texts.join(', ')]];
}

/** The work up to each epoch. */
function workText({ workByEpoch }: RunReport): string {
  if (workByEpoch === undefined) return '';
  const { title, columns: names, rows } = workTable(workByEpoch);
  return `\n${title}:\n${columns([names.map(({ name }) => name), ...rows])}`;
}

/** The response of an adversary, and how it was found. */
function responseRows(each: ResponseReport, count: number): readonly string[][] {
  const { adversary, protocols, found, reason, notSearched } = each;
  const to = protocols.length === 0 ? '' : ` to ${protocols.join(', ')}`;
  const head = count === 1 ? 'response' : `response of ${adversary}${to}`;
  const how = found === 'fixed' || found === 'argued' ? reason : `${HOW_FOUND[found]}. ${reason}`;
  const without = notSearched.length === 0 ? '' : ` Not searched: ${notSearched.join('; ')}.`;
  return [
    [head, responseText(each)],
    ['', `${how}${without}`],
  ];
}

const HOW_FOUND = { exhaustive: 'Exhaustive', 'best-found': 'Best found' } as const;

/** The only result. Several protocols share it. */
function singleRows({ protocols, measured }: GroupResult): readonly string[][] {
  return [
    ['measured', `${measured.wins} of ${measured.runs} runs, ${formatPercent(measured.frequency)}`],
    ['interval', intervalText(measured)],
    ...(protocols.length < 2 ? [] : [['protocols', `${protocols.join(', ')} share the outcome`]]),
  ];
}

/** One row for each protocol, below a head. */
function protocolRows(results: readonly GroupResult[]): readonly string[][] {
  const rows = results.map(({ protocols, verdict, measured }) => [
    protocols.join(', '),
    verdict.value,
    `${measured.wins} of ${measured.runs} runs, ${formatPercent(measured.frequency)}`,
    intervalText(measured),
  ]);
  const [level] = results.flatMap(({ verdict }) => verdict.confidence ?? []);
  const interval = level === undefined ? 'interval' : `${shortPercent(level)} % interval`;
  return [['protocol', 'verdict', 'measured', interval], ...rows];
}

function intervalText({ interval }: GroupResult['measured']): string {
  if (interval === null) return 'none, as every run is the same';
  const [low, high] = interval;
  return `${formatPercent(low)} to ${formatPercent(high)}`;
}

/** The closed form, once if all protocols have the same. */
function theoryRows(results: readonly GroupResult[]): readonly string[][] {
  const texts = results.map(({ theory }) => theoryText(theory));
  const [common = '', ...others] = new Set(texts);
  if (others.length === 0) return [['theory', common]];
  return results.map(({ protocols, theory }) => [
    `theory for ${protocols.join(', ')}`,
    theoryText(theory),
  ]);
}

function seenText(observations: NonNullable<GroupResult['observations']>): string {
  return Object.entries(observations)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(6))}`)
    .join(', ');
}

function theoryText({ probability, formula }: GroupResult['theory']): string {
  return probability === null ? formula : `${formatPercent(probability)} = ${formula}`;
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
