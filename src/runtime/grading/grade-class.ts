/**
 * @module
 * Grades the submissions of a class. The results do not depend on the number of judges, on the time or on the language of
 * the machine. A limit of time gives no points.
 */

import { LabError } from '../../errors.ts';
import type { Exercise } from '../../exercise/document.ts';
import type { ExerciseResult, Grade, ResultStatus, TestResult } from '../../exercise/grading.ts';
import { grade, sharesOf } from '../../exercise/grading.ts';
import type { Instance } from '../../exercise/instance.ts';
import { createInstance, foreignOwners } from '../../exercise/instance.ts';
import type { Submission } from '../../exercise/submission.ts';
import { isFileKind, parseAnswer } from '../../exercise/submission.ts';
import { parseJsonText } from '../../experiment/reading/json-scan.ts';
import { nearestName } from '../../experiment/reading/nearest.ts';
import { Judges } from '../sandbox/judges.ts';
import { isStudentName, shown } from './submission-listing.ts';
import type { SubmittedTree } from './submitted-tree.ts';

/** What a submitted file may import besides. */
const READABLE = /\.(m?[tj]s|json)$/;
/** A submission as JSON is far shorter. */
const JSON_BYTES_MAX = 256 * 1024;

export interface ClassOrder {
  readonly exercises: readonly Exercise[];
  readonly secret: Uint8Array;
  /** All exercises, by which misnamed files are found; by default those that are graded. */
  readonly known?: readonly Exercise[];
  /** The files of each student, by path. */
  readonly students: ReadonlyMap<string, SubmittedTree>;
}

export interface GradingOptions {
  readonly judges: number;
  /** Limit of one file. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called after each submission with the number of those that are done, and of all. */
  readonly onProgress: (done: number, all: number) => void;
  /** Called for each submission with data of another student, which has no points. */
  readonly onSuspicion: (suspicion: Suspicion) => void;
}

/** Divides submissions among students: the first folder of a path is the name of its student. */
export function studentsIn(tree: SubmittedTree): ReadonlyMap<string, SubmittedTree> {
  const students = new Map<string, Map<string, Uint8Array | string>>();
  for (const [path, bytes] of tree) {
    const [student = '', ...rest] = path.split('/');
    if (rest.length === 0 || !isStudentName(student)) continue;
    const files = students.get(student) ?? new Map<string, Uint8Array | string>();
    students.set(student, files.set(rest.join('/'), bytes));
  }
  return students;
}

/** The exercises that someone has submitted to, also by a file with a wrong name. */
export function submittedExercises(
  exercises: readonly Exercise[],
  students: ClassOrder['students'],
): readonly Exercise[] {
  const trees = [...new Set(students.values())];
  const meant = new Set(
    trees.flatMap((files) => misnamedFiles(files, exercises).map(({ exercise }) => exercise)),
  );
  return exercises.filter(
    (exercise) =>
      meant.has(exercise.name) || trees.some((files) => filesFor(exercise, files).length > 0),
  );
}

/** Whether a file must be run. */
export function hasFiles({ exercises, students }: ClassOrder): boolean {
  return exercises.some(
    (exercise) =>
      isFileKind(exercise.submission) &&
      [...students.values()].some((files) => filesFor(exercise, files).length > 0),
  );
}

/** Grades all exercises of all students. Throws LabError `arguments` if files cannot be run here. */
export async function gradeClass(
  order: ClassOrder,
  { judges: count, seconds, signal, onProgress, onSuspicion }: GradingOptions,
): Promise<readonly ExerciseResult[]> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const judges = hasFiles(order) ? new Judges({ seconds, signal: stop }) : null;
  const tasks = tasksOf(order, onSuspicion);
  const all = order.students.size * order.exercises.length;
  const results: ExerciseResult[] = [];
  let next = 0;
  const work = async () => {
    for (;;) {
      const task = tasks[next];
      next += 1;
      if (task === undefined) return;
      results.push(...(stop.aborted ? interrupted(task) : await resultsOf(task, judges)));
      if (!failed.signal.aborted) onProgress(results.length, all);
    }
  };
  // After an error the busy judges are ended too: the process could not end beside them.
  const works = Array.from({ length: count }, () =>
    work().catch((error: unknown) => failed.abort(error)),
  );
  await Promise.all(works);
  await judges?.close();
  failed.signal.throwIfAborted();
  return results;
}

interface Task {
  readonly exercise: Exercise;
  readonly student: string;
  readonly files: SubmittedTree;
  readonly secret: Uint8Array;
  readonly known: readonly Exercise[];
  readonly instances: ClassInstances;
  readonly onSuspicion: GradingOptions['onSuspicion'];
}

