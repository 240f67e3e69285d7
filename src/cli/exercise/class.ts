/**
 * @module
 * `usurp class` runs the class of a server as an instructor: progress and statistics, grades, extensions, regrades, resets and
 * their undoing, class codes, exports, and reading the file of the class again. `roster` makes students of a table, without a
 * server.
 */

import type { Command } from 'commander';
import { Argument } from 'commander';
import { z } from 'zod';
import { LabError } from '../../errors.ts';
import type { Decision } from '../../exercise/answers.ts';
import {
  codeSchema,
  decisionSchema,
  progressSchema,
  reloadSchema,
  statisticsSchema,
} from '../../exercise/answers.ts';
import { codesFor } from '../../exercise/class/code-sheet.ts';
import { readRoster, rosterText } from '../../exercise/class/roster.ts';
import { decisionText } from '../../exercise/class/stated-text.ts';
import { counted } from '../../operations/figures.ts';
import { printable } from '../../printable.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText, refuseTarget, writeWhole } from '../shell/files.ts';
import { textColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { ServerOptions } from './exercise.ts';
import { tokenOf, withServer } from './exercise.ts';
import { Remote } from './remote.ts';
import { classOf, timeIn } from './showing.ts';

interface ClassOptions extends OutputOptions, ServerOptions {
  readonly comment?: string;
  readonly out?: string;
  readonly force?: true;
}

interface ClassTask {
  readonly remote: Remote;
  readonly options: ClassOptions;
  readonly terminal: Terminal;
  /** The arguments after the action. */
  readonly items: readonly string[];
}

interface ClassAction {
  /** The names of its arguments; one in brackets may be left out. */
  readonly takes: readonly string[];
  readonly run: (task: ClassTask) => Promise<ExitCode>;
}

const ROSTER = 'roster';

const ACTIONS: Readonly<Record<string, ClassAction>> = {
  progress: { takes: [], run: showProgress },
  statistics: { takes: [], run: showStatistics },
  grade: { takes: ['STUDENT', 'EXERCISE', 'POINTS'], run: grade },
  extend: { takes: ['STUDENT', 'EXERCISE', 'DEADLINE'], run: extend },
  regrade: { takes: ['EXERCISE', '[STUDENT]'], run: regrade },
  reset: { takes: ['STUDENT', 'EXERCISE'], run: reset },
  undo: { takes: ['NUMBER'], run: undo },
  decisions: { takes: ['[STUDENT]'], run: showDecisions },
  codes: { takes: ['[STUDENT]'], run: renewCodes },
  reload: { takes: [], run: reload },
  export: { takes: ['NAME'], run: exportTable },
};

export function classCommand(session: Session): Command {
  const command = verb('class', 'run the class of a server as an instructor')
    .addArgument(new Argument('<action>', 'what to do').choices([ROSTER, ...Object.keys(ACTIONS)]))
    .argument('[items...]', 'what the action takes: see the list below')
    .option('--comment <text>', 'grade, extend: what the student reads with it')
    .option(
      '--out <file>',
      'export, roster: file to write (default: stdout); codes: .csv, .html or text',
    )
    .option('--force', 'overwrite the file of --out');
  return withServer(command)
    .addHelpText('after', HELP)
    .action((action: string, items: readonly string[], options: ClassOptions) =>
      session.run(options, async (terminal) => {
        if (action === ROSTER) return printRoster(items, options, terminal);
        const { takes, run } = ACTIONS[action] ?? { takes: [], run: showProgress };
        const least = takes.filter((name) => !name.startsWith('[')).length;
        if (items.length < least || items.length > takes.length) {
          const usage = ['usurp class', action, ...takes].join(' ');
          throw new LabError(
            'arguments',
            `expected ${usage}, got ${counted(items.length, 'argument')}`,
          );
        }
        const token = await tokenOf(options, terminal);
        const remote = new Remote(options.server, { token, signal: terminal.signal });
        return run({ remote, options, terminal, items });
      }),
    );
}

const HELP = `
Actions:
  roster FILE                       print the students of a table (CSV of Canvas, Moodle or Gradescope) for a class file
  progress                          print the points of all students
  statistics                        print attempts, time, hints and wrong answers of each exercise
  grade STUDENT EXERCISE POINTS     set the points; none takes them back
  extend STUDENT EXERCISE DEADLINE  set a later deadline (2026-10-20T23:59); none takes it back
  regrade EXERCISE [STUDENT]        grade the submissions again, by the present exercise
  reset STUDENT EXERCISE            remove submissions, hints and forgeries
  undo NUMBER                       undo a grade, an extension or a reset
  decisions [STUDENT]               print what instructors have decided, with maker and time
  codes [STUDENT]                   make new class codes: for a student, or for all who have not joined
  reload                            let the server read the file of the class and the exercises again
  export NAME                       print a table: grades, canvas, moodle, gradescope, githubClassroom, ctfdScoreboard,
                                    ctfdUsers, ctfdChallenges or roster

Examples:
  usurp class roster participants.csv >> class.yaml
  usurp class extend ann predict-cost 2026-10-20T23:59 --comment "ill until Tuesday"
  usurp class codes --out codes.html --server https://lab.example --token-file token.txt
  usurp class export canvas --out canvas.csv`;

/** Prints an answer of the server for programs, or as text. */
function printed({ options, terminal }: ClassTask, answer: unknown, text: () => string): ExitCode {
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : printable(text()));
  return EXIT.holds;
}

