/**
 * @module
 * This folder contains the verbs of sweeps, `sweep` and `worker`.
 * `usurp sweep`: runs a threat model at every point of a grid, and writes tables of runs and of cells.
 */

import { Command, Option } from 'commander';
import { LabError } from '../../errors.ts';
import { RUNS_MAX, SWEEP_CELLS_MAX } from '../../experiment/document/limits.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { counted } from '../../experiment/document/wording.ts';
import type { SeedRule } from '../../experiment/sweep/grid.ts';
import { SEED_RULES } from '../../experiment/sweep/grid.ts';
import type { SweepOutline } from '../../experiment/sweep/plan.ts';
import { outlineSweep } from '../../experiment/sweep/plan.ts';
import type { SweepEngine } from '../../experiment/sweep/sweep.ts';
import type { Seed } from '../../random.ts';
import { codeVersion } from '../../runtime/files/code-version.ts';
import type { SweepFiles } from '../../runtime/sweep/files.ts';
import { sweepFiles, TABLE_FORMATS } from '../../runtime/sweep/files.ts';
import type { SweepJob, SweepResult } from '../../runtime/sweep/job.ts';
import { runSweep } from '../../runtime/sweep/run.ts';
import { integer } from '../shell/arguments.ts';
import { commandLine, loadArguments, PROGRAM, runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget } from '../shell/files.ts';
import { readModel } from '../shell/model-file.ts';
import { perCore, withSeed } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { seedFor } from './sweep-files.ts';
import type { PrintFormat } from './sweep-print.ts';
import { cellPrinter, PRINT_FORMATS, progressText } from './sweep-print.ts';

const FORMATS = [...new Set([...PRINT_FORMATS, ...TABLE_FORMATS])];
/** A form of the tables of a sweep. */
type SweepFormat = (typeof FORMATS)[number];
/** Maximum number of cells that are printed if a file has all. */
const PRINTED_MAX = 200;
const ENGINES = ['local', 'bullmq'] as const;

export interface SweepVerbOptions {
  readonly set: readonly string[];
  readonly runs?: number | undefined;
  readonly sample?: number | undefined;
  readonly seed?: Seed | undefined;
  readonly seeds: SeedRule;
  readonly out?: string | undefined;
  readonly format?: SweepFormat | undefined;
  readonly json?: true | undefined;
  readonly force?: true | undefined;
  readonly retryFailed?: true | undefined;
  readonly workers: number;
  readonly engine: (typeof ENGINES)[number];
  readonly redis?: string | undefined;
  readonly queue?: string | undefined;
  /** False for `--no-pictures`. */
  readonly pictures: boolean;
  readonly quiet?: true | undefined;
}

export function sweepCommand(session: Session): Command {
  const command = new Command('sweep')
    .description('run a threat model at every point of a grid')
    .argument('<model>', 'id of a threat model of the catalogue, a file, or - for stdin')
    .option(
      '--set <path=values>',
      'axis (several values) or setting (one value); repeatable',
      collect,
      [],
    )
    .option(
      '--runs <count>',
      'number of runs of each cell (default: that of the model)',
      count(RUNS_MAX),
    )
    .option(
      '--sample <count>',
      'number of cells that the seed draws from the grid (default: all)',
      count(SWEEP_CELLS_MAX),
    )
    .addOption(
      choice(
        '--seeds <rule>',
        'seeds of the cells: all cells use the same, or each its own',
        SEED_RULES,
      ),
    )
    .option(
      '--out <file>',
      'file for the table of runs; .cells, pictures, .manifest.json and .journal are written beside it, and the table of cells is printed',
    );
  withFiles(command)
    .option('--retry-failed', 'compute failed rows again')
    .addOption(perCore('--workers <count>', 'number of worker threads'))
    .addOption(
      choice(
        '--engine <name>',
        'engine: threads of this process (local), or workers on a Redis (bullmq)',
        ENGINES,
      ),
    )
    .option(
      '--redis <url>',
      'address of Redis for --engine bullmq (default: redis://127.0.0.1:6379)',
    )
    .option('--queue <name>', 'queue for --engine bullmq; only workers with the same queue compute')
    .option('-q, --quiet', 'no messages and no progress on stderr')
    .option('--no-color', 'plain text (as NO_COLOR=1)');
  withSeed(command, 'seed of all runs (default: chosen and printed)');
  return command
    .addHelpText('after', SWEEP_EXAMPLES)
    .action((model: string, options: SweepVerbOptions) =>
      session.run(options, (terminal) => sweepModel(model, options, terminal)),
    );
}

/** The options of the forms of tables, on stdout and in files. */
function withFiles(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--format <form>',
        'format: csv, jsonl or parquet with --out; all but parquet on stdout',
      ).choices(FORMATS),
    )
    .option('--no-pictures', 'write no .svg and .html pictures beside --out')
    .option('--json', 'the same as --format json')
    .option('-f, --force', 'replace existing files of another sweep');
}

const SWEEP_EXAMPLES = `
Quantities: counts 1000, 1e6, 2^20; probabilities 0.05, 5%; times 100ms, 90s, 5m, 2h.
Values: a list a,b,c, a range(8,28,2) including both ends, or a geometric range 2^10:2^18|*2.
The same command with the same --out continues an interrupted sweep. --runs may be larger than before.
Exit codes: 0 all rows are written (failed ones too), 130 interrupted (finished rows are kept).

Examples:
  usurp sweep top-id --set 'network.identity.c1=range(8,14,1)' --set work=sampled
  usurp sweep top-id --set 'network.identity.c1=range(8,14,1)' --runs 300 --seed 5 --format csv --out f.csv
  usurp sweep top-id --set network.honest=8,16,32 --set 'adversaries.main.budget.attempts=2^6:2^12|*4' --out f.parquet`;

