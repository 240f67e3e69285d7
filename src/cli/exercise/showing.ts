/**
 * @module
 * The actions of `usurp exercise` that change nothing: list, show and status.
 */

import { z } from 'zod';
import { LabError } from '../../errors.ts';
import type { Assignment, Finding } from '../../exercise/answers.ts';
import {
  assignmentSchema,
  exerciseViewSchema,
  submissionViewSchema,
} from '../../exercise/answers.ts';
import { localText } from '../../exercise/class/class-document.ts';
import { deadlineText } from '../../exercise/class/stated-text.ts';
import type { Block, Inline } from '../../exercise/markdown/blocks.ts';
import { blocksOf, inlinesOf } from '../../exercise/markdown/blocks.ts';
import { isFileKind } from '../../exercise/submission.ts';
import { counted } from '../../operations/figures.ts';
import { printable } from '../../printable.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { lineWidth, textColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { Remote } from './remote.ts';

type Exercise = z.output<typeof exerciseViewSchema>;
type Submission = z.output<typeof submissionViewSchema>;

/** Lists the exercises in the order of the server, with the deadlines of the class. */
export async function listExercises({
  remote,
  options,
  terminal,
}: ExerciseTask): Promise<ExitCode> {
  const exercises = await remote.list('/v1/exercises', exerciseViewSchema);
  const ofClass = await classOf(remote);
  if (wantsJson(options)) {
    const timed = exercises.map((exercise) => ({ ...exercise, ...timesOf(exercise, ofClass) }));
    terminal.print(`${JSON.stringify(timed)}\n`);
  } else {
    const head = ['exercise', 'difficulty', 'points', ...deadlineHead(ofClass), 'requires', 'task'];
    const rows = exercises.map(({ name, difficulty, points, requires, title }) => [
      ...[name, String(difficulty), String(points), ...deadlineCell(name, ofClass)],
      ...[requires.join(', '), title],
    ]);
    terminal.print(printable(textColumns([head, ...rows])));
  }
  return EXIT.holds;
}

/** Shows the statement of an exercise. */
export async function showExercise(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal } = task;
  const exercise = await remote.call('GET', pathOf(nameIn(task)), { schema: exerciseViewSchema });
  const ofClass = await classOf(remote);
  const shown = { ...exercise, ...timesOf(exercise, ofClass) };
  terminal.print(wantsJson(options) ? `${JSON.stringify(shown)}\n` : textOf(exercise, ofClass));
  return EXIT.holds;
}

/** The times of the class for programs. Without a class there are none. */
function timesOf({ name }: Exercise, ofClass: ClassOfCaller | null) {
  const assignment = assignmentIn(ofClass, name);
  if (ofClass === null || assignment === undefined) return {};
  const { phase, deadline, closes, late } = assignment;
  return { phase, deadline, closes, late, timeZone: ofClass.timeZone };
}

/** What counts in a class, and what an instructor has decided, for programs. */
function decidedOf({ name }: Exercise, ofClass: ClassOfCaller | null) {
  const assignment = assignmentIn(ofClass, name);
  if (assignment === undefined) return {};
  const { score, isManual, comment, deadlineComment } = assignment;
  return { score, isManual, comment, deadlineComment };
}

function deadlineHead(ofClass: ClassOfCaller | null): readonly string[] {
  return ofClass === null ? [] : [`deadline (${ofClass.timeZone})`];
}

function deadlineCell(name: string, ofClass: ClassOfCaller | null): readonly string[] {
  return ofClass === null ? [] : [deadlineIn(assignmentIn(ofClass, name), ofClass.timeZone)];
}

function textOf(exercise: Exercise, ofClass: ClassOfCaller | null): string {
  const { title, name, statement, hints, requires, closed } = exercise;
  const facts = [
    ['exercise', `${name}, ${exercise.category}`],
    ['points', `${exercise.points}, difficulty ${exercise.difficulty} of 6`],
    ...(requires.length === 0 ? [] : [['requires', requires.join(', ')]]),
    ...(closed.length === 0 ? [] : [['closed', closed.join(', ')]]),
    ...timeFacts(name, ofClass),
    ['submission', submissionKindText(exercise)],
    ...hints.map(({ title: about, cost }, index) => [
      `hint ${index + 1}`,
      `${about} (costs ${counted(cost, 'point')})`,
    ]),
  ];
  const teaches = exercise.teaches.map((goal) => `- ${goal}`).join('\n');
  const parts = [`${title}\n`, terminalText(statement), `You learn:\n\n${terminalText(teaches)}`];
  return [...parts.map(printable), printable(textColumns(facts))].join('\n');
}

