/**
 * @module
 * Elections of a protocol without faults, on random rings and schedules, which one node, some or all start,
 * together or one after the other: they finish, the right node leads, no more messages are sent than its
 * definition states, each of them has the form that it states, and the simulator does what the reference
 * semantics (world.ts) does.
 */

import { sentProblem } from '../../election/authentication/message-forms.ts';
import { createCast } from '../../election/world/cast.ts';
import { applyTraced, createWorld } from '../../election/world/world.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import { planSimulation } from '../plan/options.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { Simulation } from '../run/simulation.ts';
import { createSimulation } from '../run/simulation.ts';
import type { Finding, Subject } from './finding.ts';
import { failed, guarded, held, nameOf, tried } from './finding.ts';
import type { StartTicks } from './starts.ts';
import { ALL_FIRST, drawStarts, startNodes } from './starts.ts';

const ELECTIONS = 60;
const NODES_MAX = 9;
const BOUND_CHECK = 'sends at most about as many messages as its definition states';
const BOUND_NODES = [2, 3, 5, 8, 16, 32];
const BOUND_RINGS = 20;
/** More events than any election of so few nodes has. */
const EVENTS_PER_NODE = 4_000;

/** Who starts an election, in turn. */
const INITIATORS = ['all', 'lowest', 'highest', 'one', 'some'] as const;
/** The first elections have no start after tick 0. In the others the last start is before this tick. */
const TOGETHER = ELECTIONS / 2;
const LATE_TICKS = 40;

/** Checks elections without faults. */
export function checkElections(subject: Subject): readonly Finding[] {
  return [
    tried('finishes, and the right node leads', ELECTIONS, (index) => {
      const { simulation, bound } = stage(subject, index);
      const { verdict } = simulation.status();
      if (bound !== 'idle') return `${described(subject, index)} does not come to rest`;
      return verdict.value === 'true'
        ? null
        : `${described(subject, index)}: ${verdict.reason}${replayOf(subject, index)}`;
    }),
    tried('sends only messages that its definition lists', ELECTIONS, (index) =>
      malformedIn(subject, stage(subject, index).simulation),
    ),
    guarded(BOUND_CHECK, () => checkBound(subject)),
    tried('agrees with the reference semantics', ELECTIONS, (index) =>
      disagreement(stage(subject, index).simulation, optionsOf(subject, index)),
    ),
  ];
}

/** When nodes start: their ranks by tick, the first at tick 0. */
function startsOf(subject: Subject, index: number): ReadonlyMap<number, readonly number[]> {
  const { nodes } = optionsOf(subject, index);
  const random = createRandom(subject.seed, 'conform', 'starts', index);
  const { needsStart } = subject.protocol;
  const drawn = INITIATORS[index % INITIATORS.length] ?? 'all';
  const who = needsStart === 'all' ? 'all' : drawn;
  const ranks = Array.from({ length: nodes }, (_, at) => at + 1);
  const one = { all: 0, some: 0, lowest: 1, highest: nodes, one: 1 + random.below(nodes) }[who];
  const starting = ranks.filter((rank) =>
    one > 0 ? rank === one : who === 'all' || random.below(2) === 0,
  );
  const needed = needsStart === 'highest' || starting.length === 0 ? [nodes] : [];
  const all = [...new Set([...starting, ...needed])];
  return drawStarts(all, index < TOGETHER ? 1 : LATE_TICKS, random);
}

/** Runs the election with this number. */
function stage(subject: Subject, index: number): Elected {
  return elect(optionsOf(subject, index), startsOf(subject, index));
}

/** The command that shows the run again. `usurp elect` has no starts after tick 0. */
function replayOf(subject: Subject, index: number): string {
  const starts = startsOf(subject, index);
  if (starts.size > 1) return '';
  const { protocol, nodes, seed, latency, fifo } = optionsOf(subject, index);
  const ticks = latency?.type === 'uniform' ? `${latency.ticksMin}:${latency.ticksMax}` : '1:1';
  const load = subject.file === undefined ? '' : ` --load ${subject.file}`;
  const order = fifo === true ? '' : ' --no-fifo';
  return `; replay: npx usurp elect${load} ${protocol} --nodes ${nodes} --initiators ${starts.get(0)} --latency uniform:${ticks}${order} --seed ${seed}`;
}

