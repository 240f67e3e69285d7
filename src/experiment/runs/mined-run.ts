/**
 * @module
 * One run in which everything is really done: honest nodes mine identities, the adversaries forge
 * against them within their budgets, every claim is admitted by the network's policy or stays out,
 * and every election is held. Nothing here knows the closed form.
 */

import type { Wish } from '../../adversary/goals.ts';
import { parseWish, resolveGoal, WISH_FORMS } from '../../adversary/goals.ts';
import { compareBytes } from '../../bytes.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { rankKeyOf, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Goal } from '../../mining/goal.ts';
import type { Ledger } from '../../mining/ledger.ts';
import type { Clocks } from '../../mining/search.ts';
import { mine } from '../../mining/search.ts';
import { HONEST_DYNAMIC_STRATEGY, strongestDynamicStrategy } from '../../mining/solution.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { KernelSource } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { registrationOf, runRankRule } from '../epochs/registration.ts';
import { holdElections } from './elections.ts';
import type { Owners } from './membership.ts';
import { ordinaryCount, ordinaryOwners, rolesOf } from './membership.ts';
import type { Observations } from './observations.ts';
import type { ForgeResult, RunOutcome } from './tally.ts';
import { addLedgers } from './tally.ts';

/** What mining needs of the world. */
export interface Facilities {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
}

/** An identity that was admitted. */
interface Member {
  readonly nodeId: Uint8Array;
  /** The name of an adversary; null for an honest node. */
  readonly owner: string | null;
}

interface Forge {
  readonly result: ForgeResult;
  /**
   * Who joins; with the goal count also those that were found before the budget ended, and nobody where
   * membership was frozen before the search began.
   */
  readonly members: readonly Member[];
}

/** Everybody who is there, and what it cost. */
export interface MinedPopulation {
  readonly owners: Owners;
  readonly forges: readonly ForgeResult[];
  readonly honestLedger: Ledger;
  readonly observations: Observations;
}

/** Executes run `run`, whose seed is `runSeed`. */
export function executeMinedRun(
  model: ThreatModel,
  { run, runSeed }: { readonly run: number; readonly runSeed: Seed },
  facilities: Facilities,
): Omit<RunOutcome, 'won'> {
  const { owners, ...mined } = minePopulation(model, runSeed, facilities);
  return { run, elections: holdElections(model, rolesOf(owners), runSeed), ...mined };
}

/** Mines all identities of a run and gives them their ranks. */
export function minePopulation(
  model: ThreatModel,
  runSeed: Seed,
  facilities: Facilities,
): MinedPopulation {
  const ordinary = mineOrdinary(model, runSeed, facilities);
  const honestIds = ordinary.members
    .filter(({ owner }) => owner === null)
    .map(({ nodeId }) => nodeId);
  const forges = forgeAll(model, { honestIds, runSeed }, facilities);
  const rule = runRankRule(model, runSeed);
  const members = [...ordinary.members, ...forges.flatMap((forge) => forge.members)];
  const owners = inOrder(members, rule).map(({ owner }) => owner);
  const results = forges.map((forge) => forge.result);
  const observations = {
    nodes: members.length,
    identities: members.filter(({ owner }) => owner !== null).length,
  };
  return { owners, forges: results, honestLedger: ordinary.ledger, observations };
}

/** The lowest first. */
function inOrder(members: readonly Member[], rule: RankRule): readonly Member[] {
  return members
    .map((member) => ({ member, rankKey: rankKeyOf(member.nodeId, rule) }))
    .toSorted((left, right) => compareBytes(left.rankKey, right.rankKey))
    .map(({ member }) => member);
}

function mineOrdinary(model: ThreatModel, runSeed: Seed, { clocks, kernels }: Facilities) {
  const { scheme, ...policy } = model.network.identity;
  const goal: Goal = { type: 'any' };
  const mined = Array.from({ length: ordinaryCount(model) }, (_, index) => {
    const seed = deriveSeed(runSeed, 'honest', index);
    const strategies = { strategy: HONEST_STRATEGY, dynamicStrategy: HONEST_DYNAMIC_STRATEGY };
    const task = { scheme, policy, goal, ...strategies, seed, budget: {} };
    return mine(task, clocks, kernels);
  });
  const found = mined.map(({ identity }) => {
    if (identity === null) throw new TypeError('an honest node was expected to find an identity');
    return { nodeId: identity.claim.nodeId, owner: null };
  });
  const owners = ordinaryOwners(model);
  const members = inOrder(found, runRankRule(model, runSeed)).map(({ nodeId }, index) => {
    return { nodeId, owner: owners[index] ?? null };
  });
  return { members, ledger: mined.map((result) => result.ledger).reduce(addLedgers) };
}

function forgeAll(
  model: ThreatModel,
  network: { readonly honestIds: readonly Uint8Array[]; readonly runSeed: Seed },
  { clocks, kernels }: Facilities,
): readonly Forge[] {
  const { scheme, ...policy } = model.network.identity;
  const { isFrozen } = registrationOf(model);
  return adversariesOf(model).map(([name, adversary]) => {
    const { budget, strategy, stockpile } = adversary;
    const goal = resolveGoal(wishOf(adversary), network.honestIds, rankRuleOf(policy));
    const seed = deriveSeed(network.runSeed, 'adversary', name);
    const { dynamicStrategy = strongestDynamicStrategy(policy) } = adversary;
    const task = { scheme, policy, goal, strategy, dynamicStrategy, seed, budget, stockpile };
    const { identities, ledger } = mine(task, clocks, kernels);
    // `mine` gives no identity away that `admit` has not let through under the network's policy.
    const found = identities.map(({ claim }) => ({ nodeId: claim.nodeId, owner: name }));
    const members = isFrozen ? [] : found;
    return { members, result: { name, joined: members.length > 0, ledger } };
  });
}

/** The document has been read, so its wish is one. */
function wishOf({ goal }: Adversary): Wish {
  const wish = parseWish(goal);
  if (wish === null) throw new TypeError(`"goal" expected ${WISH_FORMS}, got ${goal}`);
  return wish;
}
