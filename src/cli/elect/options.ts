/**
 * @module
 * The flags of `usurp elect`: what each is called, takes and becomes. Each says one thing about an
 * election; what they say together is judged where they are made into one (elect-plan.ts).
 */

import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { FaultKind } from '../../simulation/faults/draw.ts';
import { FAULT_KINDS } from '../../simulation/faults/draw.ts';
import type { Latency } from '../../simulation/faults/latency.ts';
import { parseLatency } from '../../simulation/faults/latency.ts';
import type { LinkFactors } from '../../simulation/faults/link-factors.ts';
import { LINK_FACTOR_LIMIT } from '../../simulation/faults/link-factors.ts';
import type { Calm, Schedule, ScheduledFault } from '../../simulation/faults/schedule.ts';
import type { FaultFlag, NamedCrash } from '../../simulation/faults/text.ts';
import {
  FAULT_FLAGS,
  FAULT_FORMS,
  parseCrashes,
  parseFaultText,
} from '../../simulation/faults/text.ts';
import { NODES_LIMIT } from '../../simulation/plan/plan.ts';
import { TICKS_LIMIT } from '../../simulation/plan/time-limits.ts';
import type { Workload } from '../../simulation/plan/workload.ts';
import { parseWorkload } from '../../simulation/plan/workload.ts';
import { CLOCK_NODES_LIMIT } from '../../simulation/trace/vector-clocks.ts';
import { integer, oneOf, ranks, someOf } from '../shell/arguments.ts';
import type { OutputOptions } from '../shell/options.ts';
import type { DetectorChoice } from './detector.ts';
import { readDetector } from './detector.ts';
import type { TraceOptions } from './trace.ts';

/** Every fault flag but `crash`, which has a form of its own. */
export const SCHEDULED_FLAGS = FAULT_FLAGS.filter((flag) => flag !== 'crash');
type ScheduledFlag = Exclude<FaultFlag, 'crash'>;

/** `--crash`: who, and when; null is before the run. */
export interface CrashOption {
  readonly text: string;
  readonly crashes: readonly NamedCrash[];
}

/** `--calm`: its length is that of an undisturbed election unless it is given. */
export type CalmOption = Pick<Calm, 'at' | 'restart'> & { readonly ticks: number | null };

export interface ElectOptions
  extends OutputOptions,
    TraceOptions,
    Readonly<Partial<Record<ScheduledFlag, readonly ScheduledFault[]>>> {
  /** True is all there is. */
  readonly list?: true | ListName;
  readonly protocol?: ProtocolName;
  /** Each once. */
  readonly compare?: readonly ProtocolName[];
  readonly flag?: readonly (readonly [string, string])[];
  readonly attr?: readonly number[];
  readonly nodes?: number;
  readonly ring?: readonly number[];
  readonly ringOrder: 'shuffled' | 'by-id';
  readonly initiators: 'all' | 'lowest' | 'highest' | readonly number[];
  readonly crash?: readonly CrashOption[];
  readonly latency: Latency;
  readonly linkFactors?: LinkFactors;
  /** Absent is true. */
  readonly fifo?: boolean;
  /** A file with a schedule. */
  readonly faults?: string;
  /** True is every kind. */
  readonly randomFaults?: true | readonly FaultKind[];
  readonly calm?: CalmOption;
  readonly detector?: DetectorChoice;
  /** What leaders write to. */
  readonly resource?: Workload;
  readonly until?: number;
  readonly seed?: Seed;
  readonly runs?: number;
  readonly save?: string;
  /** Look for the smallest schedule that fails as this one does. */
  readonly shrink?: true;
}

/** What `--list` can be asked for alone. */
const LISTS = ['protocols', 'detectors', 'resources'] as const;
export type ListName = (typeof LISTS)[number];

/** What one command asks for, once its files are read; every seed makes an election of it. */
export interface ElectRequest {
  readonly options: ElectOptions;
  readonly protocol: ProtocolName;
  readonly nodes: number;
  /** From `--faults`. */
  readonly given: Schedule | null;
}

/** Elections of one command; a year of them is not what anybody meant. */
const RUNS_LIMIT = 1_000_000;

/** Who elects: the protocol, the nodes, and who begins. */
export function withElection(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--list [what]',
        'list protocols, detectors and resources, some of these, or the protocol of --protocol',
      ).choices(LISTS),
    )
    .option('--protocol <name>', PROTOCOL_NAMES.join(', '), oneOf(PROTOCOL_NAMES))
    .addOption(
      new Option('--compare <names>', 'hold the elections of these protocols side by side')
        .argParser(differentProtocols)
        .conflicts(['protocol', 'list', 'trace', 'clocks', 'save', 'shrink']),
    )
    .option('--flag <name=value>', 'a variant or a number of the protocol, see --list', flag)
    .option(
      '--attr <values>',
      'what ranks 1, 2, … claim of themselves, where --list says what it means',
      attributes,
    )
    .addOption(
      new Option('--nodes <count>', 'how many nodes; their ring is a seeded shuffle')
        .argParser(integer(1, NODES_LIMIT))
        .conflicts('ring'),
    )
    .option('--ring <ranks>', 'the ranks clockwise, such as 3,1,2', ranks)
    .addOption(
      new Option('--ring-order <order>', 'order of the ring with --nodes')
        .choices(['shuffled', 'by-id'])
        .default('shuffled')
        .conflicts('ring'),
    )
    .option('--initiators <who>', 'who starts: all, lowest, highest, or ranks', initiators, 'all')
    .option(
      '--resource <kind>',
      'leaders write to it: unfenced, fencing-register, fencing-max; also fencing-max:every=5,step=10',
      refusing(parseWorkload),
    )
    .option('--until <tick>', 'stop here at the latest', integer(0, TICKS_LIMIT))
    .addOption(
      new Option('--runs <count>', 'number of elections, under this seed and those that follow it')
        .argParser(integer(1, RUNS_LIMIT))
        .conflicts(['trace', 'clocks']),
    );
}

