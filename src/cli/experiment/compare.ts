/**
 * @module
 * `usurp compare`: defences, protocols and advantages of the adversary in one table: the probability of the
 * property, the cost for honest nodes, and the nodes that are excluded.
 */

import { Command } from 'commander';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { ComparisonPlan } from '../../experiment/compare/outline.ts';
import { planComparison } from '../../experiment/compare/outline.ts';
import type { CompareQuestion } from '../../experiment/compare/question.ts';
import { ADVANTAGE_MAX, COMPARISON_DEFAULTS } from '../../experiment/compare/question.ts';
import { questionWords } from '../../experiment/compare/report.ts';
import type { DefenceSet } from '../../experiment/compare/sets.ts';
import { allSets, readSets } from '../../experiment/compare/sets.ts';
import { RATE_MAX, RUNS_MAX } from '../../experiment/document/limits.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { readSetting } from '../../experiment/reading/settings.ts';
import type { Seed } from '../../random.ts';
import { codeVersion } from '../../runtime/files/code-version.ts';
import { compareDefences } from '../../runtime/sweep/compare.ts';
import type { SweepFiles } from '../../runtime/sweep/files.ts';
import type { SweepJob, SweepResult } from '../../runtime/sweep/job.ts';
import { integer, numberAbove0, refusing, someOf } from '../shell/arguments.ts';
import { commandLine, loadArguments, PROGRAM } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget } from '../shell/files.ts';
import { readModel } from '../shell/model-file.ts';
import { perCore, withSeed } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { printComparison } from './compare-print.ts';
import type { SweepFormat } from './sweep.ts';
import { filesOf, seedFor, withFiles } from './sweep.ts';
import { PRINT_FORMATS, progressText } from './sweep-print.ts';

interface CompareOptions {
  readonly defences?: readonly DefenceSet[] | undefined;
  readonly pairs?: true | undefined;
  readonly protocols?: readonly ProtocolName[] | undefined;
  readonly advantage: readonly number[];
  readonly machines?: number | undefined;
  readonly hardRate: number;
  readonly set: readonly string[];
  readonly runs?: number | undefined;
  readonly seed?: Seed | undefined;
  readonly out?: string | undefined;
  readonly format?: SweepFormat | undefined;
  readonly json?: true | undefined;
  readonly force?: true | undefined;
  readonly workers: number;
  /** False for `--no-pictures`. */
  readonly pictures: boolean;
  readonly quiet?: true | undefined;
}

export function compareCommand(session: Session): Command {
  const command = new Command('compare')
    .description('compare defences: the attack, the cost for honest nodes, and who is excluded')
    .argument(
      '[model]',
      'id of a threat model of the catalogue, a file, or - for stdin',
      COMPARISON_DEFAULTS.model,
    )
    .option(
      '--defences <sets>',
      'sets of defences, such as none,beacon-rank,beacon-rank+proof-of-work (default: none and each alone)',
      refusing(readSets),
    )
    .option('--pairs', 'every pair of defences as well')
    .option(
      '--protocols <names>',
      `protocols (default: those of the model; without one ${COMPARISON_DEFAULTS.protocols.join(',')})`,
      someOf(PROTOCOL_NAMES),
    )
    .option(
      '--advantage <factors>',
      'budgets of the adversary, as multiples of the budget in the model',
      factors,
      [...COMPARISON_DEFAULTS.advantages],
    )
    .option(
      '--machines <factor>',
      'part of an advantage that is the number of machines; a memory-hard function reduces only the rest (default: the whole advantage)',
      numberAbove0('a factor above 0, such as 8 or 1e3', ADVANTAGE_MAX),
    )
    .option(
      '--hard-rate <count>',
      'rate of an honest node under the memory-hard function, in candidates/s',
      numberAbove0('candidates per second above 0, such as 20', RATE_MAX),
      COMPARISON_DEFAULTS.hardRate,
    )
    .option('--set <path=value>', 'setting of the model; repeatable', collect, []);
  withSeed(withOutput(command), 'seed of all runs (default: chosen and printed)');
  return command
    .addHelpText('after', COMPARE_EXAMPLES)
    .action((model: string, options: CompareOptions) =>
      session.run(options, (terminal) => compareModel(model, options, terminal)),
    );
}

function withOutput(command: Command): Command {
  const tables = command
    .option(
      '--runs <count>',
      'number of runs of each cell (default: that of the model)',
      integer(1, RUNS_MAX),
    )
    .option(
      '--out <file>',
      'file for the table of runs; .cells, pictures, .manifest.json and .journal are written beside it',
    );
  return withFiles(tables)
    .addOption(perCore('--workers <count>', 'number of worker threads'))
    .option('-q, --quiet', 'no messages and no progress on stderr')
    .option('--no-color', 'plain text (as NO_COLOR=1)');
}

