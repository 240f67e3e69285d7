/**
 * @module
 * `usurp cluster up`: starts nodes, carries out commands, stops the nodes, and checks their logs against the model. The
 * nodes stop with it, even if it is killed.
 */

import { availableParallelism, loadavg } from 'node:os';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import { LabError } from '../../errors.ts';
import { STORE_NUMBER } from '../../live/cluster/cluster.ts';
import type { ClusterAction } from '../../live/cluster/cluster-action.ts';
import { carryOutAction, numberIn } from '../../live/cluster/cluster-action.ts';
import type { ClusterSession, SessionOptions } from '../../live/cluster/cluster-session.ts';
import { startCluster } from '../../live/cluster/cluster-session.ts';
import type { LeaderChange } from '../../live/cluster/leader-watch.ts';
import { LeaderWatch, WriteCounts } from '../../live/cluster/leader-watch.ts';
import { startHere } from '../../live/cluster/machines.ts';
import { admissionText } from '../../live/cluster/members.ts';
import type { Takeover } from '../../live/cluster/takeover.ts';
import { Observer, takeOver } from '../../live/cluster/takeover.ts';
import { formatCount, formatSeconds } from '../../operations/figures.ts';
import { printableLine } from '../../printable.ts';
import { KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import { refuseTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT, exitOf } from '../shell/exit.ts';
import { named, readText } from '../shell/files.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-file.ts';
import { hereOf, linksOf, readCluster, settingsOf, withFolder } from './cluster-file.ts';
import type { ClusterCommand } from './commands.ts';
import { COMMANDS_HELP, parseCommand } from './commands.ts';
import { assertPart, reportCheck } from './log-check.ts';
import {
  addressesText,
  conditionsJson,
  conditionsText,
  detailsOf,
  disagreementAdvice,
  leaderChangeText,
  shareText,
  startText,
  statesText,
  takeoverText,
  writesText,
} from './state-text.ts';

/** What became of the commands. */
export interface CommandResults {
  /** Whether every `wait` ended with an agreement. */
  hasAgreed: boolean;
  /** Whether a node that was to join was refused. */
  hasRefused: boolean;
  /** Outcome of the last attack. */
  outcome: Takeover['outcome'] | null;
  /** The exit code of the command that was impossible, after which no other was carried out; null if none was. */
  failed: ExitCode | null;
}

/** What the commands share. */
interface Play extends CommandResults {
  readonly session: ClusterSession;
  readonly observer: Observer;
  readonly writes: WriteCounts;
  readonly options: ClusterOptions;
  readonly terminal: Terminal;
  /** Ends the command that runs now. */
  signal: AbortSignal;
}

/** Runs a cluster until the end of its commands, or of one attack. */
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
  const commands = action === 'attack' ? attackIn(options) : await scriptIn(script, terminal);
  let prompt: Prompt | null = null;
  const aside = (print: () => void) => (prompt === null ? print() : prompt.aside(print));
  const observer = new Observer();
  const writes = new WriteCounts();
  let look = (): void => undefined;
  const session = await started(action, options, terminal, {
    onFault: (node, text) =>
      aside(() => terminal.complain(`usurp: node ${node} has ended: ${text}`)),
    onWarning: warningsOfNodes((line) => aside(() => terminal.complain(line))),
    onRecord(node, record) {
      observer.note(node, record);
      writes.note(record);
    },
    onChange: () => look(),
  });
  const { cluster } = session;
  const watch = watchOf(session, (change) => {
    const text = leaderChangeText(change);
    aside(() => report({ options, terminal }, { leaderChange: change }, text));
  });
  look = () => watch.look(cluster);
  noteStart(session, terminal);
  const start = { hasAgreed: true, hasRefused: false, outcome: null, failed: null };
  const { signal } = terminal;
  const play: Play = { session, observer, writes, options, terminal, signal, ...start };
  try {
    if (!(await haveStarted(play))) play.failed = EXIT.refused;
    else if (commands === null) {
      prompt = openPrompt(terminal);
      await followStdin(play, prompt);
    } else await carryOutAll(play, commands);
    watch.end();
    await cluster.down();
    const checked = await checkedAfter(play);
    return terminal.signal.aborted ? EXIT.interrupted : exitCodeOf(action, play, checked);
  } finally {
    await session.close();
  }
}

/** Watches who leads. The times count from the first start of the cluster, as those of traces do. */
function watchOf({ startedMs }: ClusterSession, onChange: (change: LeaderChange) => void) {
  const beginMs = performance.now() - (Date.now() - startedMs);
  return new LeaderWatch(beginMs, () => performance.now(), onChange);
}

