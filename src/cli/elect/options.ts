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
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Asked } from '../../experiment/elections/tables.ts';
import { MEASURE_NAMES, RUN_PROPERTIES } from '../../experiment/elections/tables.ts';
import type { Axis } from '../../experiment/sweep/grid.ts';
import type { Seed } from '../../random.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import type { LinkFactors } from '../../simulation/faults/link-factors.ts';
import { LINK_FACTOR_LIMIT } from '../../simulation/faults/link-factors.ts';
import type { ScheduledFault } from '../../simulation/faults/schedule.ts';
import {
  FAULT_FORMS,
  LEADER_CRASH_EXAMPLE,
  leaderCrashesIn,
  parseCrashes,
  parseFaultText,
} from '../../simulation/faults/text.ts';
import { NODES_LIMIT, SAME_TICK_MEANING, SAME_TICK_ORDERS } from '../../simulation/plan/plan.ts';
import { TICKS_LIMIT } from '../../simulation/plan/time-limits.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import type {
  AskedElection,
  CalmOption,
  CrashOption,
  RequestOf,
  ScheduledFlag,
} from '../../simulation/request/request.ts';
import { SCHEDULED_FLAGS } from '../../simulation/request/request.ts';
import { CLOCK_NODES_LIMIT } from '../../simulation/trace/vector-clocks.ts';
import { integer, oneOf, ranks, refusing, someOf } from '../shell/arguments.ts';
import type { OutputOptions } from '../shell/options.ts';
import { withProtocol } from '../shell/options.ts';
import { readDetector } from './detector.ts';
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

