/**
 * @module
 * This folder contains the command line of usurp.
 * Finds the verb, runs it, and turns its outcome into an exit code. The file of a verb is loaded only
 * when the command line names that verb, so that `usurp --help` is fast.
 */

import type process from 'node:process';
import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { LabError } from '../errors.ts';
import { printable } from '../printable.ts';
import type { Verbs } from './install/completion.ts';
import type { Besides } from './operations/operation-command.ts';
import type { ExitCode } from './shell/exit.ts';
import { EXIT, exitOf } from './shell/exit.ts';
import { fittedHelp } from './shell/layout.ts';
import { loadGuarded, verbEnded } from './shell/loaded-process.ts';
import type { Session } from './shell/terminal.ts';
import { processTerminal } from './shell/terminal.ts';

export type Streams = Pick<typeof process, 'stdout' | 'stderr' | 'stdin'>;

interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Whether it uses definitions. If so, it has the option --load. */
  readonly loadsDefinitions?: true;
  /** Whether its first argument is a file of definitions too. */
  readonly loadsArgument?: true;
  /** Whether it runs until it is stopped. */
  readonly isService?: true;
  load(session: Session): Promise<Command>;
}

/** Loads an operation, and makes a verb of it. `besides` loads what the verb has of its own. */
function loadOperation(name: string, besides?: () => Promise<Besides<object>>): Verb['load'] {
  return async (session) => {
    const { OPERATION_NAMES, operationNamed } = await import('../operations/registry.ts');
    if (!OPERATION_NAMES.includes(name)) return new Command('unknown');
    const { operationCommand } = await import('./operations/operation-command.ts');
    return operationCommand(operationNamed(name), session, await besides?.());
  };
}

