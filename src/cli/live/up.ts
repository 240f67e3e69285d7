/**
 * @module
 * `usurp cluster up`: starts nodes, carries out commands, stops the nodes, and checks their logs against the model. The
 * nodes stop with it, even if it is killed.
 */

import process from 'node:process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

import { LabError } from '../../errors.ts';
import { refuseTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-file.ts';
import { withFolder } from './cluster-file.ts';
import { COMMANDS_HELP, parseCommand } from './commands.ts';
import { assertPart } from './log-check.ts';
import { runNemesis } from './nemesis-run.ts';
import type { CommandResults, LocatedCommand, Play } from './play.ts';
import { carryOut, carryOutAll, runPlay, scripted } from './play.ts';

/** Runs a cluster until the end of its commands, of its nemesis, or of one attack. */
export async function runCluster(
  action: 'up' | 'attack',
  parsed: ClusterOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const options = withFolder(parsed);
  const { script, file } = options;
  assertPart(options);
  if (file === undefined) await refuseTrace({ ...options, clocks: true }, options.nodes);
  else if (action === 'attack') {
    throw new LabError('arguments', 'attack starts a cluster of its own; leave out --file');
  }
  if (options.nemesis !== undefined) return runNemesis(action, options, terminal);
  const commands = action === 'attack' ? attackIn(options) : await scriptIn(script, terminal);
  const carry = async (play: Play) => {
    if (commands !== null) return carryOutAll(play, commands);
    const prompt = openPrompt(terminal);
    play.aside = prompt.aside;
    await followStdin(play, prompt);
  };
  const { play, checkedExit } = await runPlay({ action, options, terminal, carry });
  return terminal.signal.aborted ? EXIT.interrupted : exitCodeOf(action, play, checkedExit);
}

/** The exit code of a run whose logs were checked with this result. */
export function exitCodeOf(
  action: 'up' | 'attack',
  { hasAgreed, hasRefused, outcome, failed }: CommandResults,
  checked: ExitCode,
): ExitCode {
  if (failed !== null) return failed;
  if (checked !== EXIT.holds) return checked;
  if (action === 'up' && hasRefused) return EXIT.violated;
  if (action === 'up') return hasAgreed ? EXIT.holds : EXIT.unknown;
  if (outcome === 'leads' || outcome === 'harms') return EXIT.violated;
  return outcome === 'refused' ? EXIT.holds : EXIT.unknown;
}

/** A command that is wrong or impossible is reported, and the next one is read. */
async function followStdin(play: Play, prompt: Prompt): Promise<void> {
  const { terminal } = play;
  if (prompt.isTyped) {
    terminal.note('? lists the commands; down, or the end of stdin, stops the nodes');
  }
  try {
    prompt.ready();
    for await (const line of prompt.lines) {
      if (/^(?:\?|help)$/.test(line.trim())) terminal.note(COMMANDS_HELP);
      else if (!(await interruptible(play, prompt, line))) return;
      prompt.ready();
    }
  } finally {
    prompt.close();
  }
}

/** A typed command that takes this long says how to end it. */
const NOTICE_MS = 1_000;

/** Carries out a line, which Ctrl-C of a person ends without the cluster. Whether more commands may come. */
async function interruptible(play: Play, prompt: Prompt, line: string): Promise<boolean> {
  const { terminal } = play;
  if (!prompt.isTyped) return carryOutLine(play, line);
  const command = new AbortController();
  play.signal = AbortSignal.any([terminal.signal, command.signal]);
  const notice = () => terminal.note(`${line.trim()} goes on; Ctrl-C ends it, and not the cluster`);
  const timer = setTimeout(notice, NOTICE_MS);
  prompt.onInterrupt = () => {
    terminal.note(`${line.trim()} was ended; the cluster goes on`);
    command.abort();
  };
  try {
    return await carryOutLine(play, line);
  } finally {
    clearTimeout(timer);
    prompt.onInterrupt = null;
  }
}

/** Whether more commands may come. */
async function carryOutLine(play: Play, line: string): Promise<boolean> {
  try {
    const command = parseCommand(line);
    if (command?.type === 'down') return false;
    if (command !== null) await carryOut(play, command);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    play.terminal.complain(`usurp: ${error.message}`);
  }
  return true;
}

/** What `attack` does. Throws LabError `arguments` without a budget. */
function attackIn({ cpu, attempts, behaviour: behaviours }: ClusterOptions): LocatedCommand[] {
  if (cpu === undefined && attempts === undefined) {
    throw new LabError('arguments', 'attack needs a budget: --cpu or --attempts');
  }
  const attack = { type: 'attack', budget: { cpuSeconds: cpu, attempts }, behaviours } as const;
  return [{ command: { type: 'wait' } }, { command: attack }];
}

/** The commands of a script; null without one. */
async function scriptIn(
  script: string | undefined,
  terminal: Terminal,
): Promise<readonly LocatedCommand[] | null> {
  return script === undefined ? null : scripted(await readText(script, terminal), script);
}

const ERASE_LINE = '\r\u001b[2K';

/**
 * The lines of commands from stdin. On a terminal there is a prompt, and what is printed meanwhile does not disturb
 * the line that the user types.
 */
interface Prompt {
  /** Whether a person types the commands. */
  readonly isTyped: boolean;
  readonly lines: AsyncIterable<string>;
  /** Prints something that no command has asked for. */
  aside(print: () => void): void;
  /** What Ctrl-C ends at a prompt; the cluster if it is null. */
  onInterrupt: (() => void) | null;
  /** Shows the prompt when a command is over. */
  ready(): void;
  close(): void;
}

/** Reads stdin line by line. */
function openPrompt({ stdin, signal }: Terminal): Prompt {
  const isTyped = stdin === process.stdin && process.stdin.isTTY && process.stderr.isTTY;
  if (!isTyped) {
    const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
    const lines = createInterface({ input, signal });
    return {
      isTyped,
      lines,
      onInterrupt: null,
      aside: (print) => print(),
      ready: () => undefined,
      close() {
        lines.close();
        // A pipe whose writer waits would keep the process alive.
        input.destroy();
      },
    };
  }
  const { stderr: output } = process;
  const prompting = createInterface({ input: process.stdin, output, prompt: '> ', signal });
  // In this mode the terminal sends no signal.
  prompting.on('SIGINT', () =>
    prompt.onInterrupt === null ? process.kill(process.pid, 'SIGINT') : prompt.onInterrupt(),
  );
  let isWaiting = false;
  let isClosed = false;
  // A signal or the end of stdin closes it, also while a command runs.
  prompting.once('close', () => {
    isClosed = true;
    isWaiting = false;
  });
  const prompt: Prompt = {
    isTyped,
    lines: prompting,
    onInterrupt: null,
    aside(print) {
      if (isWaiting) output.write(ERASE_LINE);
      print();
      // With what the user has typed.
      if (isWaiting) prompting.prompt(true);
    },
    ready() {
      if (isClosed) return;
      isWaiting = true;
      prompting.prompt();
      prompting.once('line', () => {
        isWaiting = false;
      });
    },
    close: () => prompting.close(),
  };
  return prompt;
}
