/**
 * @module
 * This folder contains the verb about exercises. `usurp exercise` works on the exercises of a server as a student: it joins
 * a class, lists and shows exercises, starts an instance, takes hints, submits answers, and shows what is done. `check`
 * tests an exercise for its author.
 */

import process from 'node:process';
import type { Command } from 'commander';
import { Argument, InvalidArgumentError } from 'commander';
import { LabError } from '../../errors.ts';
import { integer } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { assertPrivate, readText } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { joinClass } from './joining.ts';
import { Remote } from './remote.ts';
import { listExercises, showExercise, showStatus } from './showing.ts';
import type { ExerciseTask } from './task.ts';
import { startExercise, submitAnswer, takeHint } from './working.ts';

interface ExerciseOptions extends OutputOptions {
  readonly server: URL;
  readonly tokenFile?: string;
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
      'the exercise; list needs none, and status shows all without one; join: the file with your join code, or - for stdin; check: its folder or document',
    )
    .argument('[item]', 'hint: its number; submit: the file with the answer, or - for stdin')
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
async function tokenOf(
  { tokenFile, server }: ExerciseOptions,
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
join exchanges the join code of a class for a token. A code can be used once, so keep the file with the token.

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
