/**
 * @module
 * `usurp cluster`: several live nodes. `up` starts them as processes of this machine and takes commands from a script or
 * from stdin; `attack` usurps them; `trace` merges the logs of nodes and checks them against the model. `entry`, `peers` and
 * `file` make the files that the nodes share.
 */

import type { Command } from 'commander';
import { Argument, Option } from 'commander';

import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { parseClients } from '../../election/clients/client-form.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { parseFlags } from '../../election/definition/flags.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { CLUSTER_NODES, CLUSTER_NODES_MAX } from '../../live/cluster/cluster-plan.ts';
import { LIVE_DEFAULTS, LIVE_LEVELS } from '../../live/live-machine.ts';
import { NEMESIS_KINDS } from '../../live/nemesis.ts';
import { STORE_FORMS, STORE_KINDS } from '../../live/stores/open-store.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import {
  duration,
  durationOrZero,
  integer,
  oneOf,
  refusing,
  seed,
  share,
  someOf,
} from '../shell/arguments.ts';
import type { ExitCode } from '../shell/exit.ts';
import { verb, withThreads } from '../shell/options.ts';
import type { Session, Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-file.ts';
import { printClusterFile, printEntry, printPeers } from './cluster-file.ts';
import { COMMANDS_HELP } from './commands.ts';
import { checkFiles, shownNodes } from './log-check.ts';
import { runCluster } from './up.ts';

const ACTIONS = ['up', 'attack', 'trace', 'entry', 'peers', 'file'] as const;
type Action = (typeof ACTIONS)[number];
const WAIT_SECONDS = 30;
const NEMESIS_SECONDS = 60;
const TRIALS = 40;
const TRIALS_MAX = 1000;
const BITS_MAX = 24;
const BITS_DEFAULT = '(default: 0; peers, file: the bits for which the keys were mined)';

export function clusterCommand(session: Session): Command {
  const command = verb(
    'cluster',
    'start live nodes on this machine, disturb or attack them, and check what they did',
  )
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument(
      '[files...]',
      'trace: logs of the nodes (their files of --data); peers, file: files with what entry printed',
    );
  return withThreads(withTrace(withMachines(withCommands(withNodes(command)))))
    .addHelpText('after', CLUSTER_EXAMPLES)
    .action((action: Action, files: readonly string[], parsed: ClusterOptions) =>
      session.run(parsed, (terminal) => {
        if (parsed.file !== undefined) refuseBesideFile(command);
        const options = { ...parsed, given: givenIn(command) };
        return carryOutAction(action, files, options, terminal);
      }),
    );
}

/** The options that the command line states. */
function givenIn(command: Command): readonly string[] {
  const names = command.options.map((option) => option.attributeName());
  return names.filter((name) => command.getOptionValueSource(name) === 'cli');
}

function withTrace(command: Command): Command {
  return command
    .option('--peers <file>', 'trace: addresses and claims of all nodes')
    .option(
      '--trace <file>',
      'write the merged trace: .jsonl with vector clocks, .shiviz, .svg or .txt',
    )
    .option('--force', 'overwrite the files of --trace and --record')
    .option(
      '--from <time>',
      'with --trace: leave out what happens before this time after the start, such as 5s',
      durationOrZero,
    )
    .option(
      '--to <time>',
      'with --trace: leave out what happens after this time after the start, such as 8s',
      durationOrZero,
    )
    .option('--only <nodes>', 'with --trace: only these nodes, such as 1,3 or 1,store', shownNodes)
    .option(
      '--no-heartbeats',
      'with --trace: leave out steps that repeat an earlier one, such as heartbeats and their answers',
    );
}

function carryOutAction(
  action: Action,
  files: readonly string[],
  options: ClusterOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  switch (action) {
    case 'trace':
      return checkFiles(files, options, terminal);
    case 'entry':
      return printEntry(options, terminal);
    case 'peers':
      return printPeers(files, options, terminal);
    case 'file':
      return printClusterFile(files, options, terminal);
    default:
      return runCluster(action, options, terminal);
  }
}

/** Options that the file of a cluster already states, or that the nodes of one machine cannot have. */
const NOT_BESIDE_FILE: readonly string[] = [
  ...['nodes', 'protocol', 'level', 'detector', 'latency', 'defence', 'store', 'resource'],
  ...['clients', 'flags', 'c1', 'c2', 'tls', 'folder', 'netns', 'peers', 'election'],
];

function refuseBesideFile(command: Command): void {
  const given = givenIn(command);
  const twice = command.options.find((option) => {
    const name = option.attributeName();
    return NOT_BESIDE_FILE.includes(name) && given.includes(name);
  });
  if (twice === undefined) return;
  throw new LabError(
    'arguments',
    `${twice.long} cannot be combined with --file; leave out one of them`,
  );
}

function withNodes(command: Command): Command {
  const bits = integer(0, BITS_MAX);
  return command
    .option('--nodes <count>', 'number of nodes', integer(1, CLUSTER_NODES_MAX), CLUSTER_NODES)
    .option('--protocol <name>', 'protocol of all nodes', oneOf(PROTOCOL_NAMES))
    .addOption(
      new Option('--level <level>', 'what a receiver checks in a message')
        .choices(LIVE_LEVELS)
        .default(LIVE_DEFAULTS.level),
    )
    .option(
      '--detector <text>',
      'failure detector, with options as in elect',
      LIVE_DEFAULTS.detector,
    )
    .addOption(
      new Option('--latency <time>', 'longest time that a message may take')
        .argParser(duration)
        .default(LIVE_DEFAULTS.latencySeconds, `${LIVE_DEFAULTS.latencySeconds * 1000}ms`),
    )
    .option(
      '--defence <names>',
      'defences of all nodes, separated by commas, see usurp attack --list',
      someOf(DEFENCE_NAMES),
      [],
    )
    .option(
      '--flags <flags>',
      'variants and numbers of the protocol, as in elect, such as preVote=on',
      refusing(parseFlags),
    )
    .option(
      '--store <address>',
      `store of the protocol: ${STORE_FORMS}; or one that is started and stopped with the nodes: ${STORE_KINDS.join(', ')}`,
    )
    .option(
      '--resource <kind>',
      'resource in the store that leaders write to, as in elect',
      parseWorkload,
    )
    .option(
      '--clients <text>',
      'clients that leaders serve, from the resource or from the log of raft, as in elect',
      parseClients,
    )
    .option('--c1 <bits>', `static puzzle that every ID must solve ${BITS_DEFAULT}`, bits)
    .option('--c2 <bits>', `dynamic puzzle that every ID must solve ${BITS_DEFAULT}`, bits)
    .option('--no-tls', 'plain HTTP between the nodes instead of TLS 1.3')
    .option(
      '--folder <folder>',
      'keeps keys, peers file, logs and store; up starts the cluster of a folder again, trace checks it',
    )
    .option('--netns', 'run each node in a network namespace of its own; needs Linux and root')
    .option(
      '--loss <share>',
      'with --netns: share of packets that the kernel loses, such as 10%',
      share,
    )
    .option(
      '--delay <time>',
      'with --netns: time by which the kernel delays packets, such as 20ms',
      durationOrZero,
    );
}

function withMachines(command: Command): Command {
  return command
    .option('--file <file>', 'up, trace, peers: file of a cluster on several machines')
    .option('--here <machine>', 'up, entry: name of this machine in the file of a cluster')
    .option('--identity <file>', 'entry: key file of mine --out')
    .option('--url <address>', 'entry: where others reach the node, such as https://10.1.0.1:7001')
    .option(
      '--listen <host:port>',
      'entry: where the node listens, if this is not the address of --url',
    )
    .option('--election <name>', 'peers, file: name of the election (default: drawn)');
}

function withCommands(command: Command): Command {
  const count = integer(1, Number.MAX_SAFE_INTEGER);
  return command
    .option('--script <file>', 'up: file of commands, one a line (default: stdin)')
    .option(
      '--nemesis [kinds]',
      `up: draw faults of these kinds instead of a script: ${NEMESIS_KINDS.join(', ')}; all without a kind`,
      someOf(NEMESIS_KINDS),
    )
    .addOption(
      new Option('--for <time>', 'nemesis: how long faults are drawn')
        .argParser(duration)
        .default(NEMESIS_SECONDS, `${NEMESIS_SECONDS}s`),
    )
    .option('--seed <seed>', 'nemesis: seed of its faults (default: drawn, and printed)', seed)
    .option(
      '--record <file>',
      'nemesis: write its script, after a failure the shortest, for --script',
    )
    .option(
      '--trials <count>',
      'nemesis: runs of fresh clusters that shrink a failure, at most',
      integer(0, TRIALS_MAX),
      TRIALS,
    )
    .addOption(
      new Option('--wait <time>', 'how long to wait for a leader')
        .argParser(durationOrZero)
        .default(WAIT_SECONDS, `${WAIT_SECONDS}s`),
    )
    .option('--cpu <time>', 'attack: budget in CPU time of all threads', duration)
    .option('--attempts <count>', 'attack: budget in keys tested', count)
    .option(
      '--behaviour <names>',
      'attack: what the Byzantine node does, see usurp attack --list (default: its protocol)',
      someOf(BEHAVIOUR_NAMES),
      [],
    );
}

const CLUSTER_EXAMPLES = `
up starts the nodes, carries out the commands, stops all nodes, and checks their logs like trace:
${COMMANDS_HELP}

up --nemesis draws faults from a seed, in rounds, until the time of --for is over or a run fails: the model does not take a
step, an epoch had two leaders, the resource accepted a late write, a node ended by itself (exit code 1), or a wait ended
without an agreement (2). A failure is repeated with fresh clusters and fewer faults, and the shortest script that
fails again is printed.

attack starts the nodes, waits for a leader, mines an ID above it within --cpu or --attempts, and starts a
node with this ID, which asks the others to admit it. In a protocol that can elect any node (raft, leases), a higher ID does
not help to lead: there the first ID that solves the puzzles is taken. attack reports the ledger, the time from the first
hash to leadership, what each honest node noticed, and the harm: for how long honest nodes followed different leaders
or none. Exit codes: 1 the adversary leads, or the harm lasts until the end, 0 it was refused, 2 the budget ended first.
A defect that the check finds is 1, too.

trace orders the steps of all nodes by their vector clocks and their times, and repeats each with the same machine in
the model. Stop the nodes first, and give the log of every node that was up; the output says what could not be checked
without a log. The exit code of up and trace is 1 if the model does not take a step, or if a protocol with epochs had
two leaders in one, or if the history of the clients is not linearizable, 2 if steps at a store could not be checked, and 254 if the trace that --trace asks for could not be
written. That of up is also 1 if a node that was to join was refused, 2 if a wait ended without an agreement, and 254 if a
command of the script was impossible, which ends the script.

up --folder keeps the files of the cluster. Given again, it starts the same nodes and the same store once more, each with
what it had persisted; the settings are those of the folder, and flags that differ from them are refused. trace --folder
checks the cluster of a folder, and draws it again with what up did to the nodes.

A diagram of many seconds is long. --from and --to select a time since the start, like those of the changes of the leader
that up prints; trace without --folder counts from the first step. --only selects nodes by the numbers that up and trace
print; a trace has other numbers if a node joined whose ID is not the highest, which the output then says. --no-heartbeats leaves out steps
that repeat an earlier step of their node since the last fault, change of a leader, or report of a detector on which a node
acted.

entry, peers and file make the files that all nodes share. entry prints the address and the claim of a key, which contain no
secret. From the entries of all nodes, peers prints the peers file of usurp node. If each entry also names its machine
(--here), file prints the file of a cluster on several machines: up --file --here starts the nodes of one machine, and
observes the others. peers --file prints the peers file of such a cluster, which a node that joins needs.

Examples:
  usurp cluster up --nodes 5 --protocol raft
  usurp cluster up --protocol bully-oneshot --script faults.txt --trace run.svg
  usurp cluster up --protocol raft --folder cluster --script faults.txt
  usurp cluster up --folder cluster
  usurp cluster trace --folder cluster --trace run.svg --from 5s --to 8s --no-heartbeats
  usurp cluster up --protocol zk-recipe --store zookeeper --resource fencing-max
  usurp cluster up --protocol raft --nemesis kill,pause,partition,jump --for 5m --seed 7
  usurp cluster up --protocol raft --clients 3
  usurp cluster attack --protocol bully-oneshot --c1 8 --cpu 20s
  usurp cluster attack --protocol bully-oneshot --attempts 2^16 --defence incumbency
  usurp cluster entry --identity key-1.json --url http://127.0.0.1:7001 > node-1.json
  usurp cluster peers node-1.json node-2.json node-3.json > peers.json
  usurp cluster entry --identity key-1.json --here alpha --url https://10.1.0.1:7001 > node-1.json
  usurp cluster file node-1.json node-2.json node-3.json --protocol raft > cluster.json
  usurp cluster up --file cluster.json --here alpha
  usurp cluster trace --peers peers.json key-1.json.log key-2.json.log key-3.json.log`;
