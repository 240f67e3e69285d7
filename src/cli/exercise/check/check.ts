/**
 * @module
 * This folder contains `usurp exercise check`, with which an author tries an exercise before a class does.
 */

import { readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { LabError } from '../../../errors.ts';
import { COURSE_SECRET_BYTES } from '../../../exercise/derivation.ts';
import type { Exercise } from '../../../exercise/document.ts';
import type { Instance } from '../../../exercise/instance.ts';
import { createInstance } from '../../../exercise/instance.ts';
import { parseExercise } from '../../../exercise/reading.ts';
import type { FileKind, Submission, SubmissionKind } from '../../../exercise/submission.ts';
import { isFileKind, submissionSchema } from '../../../exercise/submission.ts';
import type { ClaimJson } from '../../../identity/claim.ts';
import { counted } from '../../../operations/figures.ts';
import { printable } from '../../../printable.ts';
import { gradeClass } from '../../../runtime/grading/grade-class.ts';
import type { SubmittedTree } from '../../../runtime/grading/submitted-tree.ts';
import { readSubmissions } from '../../../runtime/grading/submitted-tree.ts';
import type { ExitCode } from '../../shell/exit.ts';
import { EXIT } from '../../shell/exit.ts';
import { readText } from '../../shell/files.ts';
import { fittedColumns, textColumns } from '../../shell/layout.ts';
import type { OutputOptions } from '../../shell/options.ts';
import { wantsJson } from '../../shell/options.ts';
import type { Terminal } from '../../shell/terminal.ts';
import type { Attempt, Solve, Trial } from './http-scripts.ts';
import { runOverHttp, SCRIPT_SECONDS_MAX, solveOf } from './http-scripts.ts';

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
    exercise,
    students,
    secret: SECRET,
    signal: terminal.signal,
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
    correct: count('correct'),
    partial: count('partial'),
    incorrect: count('incorrect'),
    failed: count('failed'),
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
  return `${fittedColumns([head, ...rows])}\n${textColumns(found)}${end}`;
}

/** Judges a text as the submission of each student, beside other files. Throws LabError `arguments` without a sandbox. */
async function judgeFile(
  text: string,
  others: SubmittedTree,
  trial: Trial,
): Promise<readonly Attempt[]> {
  const { exercise, secret, signal, onProgress } = trial;
  const files = new Map([...others, [`${exercise.name}.ts`, new TextEncoder().encode(text)]]);
  const students = new Map(trial.students.map((student) => [student, files]));
  const results = await gradeClass(
    { exercises: [exercise], secret, students },
    {
      judges: availableParallelism(),
      seconds: SCRIPT_SECONDS_MAX,
      signal,
      onProgress,
      // Files have no data of an instance.
      onSuspicion: () => undefined,
    },
  );
  return results.map(({ student, status, points, tests }) => {
    const missing = tests.filter(({ met }) => !met).map(({ detail }) => detail);
    const isGraded = status !== 'not-graded' && status !== 'missing';
    const reached = isGraded ? status : 'failed';
    const head = { student, status: reached, points, missing } as const;
    return { ...head, submission: null, otherRequests: 0, isCopyRight: null };
  });
}

type HttpKind = Exclude<SubmissionKind, FileKind>;

const NO_ID = '0'.repeat(64);

const NO_CLAIM: ClaimJson = {
  publicKey: NO_ID,
  nodeId: NO_ID,
  solution: null,
  signature: '0'.repeat(128),
  scheme: 'ed25519',
};

const EMPTY: { readonly [Kind in HttpKind]: Extract<Submission, { type: Kind }> } = {
  number: { type: 'number', number: 0 },
  checks: { type: 'checks', checks: [{ claim: '00000000', check: 'none', measuredBits: null }] },
  claim: { type: 'claim', claim: NO_CLAIM },
  ring: { type: 'ring', ring: [NO_ID] },
  claims: { type: 'claims', claims: [NO_CLAIM] },
  settings: { type: 'settings', settings: {} },
  scenario: {
    type: 'scenario',
    crashes: [],
    pauses: [],
    defences: [],
    changes: [],
    resource: 'unfenced',
  },
  counterexamples: { type: 'counterexamples', byHand: [], byCheck: [] },
  elections: { type: 'elections' },
};

/** Creates the instance, and submits an empty answer. */
function solveNothing(name: string, kind: HttpKind): Solve {
  return async (client) => {
    await client.instance(name);
    return client.submit(name, EMPTY[kind]);
  };
}

/** A file that defines nothing. */
const EMPTY_FILE = 'export {};\n';

/** A fault, or a warning, which an author may accept. */
interface Leak {
  readonly severity: 'fault' | 'warning';
  /** The script that shows it; null if none does. */
  readonly script: string | null;
  readonly detail: string;
}

/** The script of a student who does nothing. */
const NOTHING = 'doing nothing';

/** Whether the reference solution is correct for every student. */
function referenceLeaks(script: string, attempts: readonly Attempt[]): Leak[] {
  const others = attempts.filter(({ status }) => status !== 'correct');
  return faultOf(script, 'is not correct', others);
}

