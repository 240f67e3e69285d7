/**
 * @module
 * This folder contains the verbs about nodes that are processes. `usurp node` runs one node until interrupted, or checks
 * the logs of nodes against the model.
 */

import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { BehaviourName } from '../../adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import { parseClients } from '../../election/clients/client-form.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import type { Flags } from '../../election/definition/flags.ts';
import { parseFlags } from '../../election/definition/flags.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { parseDetector } from '../../election/detectors/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { NodeCommand, NodeReport } from '../../live/cluster/control.ts';
import { parseNodeCommand } from '../../live/cluster/control.ts';
import type { CrashPoint } from '../../live/crash-points.ts';
import { CRASH_POINT_NAMES } from '../../live/crash-points.ts';
import { LIVE_DEFAULTS, LIVE_LEVELS } from '../../live/live-machine.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../live/peers.ts';
import type { NodeEvents, NodeSettings, RunningNode } from '../../live/start-node.ts';
import { startNode } from '../../live/start-node.ts';
import { STORE_FORMS } from '../../live/stores/open-store.ts';
import { exitProcess } from '../../runtime/load/process-exit.ts';
import type { Workload } from '../../simulation/plan/workload.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import { duration, durationOrZero, oneOf, refusing, someOf } from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT, exitOf } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { verb, wantsJson } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import { readNodeKey } from './node-key.ts';

interface NodeOptions extends OutputOptions {
  readonly identity: string;
  readonly peers: string;
  readonly protocol: ProtocolName;
  readonly listen?: { readonly host: string; readonly port: number };
  readonly data?: string;
  readonly level: (typeof LIVE_LEVELS)[number];
  readonly detector: DetectorSpec;
  /** In seconds. */
  readonly latency: number;
  readonly gather: number;
  readonly store?: string;
  readonly resource?: Workload;
  readonly clients?: Clients;
  readonly flags?: Flags;
  readonly amnesia?: true;
  readonly dieAt?: CrashPoint;
  readonly join?: true;
  readonly defence: readonly DefenceName[];
  readonly behaviour: readonly BehaviourName[];
  readonly controlled?: true;
}

const FLAGS_HELP = 'variants and numbers of the protocol, as in elect, such as preVote=on';
const RESOURCE_HELP =
  'resource in the store that leaders write to, as in elect: unfenced, fencing-register or fencing-max';
const DEFENCE_HELP = 'defences of all honest nodes, separated by commas, see attack --list';
const BEHAVIOUR_HELP = 'make it a Byzantine node with these behaviours, see attack --list';
const GATHER_SECONDS = 2;

export function nodeCommand(session: Session): Command {
  return verb('node', 'run one node of an election as a process, among peers')
    .requiredOption('--identity <file>', 'key file of mine --out: the key of this node')
    .requiredOption(
      '--peers <file>',
      'file of cluster peers: addresses and claims of all nodes, with this one unless it joins',
    )
    .requiredOption('--protocol <name>', 'protocol of all nodes', oneOf(PROTOCOL_NAMES))
    .option(
      '--listen <host:port>',
      'address to listen on; port 0 is a free port, which it keeps (default: its address in the peers file)',
      hostAndPort,
    )
    .option(
      '--data <file>',
      'SQLite file of its log, with which it returns after a crash (default: beside the key)',
    )
    .addOption(
      new Option('--level <level>', 'what a receiver checks in a message')
        .choices(LIVE_LEVELS)
        .default(LIVE_DEFAULTS.level),
    )
    .addOption(
      new Option('--detector <text>', 'failure detector, with options as in elect')
        .argParser(parseDetector)
        .default(parseDetector(LIVE_DEFAULTS.detector), LIVE_DEFAULTS.detector),
    )
    .addOption(
      new Option(
        '--latency <time>',
        'longest time that a message may take; all timeouts follow from it',
      )
        .argParser(duration)
        .default(LIVE_DEFAULTS.latencySeconds, `${LIVE_DEFAULTS.latencySeconds * 1000}ms`),
    )
    .addOption(
      new Option(
        '--gather <time>',
        'how long it waits for its peers when it starts for the first time',
      )
        .argParser(durationOrZero)
        .default(GATHER_SECONDS, `${GATHER_SECONDS}s`),
    )
    .option('--flags <flags>', FLAGS_HELP, refusing(parseFlags))
    .option('--store <address>', `store of the protocol: ${STORE_FORMS}`)
    .option('--resource <kind>', RESOURCE_HELP, parseWorkload)
    .option('--clients <text>', 'with --controlled: clients that ask it, as in elect', parseClients)
    .option('--defence <names>', DEFENCE_HELP, someOf(DEFENCE_NAMES), [])
    .option('--behaviour <names>', BEHAVIOUR_HELP, someOf(BEHAVIOUR_NAMES), [])
    .option(
      '--join',
      'ask the members to admit a node that the peers file does not list; needs --listen',
    )
    .option('--amnesia', 'return without what it had persisted')
    .option(
      '--die-at <point>',
      `die in a step after the start that persists something or calls the store: ${CRASH_POINT_NAMES.join(' or ')}`,
      oneOf(CRASH_POINT_NAMES),
    )
    .option(
      '--controlled',
      'take commands of usurp cluster from stdin, report to it on stdout, and stop when stdin is closed',
    )
    .addHelpText('after', NODE_EXAMPLES)
    .action((options: NodeOptions) =>
      session.run(options, (terminal) => runNode(options, terminal)),
    );
}

