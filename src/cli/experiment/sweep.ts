/**
 * @module
 * This folder contains the verbs of sweeps, `sweep` and `worker`.
 * `usurp sweep`: runs a threat model at every point of a grid, and writes tables of runs and of cells.
 */

import type { Command } from 'commander';
import { Option } from 'commander';
import { LabError } from '../../errors.ts';
import { counted } from '../../experiment/document/wording.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import { outlineSweep } from '../../experiment/sweep/plan.ts';
import type { SweepEngine } from '../../experiment/sweep/sweep.ts';
import { deviceText } from '../../mining/device/facts.ts';
import { replayOf } from '../../operations/operation.ts';
import type { SweepInput } from '../../operations/sweep.ts';
import { SWEEP_VERB } from '../../operations/sweep.ts';
import { parseSeed } from '../../random.ts';
import { codeVersion } from '../../runtime/files/code-version.ts';
import type { SweepFiles } from '../../runtime/sweep/files.ts';
import { sweepFiles, TABLE_FORMATS } from '../../runtime/sweep/files.ts';
import type { SweepJob, SweepResult } from '../../runtime/sweep/job.ts';
import { runSweep } from '../../runtime/sweep/run.ts';
import { entered, inputOf, withMembers } from '../operations/operation-command.ts';
import type { FileOptions } from '../operations/sweep-files.ts';
import { seedFor } from '../operations/sweep-files.ts';
import { loadArguments, PROGRAM, runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget } from '../shell/files.ts';
import { perCore, ROW_FORMATS, verb } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { PrintFormat } from './sweep-print.ts';
import { cellPrinter, PRINT_FORMATS, progressText } from './sweep-print.ts';

/** The formats besides table and json. */
const PRINTED_AND_KEPT = [...ROW_FORMATS, 'parquet'];
/** A form of the tables of a sweep. */
type SweepFormat = PrintFormat | (typeof TABLE_FORMATS)[number];
/** Maximum number of cells that are printed if a file has all. */
const PRINTED_MAX = 200;
const ENGINES = ['local', 'bullmq'] as const;

/** The flags besides those of the members. */
interface SweepVerbOptions extends FileOptions {
  readonly format?: SweepFormat | undefined;
  readonly json?: true | undefined;
  readonly retryFailed?: true | undefined;
  readonly workers: number;
  readonly engine: (typeof ENGINES)[number];
  readonly redis?: string | undefined;
  readonly queue?: string | undefined;
  readonly quiet?: true | undefined;
}

export function sweepCommand(session: Session): Command {
  const summary = 'run a threat model at every point of a grid';
  const command = withMembers(verb('sweep', summary, PRINTED_AND_KEPT), SWEEP_VERB.members)
    .option(
      '--out <file>',
      'file for the table of runs; .cells, pictures, .manifest.json and .journal are written beside it, and the table of cells is printed',
    )
    .option('--no-pictures', 'write no .svg and .html pictures beside --out')
    .option('-f, --force', 'replace existing files of another sweep')
    .option('--retry-failed', 'compute failed rows again')
    .addOption(perCore('--workers <count>', 'number of worker threads'))
    .addOption(
      new Option(
        '--engine <name>',
        'engine: threads of this process (local), or workers on a Redis (bullmq)',
      )
        .choices(ENGINES)
        .default(ENGINES[0]),
    )
    .option(
      '--redis <url>',
      'address of Redis for --engine bullmq (default: redis://127.0.0.1:6379)',
    )
    .option('--queue <name>', 'queue for --engine bullmq; only workers with the same queue compute')
    .addHelpText('after', SWEEP_EXAMPLES);
  return command.action((...given: readonly unknown[]) => {
    const isUsual = command.getOptionValueSource('format') === 'default';
    const options = { ...command.opts<SweepVerbOptions>(), ...(isUsual && { format: undefined }) };
    return session.run(options, async (terminal) => {
      const values = entered(SWEEP_VERB, { options, given });
      // The members give these types.
      const input = (await inputOf(SWEEP_VERB, values, { terminal })) as SweepInput;
      return sweepModel(input, options, terminal);
    });
  });
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
  input: SweepInput,
  options: SweepVerbOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const files = filesOf(options);
  const print = files === null ? printFormat(options) : 'table';
  const { threatModel, set: sets, seeds: seedRule } = input;
  const { name: id, model } = threatModel;
  const given = input.seed === undefined ? undefined : parseSeed(input.seed);
  const seed = seedFor(files, { seed: given, force: options.force }, terminal);
  const outline = outlineSweep(model, { ...input, sets, document: model.sweep ?? null, seed });
  if (files !== null) await refuseTarget(files.runs, true);
  const words = replayOf(SWEEP_VERB, { ...input, runs: outline.runs, seed });
  const job: SweepJob = {
    id,
    program: PROGRAM,
    loading: loadArguments(),
    model,
    outline,
    spec: { seed, seedRule, codeVersion: codeVersion() },
    command: runnable([words, ...fileWords(options)].join(' ')),
  };
  const limits = files === null ? undefined : { cellsMax: PRINTED_MAX, whole: files.cells };
  const printer = cellPrinter(print, job, terminal, limits);
  const result = await runSweep(job, {
    files,
    pictures: options.pictures !== false,
    createEngine: engineOf(options, terminal),
    threads: options.workers,
    force: options.force === true,
    retryFailed: options.retryFailed === true,
    signal: terminal.signal,
    onProgress: (progress) => terminal.progress(() => progressText(model.id, progress)),
    onRated: (rates) => {
      for (const { perSecond, device } of rates) {
        if (device === undefined) continue;
        terminal.note(`measured on gpu: ${perSecond} candidates/s of ${deviceText(device)}`);
      }
    },
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

/** The flags of files in the command that computes the same. */
function fileWords({ format, pictures, out }: SweepVerbOptions): readonly string[] {
  return [
    ...(format === undefined ? [] : ['--format', format]),
    ...(pictures === false ? ['--no-pictures'] : []),
    ...(out === undefined ? [] : ['--out', shellWord(out)]),
  ];
}

/** The files of `--out`. Throws LabError for a format that is only for stdout. */
function filesOf({ out, format, json }: SweepVerbOptions): SweepFiles | null {
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