/** Writes to --out, or to stdout. */
async function delivered(
  text: string,
  { options, terminal }: Pick<ClassTask, 'options' | 'terminal'>,
  isPrivate = false,
): Promise<ExitCode> {
  if (options.out === undefined) terminal.print(text);
  else {
    await writeWhole(options.out, text, { force: options.force ?? false, isPrivate });
    terminal.note(`written to ${options.out}`);
  }
  return EXIT.holds;
}

async function printRoster(
  [file, ...more]: readonly string[],
  options: ClassOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (file === undefined || more.length > 0) {
    throw new LabError('arguments', 'expected usurp class roster FILE, with - for stdin');
  }
  const students = readRoster(await readText(file, terminal), file);
  return delivered(rosterText(students), { options, terminal });
}

async function showProgress(task: ClassTask): Promise<ExitCode> {
  const students = await task.remote.list('/v1/class/progress', progressSchema);
  return printed(task, students, () => {
    const rows = students.map(({ student, hasJoined, score, exercises }) => {
      const done = exercises.flatMap(({ exercise, status, score: points, ...marks }) => {
        if (status === 'untouched' && !marks.isManual) return [];
        const late = marks.lateSeconds > 0 ? ' late' : '';
        return [`${exercise} ${points}${marks.isManual ? ' set' : ''}${late}`];
      });
      return [student, hasJoined ? 'yes' : 'no', String(score), done.join(', ') || '-'];
    });
    return textColumns([['student', 'joined', 'points', 'exercises'], ...rows]);
  });
}

async function showStatistics(task: ClassTask): Promise<ExitCode> {
  const exercises = await task.remote.list('/v1/class/statistics', statisticsSchema);
  return printed(task, exercises, () => {
    const rows = exercises.map(({ exercise, started, tried, solved, attempts, seconds, hints }) => [
      ...[exercise, ...[started, tried, solved].map(String)],
      attempts === null ? '-' : `${attempts.median} (at most ${attempts.most})`,
      seconds === null ? '-' : `${Math.ceil(seconds.median / 60)} min`,
      hints.map(({ number, students }) => `${number}: ${students}`).join(', ') || '-',
    ]);
    const head = ['exercise', 'started', 'tried', 'solved', 'attempts', 'time', 'hints'];
    const faults = exercises.flatMap(({ exercise, missing, wrongAnswers }) => [
      ...missing.map(
        ({ criterion, students }) => `${exercise}: ${criterion} not met by ${students}`,
      ),
      ...wrongAnswers.map(({ answer, students }) => `${exercise}: ${answer} from ${students}`),
    ]);
    const wrong =
      faults.length === 0
        ? ''
        : `\nwrong answers, with the number of students\n${textColumns(faults.map((each) => [each]))}`;
    return `${textColumns([head, ...rows])}${wrong}`;
  });
}

/** A regrade evaluates all submissions to the exercise again. Node waits at most 5 minutes for the start of an answer. */
const DECISION_TIMEOUT_MS = 300_000;

async function decide(task: ClassTask, body: object): Promise<ExitCode> {
  const decision = await task.remote.call('POST', '/v1/class/decisions', {
    schema: decisionSchema,
    body,
    timeoutMs: DECISION_TIMEOUT_MS,
  });
  return printDecisions(task, decision, [decision]);
}

