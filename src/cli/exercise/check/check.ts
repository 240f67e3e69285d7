/**
 * @module
 * This folder contains `usurp exercise check`, with which an author tries an exercise before a class does.
 */

import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LabError } from '../../../errors.ts';
import { COURSE_SECRET_BYTES } from '../../../exercise/derivation.ts';
import type { Exercise } from '../../../exercise/document.ts';
import { createInstance } from '../../../exercise/instance.ts';
import { parseExercise } from '../../../exercise/reading.ts';
import { isFileKind } from '../../../exercise/submission.ts';
import { printable } from '../../../printable.ts';
import { readSubmissions } from '../../../runtime/grading/submitted-tree.ts';
import type { ExitCode } from '../../shell/exit.ts';
import { EXIT } from '../../shell/exit.ts';
import { readText } from '../../shell/files.ts';
import { columns, textColumns } from '../../shell/layout.ts';
import type { OutputOptions } from '../../shell/options.ts';
import { wantsJson } from '../../shell/options.ts';
import type { Terminal } from '../../shell/terminal.ts';
import type { Attempt, Trial } from './attempts.ts';
import { judgeFile } from './file-scripts.ts';
import { runOverHttp, solveOf } from './http-scripts.ts';
import type { Leak } from './leaks.ts';
import {
  copiedAnswers,
  equalAnswers,
  NOTHING,
  nothingLeaks,
  oneCommand,
  referenceLeaks,
  wrongLeaks,
} from './leaks.ts';
import { EMPTY_FILE, solveNothing } from './nothing.ts';

export interface CheckTask {
  /** The folder of the exercise, or its document; null if none is given. */
  readonly path: string | null;
  readonly students: number;
  readonly options: OutputOptions;
  readonly terminal: Terminal;
}

/** Wrong solutions that an exercise must have. */
const WRONG_MIN = 2;

/** Always the same, so that a check can be repeated. */
const SECRET = new Uint8Array(COURSE_SECRET_BYTES).fill(1);

/** What one script has reached for all students. */
interface ScriptResult {
  readonly script: string;
  readonly attempts: readonly Attempt[];
}

/** Runs the scripts of an exercise for a class. Throws LabError `document` or `arguments`. */
export async function checkExercise(task: CheckTask): Promise<ExitCode> {
  const { terminal, options } = task;
  const file = await documentIn(task.path);
  const exercise = parseExercise(await readText(file, terminal), file);
  const students = Array.from({ length: task.students }, (_, index) => `student-${index}`);
  const { reference, wrong, leaks } = await scriptsIn(exercise, dirname(file));
  const run = runnerOf(exercise, dirname(file), { students, reference, terminal });
  const results: ScriptResult[] = [];
  for (const script of [NOTHING, ...wrong, ...reference]) {
    if (terminal.signal.aborted) break;
    const outcome = await run(script);
    if (typeof outcome === 'string') leaks.push({ severity: 'fault', script, detail: outcome });
    else results.push({ script, attempts: outcome });
  }
  if (terminal.signal.aborted) return EXIT.interrupted;
  for (const result of results) leaks.push(...leaksIn(result, exercise, reference));
  const faults = leaks.filter(({ severity }) => severity === 'fault');
  const checked = {
    exercise: exercise.name,
    students: students.length,
    scripts: results.map(summaryOf),
  };
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ ...checked, leaks })}\n`
      : printable(tableOf(results, leaks)),
  );
  return faults.length === 0 ? EXIT.holds : EXIT.violated;
}

/** The document at a path, which may be that of its folder. */
async function documentIn(path: string | null): Promise<string> {
  if (path === null) {
    const detail = 'name the folder of an exercise, for example exercises/mine-claim';
    throw new LabError('arguments', detail);
  }
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  return isFolder ? join(path, 'exercise.yaml') : path;
}

/** The scripts beside a document, and what is missing. */
async function scriptsIn({ submission }: Exercise, folder: string) {
  const ending = isFileKind(submission) ? '.ts' : '.js';
  const names = (await readdir(folder)).toSorted().filter((name) => name.endsWith(ending));
  const reference = names.filter((name) => name === `solution${ending}`);
  const wrong = names.filter((name) => name.startsWith('wrong-'));
  const leaks: Leak[] = [];
  const missing = (detail: string) => leaks.push({ severity: 'fault', script: null, detail });
  if (reference.length === 0) missing(`there is no solution${ending}`);
  if (wrong.length < WRONG_MIN) missing(`there must be ${WRONG_MIN} scripts wrong-*${ending}`);
  return { reference, wrong, leaks };
}

/** Runs a script; a text says why it cannot be run. */
type Run = (script: string) => Promise<readonly Attempt[] | string>;

function runnerOf(
  exercise: Exercise,
  folder: string,
  {
    students,
    reference,
    terminal,
  }: Pick<Trial, 'students'> & {
    readonly reference: readonly string[];
    readonly terminal: Terminal;
  },
): Run {
  const trialOf = (script: string): Trial => ({
    ...{ exercise, students, secret: SECRET, signal: terminal.signal },
    copies: reference.includes(script),
    onProgress: (done) =>
      terminal.progress(() => `${script}: ${done} of ${students.length} students`),
  });
  const { submission: kind } = exercise;
  if (!isFileKind(kind)) {
    return async (script) => {
      const solve =
        script === NOTHING
          ? solveNothing(exercise.name, kind)
          : await solveOf(resolve(folder, script));
      return typeof solve === 'string' ? solve : runOverHttp(solve, trialOf(script));
    };
  }
  return async (script) => {
    const files = await readSubmissions(folder, { isOne: true });
    const text = script === NOTHING ? EMPTY_FILE : await readText(join(folder, script), terminal);
    return judgeFile(text, files, trialOf(script));
  };
}

function leaksIn(
  { script, attempts }: ScriptResult,
  exercise: Exercise,
  reference: readonly string[],
): Leak[] {
  if (script === NOTHING) return nothingLeaks(attempts);
  if (!reference.includes(script)) {
    return wrongLeaks(script, attempts, exercise.wrongPoints);
  }
  const own = referenceLeaks(script, attempts);
  if (isFileKind(exercise.submission)) return own;
  const instances = new Map(
    attempts.map(({ student }) => [student, createInstance(exercise, { secret: SECRET, student })]),
  );
  return [
    ...own,
    ...equalAnswers(script, attempts, instances),
    ...copiedAnswers(script, attempts),
    ...oneCommand(script, attempts),
  ];
}

function summaryOf({ script, attempts }: ScriptResult) {
  const count = (status: Attempt['status']) =>
    attempts.filter((attempt) => attempt.status === status).length;
  return {
    script,
    ...{ correct: count('correct'), partial: count('partial') },
    ...{ incorrect: count('incorrect'), failed: count('failed') },
    findings: [...new Set(attempts.flatMap(({ missing }) => missing))],
  };
}

function tableOf(results: readonly ScriptResult[], leaks: readonly Leak[]): string {
  const head = ['script', 'correct', 'partial', 'incorrect', 'failed'];
  const rows = results.map(summaryOf).map(({ findings: _findings, script, ...counts }) => {
    return [script, ...Object.values(counts).map(String)];
  });
  const found = leaks.map(({ severity, script, detail }) => [
    severity,
    script === null ? detail : `${script} ${detail}`,
  ]);
  const faults = leaks.filter(({ severity }) => severity === 'fault').length;
  const end = faults === 0 ? 'no fault\n' : '';
  return `${columns([head, ...rows])}\n${textColumns(found)}${end}`;
}
