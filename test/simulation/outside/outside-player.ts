/**
 * @module
 * Programs that play a node from outside as the simulation would have: each has a machine of its own and
 * steps it with what it reads in its inbox.
 */

import { symbolicKeys } from '../../../src/adversary/keys.ts';
import type { Keys } from '../../../src/election/authentication/authenticated.ts';
import { createAuthenticated } from '../../../src/election/authentication/authenticated.ts';
import { createNumberedElections } from '../../../src/election/authentication/numbered-elections.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Effects, Message, Rank } from '../../../src/election/machine.ts';
import { createCast, fromRank, toRank } from '../../../src/election/world/cast.ts';
import { castWithout } from '../../../src/election/world/membership.ts';
import type { OutsideEffect } from '../../../src/election/world/outside.ts';
import { electionName, isNumbered } from '../../../src/simulation/cast/planned-cast.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import type { Advance } from '../../../src/simulation/run/advance.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import type { Bound } from '../../../src/simulation/run/status.ts';

/** The keys that a plan's own nodes have, unless it is given others. */
export function keysOfPlan({ seed, nodes, phantoms }: Plan): (rank: Rank) => Keys {
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  return symbolicKeys(seed, ranks.filter((rank) => !phantoms.includes(rank)).map(toRank));
}

/** The machine that the simulation would have given this place. */
function honestMachine(plan: Plan, rank: number): AnyMachine {
  const { protocol, level, timing } = plan;
  const machine = createCast(plan).machineOf(rank);
  if (level === null) return machine;
  const create = (members: number) =>
    createAuthenticated(machine, {
      ...{ level, protocol, keysOf: keysOfPlan(plan) },
      election: electionName(plan, members),
    });
  const authenticated = isNumbered(plan)
    ? createNumberedElections((number) => create(Number(number)), timing)
    : create(plan.nodes);
  return authenticated as unknown as AnyMachine; // Its state is JSON, and nothing here looks at it.
}

export interface Player {
  /** Answers all that its node was told so far. */
  answer(): void;
}

/** An honest program for one place, from its first event on. */
export function honestPlayer(simulation: Simulation, rank: number): Player {
  const { plan } = simulation;
  const machine = honestMachine(plan, rank);
  const members = new Set(plan.ring.filter((each) => each === rank || !plan.absent.includes(each)));
  const selfNow = () =>
    castWithout(
      createCast(plan),
      plan.ring.filter((each) => !members.has(each)),
    ).selfOf(rank);
  let state = machine.init(selfNow());
  return {
    answer() {
      const said: OutsideEffect[] = [];
      const asked: number[] = [];
      const collector = collecting(said, asked, plan.store);
      const { events } = simulation.inbox(rank);
      for (const { event } of events) {
        if (event.type === 'join') members.add(fromRank(event.node));
        if (event.type === 'recover') state = machine.init(selfNow());
        machine.step(selfNow(), state, event, collector);
        while (asked.shift() !== undefined) {
          machine.step(selfNow(), state, { type: 'chosen', value: 0 }, collector);
        }
      }
      simulation.inject(rank, said);
      simulation.answered(rank, events.at(-1)?.number ?? 0);
    },
  };
}

function collecting(
  said: OutsideEffect[],
  asked: number[],
  store: number | null,
): Effects<Message> {
  return {
    send: (to, message) => said.push({ type: 'send', to: fromRank(to), message }),
    setTimer: (timer, ticks, periodic) => said.push({ type: 'set-timer', timer, ticks, periodic }),
    cancelTimer: (timer) => said.push({ type: 'cancel-timer', timer }),
    elect: (leader, epoch) => said.push({ type: 'elect', leader: fromRank(leader), epoch }),
    stepDown: () => said.push({ type: 'step-down' }),
    choose: (below) => asked.push(below),
    call: (message) => said.push({ type: 'send', to: store ?? 0, message }),
    persist: () => undefined,
    accuse: () => undefined,
    respond: () => undefined,
  };
}

/** Advances, and lets these programs answer whenever they are awaited. */
export function playOn(
  simulation: Simulation,
  players: ReadonlyMap<number, Player>,
  until: Advance['until'] = 'idle',
): Bound {
  for (;;) {
    const bound = simulation.advance({ until, events: 20_000 });
    if (bound !== 'outside') return bound;
    for (const rank of simulation.status().awaiting) players.get(rank)?.answer();
  }
}
