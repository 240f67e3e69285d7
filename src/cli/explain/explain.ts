/**
 * @module
 * This folder contains `usurp explain`, which says in sentences what a file of usurp shows: a saved run, a counterexample,
 * the JSON of an operation, or grades.
 */

import type { Command } from 'commander';
import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { isCounterexample, recordsOf } from '../../experiment/checks/counterexample.ts';
import { measuredSchema, verdictSchema } from '../../experiment/verdict/verdict.ts';
import { checkOutput } from '../../operations/check/output.ts';
import { tracedActions } from '../../operations/check/report.ts';
import { OPERATION_NAMES, operationNamed } from '../../operations/registry.ts';
import { printableLine } from '../../printable.ts';
import { parseBySchema } from '../../schema.ts';
import { SAVED_RUN_FORMAT } from '../../simulation/report/saved-run.ts';
import { loadRepeated, repeatRun } from '../replay/replay.ts';
import { oneOf } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { inFile, nameOf, readText } from '../shell/files.ts';
import { wrapped } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { Course, Length } from './explanation.ts';
import {
  counterexampleSentences,
  GRADES,
  gradeSentences,
  LENGTHS,
  reportSentences,
  runSentences,
} from './explanation.ts';

interface ExplainOptions extends OutputOptions {
  readonly length: Length;
}

type Kind = 'run' | 'counterexample' | 'verdict' | 'grade';
type Explanation = { readonly kind: Kind; readonly sentences: readonly string[] };

/** The grades of a large class need most. */
const BYTES_MAX = 8 * 1024 * 1024;
/** The output of a check in a job has fewer levels. */
const DEPTH_MAX = 32;

/** The command `explain`. */
export function explainCommand(session: Session): Command {
  return verb(
    'explain',
    'say in sentences what a saved run, a counterexample, a verdict or a grade shows',
  )
    .argument('<file>', 'file of usurp, or - for stdin')
    .option(
      '--length <length>',
      `how much it says: ${LENGTHS.join(', ')}`,
      oneOf(LENGTHS),
      'medium',
    )
    .addHelpText('after', HELP)
    .action((file: string, options: ExplainOptions) =>
      session.run(options, (terminal) => explain(file, options, terminal)),
    );
}

const TAKES =
  'a saved run or counterexample of --save, what an operation prints with --json, the result of a job, what usurp grade --json prints, or a results.json of usurp grade';

const HELP = `
Takes ${TAKES}.
short says the outcome, medium also how it came about, long everything. A saved run or counterexample is carried out again.

Exit codes: 0 it is explained; 1 a saved run or counterexample does not show any more what was saved.

Examples:
  usurp elect cr-join --nodes 5 --random-faults --seed 1 --save run.json
  usurp explain run.json
  usurp check bully-oneshot --properties one-leader --save two-leaders.json
  usurp explain two-leaders.json --length long
  usurp run top-id --json | usurp explain - --length short
  usurp explain grades/students/ada/results.json`;