/** Names the network namespace, and how old a cluster is that is started again. */
function noteStart({ namespaces, startedMs, isBack }: ClusterSession, terminal: Terminal): void {
  if (namespaces !== null) {
    terminal.note(`the network namespace of node 1 is ${namespaces.nameOf(1)}`);
  }
  if (!isBack) return;
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  terminal.note(`the cluster is back; its times count from its first start, ${seconds} s ago`);
}

/**
 * Waits for the start of the nodes, and prints where they are. Those of other machines start when their users want. False
 * if all have failed.
 */
async function haveStarted({ session, options, terminal }: Play): Promise<boolean> {
  const { signal } = terminal;
  const isUp = options.file !== undefined || (await haveBegun(session, terminal)) || signal.aborted;
  if (isUp) terminal.note(addressesText(session));
  if (isUp) return true;
  terminal.complain(
    'usurp: no node is left, and no command was carried out; remove the cause above',
  );
  return false;
}

const PROGRESS_MS = 500;

/** Waits until each node was ready or has ended, and shows how far they are. Whether one of them is up. */
async function haveBegun({ cluster }: ClusterSession, terminal: Terminal): Promise<boolean> {
  const startMs = performance.now();
  const show = () => {
    const seconds = (performance.now() - startMs) / 1000;
    if (cluster.nodes().length > 1)
      terminal.progress(() => startText(cluster.startState(), seconds));
  };
  const timer = setInterval(show, PROGRESS_MS);
  try {
    return await cluster.startedWithin(Number.POSITIVE_INFINITY, terminal.signal);
  } finally {
    clearInterval(timer);
  }
}

/** Checks the logs. Those of other machines are not here. */
async function checkedAfter({ session, options, terminal }: Play): Promise<ExitCode> {
  if (options.file !== undefined) return EXIT.holds;
  if (session.logs().length > 0) return reportCheck(session.check(), options, terminal);
  terminal.note('nothing to check: no node has begun');
  return EXIT.holds;
}