const VERBS: readonly Verb[] = [
  {
    name: 'mine',
    summary: 'search for an identity that a policy admits, within a budget',
    load: async (session) => (await import('./mine/mine.ts')).mineCommand(session),
  },
  {
    name: 'verify',
    summary: 'check claims against a policy',
    load: async (session) => (await import('./mine/verify.ts')).verifyCommand(session),
  },
  {
    name: 'claim',
    summary: 'make the claims of a key file again, for another epoch, context, policy or nonce',
    load: async (session) => (await import('./mine/claim.ts')).claimCommand(session),
  },
  {
    name: 'calibrate',
    summary: 'measure the mining rate of this machine',
    load: loadOperation('calibrate'),
  },
  {
    name: 'advantage',
    summary: 'measure how far this machine is ahead of one honest core',
    // An operation with `besides` uses all cores.
    load: loadOperation('advantage', async () => ({})),
  },
  {
    name: 'elect',
    loadsDefinitions: true,
    summary: 'simulate elections, with faults or without',
    load: async (session) => (await import('./elect/elect.ts')).electCommand(session),
  },
  {
    name: 'compare-protocols',
    loadsDefinitions: true,
    summary: 'compare protocols under the same seeds, latencies and faults',
    load: loadOperation('compare-protocols'),
  },
  {
    name: 'attack',
    loadsDefinitions: true,
    summary: 'attack an election and find the defences that stop the attack',
    load: loadOperation(
      'attack',
      async () => (await import('./operations/attack-list.ts')).BESIDE_ATTACK,
    ),
  },
  {
    name: 'attack-matrix',
    loadsDefinitions: true,
    summary: 'run every attack on every protocol at every level',
    load: loadOperation('attack-matrix'),
  },
  {
    name: 'fault-matrix',
    loadsDefinitions: true,
    summary: 'run every fault on every protocol, and compare with what the protocol states',
    load: loadOperation('fault-matrix'),
  },
  {
    name: 'check',
    loadsDefinitions: true,
    summary: 'explore every schedule of a protocol within bounds',
    load: async (session) => (await import('./check/check.ts')).checkCommand(session),
  },
  {
    name: 'cheapest-attack',
    loadsDefinitions: true,
    summary: 'find the cheapest forged identities with which an adversary reaches a goal',
    load: async (session) => (await import('./check/check.ts')).cheapestAttackCommand(session),
  },
  {
    name: 'replay',
    loadsDefinitions: true,
    summary: 'repeat an election that elect --save wrote, and compare the traces',
    load: async (session) => (await import('./replay/replay.ts')).replayCommand(session),
  },
  {
    name: 'explain',
    loadsDefinitions: true,
    summary: 'say in sentences what a saved run, a counterexample, a verdict or a grade shows',
    load: async (session) => (await import('./explain/explain.ts')).explainCommand(session),
  },
  {
    name: 'run',
    loadsDefinitions: true,
    summary: 'run a threat model and print its verdict',
    load: loadOperation('run', async () => (await import('./operations/run-model.ts')).BESIDE_RUN),
  },
  {
    name: 'design',
    loadsDefinitions: true,
    summary: 'calculate the puzzle difficulty that limits an adversary',
    load: loadOperation('design'),
  },
  {
    name: 'sweep',
    loadsDefinitions: true,
    summary: 'run a threat model at every point of a grid',
    load: async (session) => (await import('./experiment/sweep.ts')).sweepCommand(session),
  },
  {
    name: 'compare',
    loadsDefinitions: true,
    summary: 'compare defences: the attack, the cost for honest nodes, and who is excluded',
    load: loadOperation('compare'),
  },
  {
    name: 'detectors',
    loadsDefinitions: true,
    summary: 'measure how soon and how wrongly detectors suspect',
    load: loadOperation('detectors'),
  },
  {
    name: 'lookups',
    summary: 'measure lookups over disjoint paths in a Kademlia overlay under attack',
    load: loadOperation('lookups'),
  },
  {
    name: 'churn',
    summary: 'measure what defences against bought IDs cost while nodes join and leave',
    load: loadOperation('churn'),
  },
  {
    name: 'reproduce',
    summary: 'reproduce published results: the number of the paper beside the measured one',
    load: loadOperation('reproduce'),
  },
  {
    name: 'worker',
    loadsDefinitions: true,
    isService: true,
    summary: 'compute chunks of sweeps that other machines submit through Redis',
    load: async (session) => (await import('./experiment/worker.ts')).workerCommand(session),
  },
  {
    name: 'new',
    summary: 'write a skeleton of a definition of your own, with a test',
    load: async (session) => (await import('./definitions/new.ts')).newCommand(session),
  },
  {
    name: 'conform',
    loadsDefinitions: true,
    loadsArgument: true,
    summary:
      'check the protocol in a file, or a running node of another program, against its contract',
    load: async (session) => (await import('./definitions/conform.ts')).conformCommand(session),
  },
  {
    name: 'node',
    loadsDefinitions: true,
    isService: true,
    summary: 'run one node of an election as a process, among peers',
    load: async (session) => (await import('./live/node.ts')).nodeCommand(session),
  },
  {
    name: 'cluster',
    loadsDefinitions: true,
    summary: 'start live nodes on this machine, disturb them, and check what they did',
    load: async (session) => (await import('./live/cluster.ts')).clusterCommand(session),
  },
  {
    name: 'exercise',
    summary: 'solve the exercises of a server in a terminal',
    load: async (session) => (await import('./exercise/exercise.ts')).exerciseCommand(session),
  },
  {
    name: 'class',
    summary: 'run the class of a server as an instructor',
    load: async (session) => (await import('./exercise/class.ts')).classCommand(session),
  },
  {
    name: 'grade',
    summary: 'grade the submissions of a class offline, in a sandbox',
    load: async (session) => (await import('./exercise/grade.ts')).gradeCommand(session),
  },
  {
    name: 'serve',
    loadsDefinitions: true,
    isService: true,
    summary: 'serve the HTTP API of the lab',
    load: async (session) => (await import('./serve/serve.ts')).serveCommand(session),
  },
  {
    name: 'lab',
    summary: 'write the browser lab as files that any web server can serve',
    load: async (session) => (await import('./serve/lab.ts')).labCommand(session),
  },
  {
    name: 'doctor',
    summary: 'show what this machine has of what usurp needs and can use',
    load: async (session) => (await import('./install/doctor.ts')).doctorCommand(session),
  },
  {
    name: 'completion',
    summary: 'print a script with which a shell completes verbs, flags and names',
    load: async (session) => {
      const { completionCommand } = await import('./install/completion.ts');
      return completionCommand(new Command('completion'), session, described(session));
    },
  },
  {
    name: 'manual',
    summary: 'print the manual page of usurp, or of a verb, for man',
    load: async (session) => {
      const { manualCommand } = await import('./install/manual.ts');
      return manualCommand(new Command('manual'), session, described(session));
    },
  },
];

