/**
 * @module
 * Carries out the commands of `usurp cluster up` on a running cluster, and prints what became of them.
 */

import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

import { LabError } from '../../errors.ts';
import type { CheckedLogs } from '../../live/check/log-check.ts';
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
import type { ClientsAnswer } from '../../operations/elect/client-history.ts';
import { formatCount, formatSeconds } from '../../operations/figures.ts';
import { printableLine } from '../../printable.ts';
import { KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT, exitOf } from '../shell/exit.ts';
import { named, readText } from '../shell/files.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-file.ts';
import { hereOf, linksOf, readCluster, settingsOf } from './cluster-file.ts';
import type { ClusterCommand } from './commands.ts';
import { parseCommand } from './commands.ts';
import { clientsText, reportCheck } from './log-check.ts';
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
export interface Play extends CommandResults {
  readonly session: ClusterSession;
  readonly observer: Observer;
  readonly writes: WriteCounts;
  readonly options: ClusterOptions;
  readonly terminal: Terminal;
  /** What nodes have said that ended by themselves. */
  readonly ended: readonly string[];
  /** Prints something that no command has asked for. */
  aside: (print: () => void) => void;
  /** Ends the command that runs now. */
  signal: AbortSignal;
}

/** What a play is run for. */
export interface PlayRun {
  readonly action: 'up' | 'attack';
  readonly options: ClusterOptions;
  readonly terminal: Terminal;
  /** Carries out the commands. */
  readonly carry: (play: Play) => Promise<void>;
}

/** What became of a play, and of the check of its logs. */
export interface Played {
  readonly play: Play;
  /** Null if there was nothing to check here. */
  readonly checked: CheckedLogs | null;
  readonly checkedExit: ExitCode;
  /** What the clients have found; null without any. */
  readonly clients: ClientsAnswer | null;
}

/** Starts a cluster, carries out commands, stops the nodes, and checks their logs. */
export async function runPlay({ action, options, terminal, carry }: PlayRun): Promise<Played> {
  const observer = new Observer();
  const writes = new WriteCounts();
  const ended: string[] = [];
  let look = (): void => undefined;
  const shown: Pick<Play, 'aside'> = { aside: (print) => print() };
  const session = await started(action, options, terminal, {
    onFault(node, text) {
      ended.push(`node ${node} has ended: ${text}`);
      shown.aside(() => terminal.complain(`usurp: node ${node} has ended: ${text}`));
    },
    onWarning: warningsOfNodes((line) => shown.aside(() => terminal.complain(line))),
    onRecord(node, record) {
      observer.note(node, record);
      writes.note(record);
    },
    onChange: () => look(),
  });
  const { cluster } = session;
  const watch = watchOf(session, (change) => {
    const text = leaderChangeText(change);
    shown.aside(() => report({ options, terminal }, { leaderChange: change }, text));
  });
  look = () => watch.look(cluster);
  noteStart(session, terminal);
  const start = { hasAgreed: true, hasRefused: false, outcome: null, failed: null };
  const { signal } = terminal;
  const parts = { session, observer, writes, ended, options, terminal, signal };
  const play: Play = Object.assign(shown, parts, start);
  try {
    if (await haveStarted(play)) await carry(play);
    else play.failed = EXIT.refused;
    watch.end();
    session.clients?.end();
    await cluster.down();
    return { play, ...(await checkedAfter(play)) };
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
async function checkedAfter({ session, options, terminal }: Play): Promise<Omit<Played, 'play'>> {
  const clients = session.clients?.judged() ?? null;
  const unchecked = { checked: null, checkedExit: EXIT.holds, clients };
  if (options.file !== undefined) return unchecked;
  if (session.logs().length === 0) {
    terminal.note('nothing to check: no node has begun');
    return unchecked;
  }
  const checked = session.check();
  const checkedExit = await reportCheck(checked, options, terminal, clients);
  return { checked, checkedExit, clients };
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

/** A command that is impossible is reported, and ends the script. */
export async function carryOutAll(play: Play, commands: readonly LocatedCommand[]): Promise<void> {
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

export async function carryOut(play: Play, command: ClusterCommand): Promise<void> {
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
  const clients = play.session.clients?.judged() ?? null;
  const states = cluster.states();
  const writing = settings.workload ? `\n${writesText(writes)}` : '';
  const { accepted, lateWrites, staleRefused } = writes;
  const json = {
    followed: cluster.followed(),
    nodes: states,
    ...conditionsJson(play.session),
    ...(settings.workload ? { writes: { accepted, lateWrites, staleRefused } } : {}),
    ...(clients && { clients }),
  };
  const conditions = conditionsText(play.session).map((line) => `\n${line}`);
  const served = clients === null ? '' : `\n${clientsText(clients).trimEnd()}`;
  report(play, json, `${statesText(cluster)}${conditions.join('')}${writing}${served}`);
}

export function report(
  { options, terminal }: Pick<Play, 'options' | 'terminal'>,
  json: object,
  text: string,
): void {
  terminal.print(wantsJson(options) ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

/** A command, and where it is in a script: `file:line`. */
export interface LocatedCommand {
  readonly command: ClusterCommand;
  readonly location?: string;
}

/** All commands of a script, so that a wrong one is refused before anything is started. */
export function scripted(text: string, path: string): readonly LocatedCommand[] {
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