/** The work on one exercise of students with the same tree, as an author has who tries a file for a class. */
type SharedTask = Omit<Task, 'student'> & { readonly students: readonly string[] };

function tasksOf(
  { exercises, secret, students, known = exercises }: ClassOrder,
  onSuspicion: GradingOptions['onSuspicion'],
): readonly SharedTask[] {
  const instances = new ClassInstances(secret, [...students.keys()]);
  const trees = Map.groupBy(students, ([, files]) => files);
  return [...trees].flatMap(([files, owners]) => {
    const names = owners.map(([student]) => student);
    const shared = { secret, files, known, instances, onSuspicion, students: names };
    return exercises.map((exercise) => ({ exercise, ...shared }));
  });
}

async function resultsOf(
  shared: SharedTask,
  judges: Judges | null,
): Promise<readonly ExerciseResult[]> {
  const { exercise, files, secret, students } = shared;
  const paths = filesFor(exercise, files);
  const [file] = paths;
  const forEach = (result: (task: Task) => ExerciseResult) =>
    students.map((student) => result({ ...shared, student }));
  const whole = files.get('');
  if (typeof whole === 'string') {
    return forEach((task) => without(task, 'incorrect', `cannot be graded: ${whole}`));
  }
  if (file === undefined) {
    const misnamed = misnamedFiles(files, shared.known).filter(
      (each) => each.exercise === exercise.name,
    );
    const detail = [NOTHING, ...misnamed.map(({ text }) => text)].join('; ');
    return forEach((task) => without(task, 'missing', detail));
  }
  if (paths.length > 1) {
    const detail = `submit one of these files: ${paths.join(', ')}`;
    return forEach((task) => without(task, 'incorrect', detail));
  }
  const isFile = isFileKind(exercise.submission);
  const readable = [...files].filter(([path]) => (isFile ? READABLE.test(path) : path === file));
  const leftOut = readable.map(([, bytes]) => bytes).filter((bytes) => typeof bytes === 'string');
  if (leftOut.length > 0) {
    return forEach((task) => without(task, 'incorrect', `cannot be graded: ${leftOut.join('; ')}`));
  }
  const taken = new Map(
    readable.filter((entry): entry is [string, Uint8Array] => typeof entry[1] !== 'string'),
  );
  if (!isFile) return forEach((task) => answerResult(task, taken.get(file) ?? new Uint8Array()));
  if (judges === null) throw new TypeError('no judge of files was started');
  const outcomes = await judges.grade({ exercise, secret, students, file, files: taken });
  return outcomes.map((outcome, index) => {
    const task = { ...shared, student: students[index] ?? '' };
    if (outcome.outcome === 'not-graded') return notGraded(task, outcome.reason);
    return graded(task, instanceOf(task), outcome.grade);
  });
}

const NOTHING = 'nothing was submitted';

function interrupted(task: SharedTask): readonly ExerciseResult[] {
  return task.students.map((student) => notGraded({ ...task, student }, 'interrupted'));
}

/** Grades a submission as it is sent over HTTP. */
function answerResult(task: Task, bytes: Uint8Array): ExerciseResult {
  const { exercise } = task;
  const instance = instanceOf(task);
  if (instance.goal.needs.length > 0) {
    const needs = instance.goal.needs.join(' and ');
    return notGraded(
      task,
      `only the server that has the record of the ${needs} grades this exercise`,
    );
  }
  const submission = submissionIn(bytes);
  if (typeof submission === 'string') return without(task, 'incorrect', submission);
  const record = { elections: {}, forgeries: [] };
  const found = grade(exercise, instance, { submission, record });
  const suspicions = found.passed
    ? []
    : task.instances.suspicionsOf(exercise, task.student, submission);
  for (const suspicion of suspicions) task.onSuspicion(suspicion);
  return graded(task, instance, suspicions.length === 0 ? found : withoutPoints(found));
}

/** The data of another student is wrong, whatever part of it would count. */
function withoutPoints({ findings }: Grade): Grade {
  return {
    points: 0,
    passed: false,
    findings: findings.map((finding) => ({ ...finding, points: 0 })),
  };
}

/** The submission in a file, or what is wrong with it. */
function submissionIn(bytes: Uint8Array): Submission | string {
  if (bytes.length > JSON_BYTES_MAX) return `the file has more than ${JSON_BYTES_MAX} bytes`;
  try {
    return parseAnswer(parseJsonText(new TextDecoder().decode(bytes)));
  } catch (error) {
    if (error instanceof LabError) return error.message;
    throw error;
  }
}

function instanceOf({ exercise, instances, student }: Task): Instance {
  return instances.of(exercise, student);
}