/** Starts all nodes, or those of this machine. */
async function started(
  action: string,
  options: ClusterOptions,
  terminal: Terminal,
  hooks: Pick<SessionOptions, 'onFault' | 'onWarning' | 'onRecord' | 'onChange'>,
): Promise<ClusterSession> {
  const { file, folder = null, threads } = options;
  const needs: SessionOptions = {
    folder,
    threads,
    signal: terminal.signal,
    links: linksOf(options),
    ...hooks,
  };
  if (file === undefined && options.here !== undefined) {
    throw new LabError('arguments', '--here names a machine of a file; give the file with --file');
  }
  if (file === undefined) return startCluster(settingsOf(options, action), needs);
  return startHere(await readCluster(file, terminal), hereOf(options), needs);
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

/** A command that is impossible is reported, and ends the script. */
async function carryOutAll(play: Play, commands: readonly LocatedCommand[]): Promise<void> {
  for (const { command, location } of commands) {
    if (command.type === 'down' || play.terminal.signal.aborted) return;
    try {
      await carryOut(play, command);
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const where = location === undefined ? '' : `${location}: `;
      play.terminal.complain(`usurp: ${where}${error.message}`);
      play.failed = exitOf(error).code;
      return;
    }
  }
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

async function carryOut(play: Play, command: ClusterCommand): Promise<void> {
  const { session, terminal, signal } = play;
  const { cluster } = session;
  switch (command.type) {
    case 'wait':
      await waitForLeader(play);
      return;
    case 'status':
      reportStatus(play);
      return;
    case 'sleep':
      await delay(command.seconds * 1000, undefined, { signal }).catch(() => null);
      return;
    case 'attack':
      await attack(play, command);
      return;
    case 'join': {
      const text = await readText(command.file, terminal, KEY_FILE_BYTES_MAX);
      named(command.file, () => parseKeyFile(text));
      const node = await session.join({ text });
      const refused = session.cluster.isDown(node);
      report(play, { done: 'join', node, refused }, `join ${node}${refused ? ': refused' : ''}`);
      if (refused) play.hasRefused = true;
      return;
    }
    case 'remove': {
      const node = numberIn(session, command.node);
      const why = await session.remove(node, signal);
      const words = why === null ? '' : `: not yet: ${why}`;
      report(play, { done: 'remove', node, why }, `remove ${node}${words}`);
      if (why !== null) play.hasAgreed = false;
      return;
    }
    case 'lose':
    case 'duplicate': {
      const { type, chance } = command;
      const { share, seed } = chance;
      await carryOutAction(session, command);
      const drawn = share === 0 ? '' : ` with seed ${seed}`;
      report(play, { done: type, share, seed }, `${type} ${shareText(share)}${drawn}`);
      return;
    }
    case 'loss':
    case 'delay': {
      const { type, value } = command;
      const nodes = command.nodes?.map((node) => numberIn(session, node)) ?? null;
      cluster.shape(type === 'loss' ? { loss: value } : { delayMs: value }, nodes);
      const whose = nodes === null ? 'all nodes' : `node ${nodes.join(', ')}`;
      const amount = type === 'loss' ? shareText(value) : `${value} ms`;
      report(play, { done: type, value, nodes }, `${type} ${amount} of ${whose}`);
      return;
    }
    case 'down':
      return;
    default:
      await actOn(play, command);
  }
}

async function attack(
  play: Play,
  { budget, behaviours }: Extract<ClusterCommand, { readonly type: 'attack' }>,
): Promise<void> {
  const { session, observer, terminal, options } = play;
  if (options.file !== undefined) {
    throw new LabError(
      'arguments',
      'attack needs all nodes on this machine; start them without --file',
    );
  }
  const takeover = await takeOver(session, observer, {
    budget,
    behaviours,
    onProgress: ({ tested, cpuSeconds }) =>
      terminal.progress(() => `${formatCount(tested)} keys · ${formatSeconds(cpuSeconds)} CPU`),
  });
  play.outcome = takeover.outcome;
  report(play, { takeover }, takeoverText(takeover).trimEnd());
}

async function actOn(play: Play, command: ClusterAction): Promise<void> {
  const { type } = command;
  const node = await carryOutAction(play.session, command);
  const named = node === STORE_NUMBER ? 'store' : node;
  const { json, words } = detailsOf(command, play.session.cluster);
  const whole = [type, named, words].filter((word) => word ?? '');
  report(
    play,
    { done: type, ...(named === null ? {} : { node: named }), ...json },
    whole.join(' '),
  );
}

async function waitForLeader(play: Play): Promise<void> {
  const { session, options, terminal, signal } = play;
  const { cluster } = session;
  const start = performance.now();
  const agreement = await cluster.agreedWithin(options.wait * 1000, signal);
  const seconds = Number(((performance.now() - start) / 1000).toFixed(3));
  if (agreement === null) {
    play.hasAgreed = false;
    const why = `no agreement after ${seconds} s: ${statesText(cluster)}`;
    report(play, { agreed: false, seconds }, why);
    const load = { load: loadavg()[0] ?? 0, cores: availableParallelism() };
    const advice = admissionText(cluster) ?? disagreementAdvice(cluster, load);
    if (advice !== null) terminal.note(advice);
    return;
  }
  const { leader, epoch, nodes } = agreement;
  const named = epoch > 0 ? `leader ${leader} in epoch ${epoch}` : `leader ${leader}`;
  const text = `${named} of nodes ${nodes.join(', ')} after ${seconds} s`;
  report(play, { agreed: true, leader, epoch, nodes, seconds }, text);
}

function reportStatus(play: Play): void {
  const { cluster, settings } = play.session;
  const { writes } = play;
  const states = cluster.states();
  const writing = settings.workload ? `\n${writesText(writes)}` : '';
  const { accepted, staleWrites, lateWrites, staleRefused } = writes;
  const json = {
    followed: cluster.followed(),
    nodes: states,
    ...conditionsJson(play.session),
    ...(settings.workload ? { writes: { accepted, staleWrites, lateWrites, staleRefused } } : {}),
  };
  const conditions = conditionsText(play.session).map((line) => `\n${line}`);
  report(play, json, `${statesText(cluster)}${conditions.join('')}${writing}`);
}

function report(
  { options, terminal }: Pick<Play, 'options' | 'terminal'>,
  json: object,
  text: string,
): void {
  terminal.print(wantsJson(options) ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

/** A command, and where it is in a script: `file:line`. */
interface LocatedCommand {
  readonly command: ClusterCommand;
  readonly location?: string;
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

/** All commands of a script, so that a wrong one is refused before anything is started. */
function scripted(text: string, path: string): readonly LocatedCommand[] {
  return text.split('\n').flatMap((line, index) => {
    const location = `${path}:${index + 1}`;
    try {
      const command = parseCommand(line);
      return command === null ? [] : { command, location };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      throw new LabError('arguments', `${location}: ${error.message}`);
    }
  });
}

/** Warnings of one node that are shown. */
const SHOWN_MAX = 8;

/** Receives the warnings of nodes, and passes on the lines to show. */
export function warningsOfNodes(
  complain: (line: string) => void,
): (node: number, text: string) => void {
  const counts = new Map<number, number>();
  return (node, text) => {
    const count = (counts.get(node) ?? 0) + 1;
    counts.set(node, count);
    if (count <= SHOWN_MAX) complain(`usurp: node ${node}: ${printableLine(text)}`);
    if (count === SHOWN_MAX + 1) complain(`usurp: node ${node}: its later warnings are not shown`);
  };
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
