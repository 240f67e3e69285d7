/**
 * @module
 * The flags of `usurp elect`: names, help texts and readers. Each reader checks one flag. plan.ts checks
 * the combination.
 */

import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import { LEVELS } from '../../election/authentication/authenticated.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { Asked } from '../../experiment/elections/tables.ts';
import { MEASURE_NAMES, RUN_PROPERTIES, typeCounted } from '../../experiment/elections/tables.ts';
import type { Axis } from '../../experiment/sweep/grid.ts';
import type { Seed } from '../../random.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import type { ScheduledFault } from '../../simulation/faults/schedule.ts';
import { FAULT_FORMS, LEADER_CRASH_EXAMPLE, parseFaultText } from '../../simulation/faults/text.ts';
import { NODES_LIMIT, SAME_TICK_MEANING, SAME_TICK_ORDERS } from '../../simulation/plan/plan.ts';
import { TICKS_LIMIT } from '../../simulation/plan/time-limits.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import {
  readAttributes,
  readCalm,
  readCrash,
  readDetector,
  readInitiators,
  readLinkFactors,
  readRanks,
} from '../../simulation/request/reading.ts';
import type {
  AskedElection,
  CrashOption,
  RequestOf,
  ScheduledFlag,
} from '../../simulation/request/request.ts';
import { SCHEDULED_FLAGS } from '../../simulation/request/request.ts';
import { CLOCK_NODES_LIMIT } from '../../simulation/trace/vector-clocks.ts';
import { integer, oneOf, refusing, someOf } from '../shell/arguments.ts';
import type { OutputOptions } from '../shell/options.ts';
import type { TraceOptions } from './trace.ts';

export interface ElectOptions extends AskedElection, OutputOptions, TraceOptions {
  /** True lists everything. */
  readonly list?: true | ListName;
  readonly seed?: Seed;
  readonly runs?: number;
  readonly save?: string;
  /** The axes of a sweep. */
  readonly vary?: readonly Axis[];
  readonly measure?: Asked;
  readonly out?: string;
  readonly chart?: string;
}

/** Values of `--list`. */
const LISTS = ['protocols', 'detectors', 'resources'] as const;
export type ListName = (typeof LISTS)[number];

/** The request of one command, with its files read. */
export type ElectRequest = RequestOf<ElectOptions>;

/** Maximum number of elections of one command. */
export const RUNS_LIMIT = 1_000_000;

/** Reads the protocol, which the verb works on. */
export const readProtocol = oneOf(PROTOCOL_NAMES);

const readMeasure = oneOf([...MEASURE_NAMES, ...RUN_PROPERTIES, 'messages.TYPE']);

/** Adds the protocol, and the flags for nodes and initiators. */
export function withElection(command: Command): Command {
  return command
    .argument('[protocol]', `protocol: ${PROTOCOL_NAMES.join(', ')}`, readProtocol)
    .addOption(
      new Option(
        '--list [what]',
        'list protocols, detectors and resources, one of these, or only the protocol of the argument',
      ).choices(LISTS),
    )
    .option(
      '--flag <name=value>',
      'variant or number of the protocol, see --list; repeatable',
      flag,
    )
    .option(
      '--attr <values>',
      'attributes that ranks 1, 2, … claim, such as 7,9,8; see --list for their meaning',
      refusing(readAttributes),
    )
    .addOption(
      new Option('--nodes <count>', 'number of nodes; the seed shuffles their ring')
        .argParser(integer(1, NODES_LIMIT))
        .conflicts('ring'),
    )
    .option('--ring <ranks>', 'ranks in clockwise order, such as 3,1,2', refusing(readRanks))
    .addOption(
      new Option('--ring-order <order>', 'order of the ring with --nodes')
        .choices(['shuffled', 'by-id'])
        .default('shuffled')
        .conflicts('ring'),
    )
    .option(
      '--initiators <who>',
      'nodes that start: all, lowest, highest, or ranks such as 3,1',
      refusing(readInitiators),
      'all',
    )
    .option(
      '--resource <kind>',
      'resource that leaders write to: unfenced, fencing-register or fencing-max, with options as in fencing-max:every=5,step=10',
      refusing(parseWorkload),
    )
    .option('--until <tick>', 'last tick of the run', integer(0, TICKS_LIMIT))
    .addOption(
      new Option('--runs <count>', 'number of elections, with the seeds from --seed on')
        .argParser(integer(1, RUNS_LIMIT))
        .conflicts(['trace', 'clocks']),
    );
}

const SAME_TICK_HELP = `${SAME_TICK_MEANING.toLowerCase()} (default: messages-first)`;

