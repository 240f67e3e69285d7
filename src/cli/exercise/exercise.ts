/**
 * @module
 * This folder contains the verb about exercises. `usurp exercise` works on the exercises of a server as a student: it joins
 * a class, lists and shows exercises, starts an instance, takes hints, submits answers, and shows what is done. `check`
 * tests an exercise for its author.
 */

import process from 'node:process';
import type { Command } from 'commander';
import { Argument, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { LabError } from '../../errors.ts';
import {
  exerciseViewSchema,
  gradedSchema,
  hintSchema,
  instanceSchema,
} from '../../exercise/answers.ts';
import { isFileKind } from '../../exercise/submission.ts';
import { parseJsonText } from '../../experiment/reading/json-scan.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { counted } from '../../operations/figures.ts';
import { printable } from '../../printable.ts';
import { integer } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { assertPrivate, readText, refuseTarget, writeWhole } from '../shell/files.ts';
import { textColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { Remote } from './remote.ts';
import type { ExerciseTask } from './showing.ts';
import {
  assignmentIn,
  classOf,
  deadlineIn,
  fileText,
  findingsText,
  latenessText,
  listExercises,
  nameIn,
  pathOf,
  showExercise,
  showStatus,
  terminalText,
} from './showing.ts';

/** The options of a command that asks a server. */
export interface ServerOptions {
  readonly server: URL;
  readonly tokenFile?: string;
}

interface ExerciseOptions extends OutputOptions, ServerOptions {
  readonly students: number;
}

type Action = (task: ExerciseTask) => Promise<ExitCode>;

const ACTIONS = {
  list: listExercises,
  show: showExercise,
  start: startExercise,
  hint: takeHint,
  submit: submitAnswer,
  status: showStatus,
} as const satisfies Readonly<Record<string, Action>>;

type ActionName = keyof typeof ACTIONS;

// Object.keys loses the names.
const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

/** The action that needs no token. */
const JOIN = 'join';
/** The action that needs no server. */
const CHECK = 'check';

const SERVER = 'http://127.0.0.1:8787';

const STUDENTS = 20;
const STUDENTS_MAX = 500;

export function exerciseCommand(session: Session): Command {
  return verb('exercise', 'solve the exercises of a server in a terminal, or check your own')
    .addArgument(new Argument('<action>', 'what to do').choices([JOIN, ...ACTION_NAMES, CHECK]))
    .argument(
      '[name]',
      'the exercise; list needs none, and status shows all without one; join: the file with your class code, or - for stdin; check: its folder or document',
    )
    .argument(
      '[item]',
      'hint: its number; submit: the file with the answer, - for stdin, or the number if the answer is one',
    )
    .option('--server <url>', 'address of the server', readServer, readServer(SERVER))
    .option(
      '--token-file <file>',
      'file with your token (default: the variable USURP_TOKEN); join: the new file to write',
    )
    .option('--students <count>', 'check: number of students', integer(1, STUDENTS_MAX), STUDENTS)
    .addHelpText('after', EXAMPLES)
    .action(
      (
        action: ActionName | typeof CHECK | typeof JOIN,
        name: string | undefined,
        item: string | undefined,
        options: ExerciseOptions,
      ) =>
        session.run(options, async (terminal) => {
          if (action === CHECK) {
            // The server is loaded for this action alone.
            const { checkExercise } = await import('./check/check.ts');
            const { students } = options;
            return checkExercise({ path: name ?? null, students, options, terminal });
          }
          if (action === JOIN) {
            const remote = new Remote(options.server, { token: null, signal: terminal.signal });
            const { tokenFile } = options;
            return joinClass({ remote, options, terminal, codeFile: name ?? null, tokenFile });
          }
          const token = await tokenOf(options, terminal);
          const remote = new Remote(options.server, { token, signal: terminal.signal });
          const task = { remote, options, terminal, name: name ?? null, item: item ?? null };
          return ACTIONS[action](task);
        }),
    );
}

/** Adds the address of the server and the token to a command that asks a server. */
export function withServer(command: Command): Command {
  return command
    .option('--server <url>', 'address of the server', readServer, readServer(SERVER))
    .option('--token-file <file>', 'file with your token (default: the variable USURP_TOKEN)');
}

function readServer(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError(`expected an address such as ${SERVER}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('must not contain a password: use --token-file');
  }
  return url;
}

/** The token of the file or the environment; null for a server that needs none. */
export async function tokenOf(
  { tokenFile, server }: ServerOptions,
  terminal: Terminal,
): Promise<string | null> {
  if (tokenFile !== undefined) await assertPrivate(tokenFile);
  const text =
    tokenFile === undefined ? (process.env.USURP_TOKEN ?? '') : await readText(tokenFile, terminal);
  const token = text.trim();
  if (token === '') return null;
  if (!/^[!-~]+$/.test(token)) {
    throw new LabError(
      'arguments',
      'a token is one word of printable characters; correct --token-file or USURP_TOKEN',
    );
  }
  if (server.protocol === 'http:' && !LOCAL_HOSTS.includes(server.hostname)) {
    terminal.note('warning: the token is sent without encryption; use an address with https');
  }
  return token;
}

const LOCAL_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

const EXAMPLES = `
join exchanges your class code for a token. A code can be used once, so keep the file with the token.

submit exits with 0 if the answer is complete, and with 1 if something is missing. The token is never an argument, because
other users of the machine see the arguments of a process.

check is for authors. It starts a server of its own, runs solution.js and each wrong-*.js for every student, and submits an
empty answer. solution.js must be correct, and the others must fail with a finding. Files (solution.ts, wrong-*.ts) are judged
in the sandbox. It exits with 0 if there is no fault, and with 1 otherwise; a warning is no fault. It runs scripts with your
rights: check only exercises that you trust.

Examples:
  usurp exercise join code.txt --token-file token.txt --server https://lab.example
  usurp exercise list
  usurp exercise show verify-claim
  usurp exercise start verify-claim --json > instance.json
  usurp exercise submit verify-claim answer.json
  usurp exercise check exercises/spoof-coordinator --students 3
  usurp exercise status --server https://lab.example --token-file token.txt`;

const CODE_BYTES_MAX = 1024;

const joinedSchema = z.looseObject({ name: z.string(), role: z.string(), token: z.string() });

interface Joining {
  readonly remote: Remote;
  readonly options: OutputOptions;
  readonly terminal: Terminal;
  /** The file with the code, or - for stdin; null if none is given. */
  readonly codeFile: string | null;
  readonly tokenFile: string | undefined;
}

/**
 * Joins a class. Throws LabError `arguments` or `file.exists` before the code is used up. The action of `usurp
 * exercise` that joins a class: it exchanges a class code for a token, which it writes to a file that only its owner
 * can read. Neither is an argument, because other users of the machine see the arguments of a process.
 */
async function joinClass(joining: Joining): Promise<ExitCode> {
  const { remote, options, terminal, codeFile, tokenFile } = joining;
  if (codeFile === null || tokenFile === undefined) {
    const detail =
      'name the file with your class code, or - for stdin, and a new file for your token: usurp exercise join - --token-file token.txt';
    throw new LabError('arguments', detail);
  }
  await refuseTarget(tokenFile, null);
  const code = (await readText(codeFile, terminal, CODE_BYTES_MAX)).trim();
  const body = { type: 'classCode', code };
  const joined = await remote.call('POST', '/v1/sessions', { schema: joinedSchema, body });
  const { name, role, token } = joined;
  await writeWhole(tokenFile, `${token}\n`, { force: null, isPrivate: true });
  if (wantsJson(options)) terminal.print(`${JSON.stringify({ name, role })}\n`);
  else terminal.print(printable(`you are ${name} (${role}); your token is in ${tokenFile}\n`));
  return EXIT.holds;
}

/** Creates the instance, which is the same at each call, and shows its data. */
async function startExercise(task: ExerciseTask): Promise<ExitCode> {
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
  terminal.print(printable(textColumns(facts)));
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
async function takeHint(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal, item } = task;
  const path = pathOf(nameIn(task));
  if (item === null) {
    const { hints } = await remote.call('GET', path, { schema: exerciseViewSchema });
    const rows = hints.map(({ title, cost }, index) => [
      ...[String(index + 1), title, `costs ${counted(cost, 'point')}`],
    ]);
    const none =
      (await classOf(remote))?.hints === false ? 'the class has no hints' : 'there is no hint';
    const text = rows.length === 0 ? `${none}\n` : textColumns(rows);
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
async function submitAnswer(task: ExerciseTask): Promise<ExitCode> {
  const { remote, options, terminal, item } = task;
  const name = nameIn(task);
  if (item === null) {
    const detail = `name the file with the answer: usurp exercise submit ${name} answer.json`;
    throw new LabError('arguments', detail);
  }
  const { submission } = await remote.call('GET', pathOf(name), { schema: exerciseViewSchema });
  if (isFileKind(submission)) {
    const detail = `the server does not grade ${name}: the answer is ${fileText(name, submission)}`;
    throw new LabError('arguments', detail);
  }
  // A file of this name would be a strange one: ./12 names it.
  const isNumber = submission === 'number' && /^\d/.test(item) && Number.isFinite(Number(item));
  const body = isNumber ? Number(item) : answerIn(await readText(item, terminal), item);
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
  const deadline = deadlineIn({ ...assignment, phase: 'open' }, timeZone);
  const lateness = latenessText(assignment, timeZone);
  terminal.note(`the deadline was ${deadline} (${timeZone}); late submissions count ${lateness}`);
}

function answerIn(text: string, file: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const example = '; an answer is JSON such as {"type":"number","number":1}';
    throw new LabError(error.code, `${file}: ${error.message}${example}`);
  }
}