const NODE_EXAMPLES = `
The command prints the address of the node on stdout, and changes of its leader on stderr. Ctrl-C stops it. GET /status
shows the leader that it follows, /events its records, /metrics its counters. docs/live.md describes the files and the messages.

Examples:
  usurp node --identity key-1.json --peers peers.json --protocol bully-oneshot
  usurp node --identity key-1.json --peers peers.json --protocol raft --level L2 --data node-1.log
  usurp node --identity key-1.json --peers peers.json --protocol db-lease --store redis:127.0.0.1:6379`;

async function runNode(options: NodeOptions, terminal: Terminal): Promise<ExitCode> {
  const { identity, protocol, level, detector, defence: defences, behaviour: behaviours } = options;
  const key = await readNodeKey(identity, terminal);
  const network = parsePeers(await readText(options.peers, terminal, PEERS_BYTES_MAX));
  const latencyTicksMax = Math.max(1, Math.round(options.latency * 1000));
  const settings: NodeSettings = {
    network,
    key,
    protocol,
    level,
    detector,
    defences,
    behaviours,
    timing: { latencyTicksMax },
    store: options.store ?? null,
    workload: options.resource ?? null,
    clients: options.clients ?? null,
    flags: options.flags,
    listen: options.listen ?? null,
    joins: options.join === true,
    data: options.data ?? `${identity}.log`,
    amnesia: options.amnesia === true,
    dieAt: options.dieAt,
    gatherMs: options.gather * 1000,
  };
  process.once('uncaughtException', (error) => endBy(error, terminal));
  await (options.controlled
    ? runControlled(settings, terminal)
    : runAlone(settings, options, terminal));
  return EXIT.holds;
}

/** Ends the process by a fault in a step, such as a full disk. Nothing of that step has left the node. */
function endBy(error: unknown, { complain }: Terminal): void {
  const { code, lines } = exitOf(error);
  for (const line of lines) complain(line);
  exitProcess(code);
}

async function runAlone(
  settings: NodeSettings,
  options: OutputOptions,
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal;
  // A node can follow a leader before its start is over.
  let early: string[] | null = [];
  let unmet: readonly number[] = [];
  const events: NodeEvents = {
    onLeader(leader, epoch, position) {
      const named = leader === null ? 'no leader' : `leader ${position ?? leader}`;
      const text = epoch > 0 ? `${named} in epoch ${epoch}` : named;
      if (early === null) terminal.note(text);
      else early.push(text);
    },
    onRecord: () => undefined,
    onWarning: (text) => terminal.complain(`usurp: ${text}`),
    onUnmet(positions) {
      unmet = positions;
    },
  };
  const node = await startNode(settings, events, signal);
  const { url, listedAt, rank, isBack } = node;
  const position = node.position();
  try {
    const json = { url, position, rank };
    terminal.print(wantsJson(options) ? `${JSON.stringify(json)}\n` : `${url}\n`);
    const members = settings.network.peers.length + (settings.joins ? 1 : 0);
    terminal.note(isBack ? `node ${position} is back` : `node ${position} of ${members}`);
    if (listedAt !== null) terminal.complain(unreachable(url, listedAt));
    if (unmet.length > 0 && !settings.joins)
      terminal.note(`no answer from ${unmetText(unmet)}; this node begins without waiting longer`);
    for (const text of early.splice(0)) terminal.note(text);
    early = null;
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await node.close();
  }
}

