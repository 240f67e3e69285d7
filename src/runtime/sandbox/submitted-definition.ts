/**
 * @module
 * A submitted definition whose code runs in a sandbox, as this process sees it: requests that are answered. An answer is
 * checked before anything is done with it. Equal requests are sent once; `recheck` sends a sample of them to a new process
 * in another order, which finds a definition whose memory besides the states of its nodes changes one of the sample.
 */

import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ProtocolName } from '../../election/registry.ts';
import { MachineFault } from '../../exercise/machine-fault.ts';
import type { Seed } from '../../random.ts';
import { createRandom, shuffled } from '../../random.ts';
import { IS_INSTALLED, PACKAGED } from '../load/builds.ts';
import { insideSubmission, startConfined } from './bubblewrap.ts';
import { ChannelEnd, ChannelFault, LineChannel } from './line-channel.ts';
import type { StepRequest, SubmittedEffect } from './step-request.ts';
import { answerSchema, helloSchema, parseLine } from './step-request.ts';

/** Steps of one student in all, different ones, and messages sent: far more than the judges of a correct definition need. */
const STEPS_MAX = 2_000_000;
const DIFFERENT_STEPS_MAX = 200_000;
const SENDS_MAX = 1_000_000;
/** Steps of a student that are asked again. A memory that changes none of these is not found. */
export const RECHECKED_MAX = 2_000;
/** Answers that are kept from one student to the next. */
const KEPT_MAX = 100_000;

export interface Sandbox {
  /** A folder with the submission, and one for the pipes. */
  readonly submission: string;
  readonly pipes: string;
  /** Path of the file in the submission. */
  readonly file: string;
  /** The protocol around which its machines are built; null if they are those of a protocol. */
  readonly around: ProtocolName | null;
  /** Receives the id of each process that was started. */
  readonly onStart: (pid: number) => void;
}

export interface Answer {
  readonly state: Readonly<Record<string, unknown>>;
  readonly effects: readonly SubmittedEffect[];
}

/** The definition in its process. */
export class SubmittedDefinition {
  readonly kind: string;
  readonly #sandbox: Sandbox;
  readonly #process: ConfinedProcess;
  readonly #answers = new Map<string, { readonly text: string; readonly answer: Answer }>();
  #steps = 0;
  #differentSteps = 0;
  #sends = 0;
  #hasFailed = false;
  /** The process that is asked again. */
  #other: ConfinedProcess | null = null;
  readonly #rechecked = new Set<string>();

  /** Starts the process. Throws MachineFault if it does not load the file. */
  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.#process = startTwiceIfItFails(sandbox);
    this.kind = this.#process.kind;
  }

  /** Kills the process. */
  close(): void {
    this.#process.end();
    this.#other?.end();
  }

  /** Whether a request has failed, after which the process may be in any state. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Begins with another student: the limits are those of one. */
  begin(): void {
    this.#steps = 0;
    this.#differentSteps = 0;
    this.#sends = 0;
    if (this.#answers.size <= KEPT_MAX) return;
    this.#answers.clear();
    this.#rechecked.clear();
  }

  /** The answer to a step, which must not be changed. Throws MachineFault. */
  ask(request: StepRequest): Answer {
    return this.#noting(() => {
      this.#steps += 1;
      if (this.#steps > STEPS_MAX) {
        throw new MachineFault(`more than ${STEPS_MAX} steps were needed`);
      }
      const line = JSON.stringify(request);
      const { answer } = this.#answers.get(line) ?? this.#askNew(line);
      this.#sends += answer.effects.filter(({ type }) => type === 'send').length;
      if (this.#sends > SENDS_MAX) {
        throw new MachineFault(`more than ${SENDS_MAX} messages were sent`);
      }
      return answer;
    });
  }

  #noting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Asks another process some of the same, in another order. Throws MachineFault if an answer is another one. */
  recheck(seed: Seed): void {
    this.#noting(() => {
      const fresh = [...this.#answers].filter(([line]) => !this.#rechecked.has(line));
      for (const [line, { text }] of shuffled(fresh, createRandom(seed)).slice(0, RECHECKED_MAX)) {
        this.#rechecked.add(line);
        this.#repeat(line, text);
      }
    });
  }

  /** Asks the other process the same. Throws MachineFault if it answers otherwise. */
  #repeat(line: string, text: string): void {
    this.#other ??= startAgain(this.#sandbox);
    if (exchange(this.#other.channel, line) === text) return;
    throw new MachineFault(
      `the same event in the same state has other effects when it is repeated: ${line.slice(0, SHOWN_MAX)}; keep everything that a node remembers in its state`,
    );
  }

  #askNew(line: string): { readonly text: string; readonly answer: Answer } {
    this.#differentSteps += 1;
    if (this.#differentSteps > DIFFERENT_STEPS_MAX) {
      throw new MachineFault(`more than ${DIFFERENT_STEPS_MAX} different steps were needed`);
    }
    const text = exchange(this.#process.channel, line);
    // The text of an error is shown in reports.
    if (text.startsWith(ERROR)) this.#repeat(line, text);
    const asked = { text, answer: parsed(text) };
    this.#answers.set(line, asked);
    return asked;
  }
}

