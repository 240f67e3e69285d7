/**
 * @module
 * `--save` and `--trace` of `usurp check`: the counterexample as a file, and as a trace.
 */

import type { CheckResult } from '../../checking/check.ts';
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

/** Writes the violation of a result to the files that the options name. Reports if there is no violation. */
export async function writeResult(
  request: CheckRequest,
  result: CheckResult,
  options: TraceOptions & { readonly save?: string },
  terminal: Terminal,
): Promise<void> {
  if (result.type === 'violated') return writeViolation(request, result, options, terminal);
  const files = [options.save, options.trace].filter((file) => file !== undefined);
  if (files.length === 0) return;
  const verb = files.length === 1 ? 'was' : 'were';
  terminal.note(`${files.join(' and ')} ${verb} not written: there is no violation to show`);
}

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