function timeFacts(name: string, ofClass: ClassOfCaller | null): readonly (readonly string[])[] {
  const assignment = assignmentIn(ofClass, name);
  if (ofClass === null || assignment === undefined) return [];
  const { timeZone, now } = ofClass;
  const late = latenessText(assignment, timeZone);
  return [
    ['deadline', `${deadlineIn(assignment, timeZone)} (${timeZone})`],
    ...(late === null ? [] : [['late', late]]),
    ['now', timeIn(now, timeZone)],
  ];
}

function submissionKindText({ name, submission, submissions }: Exercise): string {
  if (isFileKind(submission)) return fileText(name, submission);
  const { evaluated, perSeconds, inAll } = submissions;
  const all = inAll === null ? '' : `, ${inAll} in all`;
  return `${submission}, ${evaluated} are evaluated in ${Math.round(perSeconds / 60)} minutes${all}`;
}

/** What a student does with an answer that the server does not grade. */
export function fileText(name: string, kind: string): string {
  return `a file ${name}.ts with a ${kind}; hand it in to your instructor, who grades it with usurp grade`;
}

/** Shows the points of all exercises, or the submissions to one. */
export async function showStatus(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal, name } = task;
  if (name !== null) {
    const submissions = await remote.list(`${pathOf(name)}/submissions`, submissionViewSchema);
    const ofClass = await classOf(remote);
    const facts = textColumns([...timeFacts(name, ofClass), ...remarks(name, ofClass)]);
    const texts = submissions.map((submission) => submissionText(submission, name, ofClass));
    const text = [...(facts === '' ? [] : [facts]), texts.join('\n') || 'no submission yet\n'];
    terminal.print(
      wantsJson(options) ? `${JSON.stringify(submissions)}\n` : printable(text.join('\n')),
    );
    return EXIT.holds;
  }
  const ofClass = await classOf(remote);
  const exercises = await remote.list('/v1/exercises', exerciseViewSchema);
  const rows: StatusRow[] = [];
  for (const exercise of exercises) {
    const submissions = await remote.list(
      `${pathOf(exercise.name)}/submissions`,
      submissionViewSchema,
    );
    const row = rowOf(exercise, submissions);
    rows.push({ ...row, ...decidedOf(exercise, ofClass), ...timesOf(exercise, ofClass) });
  }
  const done = rows.filter(({ status }) => status === 'solved');
  if (wantsJson(options)) terminal.print(`${JSON.stringify(rows)}\n`);
  else {
    const cells = rows.map((row) => [
      ...[row.name, row.status, `${row.score ?? row.best} of ${row.points}`],
      ...[String(row.submissions), ...deadlineCell(row.name, ofClass)],
    ]);
    const head = ['exercise', 'status', 'points', 'submissions', ...deadlineHead(ofClass)];
    terminal.print(printable(textColumns([head, ...cells])));
    const earned = rows.reduce((total, { score, best }) => total + (score ?? best), 0);
    const all = rows.reduce((total, { points }) => total + points, 0);
    const points = `${earned} of ${counted(all, 'point')}`;
    terminal.note(`${done.length} of ${rows.length} exercises are solved, ${points}`);
  }
  return EXIT.holds;
}

/** What an instructor has decided about the caller's work. */
function remarks(name: string, ofClass: ClassOfCaller | null): readonly (readonly string[])[] {
  const assignment = assignmentIn(ofClass, name);
  if (assignment === undefined) return [];
  const { isManual, score, comment, deadlineComment } = assignment;
  return [
    ...(isManual ? [['points', `${score}, set by your instructor`]] : []),
    ...(comment === null ? [] : [['comment', comment]]),
    ...(deadlineComment === null ? [] : [['about the deadline', deadlineComment]]),
  ];
}

interface StatusRow {
  readonly name: string;
  readonly status: 'solved' | 'begun' | 'open';
  readonly best: number;
  /** What counts in a class, after deductions for lateness and hints. */
  readonly score?: number;
  readonly points: number;
  readonly submissions: number;
}

function rowOf({ name, points }: Exercise, submissions: readonly Submission[]): StatusRow {
  const isSolved = submissions.some(({ status }) => status === 'correct');
  const begun = submissions.length > 0 ? 'begun' : 'open';
  return {
    name,
    points,
    status: isSolved ? 'solved' : begun,
    best: Math.max(0, ...submissions.map((submission) => submission.points)),
    submissions: submissions.length,
  };
}

function submissionText(
  { created, status, points, findings }: Submission,
  name: string,
  ofClass: ClassOfCaller | null,
): string {
  const deadline = assignmentIn(ofClass, name)?.deadline ?? null;
  const late = deadline !== null && Date.parse(created) > Date.parse(deadline) ? ', late' : '';
  const time = ofClass === null ? created : timeIn(created, ofClass.timeZone);
  return `${time}  ${status}, ${counted(points, 'point')}${late}\n${findingsText(findings)}`;
}

