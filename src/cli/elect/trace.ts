/**
 * @module
 * `--trace`: writes the trace of an election or of a counterexample to a file. The extension selects the format.
 */

import type { Command } from 'commander';
import { LabError } from '../../errors.ts';
import type { TraceFormat, WrittenRun } from '../../simulation/report/trace-formats.ts';
import { assertWritable, writtenTrace } from '../../simulation/report/trace-formats.ts';
import { CLOCK_NODES_LIMIT } from '../../simulation/trace/vector-clocks.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

export interface TraceOptions {
  readonly trace?: string | undefined;
  readonly clocks: boolean;
  readonly force?: true | undefined;
}

/** Adds the flags of a trace. */
export function withTrace(command: Command): Command {
  return command
    .option(
      '--trace <file>',
      'file to write the trace to: .jsonl for programs, .shiviz for ShiViz, .svg or .txt for people',
    )
    .option(
      '--no-clocks',
      `omit the vector clocks from .jsonl, required above ${CLOCK_NODES_LIMIT} nodes`,
    );
}

/** Checks the target before the election, so that no work is lost. Throws LabError. */
export async function refuseTrace(options: TraceOptions, nodes: number): Promise<void> {
  if (options.trace === undefined) {
    if (options.clocks) return;
    throw new LabError('arguments', '--no-clocks has no effect without --trace');
  }
  assertWritable(formatOf(options.trace, options), nodes);
  await refuseTarget(options.trace, options.force === true);
}

/** Writes the trace if --trace is given. */
export async function writeTrace(
  run: WrittenRun,
  options: TraceOptions,
  terminal: Terminal,
): Promise<void> {
  const { trace: path, force } = options;
  if (path === undefined) return;
  const text = writtenTrace(run, formatOf(path, options));
  await writeWhole(path, text, { force: force === true, isPrivate: false });
  terminal.note(`trace written to ${path}`);
}

function formatOf(path: string, { clocks }: TraceOptions): TraceFormat {
  const [extension = ''] = /\.[^./\\]*$/.exec(path) ?? [];
  const format = TRACE_FORMATS.get(extension);
  if (format === undefined) {
    const known = [...TRACE_FORMATS.keys()].join(', ');
    throw new LabError(
      'arguments',
      `--trace ${path}: expected a name that ends in one of ${known}`,
    );
  }
  return format === 'jsonl' && !clocks ? 'jsonl-bare' : format;
}

const TRACE_FORMATS: ReadonlyMap<string, TraceFormat> = new Map([
  ['.jsonl', 'jsonl'],
  ['.shiviz', 'shiviz'],
  ['.svg', 'svg'],
  ['.txt', 'txt'],
]);
