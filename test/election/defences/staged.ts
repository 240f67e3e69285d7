/**
 * @module
 * Elections among nodes with defences, some of them Byzantine, and the outcome for the honest ones.
 */

import type { BehaviourName } from '../../../src/adversary/behaviours/registry.ts';
import { BEHAVIOURS } from '../../../src/adversary/behaviours/registry.ts';
import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type { Authentication, Level } from '../../../src/election/authentication/authenticated.ts';
import { createAuthenticated } from '../../../src/election/authentication/authenticated.ts';
import type { DefenceContext } from '../../../src/election/defences/defence.ts';
import {
  defencesFault,
  guardAround,
  guardInside,
  runByAll,
} from '../../../src/election/defences/defended.ts';
import type { DefenceName } from '../../../src/election/defences/registry.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import { planSimulation } from '../../../src/simulation/plan/options.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

export interface Stage extends Omit<SimulationOptions, 'byzantine' | 'level' | 'seed'> {
  readonly level: Level | null;
  readonly defences: readonly DefenceName[];
  /** Byzantine nodes, by rank. */
  readonly byzantineNodes?: Readonly<Record<number, ByzantineMachine>>;
  readonly seed?: string;
  readonly events?: number;
}

/** A behaviour of the adversary, or a Byzantine machine around that of the node. */
export type ByzantineMachine = BehaviourName | ((machine: AnyMachine) => AnyMachine);

export interface Outcome {
  /** The final leader of each honest live node, by rank. 0 for none. */
  readonly follows: Readonly<Record<number, number>>;
  readonly simulation: Simulation;
}

/** The election, run until it rests or its time is over. */
export function play(stage: Stage): Outcome {
  const simulation = staged(stage);
  simulation.start();
  simulation.advance({ until: 'idle', events: stage.events ?? 20_000 });
  return { follows: followed(simulation, stage), simulation };
}

export function followed(
  simulation: Simulation,
  { byzantineNodes = {} }: Stage,
): Outcome['follows'] {
  const honest = simulation
    .nodes()
    .filter(({ up, rank }) => up && byzantineNodes[rank] === undefined);
  return Object.fromEntries(honest.map(({ rank, leader }) => [rank, leader ?? 0]));
}

/** The leader that all honest live nodes follow. Null if they disagree or follow none. */
export function agreedOn({ follows }: Outcome): number | null {
  const leaders = [...new Set(Object.values(follows))];
  const [leader = 0] = leaders;
  return leaders.length === 1 && leader !== 0 ? leader : null;
}

export function staged({
  level,
  defences,
  byzantineNodes = {},
  seed = '1',
  ...given
}: Stage): Simulation {
  const options = { ...given, seed: parseSeed(seed) };
  const { protocol, timing, nodes, phantoms } = planSimulation(options);
  const ranks = Array.from({ length: nodes }, (_, index) => toRank(index + 1));
  const admitted = ranks.filter((_, index) => !phantoms.includes(index + 1));
  const authentication: Authentication | null =
    level === null
      ? null
      : { level, protocol, election: '1', keysOf: symbolicKeys(options.seed, admitted) };
  const machine = PROTOCOLS[protocol].create(timing, options.flags);
  const context = { protocol, timing, authentication };
  const honest = createDefended(machine, { ...context, defences });
  // A defence binds those who run it.
  const own = createDefended(machine, { ...context, defences: runByAll(defences) });
  const machines = new Map(
    Object.entries(byzantineNodes).map(([name, how]) => {
      const rank = Number(name);
      if (typeof how === 'function') return [rank, how(own)];
      if (authentication === null) throw new TypeError('"level" expected one, got null');
      const byzantineNode = {
        ...{ protocol, timing, authentication, rank: toRank(rank) },
        accomplices: Object.keys(byzantineNodes).map((each) => toRank(Number(each))),
        phantom: toRank(phantoms.at(-1) ?? nodes + 1),
      };
      return [rank, BEHAVIOURS[how].wrap(own, byzantineNode)];
    }),
  );
  return createSimulation(options, (rank) => machines.get(rank) ?? honest);
}

interface DefendedContext extends DefenceContext {
  readonly defences: readonly DefenceName[];
  /** Null where messages are not even looked at. */
  readonly authentication: Authentication | null;
}

/** The machine of an honest node. Throws RangeError for defences that do not fit. */
export function createDefended(machine: AnyMachine, context: DefendedContext): AnyMachine {
  const { protocol, defences, authentication } = context;
  const fault = defencesFault(defences, { protocol, level: authentication?.level ?? null });
  if (fault !== null) throw new RangeError(`"defences" expected ones that fit: ${fault}`);
  const guarded = guardInside(machine, defences, context);
  if (authentication === null) return guarded;
  const sealed = createAuthenticated(guarded, authentication);
  return guardAround(sealed, defences, { ...context, authentication });
}