/** How the network is, and what goes wrong in it. */
export function withNetwork(command: Command): Command {
  command
    .addOption(
      new Option('--latency <ticks>', 'ticks a message takes: 1, uniform:10:50 or exp:30')
        .argParser(latency)
        .default({ type: 'constant', ticks: 1 }, '1'),
    )
    .option(
      '--link-factors <factors>',
      'links differ: 4 draws for each a factor in 1..4; or 1>2:5,3>1:2',
      linkFactors,
    )
    .option('--fifo', 'no message overtakes another on its link (the default)')
    .option('--no-fifo', 'messages overtake each other')
    .option(
      '--crash <who[@tick]>',
      'nodes die, highest or ranks; without a tick they died before; also 5@20,3@40',
      crash,
    );
  for (const name of SCHEDULED_FLAGS) {
    const read = (text: string, before: readonly ScheduledFault[] = []) => [
      ...before,
      ...refusing((each: string) => parseFaultText(name, each))(text),
    ];
    command.option(`--${name} <what>`, `${MEANINGS[name]}: ${FAULT_FORMS[name].example}`, read);
  }
  return command
    .addOption(
      new Option(
        '--faults <file>',
        'a schedule of faults as JSON, see below (- for stdin)',
      ).conflicts('randomFaults'),
    )
    .addOption(
      new Option(
        '--random-faults [kinds]',
        `drawn from the seed: all, or some of ${FAULT_KINDS.join(', ')}`,
      )
        .argParser(someOf(FAULT_KINDS))
        .conflicts([...SCHEDULED_FLAGS]),
    )
    .option(
      '--calm <tick[+ticks][:restart]>',
      'faults end at this tick, and that many ticks later a leader must be there; restart: all start again',
      calm,
    )
    .option(
      '--detector <form>',
      'which nodes are suspected: crashes (default), links (also nodes that cannot be reached), or by detectors on the nodes, such as fd-phi-akka:threshold=8; see --list detectors',
      readDetector,
    )
    .option(
      '--shrink',
      'of a run that fails, or the first of --runs: the fewest and shortest faults that still do it',
    );
}

const MEANINGS: Readonly<Record<ScheduledFlag, string>> = {
  restart: 'a node that crashed returns',
  pause: 'a node stands still, and then does all at once',
  join: 'a node comes that was not there',
  partition: 'links are cut',
  loss: 'messages are lost',
  duplicate: 'messages come twice',
  reorder: 'messages are overtaken',
  blackout: 'every message is lost',
  slowdown: 'every message takes longer',
  skew: 'a clock is off',
  churn: 'nodes come and go; the number is the mean interval in ticks',
};

/** What is written beside the answer. */
export function withFiles(command: Command): Command {
  return withTrace(command)
    .option('--save <file>', 'write the run, for usurp replay')
    .option('--force', 'replace the files of --trace and --save');
}

export function withTrace(command: Command): Command {
  return command
    .option(
      '--trace <file>',
      'write the trace: .jsonl for programs, .shiviz for ShiViz, .svg or .txt for people',
    )
    .option(
      '--no-clocks',
      `leave the vector clocks out of .jsonl; they are for ${CLOCK_NODES_LIMIT} nodes at most`,
    );
}

/** A parser that refuses with LabError, as commander wants it. */
function refusing<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof LabError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

const readProtocols = someOf(PROTOCOL_NAMES);

function differentProtocols(text: string): ProtocolName[] {
  const names = readProtocols(text);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return names;
  throw new InvalidArgumentError(`${twice} is named twice`);
}

function flag(
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
  throw new InvalidArgumentError('expected a whole number for each rank, such as 3,1,2');
}

function latency(text: string): Latency {
  try {
    return parseLatency(text);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new InvalidArgumentError(`${error.message} (the forms: 1, uniform:10:50, exp:30)`);
  }
}

function initiators(text: string): ElectOptions['initiators'] {
  if (text === 'all' || text === 'lowest' || text === 'highest') return text;
  if (/^\d/.test(text)) return ranks(text);
  throw new InvalidArgumentError('expected all, lowest, highest or ranks such as 3,1,2');
}

/** `6,5@4` is both at tick 4; `6@4,5@9` is each at its own. */
function crash(text: string, before: readonly CrashOption[] = []): CrashOption[] {
  const items = text.split(',');
  if (items.length > 1 && items.every((item) => item.includes('@'))) {
    return [...before, { text, crashes: refusing(parseCrashes)(text) }];
  }
  const [who = '', tick, ...rest] = text.split('@');
  if (rest.length > 0 || (tick !== undefined && !/^\d+$/.test(tick))) {
    throw new InvalidArgumentError(
      'expected highest or ranks, then @tick; each at its own tick is 5@20,3@40',
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