const COMPARE_EXAMPLES = `
Quantities: counts 1000, 1e6, 2^20; probabilities 0.05, 5%; times 100ms, 90s, 5m, 2h.
An advantage of 1 is the budget in the model: the work of one honest node before it must have joined.
The same command with the same --out continues an interrupted comparison.
Exit codes: 0 the table is complete, 130 interrupted (finished rows are kept with --out).

Examples:
  usurp compare
  usurp compare --defences none,proof-of-work,memory-hard --advantage 1,10,100 --machines 1
  usurp compare late-joiner --pairs --advantage 1,2 --runs 40 --out defences.csv`;

const NO_RUNS =
  '--out: there are no runs to write, because every cell is a closed form; leave --out out to print ' +
  'them, with --format csv as a table';

/** Runs a comparison, and prints it or writes its files as well. */
async function compareModel(
  id: string,
  options: CompareOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const files = filesOf(options);
  const print = files === null ? printFormat(options) : 'table';
  const model = await readModel(id, terminal);
  const plan = planComparison(model, questionOf(id, model, options), options.runs ?? model.runs);
  if (files !== null && plan.outline.cells === 0) throw new LabError('arguments', NO_RUNS);
  const seed = seedFor(files, options, terminal);
  if (files !== null) await refuseTarget(files.runs, true);
  const job = jobOf(id, { model, plan, seed, options });
  const { costs, rows, result } = await compareDefences(plan, job, {
    files,
    pictures: options.pictures,
    threads: options.workers,
    force: options.force === true,
    retryFailed: false,
    signal: terminal.signal,
    onCosts: (measured) =>
      terminal.progress(() => `honest costs: ${measured} of ${plan.rows.length} rows`),
    onProgress: (progress) => terminal.progress(() => progressText(model.id, progress)),
  });
  if (costs < plan.rows.length) {
    const rest = files === null ? 'nothing is printed' : 'no file is written';
    const measured = `${costs} of ${plan.rows.length} rows`;
    terminal.note(`interrupted: the honest costs of ${measured} are measured; ${rest}`);
    return EXIT.interrupted;
  }
  noteResult(result, files, terminal);
  if (result !== null && !result.isComplete) return EXIT.interrupted;
  printComparison(print, { plan, rows, seed, id, replay: job.command }, terminal);
  return EXIT.holds;
}

function questionOf(id: string, model: ThreatModel, options: CompareOptions): CompareQuestion {
  const { model: usual, protocols: usualProtocols } = COMPARISON_DEFAULTS;
  const { protocols = id === usual ? usualProtocols : undefined } = options;
  if (options.defences !== undefined && options.pairs === true) {
    throw new LabError('arguments', '--pairs: expected without --defences, which names all sets');
  }
  return {
    settings: options.set.map(readSetting),
    protocols: protocols ?? model.network.election.protocols,
    sets: options.defences ?? allSets(options.pairs === true),
    advantages: options.advantage,
    machines: options.machines ?? null,
    hardRate: options.hardRate,
  };
}

function jobOf(
  id: string,
  asked: {
    readonly model: ThreatModel;
    readonly plan: ComparisonPlan;
    readonly seed: Seed;
    readonly options: CompareOptions;
  },
): SweepJob {
  const { model, plan, seed, options } = asked;
  const named = id.startsWith('-') && id !== '-' ? `./${id}` : id;
  return {
    ...{ id: named, program: PROGRAM, loading: loadArguments(), model, outline: plan.outline },
    spec: { seed, seedRule: 'paired', codeVersion: codeVersion() },
    command: commandLine(['compare', named, ...wordsOf(plan, options), '--seed', seed]),
  };
}

/** The options of the command that repeats a comparison. */
function wordsOf({ outline, question }: ComparisonPlan, options: CompareOptions): string[] {
  const { defences = null, pairs, out, format } = options;
  return [
    ...questionWords(question, { sets: defences, hasPairs: pairs === true }),
    ...['--runs', String(outline.runs)],
    ...(format === undefined ? [] : ['--format', format]),
    ...(options.pictures ? [] : ['--no-pictures']),
    ...(out === undefined ? [] : ['--out', out]),
  ];
}

function noteResult(
  result: SweepResult | null,
  files: SweepFiles | null,
  terminal: Terminal,
): void {
  if (result === null || files === null) {
    if (result?.isComplete === false) terminal.note('interrupted: nothing is printed');
    return;
  }
  if (!result.isComplete) {
    terminal.note(
      `interrupted: ${files.journal} keeps ${result.rows} rows; the same command continues`,
    );
    return;
  }
  terminal.note(`written: ${files.runs}, ${files.cells}, ${files.manifest}`);
  if (result.pictures.length > 0) terminal.note(`drawn: ${result.pictures.join(', ')}`);
}

function printFormat({ format = 'table', json }: CompareOptions) {
  const form = PRINT_FORMATS.find((each) => each === (json === true ? 'json' : format));
  if (form !== undefined) return form;
  throw new LabError('arguments', '--format parquet needs --out');
}

const factor = numberAbove0('factors above 0, such as 1,10,1e3', ADVANTAGE_MAX);

/** Different factors between commas, in their order. */
function factors(text: string): number[] {
  return [...new Set(text.split(',').map((each) => factor(each.trim())))];
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
