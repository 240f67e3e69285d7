/**
 * @module
 * The parts of a world after its nodes have exchanged their ranks.
 */

import type { Protocol, Symmetry } from '../../election/definition/protocol.ts';
import type { Json, Message } from '../../election/machine.ts';
import type { Action } from '../../election/world/world.ts';
import type { World, WorldNode } from '../../election/world/world-state.ts';
import type { Instance } from '../instance.ts';
import { changedAt } from '../json-paths.ts';
import type { Local, Sent } from '../local-steps.ts';

/** The new rank of each node; the index is the old rank. The store keeps its own. */
export type Renaming = readonly number[];

/** Where an instance contains ranks beside those that every world has: paths of json-paths.ts. */
export interface RankPaths {
  readonly state: readonly string[];
  readonly persisted: readonly string[];
  readonly store: readonly string[];
  readonly messages: readonly string[];
}

/** Where the resource (election/lease/stores/resource.ts) contains ranks. */
const RESOURCE = ['holder', 'last.#', 'recent.*.by'];

/** The paths of an instance of a protocol with this symmetry. */
export function pathsOf(
  { messages }: Protocol,
  { state, persisted, store }: Symmetry,
  resource: Instance['resource'],
): RankPaths {
  const sent = Object.values(messages).flatMap(({ members }) =>
    Object.entries(members).flatMap(([name, kind]) => {
      if (kind === 'rank') return [name];
      return kind === 'ranks' ? [`${name}.*`] : [];
    }),
  );
  const paths = { persisted, messages: [...sent, ...(store?.messages ?? [])] };
  if (resource === undefined) return { ...paths, state, store: store?.state ?? [] };
  const own = (store?.state ?? []).map((path) => `services.store.${path}`);
  return {
    ...paths,
    state: state.map((path) => `inner.${path}`),
    store: [...own, ...RESOURCE.map((path) => `services.resource.${path}`)],
  };
}

/** Ranks of nodes and of their store, and all else that contains ranks, after a renaming. */
export class Renamer {
  readonly #paths: RankPaths;
  readonly #store: number | null;
  readonly #rankOf: (rank: number) => number;

  constructor(paths: RankPaths, store: number | null, renaming: Renaming) {
    this.#paths = paths;
    this.#store = store;
    this.#rankOf = (rank) => renaming[rank] ?? rank;
  }

  rankOf(rank: number): number {
    return this.#rankOf(rank);
  }

  /** What a world contains about the node of this rank. */
  local(rank: number, { node, paused, choices, absent }: Local): Local {
    return { node: this.#node(rank, node), paused, choices, absent: this.#ranks(absent) };
  }

  sent({ from, to, message }: Sent): Sent {
    const named = this.#renamed({ ...message }, this.#paths.messages);
    // The type and all members are those of the message.
    const renamed = named as unknown as Message;
    return { from: this.rankOf(from), to: this.rankOf(to), message: renamed };
  }

  world(world: World): World {
    const nodes = [...world.nodes];
    for (const [index, node] of world.nodes.entries()) {
      nodes[this.rankOf(index + 1) - 1] = this.#node(index + 1, node);
    }
    return {
      ...world,
      nodes,
      inFlight: world.inFlight.map(({ id, ...sent }) => ({ id, ...this.sent(sent) })),
      paused: this.#ranks(world.paused),
      absent: this.#ranks(world.absent),
      choices: world.choices.map(({ node, below }) => ({ node: this.rankOf(node), below })),
    };
  }

  /** An action of one node. Ids of messages stay the same. */
  action(action: Action): Action {
    const node = 'node' in action ? { node: this.rankOf(action.node) } : {};
    const about = 'about' in action ? { about: this.rankOf(action.about) } : {};
    return { ...action, ...node, ...about };
  }

  #node(rank: number, { state, persisted, leader, ...rest }: WorldNode): WorldNode {
    const paths = this.#paths;
    return {
      ...rest,
      state: this.#renamed(state, rank === this.#store ? paths.store : paths.state),
      persisted: this.#renamed(persisted, paths.persisted),
      leader: leader === null ? null : this.rankOf(leader),
    };
  }

  #renamed(data: Json, paths: readonly string[]): Json {
    return paths.reduce((changed, path) => changedAt(changed, path, this.#rankOf), data);
  }

  #ranks(ranks: readonly number[]): readonly number[] {
    return ranks.map(this.#rankOf).toSorted((left, right) => left - right);
  }
}
