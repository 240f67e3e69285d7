/**
 * @module
 * The files of an operation that computes a sweep: the same as those of `usurp sweep`, which the same command continues.
 */

import { LabError } from '../../errors.ts';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import type { Machine } from '../../operations/machine.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Seed } from '../../random.ts';
import type { SweepFiles } from '../../runtime/sweep/files.ts';
import { sweepFiles, TABLE_FORMATS } from '../../runtime/sweep/files.ts';
import { journalHeader } from '../../runtime/sweep/journal.ts';
import { thisMachine } from '../../runtime/sweep/machine.ts';
import { loadArguments, PROGRAM, runnable } from '../shell/command-line.ts';
import { refuseTarget } from '../shell/files.ts';
import { seedOrChosen } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The options of files. */
export interface FileOptions {
  readonly out?: string | undefined;
  readonly force?: true | undefined;
  /** False for `--no-pictures`. */
  readonly pictures?: boolean | undefined;
}

/** The files of a sweep that --out names. Null for a chart, and without --out. */
export async function filesOf(
  { has }: Operation,
  { out, force }: FileOptions,
): Promise<SweepFiles | null> {
  if (out === undefined || !has.picture) return null;
  const isTable = has.files === true && TABLE_FORMATS.some((form) => out.endsWith(`.${form}`));
  if (!isTable && !/\.(svg|html)$/.test(out)) {
    const forms = ['.svg', '.html', ...(has.files ? TABLE_FORMATS.map((each) => `.${each}`) : [])];
    const detail = `--out: expected a file that ends in one of ${forms.join(', ')}, got ${out}`;
    throw new LabError('arguments', detail);
  }
  // The journal of a sweep says whether its files may be continued.
  await refuseTarget(out, isTable || force === true);
  return isTable ? sweepFiles(out, undefined) : null;
}

/** This machine, which keeps these files of a sweep. */
export function machineFor(
  files: SweepFiles | null,
  { pictures, force, out }: FileOptions,
  terminal: Terminal,
): Machine {
  return thisMachine({
    files,
    pictures: pictures !== false,
    force: force === true,
    program: PROGRAM,
    loading: loadArguments(),
    note: (line) => terminal.note(line),
    commandOf: (replay) =>
      [
        runnable(replay),
        ...(pictures === false ? ['--no-pictures'] : []),
        ...(out === undefined ? [] : ['--out', shellWord(out)]),
      ].join(' '),
  });
}

/** The given seed, else that of the sweep that the files continue, else a chosen one. */
export function seedFor(
  files: SweepFiles | null,
  { seed, force }: { readonly seed?: Seed | undefined; readonly force?: true | undefined },
  terminal: Terminal,
): Seed {
  if (seed !== undefined) return seed;
  const header = files === null || force === true ? null : journalHeader(files.journal);
  const begun = header?.seed ?? null;
  if (begun === null) return seedOrChosen(undefined, terminal);
  terminal.note(`seed ${begun} of ${files?.journal}`);
  return begun;
}
