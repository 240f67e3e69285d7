/**
 * @module
 * Drawn lengths of timers in the states of nodes. A search takes those that are not 0 for one, which is written as 1.
 *
 * This is sound because a machine only sets timers with such a number, copies it and tests whether it is 0 (`drawnTicks` of
 * election/definition/protocol.ts), and because timers that are not 0 ticks long fire in any order in a check. Let f replace
 * each such number that is not 0 by 1, and each timer's ticks in the same way. Then the step of the state f(s) at an event is
 * the step of s, with f applied to what it leaves behind: it sends the same messages, sets the same timers and follows the
 * same leader. So f maps executions onto executions of the same actions, and each execution of the merged worlds is one of
 * the real worlds: the values of a choice that differ in such numbers only lead to equal worlds. All verdicts are the same,
 * also with fairness and cycles, if no property reads these numbers. With a property that reads whole states nothing is
 * merged. Each step that the search computes is compared with the step of the same state with a longer drawn time-out, so
 * that most false statements are found.
 */

import type { Protocol } from '../election/definition/protocol.ts';
import type { Json } from '../election/machine.ts';
import type { Cast } from '../election/world/cast.ts';
import type { Action } from '../election/world/world.ts';
import { applyTraced } from '../election/world/world.ts';
import type { World } from '../election/world/world-state.ts';
import { LabError } from '../errors.ts';
import { changedAt } from './json-paths.ts';
import { eventText, firstDifference, partsAfter } from './terms/false-counter.ts';

/** Another length with which steps are compared. */
const LONGER_TICKS = 1009;

export class DrawnTicks {
  readonly #cast: Cast;
  readonly #protocol: Protocol;

  constructor(cast: Cast, protocol: Protocol) {
    this.#cast = cast;
    this.#protocol = protocol;
  }

  /** The state of a node with 1 in place of each drawn length. */
  merged(rank: number, state: Json): Json {
    return this.#changed(rank, state, 1);
  }

  /** Throws LabError `arguments` if the node does something else with another drawn length. */
  verify(rank: number, world: World, action: Action, next: World): void {
    const longer = this.#withTicks(world, rank, LONGER_TICKS);
    if (longer === world) return;
    const made = applyTraced(this.#cast, longer, action).world;
    const after = (each: World) => partsAfter(withoutTicks(this.#withTicks(each, rank, 1)), rank);
    const difference = firstDifference(after(next), after(made), '');
    if (difference === null) return;
    throw new LabError(
      'arguments',
      `protocol ${this.#protocol.name}: "drawnTicks" is wrong: with another length of a timer node ${rank}, when ${eventText(world, action)}, does something else: ${difference}. Name only numbers with which the machine sets timers, and which it compares with 0 alone`,
    );
  }

  /** The same world if the node has no drawn length. */
  #withTicks(world: World, rank: number, ticks: number): World {
    const node = world.nodes[rank - 1];
    const state = this.#changed(rank, node?.state ?? null, ticks);
    if (node === undefined || state === node.state) return world;
    return { ...world, nodes: world.nodes.with(rank - 1, { ...node, state }) };
  }

  /** The same object if nothing changes. */
  #changed(rank: number, state: Json, ticks: number): Json {
    if (rank === this.#cast.store || state === null || typeof state !== 'object') return state;
    if (!Array.isArray(state) && 'inner' in state) {
      // This is the state of a wrapper around the protocol's machine: authentication, a behaviour, or the leader workload.
      const inner = this.#changed(rank, state.inner ?? null, ticks);
      return inner === state.inner ? state : { ...state, inner };
    }
    let isChanged = false;
    const changed = this.#protocol.drawnTicks.reduce<Json>(
      (data, path) =>
        changedAt(data, path, (value) => {
          if (value === 0 || value === ticks) return value;
          isChanged = true;
          return ticks;
        }),
      state,
    );
    return isChanged ? changed : state;
  }
}

/** A world in which all timers that are not 0 ticks long have one length. */
function withoutTicks(world: World): World {
  const nodes = world.nodes.map((node) => ({
    ...node,
    timers: node.timers.map((timer) => ({ ...timer, ticks: Math.min(timer.ticks, 1) })),
  }));
  return { ...world, nodes };
}