function unmetText(positions: readonly number[]): string {
  return `${positions.length === 1 ? 'node' : 'nodes'} ${positions.join(', ')}`;
}

/** The members of the peers file are reached at their addresses there alone. */
function unreachable(url: string, listedAt: string): string {
  return (
    `usurp: this node listens at ${url}, and its peers send to ${listedAt}, its address in the peers file. ` +
    'They do not reach it, unless that address leads here. Leave --listen out, or join with a key that is not in the file'
  );
}

const REPORT_MS = 200;

/** Runs under a controller until it closes stdin. */
async function runControlled(settings: NodeSettings, terminal: Terminal): Promise<void> {
  const report = (json: NodeReport) => terminal.print(`${JSON.stringify(json)}\n`);
  let following: { readonly leader: string | null; readonly epoch: number } | null = null;
  let reported = '';
  let node: RunningNode | null = null;
  const reportState = () => {
    if (following === null) return;
    const state = {
      ...following,
      refused: node?.refused() ?? {},
      unseen: node?.unseen() ?? {},
    };
    const text = JSON.stringify(state);
    if (text !== reported) report(state);
    reported = text;
  };
  const events: NodeEvents = {
    onLeader(leader, epoch) {
      following = { leader: leader === null ? null : String(leader), epoch };
      reportState();
    },
    onRecord: (record) => report({ record }),
    onClient: (client) => report({ client }),
    onWarning: (warning) => report({ warning }),
    onUnmet: (unmet) => report({ unmet }),
    onGathered() {
      report({ gathered: true });
      return commands.begin;
    },
  };
  const commands = commandsOf(terminal);
  try {
    const started = await startNode(settings, events, terminal.signal);
    node = started;
    const timer = setInterval(reportState, REPORT_MS);
    try {
      report({ url: started.url, rank: String(started.rank) });
      await commands.obeyed((command) => obey(started, command));
    } finally {
      clearInterval(timer);
      await started.close();
    }
  } finally {
    commands.close();
  }
}

type LaterCommand = Exclude<NodeCommand, { readonly begin: true }>;

/** Reads the commands of stdin. Those that come early wait for `obeyed`. */
function commandsOf({ stdin, signal }: Terminal) {
  const begin = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const early: LaterCommand[] = [];
  let obey = (command: LaterCommand): void => void early.push(command);
  const input = stdin instanceof Readable ? stdin : Readable.from(stdin);
  const lines = createInterface({ input, signal });
  lines.on('line', (line) => {
    try {
      const command = parseNodeCommand(line);
      if ('begin' in command) begin.resolve();
      else obey(command);
    } catch (error) {
      end.reject(error);
    }
  });
  lines.once('close', () => {
    begin.resolve();
    end.resolve();
  });
  return {
    /** The pipe of a controller that waits would keep the process of a node that cannot start alive. */
    close() {
      lines.close();
      input.destroy();
    },
    /** The controller has sent `begin`, or has gone. */
    begin: begin.promise,
    /** Resolves when stdin has ended. */
    async obeyed(carryOut: (command: LaterCommand) => void): Promise<void> {
      for (const command of early.splice(0)) carryOut(command);
      obey = carryOut;
      await end.promise;
    },
  };
}

function obey(node: RunningNode, command: LaterCommand): void {
  if ('cut' in command) node.links.cut(command.cut);
  else if ('chance' in command) node.links.take(command.chance, command);
  else if ('jump' in command) node.driven.jump(command.jump);
  else if ('dieAt' in command) node.driven.dieAt = command.dieAt;
  else if ('ask' in command) node.driven.answer(command.ask, null);
  else if ('leave' in command) node.driven.leave(command.leave);
  else node.driven.skew(command.rate);
}

function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, bare, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? bare;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new InvalidArgumentError('expected host:port, such as 127.0.0.1:0');
}