/** The verbs as those see them that describe verbs. */
function described(session: Session): Verbs {
  return {
    listed: VERBS,
    async commandOf(name) {
      const asked = VERBS.find((verb) => verb.name === name);
      if (asked === undefined) throw await unknownVerb(name);
      return (await asked.load(session)).summary(asked.summary);
    },
  };
}

/** An operation that a file of --load defines. Null without such a file. */
function operationOfUser(argv: readonly string[]): Verb | null {
  const [name = ''] = argv;
  const verb: Verb = { name, summary: '', loadsDefinitions: true, load: loadOperation(name) };
  return filesToLoad(argv, verb).length === 0 ? null : verb;
}

/** Runs one command line; never throws. `signal` aborts when the user interrupts. */
export async function main(
  given: readonly string[],
  streams: Streams,
  signal: AbortSignal,
): Promise<ExitCode> {
  let outcome: ExitCode = EXIT.holds;
  // Commander prints a help text in parts.
  const help: string[] = [];
  const session: Session = {
    async run(options, work) {
      const isQuiet = options.quiet === true;
      outcome = await work(processTerminal(streams, { isQuiet, signal }));
    },
  };
  try {
    const argv = await withoutHelpVerb(given);
    if (argv.length === 0) {
      streams.stdout.write(await beginnings());
      return EXIT.holds;
    }
    if (argv[0] === 'version') {
      const [, word] = argv;
      if (word !== undefined && word !== '--help') {
        throw new LabError('arguments', `version takes nothing, got ${JSON.stringify(word)}`);
      }
      streams.stdout.write(word === undefined ? `${manifest.version}\n` : VERSION_HELP);
      return EXIT.holds;
    }
    const listed = VERBS.find(({ name }) => name === argv[0]);
    const loaded = listed === undefined ? operationOfUser(argv) : null;
    const asked = listed ?? loaded;
    if (asked?.loadsDefinitions === true) {
      const { loadDefinitions } = await import('../runtime/load/load-definitions.ts');
      const files = filesToLoad(argv, asked);
      await loadGuarded(files, () => loadDefinitions(files), asked.isService === true);
    }
    const verbs = loaded === null ? VERBS : [...VERBS, loaded];
    const program = await programFor(argv[0], { verbs, session, streams, help });
    await program.parseAsync(argv, { from: 'user' });
    return outcome;
  } catch (error) {
    const { code, lines } = exitOf(error);
    for (const line of lines) streams.stderr.write(`${printable(line)}\n`);
    return code;
  } finally {
    if (help.length > 0) streams.stdout.write(fittedHelp(help.join('')));
    verbEnded();
  }
}

const VERSION_HELP = 'Usage: usurp version\n\nPrint the version of usurp.\n';

/** What usurp says without a verb: five commands to begin with. */
async function beginnings(): Promise<string> {
  const [{ PROGRAM }, { columns }] = await Promise.all([
    import('./shell/command-line.ts'),
    import('./shell/layout.ts'),
  ]);
  const rows = [
    ['elect bully-oneshot --nodes 5', 'hold an election'],
    ['mine --c1 12', 'earn an identity'],
    ['attack cr-join --behaviours phantom-id', 'attack an election'],
    ['run top-id', 'ask a threat model'],
    ['serve --run top-id', 'open the lab in a browser'],
  ].map(([words, what = '']) => [`  ${PROGRAM} ${words}`, what]);
  const further = `${PROGRAM} help lists all verbs, and ${PROGRAM} doctor examines this machine.`;
  return `usurp ${manifest.version}: leader elections under attack. Begin with:\n\n${columns(rows)}\n${further}\n`;
}

/** `help mine` is `mine --help`. Throws LabError `arguments` for a verb that does not exist. */
async function withoutHelpVerb(argv: readonly string[]): Promise<readonly string[]> {
  if (argv[0] !== 'help') return argv;
  const name = argv.slice(1).find((word) => !word.startsWith('-'));
  if (name === undefined || name === 'version' || VERBS.some((verb) => verb.name === name)) {
    return [...(name === undefined ? [] : [name]), '--help'];
  }
  throw await unknownVerb(name);
}

