/**
 * @module
 * `usurp elect`: one election in the simulator. Ranks are 1..n, n the highest node ID.
 */

import { setImmediate } from 'node:timers/promises';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { AlgorithmName } from '../election/registry.ts';
import { ALGORITHM_NAMES } from '../election/registry.ts';
import { LabError } from '../errors.ts';
import { createPopulation } from '../experiment/population.ts';
import type { Seed } from '../random.ts';
import { resolveCrashes } from '../simulation/crashes.ts';
import { diagram } from '../simulation/diagram.ts';
import type { Latency } from '../simulation/latency.ts';
import { latencyText, parseLatency } from '../simulation/latency.ts';
import type { SimulationOptions } from '../simulation/options.ts';
import { NODES_LIMIT, TICKS_LIMIT } from '../simulation/options.ts';
import type { Simulation, Status } from '../simulation/simulation.ts';
import { createSimulation } from '../simulation/simulation.ts';
import { chosenSeed, integer, oneOf, ranks } from './arguments.ts';
import type { ExitCode } from './exit.ts';
import { EXIT } from './exit.ts';
import { refuseTarget, writeWhole } from './files.ts';
import { columns } from './layout.ts';
import type { OutputOptions } from './options.ts';
import { verb, wantsJson, withSeed } from './options.ts';
import type { Session, Terminal } from './terminal.ts';

/** `--crash`: who, and when; null is before the run. */
interface CrashOption {
  readonly who: 'highest' | readonly number[];
  readonly at: number | null;
}

interface ElectOptions extends OutputOptions {
  readonly algorithm: AlgorithmName;
  readonly nodes?: number;
  readonly ring?: readonly number[];
  readonly ringOrder: 'shuffled' | 'by-id';
  readonly initiators: 'all' | 'lowest' | readonly number[];
  readonly crash?: readonly CrashOption[];
  readonly latency: Latency;
  readonly until?: number;
  readonly seed?: Seed;
  readonly trace?: string;
  readonly force?: true;
}

const EVENTS_PER_SLICE = 1_000_000;

export function electCommand(session: Session): Command {
  return withSeed(
    verb('elect', 'run one election in the simulator')
      .requiredOption('--algorithm <name>', ALGORITHM_NAMES.join(', '), oneOf(ALGORITHM_NAMES))
      .addOption(
        new Option('--nodes <count>', 'how many nodes; their ring is a seeded shuffle')
          .argParser(integer(1, NODES_LIMIT))
          .conflicts('ring'),
      )
      .option('--ring <ranks>', 'the ranks clockwise, such as 3,1,2', ranks)
      .addOption(
        new Option('--ring-order <order>', 'order of the ring with --nodes')
          .choices(['shuffled', 'by-id'])
          .default('shuffled'),
      )
      .option('--initiators <who>', 'who starts: all, lowest, or ranks', initiators, 'all')
      .option(
        '--crash <who[@tick]>',
        'highest or ranks; without a tick they died before',
        crash,
        [],
      )
      .addOption(
        new Option('--latency <ticks>', 'ticks a message takes: 1, or uniform:10:50')
          .argParser(latency)
          .default({ type: 'constant', ticks: 1 }, '1'),
      )
      .option('--until <tick>', 'stop here at the latest', integer(0, TICKS_LIMIT))
      .option('--trace <file>', 'write the trace: .jsonl for programs, .txt for people')
      .option('--force', 'replace the file of --trace'),
    'decides ring order, latencies and node IDs; chosen and printed if not given',
  )
    .addHelpText('after', ELECT_EXAMPLES)
    .action((options: ElectOptions) =>
      session.run(options, (terminal) => runElect(options, terminal)),
    );
}

const ELECT_EXAMPLES = `
Exit codes: 0 one agreed leader, 1 none or split, 2 a bound was hit first.

Examples:
  usurp elect --algorithm bully-oneshot --nodes 10 --crash highest --initiators lowest
  usurp elect --algorithm cr-join --ring 3,1,2 --json
  usurp elect --algorithm bully-oneshot --nodes 5 --crash highest@3 --latency uniform:1:4 --seed 1`;

async function runElect(options: ElectOptions, terminal: Terminal): Promise<ExitCode> {
  const seed = options.seed ?? chosenSeed();
  const plan = simulationOptions(options, seed);
  if (options.trace !== undefined) {
    traceFormat(options.trace);
    await refuseTarget(options.trace, options.force === true);
  }
  const simulation = started(plan, options);
  const replay = replayOf(options, seed);
  if (options.seed === undefined) terminal.note(`seed ${seed}, to repeat: ${replay}`);
  while (simulation.advance({ until: 'idle', events: EVENTS_PER_SLICE }) === 'events') {
    terminal.progress(() => progressLine(simulation.status()));
    await setImmediate();
    if (terminal.signal.aborted) break;
  }
  const status = simulation.status();
  const answer = { ...answerOf(status, seed), seed, replay };
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(answer));
  if (options.trace !== undefined) await writeTrace(options.trace, simulation, options, terminal);
  if (terminal.signal.aborted) return EXIT.interrupted;
  if (!status.idle) return EXIT.unknown;
  return status.agreed ? EXIT.holds : EXIT.violated;
}