const SHOWN_MAX = 400;
/** Beginning of an answer that is an error. */
const ERROR = '{"error":';

/** The answer of a process to a line. Throws MachineFault if it is no single line. */
export function exchange(channel: LineChannel, line: string): string {
  return inChannel(() => {
    channel.write(line);
    const answer = channel.read();
    if (channel.hasMore) throw new ChannelFault('it answered more than once');
    return answer;
  });
}

function parsed(line: string): Answer {
  const answer = answerSchema.safeParse(inChannel(() => parseLine(line)));
  if (!answer.success) {
    const [issue] = answer.error.issues;
    const at = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    throw new MachineFault(`a step has a state or an effect that a machine cannot have${at}`);
  }
  if ('error' in answer.data) throw new MachineFault(`a step failed: ${answer.data.error}`);
  return answer.data;
}

interface ConfinedProcess {
  readonly channel: LineChannel;
  readonly kind: string;
  readonly end: () => void;
}

/** Starts the process. The fault of one that fails is shown in reports, so that a second one must fail in the same way. */
function startTwiceIfItFails(sandbox: Sandbox): ConfinedProcess {
  try {
    return start(sandbox, 'first');
  } catch (error) {
    if (!(error instanceof MachineFault)) throw error;
    startAgain(sandbox, error.message).end();
    throw new MachineFault(UNEQUAL_OR_ENDED);
  }
}

/** Starts another process of a file. Throws the expected fault, or one that says that the processes differ. */
function startAgain(sandbox: Sandbox, expected: string | null = null): ConfinedProcess {
  try {
    return start(sandbox, 'repeating');
  } catch (error) {
    if (!(error instanceof MachineFault) || error.message === expected) throw error;
    throw new MachineFault(UNEQUAL_OR_ENDED);
  }
}

/** One text: near the end of the memory it differs from run to run whether a process ends. */
const UNEQUAL_OR_ENDED =
  'the process has ended, or the file cannot be loaded twice with the same result: it must not depend on memory, on the depth of the stack or on chance';

/** Opens two pipes, starts the process, and reads what the file defines. */
function start(
  { submission, pipes, file, around, onStart }: Sandbox,
  limits: 'first' | 'repeating',
): ConfinedProcess {
  const requests = openPipe(join(pipes, `requests-${pipesOpened}`));
  const answers = openPipe(join(pipes, `answers-${pipesOpened}`));
  pipesOpened += 1;
  const { sources, args } = neededSources(around);
  const child = startConfined({
    submission,
    sources: new Map([...sources].map(([path, source]) => [path, fileOf(source, pipes)])),
    script: SANDBOXED_SCRIPT,
    args: [insideSubmission(file), ...args],
    requests: requests.reader,
    answers: answers.writer,
    limits,
  });
  // Without bubblewrap the pipes end at once.
  child.on('error', () => undefined);
  if (child.pid !== undefined) onStart(child.pid);
  closeSync(requests.reader);
  closeSync(answers.writer);
  const channel = new LineChannel({ input: answers.reader, output: requests.writer });
  const end = () => {
    child.kill('SIGKILL');
    closeSync(answers.reader);
    closeSync(requests.writer);
  };
  try {
    return { channel, kind: kindIn(inChannel(() => parseLine(channel.read()))), end };
  } catch (error) {
    end();
    throw error;
  }
}

function kindIn(line: unknown): string {
  const hello = helloSchema.safeParse(line);
  if (!hello.success) throw new MachineFault('the file cannot be loaded');
  if ('error' in hello.data)
    throw new MachineFault(`the file cannot be loaded: ${hello.data.error}`);
  return hello.data.kind;
}