/** Adds the flags for the network and its faults. */
export function withNetwork(command: Command): Command {
  command
    .addOption(
      new Option('--latency <ticks>', 'latency of a message in ticks: 1, uniform:10:50 or exp:30')
        .argParser(refusing(parseLatency))
        .default({ type: 'constant', ticks: 1 }, '1'),
    )
    .option(
      '--link-factors <factors>',
      'factors of the latency of links: 4 draws one in 1..4 for each link; 1>2:5,3>1:2 names links',
      refusing(readLinkFactors),
    )
    .option('--fifo', 'messages of a link arrive in the order of sending (default)')
    .option('--no-fifo', 'messages of a link can overtake each other')
    .addOption(new Option('--same-tick <order>', SAME_TICK_HELP).choices(SAME_TICK_ORDERS))
    .option(
      '--crash <nodes[@tick]>',
      `nodes that crash: highest or ranks, at a tick or before the run, such as 5@20,3@40, or ${LEADER_CRASH_EXAMPLE}; repeatable`,
      (text, before: readonly CrashOption[] = []) => [...before, refusing(readCrash)(text)],
    );
  for (const name of SCHEDULED_FLAGS) {
    const read = (text: string, before: readonly ScheduledFault[] = []) => [
      ...before,
      ...refusing((each: string) => parseFaultText(name, each))(text),
    ];
    command.option(
      `--${name} <fault>`,
      `${MEANINGS[name]}, such as ${FAULT_FORMS[name].example}`,
      read,
    );
  }
  return command
    .addOption(
      new Option(
        '--faults <file>',
        'JSON file with a schedule of faults, see below (- for stdin)',
      ).conflicts('randomFaults'),
    )
    .addOption(
      new Option(
        '--random-faults [kinds]',
        `draw faults from the seed: all kinds but amnesia, or some of ${FAULT_KINDS.join(', ')}`,
      )
        .argParser(someOf(FAULT_KINDS))
        .conflicts([...SCHEDULED_FLAGS]),
    )
    .option(
      '--calm <tick[+ticks][:restart]>',
      'tick at which faults end, and ticks until a leader must exist (default: the time of an undisturbed election); restart starts all nodes again',
      refusing(readCalm),
    )
    .option(
      '--detector <form>',
      'failure detector: crashes (default) suspects crashed nodes, links also unreachable ones; others run on the nodes, such as fd-phi-akka:threshold=8, see --list detectors',
      refusing(readDetector),
    )
    .addOption(new Option('--level <level>', 'what honest nodes check of messages').choices(LEVELS))
    .option(
      '--defences <names>',
      `defences of honest nodes, of ${DEFENCE_NAMES.join(', ')}`,
      someOf(DEFENCE_NAMES),
    )
    .option(
      '--shrink',
      'search for the fewest and shortest faults that still cause the failure of the run, or of the first failed run of --runs',
    );
}

const MEANINGS: Readonly<Record<ScheduledFlag, string>> = {
  restart: 'crashed node that restarts',
  pause: 'node that pauses and then handles all waiting events',
  join: 'node that joins during the run',
  partition: 'groups of nodes between which links are cut',
  loss: 'share of messages lost',
  duplicate: 'share of messages delivered twice',
  reorder: 'share of messages delayed so that later ones overtake them',
  blackout: 'window in which every message is lost',
  slowdown: 'factor of every latency',
  skew: 'node with a wrong clock, and the factor of its timers',
  churn: 'nodes that crash and restart, with the mean interval in ticks',
};

/** Adds the flags for output files, and those of many runs. `readAxis` reads an axis. */
export function withFiles(
  command: Command,
  readAxis: (text: string, before?: readonly Axis[]) => Axis[],
): Command {
  const single = ['list', 'trace', 'clocks', 'save', 'shrink'];
  return withTrace(command)
    .option('--save <file>', 'file to write the run to, for usurp replay')
    .option('--force', 'replace existing files of --trace, --save, --out and --chart')
    .addOption(
      new Option(
        '--vary <flag=values>',
        'axis of a sweep with --runs elections in each cell (default: 100), such as nodes=3,5,7, flag.electionTicks=range(100,300,50), detector.timeout=20,40 or loss=none,5%; repeatable',
      )
        .argParser((text, before?: readonly Axis[]) =>
          refusing((each: string) => readAxis(each, before))(text),
        )
        .conflicts(single),
    )
    .addOption(
      new Option(
        '--measure <name>',
        `what --chart, --vary and the distribution in the table show (default: downtimeTicks if a leader crashed, else agreementTicks): ${[...MEASURE_NAMES, ...RUN_PROPERTIES].join(', ')}, or messages.TYPE for the messages of one type of the protocol or of the detector on the nodes, such as messages.ELECTION`,
      )
        .argParser((text): Asked => {
          const type = typeCounted(text);
          return type === null ? readMeasure(text) : `messages.${type}`;
        })
        .conflicts(single),
    )
    .addOption(
      new Option(
        '--out <file>',
        'file for a row per run of --runs or --vary: .csv, .jsonl or .parquet',
      ).conflicts(single),
    )
    .addOption(
      new Option('--chart <file>', 'file for a picture of --measure: .svg').conflicts(single),
    );
}

export function withTrace(command: Command): Command {
  return command
    .option(
      '--trace <file>',
      'file to write the trace to: .jsonl for programs, .shiviz for ShiViz, .svg or .txt for people',
    )
    .option(
      '--no-clocks',
      `omit the vector clocks from .jsonl, required above ${CLOCK_NODES_LIMIT} nodes`,
    );
}

export function flag(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): (readonly [string, string])[] {
  const [, name = '', value = ''] = /^([A-Za-z]+)=(.+)$/.exec(text) ?? [];
  if (value === '') throw new InvalidArgumentError('expected name=value, such as rejoin=naive');
  if (before.some(([other]) => other === name)) {
    throw new InvalidArgumentError(`${name} is given twice`);
  }
  return [...before, [name, value]];
}