/** Prints decisions, with times in the zone of the class. */
async function printDecisions(
  task: ClassTask,
  answer: unknown,
  decisions: readonly Decision[],
): Promise<ExitCode> {
  const zone = (await classOf(task.remote))?.timeZone ?? 'UTC';
  const textOf = (decision: Decision) => {
    const line = decisionText(decision, (iso) => `${timeIn(iso, zone)} (${zone})`);
    const changed = decision.changes.map(
      ({ student, before, after }) => `  ${student}: ${before} to ${after} points\n`,
    );
    return [textColumns([[`${decision.number}.`, line]]), ...changed].join('');
  };
  return printed(task, answer, () => decisions.map(textOf).join('') || 'no decision yet\n');
}

async function grade(task: ClassTask): Promise<ExitCode> {
  const [student, exercise, text = ''] = task.items;
  if (!/^(?:\d{1,4}|none)$/.test(text)) {
    throw new LabError('arguments', `expected whole points or none, got ${JSON.stringify(text)}`);
  }
  const points = text === 'none' ? null : Number(text);
  const { comment = null } = task.options;
  return decide(task, { type: 'grade', student, exercise, points, comment });
}

async function extend(task: ClassTask): Promise<ExitCode> {
  const [student, exercise, text] = task.items;
  const { comment = null } = task.options;
  const deadline = text === 'none' ? null : text;
  return decide(task, { type: 'extension', student, exercise, deadline, comment });
}

async function regrade(task: ClassTask): Promise<ExitCode> {
  const [exercise, student] = task.items;
  return decide(task, { type: 'regrade', exercise, ...(student !== undefined && { student }) });
}

async function reset(task: ClassTask): Promise<ExitCode> {
  const path = task.items.map(encodeURIComponent).join('/');
  await task.remote.call('DELETE', `/v1/class/progress/${path}`, { schema: z.null() });
  const [student = ''] = task.items;
  const query = `student=${encodeURIComponent(student)}`;
  const decisions = await task.remote.list('/v1/class/decisions', decisionSchema, query);
  return printDecisions(task, decisions[0], decisions.slice(0, 1));
}

async function undo(task: ClassTask): Promise<ExitCode> {
  const [number = ''] = task.items;
  const path = `/v1/class/decisions/${encodeURIComponent(number)}/undo`;
  const decision = await task.remote.call('POST', path, { schema: decisionSchema });
  return printDecisions(task, decision, [decision]);
}

async function showDecisions(task: ClassTask): Promise<ExitCode> {
  const [student] = task.items;
  const query = student === undefined ? '' : `student=${encodeURIComponent(student)}`;
  const decisions = await task.remote.list('/v1/class/decisions', decisionSchema, query);
  return printDecisions(task, decisions, decisions);
}

async function renewCodes(task: ClassTask): Promise<ExitCode> {
  const { remote, options, items, terminal } = task;
  const [name] = items;
  const path = `/v1/class/members/${encodeURIComponent(name ?? '')}/join-code`;
  const schema = z.looseObject({ items: z.array(codeSchema) });
  if (options.out !== undefined) await refuseTarget(options.out, options.force ?? false);
  const title = await remote.call('GET', '/v1/class', {
    schema: z.looseObject({ name: z.string() }),
  });
  // These requests make the earlier codes invalid.
  const codes =
    name === undefined
      ? (await remote.call('POST', '/v1/class/join-codes', { schema })).items
      : [await remote.call('POST', path, { schema: codeSchema })];
  if (name === undefined) {
    const detail = 'class codes that were made before for these members are no longer valid';
    terminal.complain(`usurp: ${detail}`);
  }
  if (wantsJson(options)) return printed(task, codes, () => '');
  const sheet = { codes, title: title.name, address: options.server.origin };
  try {
    return await delivered(codesFor(options.out ?? '', sheet), task, true);
  } catch (error) {
    terminal.complain(codesFor('', sheet));
    throw error;
  }
}

async function reload(task: ClassTask): Promise<ExitCode> {
  const changes = await task.remote.call('POST', '/v1/class/reload', { schema: reloadSchema });
  return printed(task, changes, () => {
    const { added, removed, changed, codes } = changes;
    const lines = codes.map(({ role, name, code }) => `${role} ${name} ${code}\n`).join('');
    const named = (names: readonly string[]) => names.join(', ') || 'none';
    const exercises = `changed exercises: ${named(changed)}`;
    return `added: ${named(added)}\nremoved: ${named(removed)}\n${exercises}\n${lines}`;
  });
}

async function exportTable(task: ClassTask): Promise<ExitCode> {
  const [name = ''] = task.items;
  const path = `/v1/class/exports/${encodeURIComponent(name)}`;
  return delivered(await task.remote.text(path), task);
}