/** The refusal of a verb that does not exist. */
async function unknownVerb(name: string): Promise<LabError> {
  const { suggestion } = await import('../experiment/reading/nearest.ts');
  const names = VERBS.map((verb) => verb.name);
  const near = suggestion(names, name) || ';';
  return new LabError('arguments', `${name} is not a verb${near} usurp help lists the verbs`);
}

interface Parts {
  readonly verbs: readonly Verb[];
  readonly session: Session;
  readonly streams: Streams;
  /** Receives the help text. */
  readonly help: string[];
}

async function programFor(
  name: string | undefined,
  { verbs, session, streams, help }: Parts,
): Promise<Command> {
  const program = new Command('usurp')
    .description(
      'A laboratory for leader elections under attack, with IDs that cost proof of work.',
    )
    .version(manifest.version)
    .helpCommand(false)
    .addHelpText('after', '\nusurp help VERB lists the flags of a verb, with examples.');
  for (const verb of verbs) {
    const isAsked = verb.name === name;
    const command = isAsked ? await verb.load(session) : new Command(verb.name);
    if (isAsked && verb.loadsDefinitions === true) command.addOption(loadOption());
    program.addCommand(command.summary(verb.summary));
  }
  for (const command of [program, ...program.commands]) adopt(command, streams, help);
  return program;
}

function loadOption(): Option {
  const collect = (file: string, files: readonly string[] = []) => [...files, file];
  return new Option(
    '--load <file>',
    'TypeScript file that defines protocols, behaviours, defences, detectors, properties or operations; repeatable',
  ).argParser(collect);
}

/**
 * The files of --load, and of the argument of `conform`. They are loaded before the verb's modules, which
 * list the names of all definitions. Commander parses the whole command line afterwards.
 */
function filesToLoad(argv: readonly string[], { loadsArgument }: Verb): readonly string[] {
  const words = argv.slice(1, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const named = words.flatMap((word, index) => {
    if (word.startsWith('--load=')) return [word.slice('--load='.length)];
    const value = words[index + 1];
    return word === '--load' && value !== undefined ? [value] : [];
  });
  const isValue = (index: number) =>
    /^--(load|seed|seconds|format|url|peers|identity|level|latency|wait)$/.test(
      words[index - 1] ?? '',
    );
  const argument = words.find((word, index) => !word.startsWith('-') && !isValue(index));
  return loadsArgument === true && argument !== undefined ? [argument, ...named] : named;
}

/** Replacements of flags of earlier versions that are spelled too differently for a suggestion. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  'design --seconds': '--time',
  'check --cost': 'usurp cheapest-attack',
  'check --crashed': '--crashed-before',
  'check --behaviour': '--byzantine',
  'compare --workers': '--threads',
  'elect --compare': 'usurp compare-protocols',
  'elect --attr': '--attributes',
};

/** How a command takes what was given as a flag, in the singular or the plural, as its argument. */
function positional(command: Command, flag: string): string | undefined {
  const singular = (name: string) => name.replace(/s$/, '');
  const name = singular(new Option(flag).attributeName());
  const asked = command.registeredArguments.find((each) => singular(each.name()) === name);
  if (asked === undefined) return undefined;
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  return `the argument: ${names.join(' ')} ${asked.required ? `<${asked.name()}>` : `[${asked.name()}]`}`;
}

/** Makes commander print an error as one line and throw. Help goes to stdout. */
function adopt(command: Command, streams: Streams, help: string[]): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => help.push(text),
    writeErr: (text) => streams.stderr.write(printable(text)),
    outputError: (text, write) => {
      const line = text
        .trim()
        .replace(/^error: /, '')
        .replaceAll('\n', ' ');
      const [, flag = ''] = /^unknown option '([^'=]+)/.exec(line) ?? [];
      const successor = SUCCESSORS[`${command.name()} ${flag}`];
      const remedy = successor ?? (flag === '' ? undefined : positional(command, flag));
      write(`usurp: ${line}${remedy === undefined ? '' : `; use ${remedy}`}\n`);
    },
  });
}
