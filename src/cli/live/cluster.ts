/**
 * @module
 * `usurp cluster`: several live nodes. `up` starts them as processes of this machine and takes commands from a script or
 * from stdin; `trace` merges the logs of nodes and checks them against the model.
 */

import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { CLUSTER_NODES_MAX } from '../../runtime/live/cluster.ts';
import { LIVE_LEVELS } from '../../runtime/live/start-node.ts';
import { durationOrZero, integer, oneOf } from '../shell/arguments.ts';
import { verb } from '../shell/options.ts';
import type { Session } from '../shell/terminal.ts';
import { COMMANDS_HELP } from './commands.ts';
import { checkLogs } from './log-check.ts';
import type { ClusterOptions } from './up.ts';
import { runCluster } from './up.ts';

const ACTIONS = ['up', 'trace'] as const;
const NODES = 3;
const WAIT_SECONDS = 30;

export function clusterCommand(session: Session): Command {
  return verb('cluster', 'start live nodes on this machine, disturb them, and check what they did')
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument('[logs...]', 'trace: files of --data of the nodes')
    .option('--nodes <count>', 'up: number of nodes', integer(1, CLUSTER_NODES_MAX), NODES)
    .option('--protocol <name>', 'up: protocol of all nodes', oneOf(PROTOCOL_NAMES))
    .addOption(
      new Option('--level <level>', 'up: what a receiver checks in a message')
        .choices(LIVE_LEVELS)
        .default('L3'),
    )
    .option('--detector <text>', 'up: failure detector, with options as in elect', 'fd-phi-akka')
    .option('--latency <time>', 'up: longest time that a message may take', '50ms')
    .option('--script <file>', 'up: commands, one a line (default: those of stdin)')
    .option('--wait <time>', 'up: how long the command wait waits', durationOrZero, WAIT_SECONDS)
    .option('--folder <folder>', 'up: empty folder that keeps keys, peers file and logs')
    .option('--peers <file>', 'trace: addresses and claims of all nodes')
    .option(
      '--trace <file>',
      'write the merged trace: .jsonl with vector clocks, .shiviz, .svg or .txt',
    )
    .option('--force', 'overwrite the file of --trace')
    .addHelpText('after', CLUSTER_EXAMPLES)
    .action((action: (typeof ACTIONS)[number], logs: readonly string[], options: ClusterOptions) =>
      session.run(options, (terminal) =>
        action === 'up' ? runCluster(options, terminal) : checkLogs(logs, options, terminal),
      ),
    );
}

const CLUSTER_EXAMPLES = `
up starts the nodes, carries out the commands, ends all nodes, and checks their logs like trace:
${COMMANDS_HELP}

trace orders the steps of all nodes by their vector clocks and repeats each with the same machine in the model. The exit
code is 1 if the model does not take a step, or if a protocol with epochs had two leaders in one, and 2 if a command wait ended without an agreement. Stop the nodes
before trace, and give the log of every node that was up.

Examples:
  usurp cluster up --nodes 5 --protocol raft
  usurp cluster up --protocol bully-oneshot --script faults.txt --trace run.svg
  usurp cluster trace --peers peers.json key-1.json.log key-2.json.log key-3.json.log`;