/** What is met and what is missing, one criterion a line. */
export function findingsText(findings: readonly Finding[]): string {
  return textColumns(
    findings.map(({ criterion, met, detail }) => [met ? '  ok' : '  missing', criterion, detail]),
  );
}

/** What an action works on. */
export interface ExerciseTask {
  readonly remote: Remote;
  readonly options: OutputOptions;
  readonly terminal: Terminal;
  /** Null if none is given. */
  readonly name: string | null;
  /** The number of a hint, or the file of an answer. */
  readonly item: string | null;
}

/** The name of the exercise. Throws LabError `arguments` without one. */
export function nameIn({ name }: ExerciseTask): string {
  if (name !== null) return name;
  const detail = 'name an exercise, for example verify-claim; usurp exercise list has the names';
  throw new LabError('arguments', detail);
}

/** The path of an exercise on the server. */
export function pathOf(name: string): string {
  return `/v1/exercises/${encodeURIComponent(name)}`;
}

const classSchema = z.looseObject({
  timeZone: z.string(),
  now: z.iso.datetime(),
  hints: z.boolean(),
  exercises: z.array(assignmentSchema),
});

/**
 * The class, as far as the command line shows it. The deadlines of the class of a server for the caller, and what
 * late submissions earn. Times are shown in the time zone of the class, which is named.
 */
type ClassOfCaller = z.output<typeof classSchema>;

/** Refusals of a server without a class, and of callers who are not in one. */
const WITHOUT_CLASS: readonly string[] = ['not_found', 'auth.credential', 'auth.role'];

/** The class of the server as the caller sees it; null without a class. */
export async function classOf(remote: Remote): Promise<ClassOfCaller | null> {
  try {
    return await remote.call('GET', '/v1/class', { schema: classSchema });
  } catch (error) {
    if (error instanceof LabError && WITHOUT_CLASS.includes(error.code)) return null;
    throw error;
  }
}

/** What the class has about an exercise; undefined without a class. */
export function assignmentIn(ofClass: ClassOfCaller | null, name: string): Assignment | undefined {
  return ofClass?.exercises.find((each) => each.name === name);
}

/** The deadline of an exercise and its phase, in the time zone of the class. */
export function deadlineIn(assignment: Assignment | undefined, zone: string): string {
  return assignment === undefined ? '-' : deadlineText(assignment, (iso) => timeIn(iso, zone));
}

/** Until when late submissions are accepted, and what they earn; null if no late one is. */
export function latenessText({ closes, late }: Assignment, zone: string): string | null {
  if (late === null || closes === null) return null;
  const share = `${roundedTo2(100 * late.deduct)} %`;
  const period = `${roundedTo2(late.perSeconds / 3_600)} h`;
  return `until ${timeIn(closes, zone)}, less ${share} for each ${period} that has begun`;
}

function roundedTo2(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** A time of the server as a clock in the zone shows it. */
export function timeIn(iso: string, zone: string): string {
  return localText(Date.parse(iso), zone);
}

const CODE_INDENT = '    ';

/** The text, with lines that are filled again. */
export function terminalText(markdown: string): string {
  return `${linesOf(blocksOf(markdown), lineWidth()).join('\n')}\n`;
}

/** The lines of blocks, with an empty line between two of them. */
function linesOf(blocks: readonly Block[], width: number): readonly string[] {
  return blocks.flatMap((block, index) => {
    const lines = blockLines(block, width);
    return index === 0 ? lines : ['', ...lines];
  });
}

function blockLines(block: Block, width: number): readonly string[] {
  switch (block.type) {
    case 'code':
      return block.text.split('\n').map((line) => `${CODE_INDENT}${line}`);
    case 'list':
      return block.items.flatMap((item, index) => {
        const marker = block.start === null ? '- ' : `${block.start + index}. `;
        const indent = ' '.repeat(marker.length);
        const lines = linesOf(item, width - marker.length);
        return lines.map((line, at) => `${at === 0 ? marker : indent}${line}`.trimEnd());
      });
    case 'table': {
      const rows = block.rows.map((row) => row.map((cell) => plainText(inlinesOf(cell))));
      return textColumns(rows).trimEnd().split('\n');
    }
    default:
      return filled(plainText(inlinesOf(block.text)), width);
  }
}

/** Code keeps its marks, because a terminal has no other ones. */
function plainText(parts: readonly Inline[]): string {
  const texts = parts.map((part) => {
    if (part.type === 'code') return `\`${part.text}\``;
    if (part.type === 'strong') return plainText(part.content);
    return part.type === 'link' ? `${part.text} (${part.address})` : part.text;
  });
  return texts.join('');
}

/** Lines of at most this width. Code between marks stays in one line, so that it can be copied. */
function filled(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= width || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
