/**
 * @module
 * The cast of a check with Byzantine nodes: all nodes authenticate messages at one level, with symbolic keys, and each
 * Byzantine node has behaviours, or is free, or both.
 */

import {
  admittedRanks,
  byzantineNodeOf,
  withBehaviours,
} from '../adversary/behaviours/byzantine-node.ts';
import type { FreeState } from '../adversary/behaviours/free-node.ts';
import { createFree, instructionsFor } from '../adversary/behaviours/free-node.ts';
import { symbolicKeys } from '../adversary/keys.ts';
import type { Authentication, Level } from '../election/authentication/authenticated.ts';
import { createAuthenticated } from '../election/authentication/authenticated.ts';
import type { AnyMachine } from '../election/definition/protocol.ts';
import type { ProtocolName } from '../election/registry.ts';
import type { Timing } from '../election/timing.ts';
import type { Cast } from '../election/world/cast.ts';
import { fromRank, memoised, withNodes } from '../election/world/cast.ts';
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
  const { protocol, level, byzantine, phantoms, isFree } = options;
  const { nodes } = cast;
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const members = admittedRanks({ nodes, phantoms });
  const authentication: Authentication = {
    ...{ level, protocol, election: '1', highestRank: nodes },
    keysOf: symbolicKeys(SEED, members),
  };
  const authenticated = memoised((machine) => createAuthenticated(machine, authentication));
  const free = new Map<number, FreeNode>();
  const played = new Map<number, AnyMachine>();
  for (const { rank, behaviours } of byzantine) {
    const node = byzantineNodeOf({ ...options, nodes }, rank, authentication);
    const wrapped = withBehaviours(authenticated(cast.machineOf(rank)), behaviours, node);
    played.set(rank, isFree ? createFree(wrapped, node) : wrapped);
    if (!isFree) continue;
    free.set(rank, (state) => {
      if (state === null) return [];
      // The state is one of `createFree`, which the type does not say.
      const known = state as unknown as FreeState;
      return instructionsFor(known, node, { members: members.map(fromRank), ranks });
    });
  }
  return {
    cast: withNodes(cast, (machine, rank) => played.get(rank) ?? authenticated(machine)),
    free,
  };
}

/** Symbolic signatures differ between seeds. No verdict depends on them. */
const SEED = parseSeed('1');
