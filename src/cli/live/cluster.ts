/**
 * @module
 * `usurp cluster`: several live nodes. `up` starts them as processes of this machine and takes commands from a script or
 * from stdin; `attack` usurps them; `trace` merges the logs of nodes and checks them against the model.
 */

import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { CLUSTER_NODES_MAX } from '../../runtime/live/cluster/cluster.ts';
import { LIVE_LEVELS } from '../../runtime/live/live-machine.ts';
import { STORE_FORMS, STORE_KINDS } from '../../runtime/stores/open-store.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import { duration, durationOrZero, integer, oneOf, someOf } from '../shell/arguments.ts';
import { verb, withThreads } from '../shell/options.ts';
import type { Session } from '../shell/terminal.ts';
import { COMMANDS_HELP } from './commands.ts';
import { checkFiles } from './log-check.ts';
import { LATENCY_SECONDS } from './node.ts';
import type { ClusterOptions } from './up.ts';
import { runCluster } from './up.ts';

const ACTIONS = ['up', 'attack', 'trace'] as const;
const NODES = 3;
const WAIT_SECONDS = 30;
const BITS_MAX = 24;

export function clusterCommand(session: Session): Command {
  const command = verb(
    'cluster',
    'start live nodes on this machine, disturb or attack them, and check what they did',
  )
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument('[logs...]', 'trace: files of --data of the nodes');
  return withThreads(withCommands(withNodes(command)))
    .option('--peers <file>', 'trace: addresses and claims of all nodes')
    .option(
      '--trace <file>',
      'write the merged trace: .jsonl with vector clocks, .shiviz, .svg or .txt',
    )
    .option('--force', 'overwrite the file of --trace')
    .addHelpText('after', CLUSTER_EXAMPLES)
    .action((action: (typeof ACTIONS)[number], logs: readonly string[], options: ClusterOptions) =>
      session.run(options, (terminal) =>
        action === 'trace'
          ? checkFiles(logs, options, terminal)
          : runCluster(action, options, terminal),
      ),
    );
}

function withNodes(command: Command): Command {
  const bits = integer(0, BITS_MAX);
  return command
    .option('--nodes <count>', 'number of nodes', integer(1, CLUSTER_NODES_MAX), NODES)
    .option('--protocol <name>', 'protocol of all nodes', oneOf(PROTOCOL_NAMES))
    .addOption(
      new Option('--level <level>', 'what a receiver checks in a message')
        .choices(LIVE_LEVELS)
        .default('L3'),
    )
    .option('--detector <text>', 'failure detector, with options as in elect', 'fd-phi-akka')
    .addOption(
      new Option('--latency <time>', 'longest time that a message may take')
        .argParser(duration)
        .default(LATENCY_SECONDS, `${LATENCY_SECONDS * 1000}ms`),
    )
    .option(
      '--defence <names>',
      'defences of all nodes, separated by commas, see usurp attack --list',
      someOf(DEFENCE_NAMES),
      [],
    )
    .option(
      '--store <address>',
      `store of the protocol: ${STORE_FORMS}; or one that is started and ended with the nodes: ${STORE_KINDS.join(', ')}`,
    )
    .option(
      '--resource <kind>',
      'resource in the store that leaders write to, as in elect',
      parseWorkload,
    )
    .option('--c1 <bits>', 'static puzzle that every ID must solve', bits, 0)
    .option('--c2 <bits>', 'dynamic puzzle that every ID must solve', bits, 0)
    .option('--no-tls', 'plain HTTP between the nodes instead of TLS 1.3')
    .option('--folder <folder>', 'empty folder that keeps keys, peers file and logs');
}

function withCommands(command: Command): Command {
  const count = integer(1, Number.MAX_SAFE_INTEGER);
  return command
    .option('--script <file>', 'up: commands, one a line (default: those of stdin)')
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
up starts the nodes, carries out the commands, ends all nodes, and checks their logs like trace:
${COMMANDS_HELP}

attack starts the nodes, waits for a leader, mines an ID above it within --cpu or --attempts, and starts a
node with this ID, which asks the others to be admitted. It reports the ledger, the time from the first
hash to leadership, and what each honest node noticed. Exit codes: 1 the adversary leads, 0 it was refused,
2 the budget ended first.

trace orders the steps of all nodes by their vector clocks and repeats each with the same machine in the
model. Stop the nodes before, and give the log of every node that was up. The exit code of up and trace is
1 if the model does not take a step, or if a protocol with epochs had two leaders in one. That of up is 2
if a wait ended without an agreement.

Examples:
  usurp cluster up --nodes 5 --protocol raft
  usurp cluster up --protocol bully-oneshot --script faults.txt --trace run.svg
  usurp cluster up --protocol zk-recipe --store zookeeper --resource fencing-max
  usurp cluster attack --protocol bully-oneshot --c1 8 --cpu 20s
  usurp cluster attack --protocol bully-oneshot --attempts 2^16 --defence incumbency
  usurp cluster trace --peers peers.json key-1.json.log key-2.json.log key-3.json.log`;