/** Whether a wrong solution fails for every student, with a finding, and without more points than its author states. */
export function wrongLeaks(
  script: string,
  attempts: readonly Attempt[],
  pointsIntended: Exercise['wrongPoints'],
): Leak[] {
  const silent = attempts.filter(
    ({ status, missing }) => status !== 'correct' && missing.join('').trim() === '',
  );
  return [
    ...faultOf(script, 'is correct', withStatus(attempts, 'correct')),
    ...faultOf(script, 'ends without a grade', withStatus(attempts, 'failed')),
    ...faultOf(script, 'fails without a finding', silent),
    ...earningLeaks(script, attempts, pointsIntended),
  ];
}

function earningLeaks(
  script: string,
  attempts: readonly Attempt[],
  pointsIntended: Exercise['wrongPoints'],
): Leak[] {
  const name = script.replace(/\.[jt]s$/, '');
  const intended = pointsIntended[name] ?? 0;
  const partial = withStatus(attempts, 'partial');
  const earning = partial.filter(({ points }) => points > intended);
  const [first] = earning;
  if (first === undefined) return [];
  const most = Math.max(...earning.map(({ points }) => points));
  const of = `${counted(earning.length, 'student')}, first ${first.student}`;
  const remedy = `if that is intended, write "wrongPoints: { ${name}: ${most} }" in the document`;
  const detail = `earns up to ${counted(most, 'point')} for ${of}; ${remedy}`;
  return [{ severity: 'warning', script, detail }];
}

/** Whether doing nothing earns points. */
function nothingLeaks(attempts: readonly Attempt[]): Leak[] {
  const earning = attempts.filter(({ points }) => points > 0);
  const most = Math.max(...earning.map(({ points }) => points));
  return faultOf(NOTHING, `earns up to ${counted(most, 'point')}`, earning);
}

/**
 * Whether the answers of the reference solution can be copied. Where answers have data of the instance, no student may have
 * the answer of another one. Other answers may coincide, but not for all students.
 */
export function equalAnswers(
  script: string,
  attempts: readonly Attempt[],
  instances: ReadonlyMap<string, Pick<Instance, 'goal'>>,
): Leak[] {
  const answers = attempts.flatMap(({ student, submission }) => {
    const read = submissionSchema.safeParse(submission);
    const goal = instances.get(student)?.goal;
    if (!read.success || goal === undefined || read.data.type === 'elections') return [];
    return [{ student, answer: read.data, text: JSON.stringify(read.data), goal }];
  });
  const bound = answers.filter(({ answer, goal }) => goal.isOf(answer));
  for (const { student, answer, text, goal } of bound) {
    const other = bound.find(
      (each) =>
        each.student !== student &&
        (each.text === text || (!goal.isOfOne && each.goal.isOf(answer))),
    );
    if (other === undefined) continue;
    const detail = `equal answers: that of ${student} is also one of ${other.student}`;
    return [{ severity: 'fault', script, detail }];
  }
  const isOne = answers.length > 1 && new Set(answers.map(({ text }) => text)).size === 1;
  if (!isOne) return [];
  const detail = `equal answers: all ${counted(answers.length, 'student')} submit the same one`;
  return [{ severity: 'warning', script, detail }];
}

/** Whether the answer of a student was right for the next one. */
export function copiedAnswers(script: string, attempts: readonly Attempt[]): Leak[] {
  const tried = attempts.filter(({ isCopyRight }) => isCopyRight !== null);
  const right = tried.filter(({ isCopyRight }) => isCopyRight);
  const [first] = right;
  if (first === undefined) return [];
  const detail = `copied answers: for ${right.length} of ${counted(tried.length, 'student')}, first ${first.student}, the answer of the student before is right`;
  return [{ severity: 'warning', script, detail }];
}

/** Requests of a solution that can be one command. */
const REQUESTS_OF_ONE_COMMAND = 1;

/** Whether the reference solution can be one command: by the number of its requests, because commands are not known. */
export function oneCommand(script: string, attempts: readonly Attempt[]): Leak[] {
  const most = Math.max(0, ...attempts.map(({ otherRequests }) => otherRequests));
  if (most > REQUESTS_OF_ONE_COMMAND || attempts.length === 0) return [];
  const detail = `perhaps solvable by one command: besides instance and submission it makes ${most === 0 ? 'no request' : 'one request'}`;
  return [{ severity: 'warning', script, detail }];
}

function withStatus(attempts: readonly Attempt[], status: Attempt['status']): Attempt[] {
  return attempts.filter((attempt) => attempt.status === status);
}

function faultOf(script: string, what: string, attempts: readonly Attempt[]): Leak[] {
  const [first] = attempts;
  if (first === undefined) return [];
  const why = first.missing.length === 0 ? '' : `: ${first.missing.join('; ')}`;
  const of = `${counted(attempts.length, 'student')}, first ${first.student}${why}`;
  return [{ severity: 'fault', script, detail: `${what} for ${of}` }];
}
