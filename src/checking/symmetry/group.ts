/**
 * @module
 * The exchanges of ranks after which the nodes of an instance are the same: all of them, or those that turn the ring.
 * Nodes that the instance names (down, absent, phantoms, missing links) are exchanged only with each other.
 */

import type { Symmetry } from '../../election/definition/symmetry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { Instance } from '../instance.ts';
import type { Renaming } from './renaming.ts';

/** Each world is compared with all its exchanges, of which 6 nodes have 720. */
const NODES_MAX = 6;

/** The renamings of an instance: a group. The first changes nothing. Only this one if no nodes are exchangeable. */
export function renamingsOf(instance: Instance, symmetry: Symmetry): readonly Renaming[] {
  const { cast } = instance;
  const identity = Array.from({ length: (cast.store ?? cast.nodes) + 1 }, (_, rank) => rank);
  const isAlike = identity
    .slice(1, cast.nodes + 1)
    .every((rank) => cast.machineOf(rank) === cast.machineOf(1));
  if (cast.nodes > NODES_MAX || !isAlike) return [identity];
  return permutations(identity.slice(1, cast.nodes + 1))
    .map((ranks) => [0, ...ranks, ...identity.slice(cast.nodes + 1)])
    .filter((renaming) => keepsNamed(instance, renaming))
    .filter((renaming) => symmetry.of === 'members' || turnsRing(cast, renaming));
}

/** All orders of some values. The first is the given one. */
function permutations(values: readonly number[]): readonly (readonly number[])[] {
  if (values.length < 2) return [values];
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  );
}

function keepsNamed(instance: Instance, renaming: Renaming): boolean {
  const { crashedBefore, absent = [], phantoms = [], cut } = instance;
  const isCut = (one: number, other: number) =>
    cut.some(
      ([left, right]) => (left === one && right === other) || (left === other && right === one),
    );
  return (
    [crashedBefore, absent, phantoms].every((ranks) =>
      ranks.every((rank) => ranks.includes(renaming[rank] ?? rank)),
    ) && cut.every(([one, other]) => isCut(renaming[one] ?? one, renaming[other] ?? other))
  );
}

/** Whether the neighbours of renamed nodes are the renamed neighbours, and all know the same leader as before. */
function turnsRing({ nodes, selfOf }: Cast, renaming: Renaming): boolean {
  const named = (rank: number) => {
    const { successors, predecessor, incumbent } = selfOf(rank);
    const known = incumbent === null ? [] : [incumbent];
    return [...successors, predecessor, ...known].map(fromRank);
  };
  return Array.from({ length: nodes }, (_, index) => index + 1).every((rank) => {
    const [before, after] = [named(rank), named(renaming[rank] ?? rank)];
    return before.every((each, index) => renaming[each] === after[index]);
  });
}