async function explain(
  file: string,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { length } = options;
  const name = nameOf(file);
  const text = await readText(file, terminal, BYTES_MAX);
  const json = inFile(name, () => parsedJson(text));
  let isShown = true;
  let explanation: Explanation | null;
  if (memberOfJson(json, 'format') === SAVED_RUN_FORMAT) {
    const { simulation, answer } = await repeatRun({ file, text }, null, terminal);
    if (terminal.signal.aborted) return EXIT.interrupted;
    explanation = { kind: 'run', sentences: runSentences(simulation, answer, length) };
    isShown = answer.same !== false;
  } else if (isCounterexample(text)) {
    const { saved, repeated } = loadRepeated(name, text);
    const { plan, records } = repeated.run;
    const { digest, doubt, firstRepeated: cycleFrom } = repeated;
    const { protocol, goal, resource } = saved.request;
    isShown = doubt === null && digest === saved.digest;
    const sentences = counterexampleSentences(
      { ...saved, protocol, nodes: plan.nodes, cycleFrom },
      { ...saved, isGoal: goal !== undefined, doubt },
      courseOf(records(), plan.store, resource != null),
      length,
    );
    explanation = { kind: 'counterexample', sentences };
  } else
    explanation = inFile(name, () => explainResult(json, length) ?? explainGrades(json, length));
  if (explanation === null) throw new LabError('arguments', `${name} is none of: ${TAKES}`);
  const { kind } = explanation;
  const sentences = explanation.sentences.map(printableLine);
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ kind, length, sentences })}\n`
      : sentences.map((each) => `${wrapped(each).join('\n')}\n`).join(''),
  );
  return isShown ? EXIT.holds : EXIT.violated;
}

/** JSON that is not too deep for functions that go through it. Numbers may be larger than those of documents. */
function parsedJson(text: string): unknown {
  let depth = 0;
  let isQuoted = false;
  for (const [token] of text.matchAll(/\\.|["[\]{}]/g)) {
    if (token === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /^[[{]/.test(token)) depth += 1;
    else if (!isQuoted) depth -= 1;
    if (depth > DEPTH_MAX)
      throw new LabError('json.depth', `nested deeper than ${DEPTH_MAX} levels`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new LabError('json.syntax', `this is not JSON; usurp explain takes ${TAKES}`);
  }
}

/** An own member of an object. Undefined without it. */
function memberOfJson(json: unknown, name: string): unknown {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  return Object.entries(json).find(([key]) => key === name)?.[1];
}

function courseOf(records: Course['records'], store: number | null, hasResource: boolean) {
  return { records, store, hasResource, refusals: new Map(), isUntimed: true };
}

/** What an operation printed, or a job that ran it. Null if it names no operation. */
function explainResult(json: unknown, length: Length): Explanation | null {
  const output = memberOfJson(json, 'replay') === undefined ? memberOfJson(json, 'result') : json;
  const replay = memberOfJson(output, 'replay');
  if (typeof replay !== 'string') return null;
  const [, name = ''] = /(?:^|[ /])usurp(?:\.js)?'? ([a-z-]+)/.exec(replay) ?? [];
  if (!OPERATION_NAMES.includes(name)) return null;
  const operation = operationNamed(name);
  const result = parseBySchema(operation.output, output, `result of usurp ${name}`);
  const verdict = VERDICT.safeParse(output);
  try {
    if (verdict.success) assertAgree(verdict.data);
    const report = operation.report(result);
    const check = name === 'check' ? checkOutput.parse(output) : null;
    if (check === null || !('actions' in check)) {
      return { kind: 'verdict', sentences: reportSentences(report, length) };
    }
    const isGoal = check.result === 'reachable';
    const records = recordsOf(tracedActions(check.actions));
    const course = courseOf(records, check.store, check.resource !== null);
    const before = report.filter(({ type }) => type !== 'lines' && length !== 'short');
    const shown = counterexampleSentences(check, { ...check, isGoal, doubt: null }, course, length);
    return { kind: 'counterexample', sentences: [...reportSentences(before, length), ...shown] };
  } catch {
    // The schema leaves open what an operation knows of its own output.
    throw new LabError(
      'schema',
      `no usurp ${name} prints this result: its parts do not fit together`,
    );
  }
}

const VERDICT = z.object({
  verdict: verdictSchema,
  results: z.array(z.object({ verdict: verdictSchema, measured: measuredSchema })),
});

/** Throws TypeError if the words of a verdict and its numbers contradict each other. */
function assertAgree({ verdict, results }: z.output<typeof VERDICT>): void {
  const isSaid = ({ value, sentence }: typeof verdict) => sentence.toLowerCase().startsWith(value);
  const isWhole = results.every(({ verdict: own, measured }) => {
    const { runs, wins, frequency, interval } = measured;
    const [least, most] = interval ?? [frequency, frequency];
    const isInside = least <= frequency && frequency <= most;
    return isSaid(own) && wins <= runs && Math.abs(frequency - wins / runs) < 1e-9 && isInside;
  });
  if (!isWhole || !isSaid(verdict)) throw new TypeError('a verdict contradicts its numbers');
}

function explainGrades(json: unknown, length: Length): Explanation | null {
  const grades = GRADES.safeParse(json);
  if (!grades.success) return null;
  return { kind: 'grade', sentences: gradeSentences(grades.data, length) };
}
