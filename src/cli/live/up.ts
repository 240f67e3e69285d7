/**
 * @module
 * `usurp cluster up`: starts nodes, carries out commands, ends the nodes, and checks their logs against the model. The
 * nodes end with it, also if it is killed.
 */

import { mkdtempSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { Cluster } from '../../runtime/live/cluster.ts';
import { assertLive } from '../../runtime/live/start-node.ts';
import { refuseTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import { clusterFiles, writeClusterFiles } from './cluster-files.ts';
import type { ClusterCommand, NodeName } from './commands.ts';
import { COMMANDS_HELP, parseCommand } from './commands.ts';
import type { LogCheckOptions } from './log-check.ts';
import { checkLogs } from './log-check.ts';

/** What the command line names. */
export interface ClusterOptions extends LogCheckOptions {
  readonly nodes: number;
  readonly protocol?: ProtocolName | undefined;
  readonly level: string;
  readonly detector: string;
  readonly latency: string;
  readonly script?: string | undefined;
  readonly folder?: string | undefined;
  /** In seconds. */
  readonly wait: number;
}

/** What the commands share. */
interface Play {
  readonly cluster: Cluster;
  readonly options: ClusterOptions;
  readonly terminal: Terminal;
  /** Whether every `wait` ended with an agreement. */
  hasAgreed: boolean;
}

/** Runs a cluster until the end of its commands. */
export async function runCluster(options: ClusterOptions, terminal: Terminal): Promise<ExitCode> {
  const { nodes, protocol, script } = options;
  if (protocol === undefined) throw new LabError('arguments', 'up needs --protocol');
  assertLive(protocol);
  await refuseTrace({ ...options, clocks: true }, nodes);
  const commands = script === undefined ? null : scripted(await readText(script, terminal), script);
  const folder = await folderOf(options);
  const cluster = new Cluster({
    ...{ nodes, folder: options.folder === undefined ? folder : null },
    argsOf: argumentsIn(folder, await writeClusterFiles(folder, nodes), options),
    onFault: (position, text) => terminal.complain(`usurp: node ${position} has ended: ${text}`),
  });
  const play: Play = { cluster, options, terminal, hasAgreed: true };
  try {
    if (commands === null) await followStdin(play);
    else await carryOutAll(play, commands);
    await cluster.down();
    const checked = await checkLogs(
      logsIn(folder, nodes),
      { ...options, peers: join(folder, 'peers.json') },
      terminal,
    );
    if (terminal.signal.aborted) return EXIT.interrupted;
    return checked === EXIT.holds && !play.hasAgreed ? EXIT.unknown : checked;
  } finally {
    await cluster.down();
    await cluster.close();
  }
}

/** The folder of the files: a temporary one, or that of --folder, which must be empty. */
async function folderOf({ folder }: ClusterOptions): Promise<string> {
  if (folder === undefined) return mkdtempSync(join(tmpdir(), 'usurp-cluster-'));
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length === 0) return folder;
  throw new LabError('file.exists', `${folder} is not empty; name an empty folder`);
}

function argumentsIn(folder: string, peers: string, options: ClusterOptions) {
  const { protocol = '', level, detector, latency } = options;
  return (position: number): readonly string[] => {
    const { key, log } = clusterFiles(folder, position);
    const files = ['--identity', key, '--peers', peers, '--data', log];
    const settings = ['--protocol', protocol, '--level', level, '--detector', detector];
    return [...files, ...settings, '--latency', latency];
  };
}

function logsIn(folder: string, nodes: number): readonly string[] {
  return Array.from({ length: nodes }, (_, index) => clusterFiles(folder, index + 1).log);
}

/** All commands of a script, so that a wrong one is refused before anything is started. */
function scripted(text: string, path: string): readonly ClusterCommand[] {
  return text.split('\n').flatMap((line, index) => {
    try {
      return parseCommand(line) ?? [];
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      throw new LabError('arguments', `${path}:${index + 1}: ${detail}`);
    }
  });
}

async function carryOutAll(play: Play, commands: readonly ClusterCommand[]): Promise<void> {
  for (const command of commands) {
    if (command.type === 'down' || play.terminal.signal.aborted) return;
    await carryOut(play, command);
  }
}

/** A command that is wrong or impossible is reported, and the next one is read. */
async function followStdin(play: Play): Promise<void> {
  const { terminal } = play;
  const { stdin, signal } = terminal;
  const lines = createInterface({ input: Readable.from(stdin), signal });
  terminal.note('? lists the commands, down ends');
  for await (const line of lines) {
    if (line.trim() === '?') terminal.note(COMMANDS_HELP);
    else if (!(await carryOutLine(play, line))) return;
  }
}

/** Whether more commands may come. */
async function carryOutLine(play: Play, line: string): Promise<boolean> {
  try {
    const command = parseCommand(line);
    if (command?.type === 'down') return false;
    if (command !== null) await carryOut(play, command);
  } catch (error) {
    const isRefusal = error instanceof Error && error.name !== 'TypeError';
    if (!isRefusal) throw error;
    play.terminal.complain(`usurp: ${error.message}`);
  }
  return true;
}

async function carryOut(play: Play, command: ClusterCommand): Promise<void> {
  const { cluster, terminal } = play;
  switch (command.type) {
    case 'wait':
      await waitForLeader(play);
      return;
    case 'status':
      report(play, { followed: cluster.followed() }, followedText(cluster));
      return;
    case 'sleep':
      await delay(command.seconds * 1000, undefined, { signal: terminal.signal }).catch(() => null);
      return;
    case 'heal':
      cluster.heal();
      break;
    case 'partition':
      cluster.partition(command.sides.map((side) => side.map((node) => positionOf(play, node))));
      break;
    case 'down':
      return;
    default:
      await actOn(play, command);
      return;
  }
  report(play, { done: command.type }, command.type);
}

async function actOn(
  play: Play,
  command: Extract<ClusterCommand, { readonly node: NodeName }>,
): Promise<void> {
  const { cluster } = play;
  const node = positionOf(play, command.node);
  if (command.type === 'kill') await cluster.kill(node);
  else if (command.type === 'start') cluster.start(node, command.amnesia);
  else if (command.type === 'skew') cluster.skew(node, command.rate);
  else cluster[command.type](node);
  report(play, { done: command.type, node }, `${command.type} ${node}`);
}

async function waitForLeader(play: Play): Promise<void> {
  const { cluster, options, terminal } = play;
  const start = performance.now();
  const agreement = await cluster.agreedWithin(options.wait * 1000, terminal.signal);
  const seconds = Number(((performance.now() - start) / 1000).toFixed(3));
  if (agreement === null) {
    play.hasAgreed = false;
    report(
      play,
      { agreed: false, seconds },
      `no agreement after ${seconds} s: ${followedText(cluster)}`,
    );
    return;
  }
  const { leader, epoch, nodes } = agreement;
  const named = epoch > 0 ? `leader ${leader} in epoch ${epoch}` : `leader ${leader}`;
  const text = `${named} of nodes ${nodes.join(', ')} after ${seconds} s`;
  report(play, { agreed: true, leader, epoch, nodes, seconds }, text);
}

function followedText(cluster: Cluster): string {
  const texts = cluster
    .followed()
    .map(({ node, leader }) => `${node} follows ${leader ?? 'no leader'}`);
  return texts.join(', ');
}

function report({ options, terminal }: Play, json: object, text: string): void {
  terminal.print(wantsJson(options) ? `${JSON.stringify(json)}\n` : `${text}\n`);
}

function positionOf({ cluster }: Play, node: NodeName): number {
  const position = node === 'leader' ? cluster.leader() : node;
  if (position !== null) return position;
  throw new LabError('arguments', 'no node leads now; wait before, or name a node');
}
