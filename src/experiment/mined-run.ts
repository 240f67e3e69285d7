/**
 * @module
 * One run in which everything is really done: honest nodes mine identities, the adversaries forge
 * against them within their budgets, every claim is admitted by the network's policy or stays out,
 * and every election is held. Nothing here knows the closed form.
 */

import type { Wish } from '../adversary/goals.ts';
import { parseWish, resolveGoal, WISH_FORMS } from '../adversary/goals.ts';
import { compareBytes } from '../bytes.ts';
import { rankKeyOf, rankRuleOf } from '../identity/rank-key.ts';
import type { Goal } from '../mining/goal.ts';
import type { Clocks, MinedIdentity } from '../mining/search.ts';
import { mine } from '../mining/search.ts';
import { HONEST_DYNAMIC_STRATEGY, strongestDynamicStrategy } from '../mining/solution.ts';
import { HONEST_STRATEGY } from '../mining/strategies.ts';
import type { KernelSource } from '../mining/strategy.ts';
import type { Seed } from '../random.ts';
import { deriveSeed } from '../random.ts';
import { holdElections } from './elections.ts';
import type { ElectionResult, ForgeResult, RunOutcome } from './tally.ts';
import { addLedgers } from './tally.ts';
import type { Adversary, ThreatModel } from './threat-model.ts';
import { adversariesOf } from './threat-model.ts';

/** What mining needs of the world. */
interface Facilities {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
}

interface Member {
  readonly nodeId: Uint8Array;
  readonly role: 'honest' | 'adversary';
}

interface Forge {
  readonly result: ForgeResult;
  /** Who joins; with the goal count also those that were found before the budget ended. */
  readonly members: readonly Member[];
}

/** Executes run `run`, whose seed is `runSeed`. */
export function executeMinedRun(
  model: ThreatModel,
  { run, runSeed }: { readonly run: number; readonly runSeed: Seed },
  facilities: Facilities,
): Omit<RunOutcome, 'won'> {
  const honest = mineHonest(model, runSeed, facilities);
  const honestIds = honest.members.map((member) => member.nodeId);
  const forges = forgeAll(model, { honestIds, runSeed }, facilities);
  const rule = rankRuleOf(model.network.identity);
  const members = [...honest.members, ...forges.flatMap((forge) => forge.members)];
  const population = members
    .map(({ nodeId, role }) => ({ rankKey: rankKeyOf(nodeId, rule), role }))
    .toSorted((left, right) => compareBytes(left.rankKey, right.rankKey))
    .map((member) => member.role);
  const elections: readonly ElectionResult[] = holdElections(model, population, runSeed);
  const results = forges.map((forge) => forge.result);
  return { run, elections, forges: results, honestLedger: honest.ledger };
}

function mineHonest(model: ThreatModel, runSeed: Seed, { clocks, kernels }: Facilities) {
  const { scheme, ...policy } = model.network.identity;
  const goal: Goal = { type: 'any' };
  const mined = Array.from({ length: model.network.honest }, (_, index) => {
    const seed = deriveSeed(runSeed, 'honest', index);
    const strategies = { strategy: HONEST_STRATEGY, dynamicStrategy: HONEST_DYNAMIC_STRATEGY };
    const task = { scheme, policy, goal, ...strategies, seed, budget: {} };
    return mine(task, clocks, kernels);
  });
  const members = mined.map(({ identity }) => {
    if (identity === null) throw new TypeError('an honest node was expected to find an identity');
    return memberOf(identity, 'honest');
  });
  return { members, ledger: mined.map((result) => result.ledger).reduce(addLedgers) };
}

function forgeAll(
  model: ThreatModel,
  network: { readonly honestIds: readonly Uint8Array[]; readonly runSeed: Seed },
  { clocks, kernels }: Facilities,
): readonly Forge[] {
  const { scheme, ...policy } = model.network.identity;
  return adversariesOf(model).map(([name, adversary]) => {
    const { budget, strategy, stockpile } = adversary;
    const goal = resolveGoal(wishOf(adversary), network.honestIds, rankRuleOf(policy));
    const seed = deriveSeed(network.runSeed, 'adversary', name);
    const { dynamicStrategy = strongestDynamicStrategy(policy) } = adversary;
    const task = { scheme, policy, goal, strategy, dynamicStrategy, seed, budget, stockpile };
    const { identities, ledger } = mine(task, clocks, kernels);
    const members = identities.map((identity) => memberOf(identity, 'adversary'));
    return { members, result: { name, joined: members.length > 0, ledger } };
  });
}

/** The document has been read, so its wish is one. */
function wishOf({ goal }: Adversary): Wish {
  const wish = parseWish(goal);
  if (wish === null) throw new TypeError(`"goal" expected ${WISH_FORMS}, got ${goal}`);
  return wish;
}

/** `mine` gives no identity away that `admit` has not let through under the network's policy. */
function memberOf({ claim }: MinedIdentity, role: Member['role']): Member {
  return { nodeId: claim.nodeId, role };
}
