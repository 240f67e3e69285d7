/**
 * @module
 * The identities of an attacked election: honest ones and the adversary's, all mined under one policy, with
 * the ranks that follow. The search is an argument, so that this code is pure.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { resolveGoal } from '../../adversary/goals.ts';
import { compareBytes, utf8ToBytes } from '../../bytes.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { byRank } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import type { Budget, Ledger } from '../../mining/ledger.ts';
import type { MiningResult } from '../../mining/search.ts';
import { HONEST_STRATEGY, STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import type { StrategyName } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';

/**
 * The identities that the adversary mines. `none`: it has ordinary ones, of the lowest ranks. `top`: above
 * all. `successor`: after an honest one on a ring in the order of IDs. `spread`: more than the honest have.
 */
export const FORGE_KINDS = ['none', 'top', 'successor', 'spread'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

/** A search for identities. Its result is the same on any machine unless its time ends. */
export interface ForgeOrder {
  readonly goal: Goal;
  readonly policy: Policy;
  readonly strategy: StrategyName;
  readonly budget: Budget;
  readonly seed: Seed;
}

export type Forged = Pick<MiningResult, 'found' | 'ending' | 'identities' | 'ledger'>;
export type Forge = (order: ForgeOrder) => Promise<Forged>;

export interface PopulationPlan {
  /** Ordinary identities. If identities are forged, the first of these replaces the last ordinary one. */
  readonly nodes: number;
  /** Ordinary identities of the adversary, unless forged ones take part. */
  readonly colluders: number;
  /** Bits of the static puzzle. */
  readonly c1: number;
  /** The same for identities that are made after the honest ones have been seen. */
  readonly newcomersC1: number;
  readonly forge: ForgeKind;
  /** A beacon that is drawn after registration salts the ranks. */
  readonly isBeaconRanked: boolean;
  /** No identity is registered after the honest ones have been seen. */
  readonly isFrozen: boolean;
  readonly budget: Budget;
  readonly seed: Seed;
}

export interface Member {
  readonly nodeId: Uint8Array;
  readonly owner: 'honest' | 'adversary';
}

export type Population =
  | {
      readonly outcome: 'placed';
      /** By rank, the lowest first. */
      readonly members: readonly Member[];
      /** Cost of the forged identities. Null if none were forged. */
      readonly ledger: Ledger | null;
      /** Whether forged identities are among the members. */
      readonly isForged: boolean;
    }
  /** The budget ended first. */
  | { readonly outcome: 'spent'; readonly ledger: Ledger }
  | { readonly outcome: 'cancelled' };

/** Mines all identities and ranks them. */
export async function populate(plan: PopulationPlan, forge: Forge): Promise<Population> {
  const { nodes, seed, colluders } = plan;
  const isForging = plan.forge !== 'none';
  const identities = isForging && !plan.isFrozen ? nodes - 1 : nodes;
  const policy = { ...STRICT_POLICY, c1: plan.c1 };
  const ordinary = await forge(ordinaryOrder(identities, { policy, seed }));
  if (!ordinary.found) return { outcome: 'cancelled' };
  const ids = ordinary.identities.map(({ claim: { nodeId } }) => ({ nodeId }));
  const rule = rankRule(plan);
  const ranked = byRank(ids, rule);
  const unforged = ranked.map(({ nodeId }, index): Member => {
    return { nodeId, owner: index < colluders ? 'adversary' : 'honest' };
  });
  if (!isForging) {
    return { outcome: 'placed', ledger: null, members: unforged, isForged: false };
  }
  // With frozen membership the lowest is the adversary's: it was registered before.
  const honest = (plan.isFrozen ? ranked.slice(1) : ids).map(({ nodeId }) => nodeId);
  const {
    found,
    ending,
    identities: forged,
    ledger,
  } = await forge({
    goal: goalOf(plan, honest),
    policy: { ...STRICT_POLICY, c1: plan.newcomersC1 },
    strategy: STRONGEST_STRATEGY,
    budget: plan.budget,
    seed: forgerSeed(seed),
  });
  if (ending === 'cancelled') return { outcome: 'cancelled' };
  if (!found) return { outcome: 'spent', ledger };
  if (plan.isFrozen) return { outcome: 'placed', ledger, members: unforged, isForged: false };
  const members = [
    ...honest.map((nodeId): Member => ({ nodeId, owner: 'honest' })),
    ...forged.map(({ claim }): Member => ({ nodeId: claim.nodeId, owner: 'adversary' })),
  ];
  return { outcome: 'placed', ledger, isForged: true, members: byRank(members, rule) };
}

/** The search for the identities of nodes that want no particular rank. */
export function ordinaryOrder(
  identities: number,
  { policy, seed }: { readonly policy: Policy; readonly seed: Seed },
): ForgeOrder {
  return {
    goal: { type: 'count', identities },
    policy,
    strategy: HONEST_STRATEGY,
    budget: {},
    seed: deriveSeed(seed, 'ordinary'),
  };
}

/** Seed of the search for forged identities. It is no secret, because the seed of the attack gives it. */
export function forgerSeed(seed: Seed): Seed {
  return deriveSeed(seed, 'adversary');
}

/** The adversary's ranks. */
export function adversaryRanks(members: readonly Member[]): number[] {
  return members.flatMap(({ owner }, index) => (owner === 'adversary' ? [index + 1] : []));
}

/** The goal of the forged identities against these honest ones. */
export function goalOf(
  plan: Pick<PopulationPlan, 'forge' | 'seed'>,
  honest: readonly Uint8Array[],
): Goal {
  switch (plan.forge) {
    case 'none':
      return { type: 'any' };
    case 'top':
      return resolveGoal({ type: 'top' }, honest);
    case 'successor':
      return behindVictim(honest, plan.seed);
    case 'spread':
      return { type: 'count', identities: honest.length + 1 };
    default:
      return plan.forge satisfies never;
  }
}

/** Between an honest ID, which is drawn, and the next higher one. */
function behindVictim(honest: readonly Uint8Array[], seed: Seed): Goal {
  const ascending = honest.toSorted(compareBytes);
  const victim = createRandom(seed, 'victim').below(ascending.length);
  const low = ascending[victim];
  const high = ascending[(victim + 1) % ascending.length];
  if (low === undefined || high === undefined) return { type: 'any' };
  return { type: 'between', low, high };
}

/** The beacon is drawn from the seed, after everything was mined. */
function rankRule({ isBeaconRanked, seed }: PopulationPlan): RankRule {
  if (!isBeaconRanked) return { type: 'node-id' };
  const label = utf8ToBytes(['usurp/attack-beacon/v1', seed, ''].join('\0'));
  return { type: 'salted', beacon: sha256(label) };
}
