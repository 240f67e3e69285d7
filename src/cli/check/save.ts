/**
 * @module
 * `--save` and `--trace` of `usurp check`: the counterexample as a file, and as a trace.
 */

import type { CheckRequest } from '../../checking/check-request.ts';
import type { Violated } from '../../experiment/checks/counterexample.ts';
import {
  counterexampleOf,
  counterexampleText,
  writtenCheck,
} from '../../experiment/checks/counterexample.ts';
import { usedFiles } from '../../runtime/load/used-files.ts';
import type { TraceOptions } from '../elect/trace.ts';
import { writeTrace } from '../elect/trace.ts';
import { writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Writes a violation to the files that the options name. */
export async function writeViolation(
  request: CheckRequest,
  result: Violated,
  options: TraceOptions & { readonly save?: string },
  terminal: Terminal,
): Promise<void> {
  const { trace, cycleFrom } = result;
  await writeTrace(writtenCheck(request, trace.actions, cycleFrom), options, terminal);
  const { save, force } = options;
  if (save === undefined) return;
  const text = counterexampleText(counterexampleOf(request, result), usedFiles());
  await writeWhole(save, text, { force: force === true, isPrivate: false });
  terminal.note(`counterexample written to ${save}`);
}
