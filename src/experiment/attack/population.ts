/**
 * @module
 * The identities of an attacked election: honest ones and the adversary's, all of them mined under one
 * policy, and the places that their rank keys give them. Who mines is handed in: this room has no threads
 * and no clocks.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { resolveGoal } from '../../adversary/goals.ts';
import { bytesToHex, compareBytes, concatBytes, utf8ToBytes } from '../../bytes.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { rankKeyOf } from '../../identity/ids/rank-key.ts';
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
 * Which identities the adversary mines: none, so that it has an ordinary one, of the lowest rank; one above
 * all; one right after an honest one on a ring in the order of the IDs; or more than the honest have.
 */
export const FORGE_KINDS = ['none', 'top', 'successor', 'spread'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

/** A search for identities; what it finds is the same on any machine, unless its time runs out. */
export interface ForgeOrder {
  readonly goal: Goal;
  readonly policy: Policy;
  readonly strategy: StrategyName;
  readonly budget: Budget;
  readonly seed: Seed;
}

export type Forge = (
  order: ForgeOrder,
) => Promise<Pick<MiningResult, 'found' | 'ending' | 'identities' | 'ledger'>>;

/** Who is to be there. */
export interface PopulationPlan {
  /** Ordinary identities: with `forge` none one of them is the adversary's, else the last is forged. */
  readonly nodes: number;
  /** Bits of the static puzzle. */
  readonly c1: number;
  /** Of whoever comes after the honest ones have been seen; as `c1` unless it was raised. */
  readonly newcomersC1: number;
  readonly forge: ForgeKind;
  /** Ranks are salted by a beacon that is drawn when all are registered. */
  readonly isBeaconRanked: boolean;
  /** Nobody is registered who comes after the honest ones have been seen. */
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
      /** Of what was forged; null where nothing was. */
      readonly ledger: Ledger | null;
      /** Whether forged identities are among them. */
      readonly isForged: boolean;
    }
  /** The budget ended first. */
  | { readonly outcome: 'spent'; readonly ledger: Ledger }
  | { readonly outcome: 'cancelled' };

/** Mines everybody and gives them their places. */
export async function populate(plan: PopulationPlan, forge: Forge): Promise<Population> {
  const { nodes, seed } = plan;
  const isForging = plan.forge !== 'none';
  const ordinary = await forge({
    goal: { type: 'count', identities: isForging && !plan.isFrozen ? nodes - 1 : nodes },
    policy: { ...STRICT_POLICY, c1: plan.c1 },
    strategy: HONEST_STRATEGY,
    budget: {},
    seed: deriveSeed(seed, 'ordinary'),
  });
  if (!ordinary.found) return { outcome: 'cancelled' };
  const ids = ordinary.identities.map(({ claim }) => claim.nodeId);
  const rule = rankRule(plan);
  if (!isForging) return { outcome: 'placed', ledger: null, ...withLowest(ids, rule) };
  // The one that is left is the adversary's, which it had registered before.
  const honest = plan.isFrozen ? withoutLowest(ids, rule) : ids;
  const goal = goalOf(plan, honest);
  const forged = await forge({
    ...{ goal, policy: { ...STRICT_POLICY, c1: plan.newcomersC1 } },
    strategy: STRONGEST_STRATEGY,
    budget: plan.budget,
    seed: forgerSeed(seed),
  });
  const { found, ending, identities, ledger } = forged;
  if (ending === 'cancelled') return { outcome: 'cancelled' };
  if (!found) return { outcome: 'spent', ledger };
  if (plan.isFrozen) return { outcome: 'placed', ledger, ...withLowest(ids, rule) };
  const members = [
    ...honest.map((nodeId): Member => ({ nodeId, owner: 'honest' })),
    ...identities.map(({ claim }): Member => ({ nodeId: claim.nodeId, owner: 'adversary' })),
  ];
  return { outcome: 'placed', ledger, isForged: true, members: ranked(members, rule) };
}

/** Of the search for forged identities: as little a secret as the seed of the attack, which gives it. */
export function forgerSeed(seed: Seed): Seed {
  return deriveSeed(seed, 'adversary');
}

/** The adversary's ranks. */
export function adversaryRanks(members: readonly Member[]): number[] {
  return members.flatMap(({ owner }, index) => (owner === 'adversary' ? [index + 1] : []));
}

/** What the forged identities are to be, against these honest ones. */
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

/** Between an honest node and the next, going up; the victim is drawn. */
function behindVictim(honest: readonly Uint8Array[], seed: Seed): Goal {
  const ascending = honest.toSorted(compareBytes);
  const victim = createRandom(seed, 'victim').below(ascending.length);
  const low = ascending[victim];
  const high = ascending[(victim + 1) % ascending.length];
  if (low === undefined || high === undefined) return { type: 'any' };
  return { type: 'between', low, high };
}

function withLowest(ids: readonly Uint8Array[], rule: RankRule) {
  const honest = ids.map((nodeId): Member => ({ nodeId, owner: 'honest' }));
  const members = ranked(honest, rule).map((member, index): Member => {
    return index === 0 ? { ...member, owner: 'adversary' } : member;
  });
  return { members, isForged: false };
}

function withoutLowest(ids: readonly Uint8Array[], rule: RankRule): readonly Uint8Array[] {
  const { members } = withLowest(ids, rule);
  return members.slice(1).map(({ nodeId }) => nodeId);
}

function ranked(members: readonly Member[], rule: RankRule): readonly Member[] {
  return members
    .map((member) => ({ member, key: rankKeyOf(member.nodeId, rule) }))
    .toSorted((left, right) => compareBytes(left.key, right.key))
    .map(({ member }) => member);
}

/** The beacon is drawn from the seed, after everything that was mined. */
function rankRule({ isBeaconRanked, seed }: PopulationPlan): RankRule {
  if (!isBeaconRanked) return { type: 'node-id' };
  const label = utf8ToBytes(['usurp/attack-beacon/v1', seed, ''].join('\0'));
  return { type: 'salted', beacon: sha256(concatBytes(label)) };
}

/** What a report says of a member. */
export function memberText({ nodeId }: Member): string {
  return bytesToHex(nodeId);
}