/** Runs a sweep and writes or prints its tables. */
export async function sweepModel(
  id: string,
  options: SweepVerbOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const files = filesOf(options);
  const print = files === null ? printFormat(options) : 'table';
  const model = await readModel(id, terminal);
  const seed = seedFor(files, options, terminal);
  const { set: sets, runs, sample } = options;
  const outline = outlineSweep(model, { sets, document: model.sweep ?? null, runs, sample, seed });
  if (files !== null) await refuseTarget(files.runs, true);
  const job = jobOf(id, { model, outline, seed, options });
  const limits = files === null ? undefined : { cellsMax: PRINTED_MAX, whole: files.cells };
  const printer = cellPrinter(print, job, terminal, limits);
  const result = await runSweep(job, {
    files,
    pictures: options.pictures,
    createEngine: engineOf(options, terminal),
    threads: options.workers,
    force: options.force === true,
    retryFailed: options.retryFailed === true,
    signal: terminal.signal,
    onProgress: (progress) => terminal.progress(() => progressText(model.id, progress)),
    onCell: (finished) => printer.add(finished),
  });
  if (files === null || result.isComplete) printer.end();
  noteResult(result, files, terminal);
  return result.isComplete ? EXIT.holds : EXIT.interrupted;
}

function noteResult(
  { isComplete, rows, reused, counts, pictures }: SweepResult,
  files: SweepFiles | null,
  terminal: Terminal,
): void {
  const { cells, refused, failed } = counts;
  if (!isComplete) {
    const where =
      files === null
        ? 'only the finished cells are printed; --out keeps finished rows'
        : `${files.journal} keeps them; the same command continues`;
    terminal.note(`interrupted: ${rows} of ${(cells - refused) * counts.runs} rows done; ${where}`);
    return;
  }
  const remarks = [
    ...(reused > 0 ? [`${reused} reused`] : []),
    ...(refused > 0 ? [`${counted(refused, 'cell')} refused by the document`] : []),
    ...(failed > 0 ? [`${failed} failed (--retry-failed computes them again)`] : []),
  ];
  terminal.note([`${counted(rows, 'row')} of ${counted(cells, 'cell')}`, ...remarks].join(', '));
  if (files === null) return;
  terminal.note(`written: ${files.runs}, ${files.cells}, ${files.manifest}`);
  if (pictures.length > 0) terminal.note(`drawn: ${pictures.join(', ')}`);
}

function jobOf(
  id: string,
  asked: {
    readonly model: ThreatModel;
    readonly outline: SweepOutline;
    readonly seed: Seed;
    readonly options: SweepVerbOptions;
  },
): SweepJob {
  const { model, outline, seed, options } = asked;
  const named = id.startsWith('-') && id !== '-' ? `./${id}` : id;
  const { set, sample, out, format } = options;
  const words = [
    ...['sweep', named, ...set.flatMap((text) => ['--set', text])],
    ...['--runs', String(outline.runs), '--seed', seed],
    ...(options.seeds === SEED_RULES[0] ? [] : ['--seeds', options.seeds]),
    ...(sample === undefined ? [] : ['--sample', String(sample)]),
    ...(format === undefined ? [] : ['--format', format]),
    ...(options.pictures ? [] : ['--no-pictures']),
    ...(out === undefined ? [] : ['--out', out]),
  ];
  return {
    id: named,
    program: PROGRAM,
    loading: loadArguments(),
    model,
    outline,
    spec: { seed, seedRule: options.seeds, codeVersion: codeVersion() },
    command: commandLine(words),
  };
}

/** The files of `--out`. Throws LabError for a format that is only for stdout. */
function filesOf({
  out,
  format,
  json,
}: Pick<SweepVerbOptions, 'out' | 'format' | 'json'>): SweepFiles | null {
  if (out === undefined) return null;
  if (out === '' || out.endsWith('/')) {
    throw new LabError('arguments', `--out: expected the name of a file, got '${out}'`);
  }
  const form = TABLE_FORMATS.find((each) => each === format);
  if (json === true || (format !== undefined && form === undefined)) {
    throw new LabError(
      'arguments',
      `--format: expected one of ${TABLE_FORMATS.join(', ')} with --out`,
    );
  }
  return sweepFiles(out, form);
}

function printFormat({ format = 'table', json }: SweepVerbOptions): PrintFormat {
  const form = PRINT_FORMATS.find((each) => each === (json === true ? 'json' : format));
  if (form !== undefined) return form;
  throw new LabError('arguments', '--format parquet needs --out');
}

/** Undefined for the threads of this process. */
function engineOf(options: SweepVerbOptions, terminal: Terminal) {
  if (options.engine === 'local') return undefined;
  return async (): Promise<SweepEngine> => {
    // Loaded only for this engine.
    const { createBullmqEngine } = await import('../../runtime/fleet/engine.ts');
    const { REDIS_DEFAULT } = await import('../../runtime/fleet/redis.ts');
    const { redis = REDIS_DEFAULT, queue } = options;
    return createBullmqEngine({
      redis,
      queue,
      say: (line) => terminal.note(line.replace(/usurp worker .*$/, runnable)),
    });
  };
}

function count(max: number): (text: string) => number {
  return integer(1, max);
}

function choice(flag: string, summary: string, names: readonly [string, ...string[]]): Option {
  return new Option(flag, summary).choices(names).default(names[0]);
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}