function graded(
  task: Task,
  instance: Instance,
  { points, passed, findings }: Grade,
): ExerciseResult {
  const most = pointsOf(task, instance);
  const tests = findings.map(({ criterion, met, points: earned, detail }): TestResult => {
    return { criterion, met, points: earned, pointsMax: most.get(criterion) ?? 0, detail };
  });
  const status = passed ? 'correct' : points > 0 ? 'partial' : 'incorrect';
  return { ...head(task), status, points, tests };
}

/** All criteria fail for one reason. */
function without(task: Task, status: ResultStatus, detail: string): ExerciseResult {
  const tests = [...pointsOf(task, instanceOf(task))].map(([criterion, pointsMax]): TestResult => {
    return { criterion, met: false, points: 0, pointsMax, detail };
  });
  return { ...head(task), status, points: 0, tests };
}

function notGraded(task: Task, reason: string): ExerciseResult {
  return without(task, 'not-graded', reason);
}

function head({ exercise, student }: Task) {
  const { name, title, points } = exercise;
  return { student, exercise: name, title, pointsMax: points };
}

/** The points of each criterion, as those of a grade. */
function pointsOf({ exercise }: Task, { goal }: Instance): ReadonlyMap<string, number> {
  const shares = sharesOf(exercise.points, goal.criteria);
  return new Map(goal.criteria.map(({ criterion }, index) => [criterion, shares[index] ?? 0]));
}

/** A submission with data of another student's instance. */
interface Suspicion {
  readonly exercise: string;
  readonly student: string;
  readonly of: string;
}

class ClassInstances {
  readonly #secret: Uint8Array;
  readonly #students: readonly string[];
  /** An instance has its task, whose keys take some milliseconds. */
  readonly #kept = new Map<string, Instance>();

  constructor(secret: Uint8Array, students: readonly string[]) {
    this.#secret = secret;
    this.#students = students;
  }

  of(exercise: Exercise, student: string): Instance {
    const key = JSON.stringify([exercise.name, student]);
    const instance =
      this.#kept.get(key) ?? createInstance(exercise, { secret: this.#secret, student });
    this.#kept.set(key, instance);
    return instance;
  }

  /** The other students whose data a submission has that is not correct. */
  suspicionsOf(exercise: Exercise, student: string, submission: Submission): readonly Suspicion[] {
    const others = this.#students.filter((name) => name !== student);
    const search = foreignOwners(submission, {
      own: this.of(exercise, student).goal,
      others: others.map((name) => ({ name, goal: () => this.of(exercise, name).goal })),
    });
    for (;;) {
      const { done, value } = search.next();
      if (done === true) return value.map((of) => ({ exercise: exercise.name, student, of }));
    }
  }
}

/** Endings of submitted files. */
const FILE_ENDINGS = ['.ts', '.mts', '.js', '.mjs'];
/** Some editors add .txt. */
const ENDING = /\.(?:m?[tj]s|json)(?:\.txt)?$/i;

/** A file that is probably meant as a submission. */
interface Misnamed {
  /** The exercise that is probably meant; null if none is near. */
  readonly exercise: string | null;
  /** What is wrong, as a sentence. */
  readonly text: string;
}

/** The files of a student that are the submission to an exercise: usually at most one. */
function filesFor(exercise: Exercise, files: SubmittedTree): readonly string[] {
  return namesFor(exercise).filter((path) => files.has(path));
}

function namesFor({ name, submission }: Exercise): readonly string[] {
  const endings = isFileKind(submission) ? FILE_ENDINGS : ['.json'];
  return endings.map((ending) => `${name}${ending}`);
}

/**
 * The misnamed files of a student. Another file beside a submission may be one that it imports. `folder` precedes the
 * paths in the texts.
 */
export function misnamedFiles(
  files: SubmittedTree,
  exercises: readonly Exercise[],
  folder = '',
): readonly Misnamed[] {
  const names = exercises.map(({ name }) => name);
  return [...files.keys()].flatMap((path): Misnamed[] => {
    const file = path.split('/').at(-1) ?? '';
    if (!ENDING.test(file)) return [];
    const stem = file.replace(ENDING, '');
    const meant = names.includes(stem) ? stem : nearestName(names, stem);
    const exercise = exercises.find(({ name }) => name === meant);
    if (exercise === undefined) {
      if (!/\.json$/i.test(file)) return [];
      const text = `${shown(`${folder}${path}`)} is no submission: there is no exercise ${shown(stem)}`;
      return [{ exercise: null, text }];
    }
    if (filesFor(exercise, files).length > 0) return [];
    const [expected = ''] = namesFor(exercise);
    const text = `${shown(`${folder}${path}`)} is no submission; did you mean ${folder}${expected}?`;
    return [{ exercise: exercise.name, text }];
  });
}
