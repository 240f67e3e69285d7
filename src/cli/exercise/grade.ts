/**
 * @module
 * `usurp grade` grades the submissions of a class offline and writes the reports that
 * learning platforms read.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { Command } from 'commander';

import manifest from '../../../package.json' with { type: 'json' };
import { LabError } from '../../errors.ts';
import type { Exercise } from '../../exercise/document.ts';
import type { StudentResults } from '../../exercise/grading.ts';
import { byStudent, printableResults } from '../../exercise/grading.ts';
import type { Visibility } from '../../exercise/reports.ts';
import {
  classroomReport,
  csvReport,
  ctrfReport,
  gradescopeReport,
  junitReport,
  VISIBILITIES,
} from '../../exercise/reports.ts';
import { printable } from '../../printable.ts';
import { readExercisesWith } from '../../runtime/files/exercises.ts';
import { makeFolder } from '../../runtime/files/file-sink.ts';
import {
  gradeClass,
  misnamedFiles,
  studentsIn,
  submittedExercises,
} from '../../runtime/grading/grade-class.ts';
import { readSubmissions } from '../../runtime/grading/submitted-tree.ts';
import { courseSecretOf } from '../serve/course-secret.ts';
import { duration, oneOf } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import { fittedColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { perCore, verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';

interface GradeOptions extends OutputOptions {
  readonly courseSecret: string;
  readonly out: string;
  readonly exercise: readonly string[];
  readonly exercises?: string | undefined;
  readonly student?: string | undefined;
  readonly workers: number;
  readonly timeLimit: number;
  readonly visibility: Visibility;
  readonly force?: true | undefined;
}

const SECONDS_MAX = 120;

/** The command `grade`. */
export function gradeCommand(session: Session): Command {
  const collect = (name: string, names: readonly string[]) => [...names, name];
  return verb('grade', 'grade the submissions of a class offline, and write reports')
    .argument('<submissions>', 'folder or archive (.zip, .tar.gz) with a folder for each student')
    .requiredOption('--course-secret <file>', 'file with the secret of the course')
    .requiredOption('-o, --out <folder>', 'folder of the reports')
    .option(
      '--exercise <name>',
      'exercise to grade; repeatable; without it every exercise that has a submission',
      collect,
      [],
    )
    .option('--exercises <folder>', 'exercises of your own, as for usurp serve')
    .option('--student <id>', 'all submissions are those of this student')
    .addOption(perCore('--workers <count>', 'number of files that are judged at once'))
    .option('--time-limit <time>', 'time limit of one file', duration, SECONDS_MAX)
    .option(
      '--visibility <when>',
      `when students see the tests in Gradescope: ${VISIBILITIES.join(', ')}`,
      oneOf(VISIBILITIES),
      VISIBILITIES[0],
    )
    .option('-f, --force', 'replace reports that exist, and remove those of students who are gone')
    .addHelpText('after', HELP)
    .action((submissions: string, options: GradeOptions) =>
      session.run(options, (terminal) => run(submissions, options, terminal)),
    );
}

const HELP = `
A submission is STUDENT/EXERCISE.json, with the body that is submitted over HTTP, or STUDENT/EXERCISE.ts, a file with a
protocol, behaviour or defence. Such a file runs only in a sandbox. Without bubblewrap the command refuses to run it.
Links, special files and files of more than 1 MiB are left out: only an exercise that needs such a file is not passed.
A student with more than 2000 files or 8 MiB, or with a path that leads outside, gets no points; all others are graded.
Files whose names are probably mistakes are named.
Writes grades.csv, junit.xml and ctrf.json, and for each student students/STUDENT/results.json (Gradescope) and
classroom.json (GitHub Classroom). With --student these two are in the folder itself. The reports are the same bytes on
every machine, with any number of workers. A file that is not finished at the time limit is not graded.
Exits 0 if every submission is graded, whether it is correct or not, and 2 if one is not graded. --json prints the status of each.

Examples:
  usurp grade submissions.zip --course-secret course-secret --out grades
  usurp grade /autograder/submission --student ada --exercise mine-claim --course-secret course-secret --out /autograder/results`;

async function run(path: string, options: GradeOptions, terminal: Terminal): Promise<ExitCode> {
  const secret = await secretOf(options.courseSecret, terminal);
  const isOne = options.student !== undefined;
  const { signal } = terminal;
  const tree = await readSubmissions(path, { isOne, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return null;
  });
  if (tree === null) return EXIT.interrupted;
  const leftOut = [...tree.values()].filter((reason) => typeof reason === 'string');
  noteAll(
    leftOut.map((reason) => `left out: ${reason}`),
    terminal,
  );
  const students =
    options.student === undefined ? studentsIn(tree) : new Map([[options.student, tree]]);
  if (students.size === 0) {
    const detail = `${path} has no folder of a student; --student says that all files are those of one`;
    throw new LabError('arguments', detail);
  }
  const known = await readExercisesWith(options.exercises);
  const misnamed = [...students].flatMap(([student, files]) =>
    misnamedFiles(files, known, options.student === undefined ? `${student}/` : ''),
  );
  noteAll(
    misnamed.map(({ text }) => text),
    terminal,
  );
  const exercises =
    options.exercise.length === 0
      ? submittedExercises(known, students)
      : options.exercise.map((name) => exerciseNamed(known, name));
  if (exercises.length === 0) {
    throw new LabError(
      'arguments',
      `${path} has no submission: a file STUDENT/EXERCISE.json or .ts`,
    );
  }
  const names = [...students.keys()].toSorted();
  const targets = names.map((name) => folderOf(options, name));
  await assertFree(options, targets);
  const long = options.student === undefined ? names.filter(hasShortened) : [];
  noteAll(
    long.map((name) => `${name} has reports in students/${shortened(name)}`),
    terminal,
  );
  const suspicions: string[] = [];
  const results = byStudent(
    await gradeClass(
      { exercises, known, secret, students },
      {
        judges: options.workers,
        seconds: options.timeLimit,
        signal: terminal.signal,
        onProgress: (done, all) => terminal.progress(() => `graded ${done} of ${all} submissions`),
        onSuspicion: ({ student, exercise, of }) =>
          suspicions.push(`${exercise} of ${student} has data of ${of}, and gets no points`),
      },
    ),
  );
  for (const suspicion of suspicions.toSorted()) terminal.note(suspicion);
  await writeReports(results, options);
  await removeFormer(options, new Set(targets));
  terminal.print(wantsJson(options) ? `${JSON.stringify(results)}\n` : printable(tableOf(results)));
  return terminal.signal.aborted ? EXIT.interrupted : exitOf(results);
}

