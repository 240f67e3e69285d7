/**
 * @module
 * The actions of `usurp exercise` that change nothing: list, show and status.
 */

import { z } from 'zod';
import { printable } from '../../printable.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, textColumns } from '../shell/layout.ts';
import { wantsJson } from '../shell/options.ts';
import type { Finding, Submission } from './graded.ts';
import { submissionSchema } from './graded.ts';
import { terminalText } from './markdown.ts';
import type { ExerciseTask } from './task.ts';
import { nameIn, pathOf } from './task.ts';

const exerciseSchema = z.looseObject({
  name: z.string(),
  title: z.string(),
  category: z.string(),
  points: z.number(),
  difficulty: z.number(),
  requires: z.array(z.string()),
  teaches: z.array(z.string()),
  statement: z.string(),
  hints: z.array(z.looseObject({ title: z.string(), cost: z.number() })),
  closed: z.array(z.string()),
  submission: z.string(),
  submissions: z.looseObject({
    evaluated: z.number(),
    perSeconds: z.number(),
    inAll: z.number().nullable(),
  }),
});

type Exercise = z.output<typeof exerciseSchema>;

/** Lists the exercises, the easiest first. */
export async function listExercises({
  remote,
  options,
  terminal,
}: ExerciseTask): Promise<ExitCode> {
  const exercises = await remote.list('/v1/exercises', exerciseSchema);
  if (wantsJson(options)) terminal.print(`${JSON.stringify(exercises)}\n`);
  else {
    const head = ['exercise', 'difficulty', 'points', 'requires', 'task'];
    const rows = exercises.map(({ name, difficulty, points, requires, title }) => {
      return [name, String(difficulty), String(points), requires.join(', '), title];
    });
    terminal.print(printable(textColumns([head, ...rows])));
  }
  return EXIT.holds;
}

/** Shows the statement of an exercise. */
export async function showExercise(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal } = task;
  const exercise = await remote.call('GET', pathOf(nameIn(task)), { schema: exerciseSchema });
  const text = wantsJson(options) ? `${JSON.stringify(exercise)}\n` : textOf(exercise);
  terminal.print(text);
  return EXIT.holds;
}

function textOf(exercise: Exercise): string {
  const { title, name, statement, hints, requires, closed, submissions } = exercise;
  const facts = [
    ['exercise', `${name}, ${exercise.category}`],
    ['points', `${exercise.points}, difficulty ${exercise.difficulty} of 6`],
    ...(requires.length === 0 ? [] : [['requires', requires.join(', ')]]),
    ...(closed.length === 0 ? [] : [['closed', closed.join(', ')]]),
    ['submission', `${exercise.submission}, ${limitText(submissions)}`],
    ...hints.map(({ title: about, cost }, index) => [
      `hint ${index + 1}`,
      `${about} (costs ${cost} points)`,
    ]),
  ];
  const teaches = exercise.teaches.map((goal) => `- ${goal}`).join('\n');
  const parts = [`${title}\n`, terminalText(statement), `You learn:\n\n${terminalText(teaches)}`];
  return [...parts.map(printable), printable(columns(facts))].join('\n');
}

function limitText({ evaluated, perSeconds, inAll }: Exercise['submissions']): string {
  const all = inAll === null ? '' : `, ${inAll} in all`;
  return `${evaluated} are evaluated in ${Math.round(perSeconds / 60)} minutes${all}`;
}

/** Shows the points of all exercises, or the submissions to one. */
export async function showStatus(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal, name } = task;
  if (name !== null) {
    const submissions = await remote.list(`${pathOf(name)}/submissions`, submissionSchema);
    const text = submissions.map(submissionText).join('\n') || 'no submission yet\n';
    terminal.print(wantsJson(options) ? `${JSON.stringify(submissions)}\n` : printable(text));
    return EXIT.holds;
  }
  const exercises = await remote.list('/v1/exercises', exerciseSchema);
  const rows: StatusRow[] = [];
  for (const exercise of exercises) {
    const submissions = await remote.list(`${pathOf(exercise.name)}/submissions`, submissionSchema);
    rows.push(rowOf(exercise, submissions));
  }
  const done = rows.filter(({ status }) => status === 'solved');
  const sum = (of: readonly StatusRow[], member: 'points' | 'best') =>
    of.reduce((total, row) => total + row[member], 0);
  if (wantsJson(options)) terminal.print(`${JSON.stringify(rows)}\n`);
  else {
    const cells = rows.map((row) => [
      ...[row.name, row.status, `${row.best} of ${row.points}`, String(row.submissions)],
    ]);
    terminal.print(printable(columns([['exercise', 'status', 'points', 'submissions'], ...cells])));
    const points = `${sum(rows, 'best')} of ${sum(rows, 'points')} points`;
    terminal.note(`${done.length} of ${rows.length} exercises are solved, ${points}`);
  }
  return EXIT.holds;
}

interface StatusRow {
  readonly name: string;
  readonly status: 'solved' | 'begun' | 'open';
  readonly best: number;
  readonly points: number;
  readonly submissions: number;
}

function rowOf({ name, points }: Exercise, submissions: readonly Submission[]): StatusRow {
  const isSolved = submissions.some(({ status }) => status === 'correct');
  const begun = submissions.length > 0 ? 'begun' : 'open';
  return {
    ...{ name, points, status: isSolved ? 'solved' : begun },
    best: Math.max(0, ...submissions.map((submission) => submission.points)),
    submissions: submissions.length,
  };
}

function submissionText({ created, status, points, findings }: Submission): string {
  return `${created}  ${status}, ${points} points\n${findingsText(findings)}`;
}

/** What is met and what is missing, one criterion a line. */
export function findingsText(findings: readonly Finding[]): string {
  return textColumns(
    findings.map(({ criterion, met, detail }) => [met ? '  ok' : '  missing', criterion, detail]),
  );
}