function optionsOf({ protocol, seed }: Subject, index: number): SimulationOptions {
  const random = createRandom(seed, 'conform', 'election', index);
  const nodes = 1 + random.below(NODES_MAX);
  return {
    protocol: nameOf(protocol.name),
    nodes,
    seed: deriveSeed(seed, 'conform', index),
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 1 + random.below(9) },
    fifo: protocol.fifo || random.below(2) === 0,
    trace: true,
  };
}

interface Elected {
  readonly simulation: Simulation;
  readonly bound: string;
}

/** Without `starts`, all nodes start at tick 0. */
function elect(options: SimulationOptions, starts: StartTicks = ALL_FIRST): Elected {
  const simulation = createSimulation(options);
  const events = EVENTS_PER_NODE * (options.nodes + 1);
  startNodes(simulation, starts, events);
  return { simulation, bound: simulation.advance({ until: 'idle', events }) };
}

function described(subject: Subject, index: number): string {
  const { nodes, seed } = optionsOf(subject, index);
  const starts = [...startsOf(subject, index)].map(
    ([tick, ranks]) => `${ranks.length === 1 ? 'node' : 'nodes'} ${ranks.join()} at tick ${tick}`,
  );
  return `the election of ${nodes} nodes with seed ${seed}, started by ${starts.join(', ')}`;
}

function malformedIn({ protocol }: Subject, simulation: Simulation): string | null {
  const cast = createCast(simulation.plan);
  for (const { effects } of simulation.records()) {
    for (const effect of effects) {
      if (effect.type !== 'send' && effect.type !== 'call') continue;
      const message = effect.type === 'send' ? effect.message : effect.operation;
      const range = { self: cast.selfOf(1), highestRank: simulation.plan.nodes };
      const problem = sentProblem(protocol, message, range);
      if (problem !== null) return `it sends ${JSON.stringify(message)}, ${problem}`;
    }
  }
  return null;
}

/**
 * The mean over random rings, since `messagesAbout` is no worst case. A protocol that is never silent sends
 * heartbeats for as long as the run lasts, so that messages count until the last node follows the leader.
 */
function checkBound(subject: Subject): Finding {
  const { protocol, seed } = subject;
  const means: string[] = [];
  for (const nodes of BOUND_NODES) {
    let total = 0;
    for (let ring = 0; ring < BOUND_RINGS; ring += 1) {
      const options: SimulationOptions = {
        protocol: nameOf(protocol.name),
        nodes,
        seed: deriveSeed(seed, 'conform', 'bound', nodes, ring),
        trace: protocol.steadyTicks !== null,
      };
      const { simulation, bound } = elect(options);
      if (bound !== 'idle')
        return failed(BOUND_CHECK, `an election of ${nodes} nodes does not come to rest`);
      total += messagesUntilElected(simulation);
    }
    const mean = total / BOUND_RINGS;
    const stated = protocol.messagesAbout(nodes);
    if (mean > stated) {
      return failed(
        BOUND_CHECK,
        `${nodes} nodes send ${mean} messages on average, its definition states ${stated.toFixed(1)}`,
      );
    }
    means.push(`${nodes}: ${mean} of ${stated.toFixed(0)}`);
  }
  return held(BOUND_CHECK, `mean over ${BOUND_RINGS} rings, by nodes ${means.join(', ')}`);
}

function messagesUntilElected(simulation: Simulation): number {
  const records = simulation.records();
  if (records.length === 0) return simulation.status().messages.total ?? 0;
  const last = records.findLastIndex(({ effects }) => effects.some(({ type }) => type === 'elect'));
  const effects = records.slice(0, last + 1).flatMap((record) => record.effects);
  return effects.filter(({ type }) => type === 'send' || type === 'call').length;
}

/** Folds the trace over the reference semantics and compares every effect. */
function disagreement(simulation: Simulation, options: SimulationOptions): string | null {
  const cast = createCast(planSimulation(options));
  let world = createWorld(cast, simulation.plan.crashedBefore);
  for (const { action, effects, t } of simulation.records()) {
    const next = applyTraced(cast, world, action);
    if (JSON.stringify(next.effects) !== JSON.stringify(effects)) {
      return `at tick ${t} ${JSON.stringify(action)} has the effects ${JSON.stringify(next.effects)} there and ${JSON.stringify(effects)} in the simulator`;
    }
    world = next.world;
  }
  return null;
}