/** Adds the flags for protocol, nodes and initiators. */
export function withElection(command: Command): Command {
  return withProtocol(command)
    .addOption(
      new Option(
        '--list [what]',
        'list protocols, detectors and resources, one of these, or only the protocol of --protocol',
      ).choices(LISTS),
    )
    .addOption(
      new Option(
        '--compare <names>',
        'protocols to compare with the same seeds and faults, separated by commas',
      )
        .argParser(differentProtocols)
        .conflicts(['protocol', 'list', 'trace', 'clocks', 'save', 'shrink']),
    )
    .option(
      '--flag <name=value>',
      'variant or number of the protocol, see --list; repeatable',
      flag,
    )
    .option(
      '--attr <values>',
      'attributes that ranks 1, 2, … claim, such as 7,9,8; see --list for their meaning',
      attributes,
    )
    .addOption(
      new Option('--nodes <count>', 'number of nodes; the seed shuffles their ring')
        .argParser(integer(1, NODES_LIMIT))
        .conflicts('ring'),
    )
    .option('--ring <ranks>', 'ranks in clockwise order, such as 3,1,2', ranks)
    .addOption(
      new Option('--ring-order <order>', 'order of the ring with --nodes')
        .choices(['shuffled', 'by-id'])
        .default('shuffled')
        .conflicts('ring'),
    )
    .option(
      '--initiators <who>',
      'nodes that start: all, lowest, highest, or ranks such as 3,1',
      initiators,
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

/** Adds the flags for the network and its faults. */
export function withNetwork(command: Command): Command {
  command
    .addOption(
      new Option('--latency <ticks>', 'latency of a message in ticks: 1, uniform:10:50 or exp:30')
        .argParser(latency)
        .default({ type: 'constant', ticks: 1 }, '1'),
    )
    .option(
      '--link-factors <factors>',
      'factors of the latency of links: 4 draws one in 1..4 for each link; 1>2:5,3>1:2 names links',
      linkFactors,
    )
    .option('--fifo', 'messages of a link arrive in the order of sending (default)')
    .option('--no-fifo', 'messages of a link can overtake each other')
    .addOption(new Option('--same-tick <order>', SAME_TICK_MEANING).choices(SAME_TICK_ORDERS))
    .option(
      '--crash <nodes[@tick]>',
      `nodes that crash: highest or ranks, at a tick or before the run, such as 5@20,3@40, or ${LEADER_CRASH_EXAMPLE}; repeatable`,
      crash,
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
      calm,
    )
    .option(
      '--detector <form>',
      'failure detector: crashes (default) suspects crashed nodes, links also unreachable ones; others run on the nodes, such as fd-phi-akka:threshold=8, see --list detectors',
      readDetector,
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
  const single = ['compare', 'list', 'trace', 'clocks', 'save', 'shrink'];
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
        `what --chart, --vary and the distribution in the table show (default: downtimeTicks if a leader crashed, else agreementTicks): ${[...MEASURE_NAMES, ...RUN_PROPERTIES].join(', ')}`,
      )
        .argParser(oneOf([...MEASURE_NAMES, ...RUN_PROPERTIES]))
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

const readProtocols = someOf(PROTOCOL_NAMES);

function differentProtocols(text: string): ProtocolName[] {
  const names = readProtocols(text);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return names;
  throw new InvalidArgumentError(`expected different protocols, but ${twice} is named twice`);
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

function attributes(text: string): number[] {
  const values = /^\d{1,15}(,\d{1,15})*$/.test(text) ? text.split(',').map(Number) : null;
  if (values !== null) return values;
  throw new InvalidArgumentError('expected one whole number for each rank, such as 3,1,2');
}

function latency(text: string): Latency {
  try {
    return parseLatency(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new InvalidArgumentError(`${error.message} (forms: 1, uniform:10:50, exp:30)`);
  }
}

function initiators(text: string): ElectOptions['initiators'] {
  if (text === 'all' || text === 'lowest' || text === 'highest') return text;
  if (/^\d/.test(text)) return ranks(text);
  throw new InvalidArgumentError('expected all, lowest, highest or ranks such as 3,1,2');
}

/** `6,5@4` crashes both at tick 4. `6@4,5@9` crashes each at its own tick. */
function crash(text: string, before: readonly CrashOption[] = []): CrashOption[] {
  const { leaders, others } = refusing(leaderCrashesIn)(text);
  if (leaders.length > 0) {
    const crashes = others === '' ? [] : refusing(parseCrashes)(others);
    return [...before, { text, crashes, leaders }];
  }
  const items = text.split(',');
  if (items.length > 1 && items.every((item) => item.includes('@'))) {
    return [...before, { text, crashes: refusing(parseCrashes)(text) }];
  }
  const [who = '', tick, ...rest] = text.split('@');
  const isNamed = /^(highest$|\d)/.test(who);
  if (!isNamed || rest.length > 0 || (tick !== undefined && !/^\d+$/.test(tick))) {
    throw new InvalidArgumentError(
      'expected highest or ranks, such as 5,3@20; for different ticks 5@20,3@40; or leader@20',
    );
  }
  const at = tick === undefined ? null : integer(0, TICKS_LIMIT)(tick);
  const named = who === 'highest' ? ([who] as const) : ranks(who);
  return [...before, { text, crashes: named.map((rank) => ({ rank, at })) }];
}

function calm(text: string): CalmOption {
  const [, at, ticks, restart] = /^(\d{1,12})(?:\+(\d{1,12}))?(:restart)?$/.exec(text) ?? [];
  if (at === undefined) {
    throw new InvalidArgumentError('expected a tick, such as 300, 300+2000 or 300:restart');
  }
  return {
    at: Number(at),
    ticks: ticks === undefined ? null : Number(ticks),
    restart: restart !== undefined,
  };
}

function linkFactors(text: string): LinkFactors {
  const factor = integer(1, LINK_FACTOR_LIMIT);
  if (!text.includes('>')) return { type: 'seeded', factorMax: factor(text) };
  const factors = text.split(',').map((item) => {
    const [, from, to, times] = /^([1-9]\d{0,6})>([1-9]\d{0,6}):(\d+)$/.exec(item) ?? [];
    if (times === undefined) {
      throw new InvalidArgumentError('expected a factor such as 4, or links such as 1>2:5,3>1:2');
    }
    return { from: Number(from), to: Number(to), factor: factor(times) };
  });
  return { type: 'given', factors };
}
