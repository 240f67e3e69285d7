/**
 * @module
 * This folder contains the command line of usurp.
 * Finds the verb, lets it run, and turns its outcome into an exit code. A verb's file is loaded only
 * when that verb is asked for, so that the first answer comes at once.
 */

import type process from 'node:process';
import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { ExitCode } from './shell/exit.ts';
import { EXIT, exitOf } from './shell/exit.ts';
import type { Session } from './shell/terminal.ts';
import { printable, processTerminal } from './shell/terminal.ts';

export type Streams = Pick<typeof process, 'stdout' | 'stderr' | 'stdin'>;

interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Whether it uses definitions, so that files of the user can be loaded for it. */
  readonly loadsDefinitions?: true;
  /** Whether its first argument is such a file, too. */
  readonly loadsArgument?: true;
  load(session: Session): Promise<Command>;
}

const VERBS: readonly Verb[] = [
  {
    name: 'mine',
    summary: 'find an identity that a policy admits, within a budget',
    load: async (session) => (await import('./mine/mine.ts')).mineCommand(session),
  },
  {
    name: 'verify',
    summary: 'check a claim against a policy',
    load: async (session) => (await import('./mine/verify.ts')).verifyCommand(session),
  },
  {
    name: 'calibrate',
    summary: 'measure how fast this machine mines',
    load: async (session) => (await import('./mine/calibrate.ts')).calibrateCommand(session),
  },
  {
    name: 'elect',
    loadsDefinitions: true,
    summary: 'run elections in the simulator',
    load: async (session) => (await import('./elect/elect.ts')).electCommand(session),
  },
  {
    name: 'attack',
    loadsDefinitions: true,
    summary: 'attack an election, and find what would have stopped it',
    load: async (session) => (await import('./attack/attack.ts')).attackCommand(session),
  },
  {
    name: 'replay',
    loadsDefinitions: true,
    summary: 'repeat an election that elect --save wrote',
    load: async (session) => (await import('./elect/replay.ts')).replayCommand(session),
  },
  {
    name: 'run',
    loadsDefinitions: true,
    summary: 'run a threat model and answer whether it holds',
    load: async (session) => (await import('./experiment/run.ts')).runCommand(session),
  },
  {
    name: 'design',
    loadsDefinitions: true,
    summary: 'find the difficulty that limits an adversary',
    load: async (session) => (await import('./experiment/design.ts')).designCommand(session),
  },
  {
    name: 'sweep',
    loadsDefinitions: true,
    summary: 'run a threat model at every point of a grid',
    load: async (session) => (await import('./experiment/sweep.ts')).sweepCommand(session),
  },
  {
    name: 'worker',
    loadsDefinitions: true,
    summary: 'work for the sweeps of others through a Redis',
    load: async (session) => (await import('./experiment/worker.ts')).workerCommand(session),
  },
  {
    name: 'new',
    summary: 'write a skeleton of a protocol, behaviour, defence or property',
    load: async (session) => (await import('./definitions/new.ts')).newCommand(session),
  },
  {
    name: 'conform',
    loadsDefinitions: true,
    loadsArgument: true,
    summary: 'check a protocol of a file against the contract, and run its test',
    load: async (session) => (await import('./definitions/conform.ts')).conformCommand(session),
  },
  {
    name: 'serve',
    loadsDefinitions: true,
    summary: 'serve the lab over HTTP',
    load: async (session) => (await import('./serve/serve.ts')).serveCommand(session),
  },
];

/** Runs one command line; never throws. `signal` aborts when the user interrupts. */
export async function main(
  argv: readonly string[],
  streams: Streams,
  signal: AbortSignal,
): Promise<ExitCode> {
  let outcome: ExitCode = EXIT.holds;
  const session: Session = {
    async run(options, work) {
      const isQuiet = options.quiet === true;
      outcome = await work(processTerminal(streams, { isQuiet, signal }));
    },
  };
  try {
    const asked = VERBS.find(({ name }) => name === argv[0]);
    if (asked?.loadsDefinitions === true) {
      const { loadDefinitions } = await import('../runtime/load/load-definitions.ts');
      await loadDefinitions(filesToLoad(argv, asked));
    }
    const program = await programFor(argv[0], session, streams);
    await program.parseAsync(argv, { from: 'user' });
    return outcome;
  } catch (error) {
    const { code, lines } = exitOf(error);
    for (const line of lines) streams.stderr.write(`${printable(line)}\n`);
    return code;
  }
}

async function programFor(
  name: string | undefined,
  session: Session,
  streams: Streams,
): Promise<Command> {
  const program = new Command('usurp')
    .description('A laboratory for stolen elections: earned IDs, forgers with a budget, elections.')
    .version(manifest.version)
    .helpCommand(false);
  for (const verb of VERBS) {
    const isAsked = verb.name === name;
    const command = isAsked ? await verb.load(session) : new Command(verb.name);
    if (isAsked && verb.loadsDefinitions === true) command.addOption(loadOption());
    program.addCommand(command.summary(verb.summary));
  }
  for (const command of [program, ...program.commands]) adopt(command, streams);
  return program;
}

function loadOption(): Option {
  const collect = (file: string, files: readonly string[] = []) => [...files, file];
  return new Option(
    '--load <file>',
    'TypeScript file with definitions of protocols, behaviours, defences, detectors or properties; repeatable',
  ).argParser(collect);
}

/**
 * The files of --load, and of the argument of `conform`. They are loaded before the verb's modules, which
 * list the names of all definitions. Commander reads the same words again later, with all others.
 */
function filesToLoad(argv: readonly string[], { loadsArgument }: Verb): readonly string[] {
  const words = argv.slice(1, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const named = words.flatMap((word, index) => {
    if (word.startsWith('--load=')) return [word.slice('--load='.length)];
    const value = words[index + 1];
    return word === '--load' && value !== undefined ? [value] : [];
  });
  const isValue = (index: number) => /^--(load|seed|format)$/.test(words[index - 1] ?? '');
  const argument = words.find((word, index) => !word.startsWith('-') && !isValue(index));
  return loadsArgument === true && argument !== undefined ? [argument, ...named] : named;
}

/** Errors become one line and an exception; help goes where it was asked for. */
function adopt(command: Command, streams: Streams): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => streams.stdout.write(text),
    writeErr: (text) => streams.stderr.write(printable(text)),
    outputError: (text, write) => {
      write(
        `usurp: ${text
          .trim()
          .replace(/^error: /, '')
          .replaceAll('\n', ' ')}\n`,
      );
    },
  });
}
