/**
 * @module
 * The cast of a check with Byzantine nodes: all nodes authenticate messages at one level, with symbolic keys, and each
 * Byzantine node has behaviours, or is free, or both.
 */

import type { ByzantineNode } from '../adversary/behaviours/behaviour.ts';
import type { FreeState } from '../adversary/behaviours/free-node.ts';
import { createFree, instructionsFor } from '../adversary/behaviours/free-node.ts';
import { findBehaviour } from '../adversary/behaviours/registry.ts';
import { confined, symbolicKeys } from '../adversary/keys.ts';
import type { Authentication, Level } from '../election/authentication/authenticated.ts';
import { createAuthenticated } from '../election/authentication/authenticated.ts';
import type { AnyMachine } from '../election/definition/protocol.ts';
import type { ProtocolName } from '../election/registry.ts';
import type { Timing } from '../election/timing.ts';
import type { Cast } from '../election/world/cast.ts';
import { toRank } from '../election/world/cast.ts';
import { parseSeed } from '../random.ts';
import type { FreeNode } from './instance.ts';

/** A Byzantine node. */
export interface CheckedByzantine {
  readonly rank: number;
  /** Names of behaviours, the innermost first. */
  readonly behaviours: readonly string[];
}

export interface ByzantineOptions {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly level: Level;
  readonly byzantine: readonly CheckedByzantine[];
  readonly phantoms: readonly number[];
  /** Whether Byzantine nodes send more than their behaviours. */
  readonly isFree: boolean;
}

/** The cast under a level, and the free nodes of it, if they may lie. Throws RangeError for unknown behaviours. */
export function byzantineCast(
  cast: Cast,
  options: ByzantineOptions,
): { readonly cast: Cast; readonly free: ReadonlyMap<number, FreeNode> } {
  const { protocol, timing, level, byzantine, phantoms, isFree } = options;
  const ranks = Array.from({ length: cast.nodes }, (_, index) => index + 1);
  const members = ranks.filter((rank) => !phantoms.includes(rank));
  const authentication: Authentication = {
    ...{ level, protocol, election: '1', highestRank: cast.nodes },
    keysOf: symbolicKeys(SEED, members.map(toRank)),
  };
  const accomplices = byzantine.map(({ rank }) => toRank(rank));
  const machines = new Map<AnyMachine, AnyMachine>();
  const authenticated = (machine: AnyMachine) => {
    const known = machines.get(machine) ?? createAuthenticated(machine, authentication);
    machines.set(machine, known);
    return known;
  };
  const free = new Map<number, FreeNode>();
  const played = new Map<number, AnyMachine>();
  for (const { rank, behaviours } of byzantine) {
    const node: ByzantineNode = {
      ...{ protocol, timing, accomplices, rank: toRank(rank) },
      authentication: confined(authentication, accomplices),
      phantom: toRank(phantoms.length === 0 ? cast.nodes : Math.max(...phantoms)),
    };
    const own = authenticated(cast.machineOf(rank));
    const wrapped = behaviours.reduce((inner, name) => behaviourOf(name).wrap(inner, node), own);
    played.set(rank, isFree ? createFree(wrapped, node) : wrapped);
    if (!isFree) continue;
    free.set(rank, (state) => {
      if (state === null) return [];
      // The state is one of `createFree`, which the type does not say.
      const known = state as unknown as FreeState;
      return instructionsFor(known, node, { members, ranks });
    });
  }
  const machineOf = (rank: number) => {
    if (rank === cast.store) return cast.machineOf(rank);
    return played.get(rank) ?? authenticated(cast.machineOf(rank));
  };
  return { cast: { ...cast, machineOf }, free };
}

/** Symbolic signatures differ between seeds. No verdict depends on them. */
const SEED = parseSeed('1');

function behaviourOf(name: string) {
  const behaviour = findBehaviour(name);
  if (behaviour === null) throw new RangeError(`"behaviour" expected a known one, got ${name}`);
  return behaviour;
}
