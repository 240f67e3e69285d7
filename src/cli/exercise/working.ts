/**
 * @module
 * The actions of `usurp exercise` that change something on the server: start, hint and submit.
 */

import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { isFileKind } from '../../exercise/submission.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { counted } from '../../operations/figures.ts';
import { printable } from '../../printable.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import { wantsJson } from '../shell/options.ts';
import { assignmentIn, classOf, deadlineText, latenessText } from './class-times.ts';
import { gradedSchema } from './graded.ts';
import { terminalText } from './markdown.ts';
import { fileText, findingsText } from './showing.ts';
import type { ExerciseTask } from './task.ts';
import { nameIn, pathOf } from './task.ts';

const instanceSchema = z.looseObject({
  id: z.string(),
  challenge: z.string(),
  policy: z.looseObject({ c1: z.number(), c2: z.number(), context: z.string() }),
  given: z.looseObject({}),
  closed: z.array(z.string()),
  budgetAttempts: z.number().nullable(),
  attemptsLeft: z.number().nullable(),
  elections: z.record(z.string(), z.string()),
});

const kindSchema = z.looseObject({ submission: z.string() });
const hintSchema = z.looseObject({ title: z.string(), content: z.string(), score: z.number() });
const hintsSchema = z.looseObject({
  hints: z.array(z.looseObject({ title: z.string(), cost: z.number() })),
});

/** Creates the instance, which is the same at each call, and shows its data. */
export async function startExercise(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal } = task;
  const path = `${pathOf(nameIn(task))}/instances`;
  const instance = await remote.call('POST', path, { schema: instanceSchema });
  if (wantsJson(options)) {
    terminal.print(`${JSON.stringify(instance)}\n`);
    return EXIT.holds;
  }
  const { id, challenge, policy, given, elections, closed } = instance;
  const { budgetAttempts, attemptsLeft } = instance;
  const facts = [
    ['instance', id],
    ['policy', policyText(policy)],
    ['context', policy.context],
    ['challenge', challenge],
    ...(budgetAttempts === null
      ? []
      : [['budget', `${counted(budgetAttempts, 'attempt')}, ${attemptsLeft} left`]]),
    ...(closed.length === 0 ? [] : [['closed', closed.join(', ')]]),
    ...Object.entries(elections).map(([name, election]) => [`election ${name}`, election]),
  ];
  terminal.print(printable(columns(facts)));
  if (Object.keys(given).length > 0) {
    terminal.print(printable(`\ngiven\n${JSON.stringify(given, null, 2)}\n`));
  }
  return EXIT.holds;
}

/** What the policy requires beside the checks that every policy makes. */
function policyText({ context: _context, ...policy }: z.output<typeof instanceSchema>['policy']) {
  const standard: Readonly<Record<string, unknown>> = STRICT_POLICY;
  const own = Object.entries(policy).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(standard[name]),
  );
  return own.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ') || 'strict';
}

/** Lists the hints with their costs, or takes one. */
export async function takeHint(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal, item } = task;
  const path = pathOf(nameIn(task));
  if (item === null) {
    const { hints } = await remote.call('GET', path, { schema: hintsSchema });
    const rows = hints.map(({ title, cost }, index) => [
      ...[String(index + 1), title, `costs ${counted(cost, 'point')}`],
    ]);
    const none =
      (await classOf(remote))?.hints === false ? 'the class has no hints' : 'there is no hint';
    const text = rows.length === 0 ? `${none}\n` : columns(rows);
    terminal.print(wantsJson(options) ? `${JSON.stringify(hints)}\n` : printable(text));
    return EXIT.holds;
  }
  if (!/^[1-9]\d{0,2}$/.test(item)) {
    throw new LabError(
      'arguments',
      `expected the number of a hint, got ${JSON.stringify(item)}; usurp exercise hint NAME lists the hints`,
    );
  }
  const hint = await remote.call('POST', `${path}/hints/${item}`, { schema: hintSchema });
  if (wantsJson(options)) terminal.print(`${JSON.stringify(hint)}\n`);
  else {
    terminal.print(`${printable(hint.title)}\n\n${terminalText(hint.content)}`);
    terminal.note(`your points for the exercise are ${hint.score} now`);
  }
  return EXIT.holds;
}

/** Submits the answer in a file, and shows what is missing. */
export async function submitAnswer(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal, item } = task;
  const name = nameIn(task);
  if (item === null) {
    const detail = `name the file with the answer: usurp exercise submit ${name} answer.json`;
    throw new LabError('arguments', detail);
  }
  const { submission } = await remote.call('GET', pathOf(name), { schema: kindSchema });
  if (isFileKind(submission)) {
    const detail = `the server does not grade ${name}: the answer is ${fileText(name, submission)}`;
    throw new LabError('arguments', detail);
  }
  const body = answerIn(await readText(item, terminal), item);
  const path = `${pathOf(name)}/submissions`;
  const graded = await remote.call('POST', path, { schema: gradedSchema, body });
  const { status, findings, flag, submissionsLeft } = graded;
  const isSolved = status === 'correct' || status === 'already_solved';
  if (wantsJson(options)) terminal.print(`${JSON.stringify(graded)}\n`);
  else {
    const flagLine = flag === null ? '' : `flag for CTFd: ${flag}\n`;
    terminal.print(printable(`${headOf(graded)}\n${findingsText(findings)}${flagLine}`));
    if (graded.credited < graded.points) await noteLateness(task, name);
    if (!isSolved) {
      const are = submissionsLeft === 1 ? 'is' : 'are';
      terminal.note(`${counted(submissionsLeft, 'more submission')} ${are} evaluated now`);
    }
  }
  return isSolved ? EXIT.holds : EXIT.violated;
}

function headOf({ status, points, credited, score }: z.output<typeof gradedSchema>): string {
  if (status === 'already_solved') return `solved before, ${counted(score, 'point')}`;
  const late = credited < points ? `, of which ${credited} count because it is late` : '';
  return `${status}, ${counted(points, 'point')}${late}; your best are ${score}`;
}

/** Says by which rule a late submission earns less. */
async function noteLateness({ remote, terminal }: ExerciseTask, name: string): Promise<void> {
  const ofClass = await classOf(remote);
  const assignment = assignmentIn(ofClass, name);
  if (ofClass === null || assignment === undefined) return;
  const { timeZone } = ofClass;
  const deadline = deadlineText({ ...assignment, phase: 'open' }, timeZone);
  const lateness = latenessText(assignment, timeZone);
  terminal.note(`the deadline was ${deadline} (${timeZone}); late submissions count ${lateness}`);
}

function answerIn(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LabError(
      'json.syntax',
      `${file} is not JSON, for example {"type":"number","number":1}`,
    );
  }
}