/** The simulation at time 0 with its elections begun; what it refuses is told in the flags' names. */
function started(plan: SimulationOptions, options: ElectOptions): Simulation {
  try {
    const simulation = createSimulation(plan);
    simulation.start(initiatorsOf(options, plan));
    return simulation;
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const detail = error.message.replace(/^(crashedBefore|faults|ring|start)\b:?/, (name) => {
      return FLAGS.get(name.replace(':', '')) ?? name;
    });
    throw new LabError(error.code, detail);
  }
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['crashedBefore', '--crash'],
  ['faults', '--crash'],
  ['ring', '--ring'],
  ['start', '--initiators'],
]);

/** The command that gives the same election again. */
function replayOf(options: ElectOptions, seed: Seed): string {
  const {
    algorithm,
    nodes,
    ring,
    ringOrder,
    initiators: who,
    crash: crashes = [],
    until,
  } = options;
  const words = [
    `usurp elect --algorithm ${algorithm}`,
    ring === undefined ? `--nodes ${nodes}` : `--ring ${ring.join(',')}`,
    ...(ringOrder === 'by-id' ? ['--ring-order by-id'] : []),
    ...(who === 'all' ? [] : [`--initiators ${String(who)}`]),
    ...crashes.map((each) => `--crash ${String(each.who)}${each.at === null ? '' : `@${each.at}`}`),
    `--latency ${latencyText(options.latency)}`,
    ...(until === undefined ? [] : [`--until ${until}`]),
    `--seed ${seed}`,
  ];
  return words.join(' ');
}

function simulationOptions(options: ElectOptions, seed: Seed): SimulationOptions {
  const nodes = options.nodes ?? options.ring?.length;
  if (nodes === undefined) {
    throw new LabError('arguments', 'how many nodes? give --nodes 5, or their order --ring 3,1,2');
  }
  const crashes = options.crash ?? [];
  const named = crashes.flatMap(({ who, at }) =>
    (who === 'highest' ? [who] : who).map((rank) => ({ rank, at })),
  );
  return {
    algorithm: options.algorithm,
    nodes,
    ring: options.ring ?? options.ringOrder,
    latency: options.latency,
    seed,
    ...resolveCrashes(nodes, named),
    untilTicks: options.until,
    trace: options.trace !== undefined,
  };
}

function initiatorsOf(
  options: ElectOptions,
  plan: SimulationOptions,
): readonly number[] | undefined {
  if (options.initiators === 'all') return undefined;
  if (options.initiators !== 'lowest') return options.initiators;
  let lowest = 1;
  while (plan.crashedBefore?.includes(lowest)) lowest += 1;
  return [lowest];
}

function answerOf(status: Status, seed: Seed) {
  const { algorithm, agreed, messages, nodes, verdict, lastEventTicks: ticks } = status;
  const rank = agreed ? status.leader : null;
  // The IDs are made for the sake of the leader's alone.
  const nodeIdOf = (place: number) => createPopulation({ nodes, seed }).nodeIds[place - 1];
  const leader = rank === null ? null : { rank, nodeId: nodeIdOf(rank) };
  return { algorithm, leader, agreed, messages, ticks, verdict };
}

function tableOf(answer: ReturnType<typeof answerOf> & { readonly replay: string }): string {
  const { leader, messages, verdict } = answer;
  const counts = Object.entries(messages).map(([type, count]) => `${type} ${count}`);
  const properties = Object.entries(verdict.properties).map(([name, { value, witnessed }]) => [
    name,
    witnessed ? value : `${value} (never put to the test)`,
  ]);
  return columns([
    ['leader', leader === null ? 'none' : `${leader.rank} (${leader.nodeId})`],
    ['agreed', String(answer.agreed)],
    ['messages', counts.join(', ')],
    ['ticks', String(answer.ticks)],
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ...properties,
    ['replay', answer.replay],
  ]);
}

function progressLine({ ticks, messages, inFlight }: Status): string {
  return `electing: tick ${ticks}, ${messages.total} messages sent, ${inFlight} in flight`;
}

async function writeTrace(
  path: string,
  simulation: Simulation,
  options: ElectOptions,
  terminal: Terminal,
): Promise<void> {
  const text =
    traceFormat(path) === 'jsonl'
      ? [...simulation.traceLines()].join('')
      : diagram(simulation.plan, simulation.records());
  await writeWhole(path, text, { force: options.force === true, isPrivate: false });
  terminal.note(`trace written to ${path}`);
}

function traceFormat(path: string): 'jsonl' | 'txt' {
  if (path.endsWith('.jsonl')) return 'jsonl';
  if (path.endsWith('.txt')) return 'txt';
  throw new LabError('arguments', `${path}: a trace is written as .jsonl or .txt`);
}

function initiators(text: string): ElectOptions['initiators'] {
  return text === 'all' || text === 'lowest' ? text : ranks(text);
}

function crash(text: string, before: readonly CrashOption[] = []): CrashOption[] {
  const [who = '', tick, ...rest] = text.split('@');
  if (rest.length > 0) throw new InvalidArgumentError('expected highest or ranks, then @tick');
  const at = tick === undefined ? null : integer(0, TICKS_LIMIT)(tick);
  return [...before, { who: who === 'highest' ? who : ranks(who), at }];
}

function latency(text: string): Latency {
  try {
    return parseLatency(text);
  } catch (error) {
    if (error instanceof LabError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