/** The first notes of a kind, and the number of the others. */
function noteAll(notes: readonly string[], terminal: Terminal): void {
  for (const note of notes.slice(0, NOTES_MAX)) terminal.note(note);
  const more = notes.length - NOTES_MAX;
  if (more > 0) terminal.note(`and ${more} more`);
}

const NOTES_MAX = 50;

async function secretOf(file: string, terminal: Terminal): Promise<Uint8Array> {
  const secret = existsSync(file) ? await courseSecretOf(file, terminal) : undefined;
  if (secret !== undefined) return secret;
  const detail = `${file} does not exist; it is the file of usurp serve --course-secret, from which all instances are made`;
  throw new LabError('file.missing', detail);
}

function exerciseNamed(known: readonly Exercise[], name: string): Exercise {
  const found = known.find((exercise) => exercise.name === name);
  if (found !== undefined) return found;
  const names = known.map((exercise) => exercise.name).join(', ');
  throw new LabError(
    'arguments',
    `there is no exercise ${JSON.stringify(name)}; there are ${names}`,
  );
}

const CLASS_REPORTS = ['grades.csv', 'junit.xml', 'ctrf.json'];
const STUDENT_REPORTS = ['results.json', 'classroom.json'];

/** Limit of file systems. */
const FOLDER_NAME_MAX = 255;

/** In the name of a folder, what separates a beginning from a digest. Percent-encoded names do not have it. */
const BEFORE_DIGEST = '+';
const BEGINNING_MAX = 200;
const DIGEST_CHARACTERS = 16;

/** The folder of the reports on a student, whose name can have any characters and any length. */
function folderOf({ out, student }: GradeOptions, name: string): string {
  if (student !== undefined) return out;
  return join(out, 'students', hasShortened(name) ? shortened(name) : encodeURIComponent(name));
}

function hasShortened(name: string): boolean {
  return encodeURIComponent(name).length > FOLDER_NAME_MAX;
}

/** The beginning of a name, percent-encoded, and a digest of the whole name. */
function shortened(name: string): string {
  let beginning = '';
  for (const character of name) {
    const longer = beginning + encodeURIComponent(character);
    if (longer.length > BEGINNING_MAX) break;
    beginning = longer;
  }
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${beginning}${BEFORE_DIGEST}${digest}`;
}

async function assertFree(options: GradeOptions, targets: readonly string[]): Promise<void> {
  const { out, force = false } = options;
  const paths = [
    ...CLASS_REPORTS.map((name) => join(out, name)),
    ...targets.flatMap((folder) => STUDENT_REPORTS.map((name) => join(folder, name))),
  ];
  for (const path of paths) if (existsSync(dirname(path))) await refuseTarget(path, force);
}

async function writeReports(
  results: readonly StudentResults[],
  options: GradeOptions,
): Promise<void> {
  const { out, visibility, force = false } = options;
  const write = async (path: string, text: string) => {
    makeFolder(dirname(path));
    await writeWhole(path, text, { force, isPrivate: true });
  };
  // The folders have the names as they are.
  const shown = results.map(printableResults);
  for (const [index, result] of shown.entries()) {
    const folder = folderOf(options, results[index]?.student ?? '');
    await write(join(folder, 'results.json'), gradescopeReport(result, visibility));
    await write(join(folder, 'classroom.json'), classroomReport(result));
  }
  await write(join(out, 'grades.csv'), csvReport(shown));
  await write(join(out, 'junit.xml'), junitReport(shown));
  await write(join(out, 'ctrf.json'), ctrfReport(shown, manifest.version));
}

/** Removes the reports of students who are gone: they have none of these folders. Other files stay. */
async function removeFormer(
  { out, student, force }: GradeOptions,
  targets: ReadonlySet<string>,
): Promise<void> {
  if (force !== true || student !== undefined) return;
  for (const entry of await readdir(join(out, 'students'), { withFileTypes: true })) {
    const folder = join(out, 'students', entry.name);
    if (!entry.isDirectory() || targets.has(folder)) continue;
    for (const name of STUDENT_REPORTS) await rm(join(folder, name), { force: true });
    if ((await readdir(folder)).length === 0) await rmdir(folder);
  }
}

function tableOf(results: readonly StudentResults[]): string {
  const rows = results.flatMap(({ student, exercises }) =>
    exercises.map(({ exercise, status, points, pointsMax }) => [
      student,
      exercise,
      status,
      `${points}/${pointsMax}`,
    ]),
  );
  return fittedColumns(rows);
}

function exitOf(results: readonly StudentResults[]): ExitCode {
  const isGraded = results.every(({ exercises }) =>
    exercises.every(({ status }) => status !== 'not-graded'),
  );
  return isGraded ? EXIT.holds : EXIT.unknown;
}