let pipesOpened = 0;

/** A pipe with a name. Its ends are opened so that no opening waits, and that a read ends when the writer has ended. */
function openPipe(path: string): { readonly reader: number; readonly writer: number } {
  const { status } = spawnSync('mkfifo', ['--mode=600', path]);
  if (status !== 0) throw new TypeError(`"path" expected a new pipe, got ${path}`);
  const both = openSync(path, constants.O_RDWR);
  const reader = openSync(path, constants.O_RDONLY);
  const writer = openSync(path, constants.O_WRONLY);
  closeSync(both);
  return { reader, writer };
}

function inChannel<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ChannelEnd) throw new MachineFault(UNEQUAL_OR_ENDED);
    if (!(error instanceof ChannelFault || error instanceof RangeError)) throw error;
    throw new MachineFault(`the process of the file broke its protocol: ${error.message}`);
  }
}

/**
 * The script that runs in the sandbox. The sources that the process in the sandbox can read: those that its script
 * imports. No definition of the lab is among them, so that a submission cannot pass with one, however it would get
 * at it. The registry of protocols is replaced by sandbox-registry.ts, which lists only the protocol around which
 * the submitted machine is built.
 */
const SANDBOXED_SCRIPT = 'src/runtime/sandbox/sandboxed-definition.ts';

/** A package has its text, too, because it says which file defines a protocol. No sandbox has it. */
export const REGISTRY = 'src/election/registry.ts';
const SANDBOX_REGISTRY = 'src/runtime/sandbox/sandbox-registry.ts';
/** Imports of values from files of usurp. Those of types do not exist at run time. */
const IMPORT = /^(?:import|export) (?:(?:\{[^}]*\}|\*[^';]*) from )?'(\.[^']+)';$/gm;

interface NeededSources {
  /** The files by their paths in the sandbox; all paths are relative to usurp. */
  readonly sources: ReadonlyMap<string, string>;
  /** Further arguments of the script: name and file of the protocol. */
  readonly args: readonly string[];
}

/** What the script needs beside this protocol; null stands for none. */
export function neededSources(around: ProtocolName | null): NeededSources {
  const file = around === null ? null : fileOfProtocol(around);
  const args =
    file === null || around === null ? [] : [around, posix.relative('src/election', file)];
  const key = args.join(' ');
  const sources = KEPT.get(key) ?? sourcesOf([SANDBOXED_SCRIPT, ...(file === null ? [] : [file])]);
  KEPT.set(key, sources);
  return { sources, args };
}

const KEPT = new Map<string, ReadonlyMap<string, string>>();

function sourcesOf(entries: readonly string[]): ReadonlyMap<string, string> {
  const found = new Set([REGISTRY, ...entries]);
  for (const file of found) {
    if (file !== REGISTRY) for (const each of importsOf(file)) found.add(each);
  }
  const sources = [...found].map((file) => [file, file] as const);
  return new Map([...sources, [REGISTRY, SANDBOX_REGISTRY], ['package.json', 'package.json']]);
}

/** The file that the registry imports this protocol from. */
function fileOfProtocol(name: ProtocolName): string {
  const file = importsOf(REGISTRY).find((each) => textOf(each).includes(`'${name}'`));
  if (file === undefined) throw new TypeError(`"name" expected a protocol of the lab, got ${name}`);
  return file;
}

function importsOf(file: string): readonly string[] {
  const folder = posix.dirname(file);
  return [...textOf(file).matchAll(IMPORT)].map(([, path = '']) => posix.join(folder, path));
}

function textOf(file: string): string {
  return packed()?.[file] ?? readFileSync(join(ROOT, file), 'utf8');
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** In an installed package: the sources by their paths, in one file. */
export const PACKED_SOURCES = join(PACKAGED, 'sandbox.json');

let sourcesPacked: Readonly<Record<string, string>> | null = null;

/** The sources of an installed package. Null in a checkout, which has files. */
function packed(): Readonly<Record<string, string>> | null {
  if (!IS_INSTALLED) return null;
  sourcesPacked ??= JSON.parse(readFileSync(PACKED_SOURCES, 'utf8'));
  return sourcesPacked;
}

/** The file of a source. That of an installed package is written into the folder of the pipes, which is temporary. */
function fileOf(source: string, folder: string): string {
  const text = packed()?.[source];
  if (text === undefined) return source;
  const path = join(folder, 'sources', source);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
