/**
 * @module
 * The counterexample of an output: the file that `usurp replay` repeats, and the run that diagrams show.
 */

import type { CheckRequest } from '../../checking/check-request.ts';
import { counterexampleText, writtenCheck } from '../../experiment/checks/counterexample.ts';
import { requestOf } from '../../experiment/checks/request.ts';
import type { UsedFile } from '../../simulation/report/saved-run.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import type { CheapestInput, CheapestOutput } from './cheapest-attack.ts';
import { placementOf } from './cheapest-attack.ts';
import type { CheckInput } from './check.ts';
import { checkOf } from './check.ts';
import type { CheckOutput, ShownExample } from './output.ts';
import { tracedActions } from './report.ts';

/** A counterexample to be written. */
export interface WrittenExample {
  readonly run: WrittenRun;
  /** The file, which names the loaded files that it needs. */
  readonly text: (loaded: readonly UsedFile[]) => string;
}

/** Whether an operation can find counterexamples. */
export function findsExamples(name: string): boolean {
  return name === 'check' || name === 'cheapest-attack';
}

/** Whether an output has a counterexample. */
export function hasExample(name: string, output: object): boolean {
  if (!findsExamples(name)) return false;
  return 'actions' in output || ('cheapest' in output && output.cheapest !== null);
}

/** The counterexample of what an operation answered to its input. Null without one. */
export function exampleIn(name: string, input: object, output: object): WrittenExample | null {
  if (!hasExample(name, output)) return null;
  if (name === 'check') {
    return exampleOfCheck(input as CheckInput, output as CheckOutput); // By the name.
  }
  const { honest, cheapest } = output as CheapestOutput; // The same.
  if (cheapest === null) return null;
  const request = placementOf(input as CheapestInput, honest, cheapest.ranks); // The same.
  return writtenExample(request, cheapest);
}

function exampleOfCheck(input: CheckInput, output: CheckOutput): WrittenExample | null {
  if (!('actions' in output)) return null;
  const { ring } = output;
  const request = requestOf({ ...checkOf(input), ring: [...ring], walks: undefined });
  return writtenExample(request, output);
}

function writtenExample(
  request: CheckRequest,
  { actions, cycleFrom, property, breach, address, repeatsFrom }: ShownExample,
): WrittenExample {
  const run = writtenCheck(request, tracedActions(actions), cycleFrom);
  const example = { request, property, breach, address, repeatsFrom };
  return { run, text: (loaded) => counterexampleText(example, run, loaded) };
}
