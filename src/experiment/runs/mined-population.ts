/**
 * @module
 * The population of a run in which everything is really done: honest nodes mine identities, adversaries
 * forge against them within their budgets, and the network's policy admits or refuses every claim. An ID is
 * admitted once: an honest node whose ID is taken mines another, and an adversary's claim with such an ID is refused.
 */

import type { Rivalry } from '../../adversary/best-identity.ts';
import { mineBest } from '../../adversary/best-identity.ts';
import type { Wish } from '../../adversary/goals.ts';
import { resolveGoal } from '../../adversary/goals.ts';
import { bytesToHex } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { RankRule } from '../../identity/ids/rank-key.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { Policy } from '../../identity/policy.ts';
import type { Goal } from '../../mining/goal.ts';
import { isClosestGoal } from '../../mining/goal.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { addLedgers } from '../../mining/ledger.ts';
import { winProbability } from '../../mining/odds.ts';
import type { MiningTask } from '../../mining/phases.ts';
import { phaseStep, SEARCH_NOT_BEGUN } from '../../mining/phases.ts';
import { requiredBits } from '../../mining/policy-cost.ts';
import { IDENTITIES_MAX } from '../../mining/saved-search.ts';
import type { MiningResult } from '../../mining/search.ts';
import { mine } from '../../mining/search.ts';
import {
  HONEST_DYNAMIC_STRATEGY,
  HONEST_STRATEGY,
  STRATEGIES,
  scanner,
  strongestDynamicStrategy,
} from '../../mining/strategies.ts';
import type { KernelSource } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Aimed } from '../document/response-schema.ts';
import { ALL_IDENTITIES, aimedOf, responseOf, wishOf } from '../document/response-schema.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { victimIndex } from '../properties/registry.ts';
import type { BoundedWork } from '../theory/filtered-odds.ts';
import { isFewEvaluations } from '../theory/filtered-odds.ts';
import { sortedEffort } from './budget.ts';
import { ordinaryOwners, registrantOf, runRankRule, sidesOf } from './registration.ts';
import type { Populate, Services } from './runner.ts';

/** An identity that was admitted. */
interface Member {
  readonly nodeId: Uint8Array;
  readonly owner: string | null;
}

/** Mines all identities of a run and gives them their ranks. */
export function minedPopulation(model: ThreatModel, services: Services): Populate {
  const mineOrdinary = ordinaryMiner(model, services);
  const forge = forger(model, services);
  return (runSeed) => {
    const ordinary = mineOrdinary(runSeed);
    const taken = new Set(ordinary.members.map(({ nodeId }) => bytesToHex(nodeId)));
    const honestIds = ordinary.members.flatMap(({ nodeId, owner }) =>
      owner === null ? [nodeId] : [],
    );
    const forges = forge(honestIds, runSeed, taken);
    const members = [...ordinary.members, ...forges.flatMap((each) => each.members)];
    return {
      owners: byRank(members, runRankRule(model, runSeed)).map(({ owner }) => owner),
      forges: forges.map(({ result }) => result),
      honestLedger: ordinary.ledger,
      observations: {
        nodes: members.length,
        identities: members.filter(({ owner }) => owner !== null).length,
      },
    };
  };
}

/** Searches for each node before its network counts as full. */
const SEARCHES_MAX = 100;

function ordinaryMiner(model: ThreatModel, { clocks, kernels, plain = null }: Services) {
  const { scheme, ...policy } = model.network.identity;
  const owners = ordinaryOwners(model);
  const strategies = { strategy: HONEST_STRATEGY, dynamicStrategy: HONEST_DYNAMIC_STRATEGY };
  const task = { scheme, policy, goal: { type: 'any' }, ...strategies, budget: {} } as const;
  return (runSeed: Seed) => {
    const found = new Map<string, { readonly nodeId: Uint8Array }>();
    const ledgers: Ledger[] = [];
    for (let search = 0; found.size < owners.length; search += 1) {
      // Each node takes one search. A node whose ID is taken takes another one.
      const seed = deriveSeed(runSeed, 'honest', search);
      const asked = { ...task, seed };
      const { identity, ledger } = mine(asked, clocks, kernels, SEARCH_NOT_BEGUN, plain);
      if (search > SEARCHES_MAX * owners.length) {
        throw new LabError('job.size', 'nodes find no free IDs: raise idBits or lower c1');
      }
      if (identity === null) throw new TypeError('an honest node was expected to find an identity');
      ledgers.push(ledger);
      // The node that found an ID first keeps it.
      const { nodeId } = identity.claim;
      found.set(bytesToHex(nodeId), { nodeId });
    }
    const ranked = byRank([...found.values()], runRankRule(model, runSeed));
    const members = ranked.map(({ nodeId }, index): Member => {
      return { nodeId, owner: owners[index] ?? null };
    });
    return { members, ledger: ledgers.reduce(addLedgers) };
  };
}

/** With the goals count and all, the identities found before the budget ended also join. */
function forger(model: ThreatModel, services: Services) {
  const { clocks, kernels, plain = null } = services;
  const { scheme, ...policy } = model.network.identity;
  const adversaries = adversariesOf(model).map(([name, adversary]) => {
    const { budget, strategy, stockpile } = adversary;
    const { dynamicStrategy = strongestDynamicStrategy(policy) } = adversary;
    const task = { scheme, policy, strategy, dynamicStrategy, budget, stockpile };
    return { name, ...registeredBy(model, adversary), task };
  });
  return (honestIds: readonly Uint8Array[], runSeed: Seed, taken: Set<string>) =>
    adversaries.map(({ name, aimed, wish, keeps, isUnlimited, task }) => {
      const rule = rankRuleOf(policy);
      const isSolved = requiredBits(policy).c2 > 0;
      const goal =
        aimed !== null
          ? aimedGoal(aimed, honestIds, { rule, runSeed })
          : keeps === 'best' && !isSolved
            ? highestGoal(policy)
            : resolveGoal(wish, honestIds, rule);
      const seed = deriveSeed(runSeed, 'adversary', name);
      const search = { ...task, goal, seed };
      const { identities, ledger } =
        keeps === 'best' && isSolved
          ? mineBest(search, rivalryOf(model), clocks, kernels, plain)
          : mineCounted(search, model, services);
      // `mine` returns only identities that the policy admits.
      if (isUnlimited && identities.length === IDENTITIES_MAX) {
        const detail = `${name} mines more than ${IDENTITIES_MAX} identities in a run: raise network.identity.c1, lower its budget, or write work: sampled`;
        throw new LabError('job.size', detail);
      }
      const found = identities.map(({ claim }): Member => {
        return { nodeId: claim.nodeId, owner: name };
      });
      const asked = keeps === 'best' ? byRank(found, rule).slice(-1) : keeps === 'all' ? found : [];
      const members = asked.filter(({ nodeId }) => !taken.has(bytesToHex(nodeId)));
      for (const { nodeId } of members) taken.add(bytesToHex(nodeId));
      return { members, result: { name, joined: members.length > 0, ledger } };
    });
}

/**
 * Mines within a budget of hashes. If it pays for few evaluations of the puzzle, those of the IDs that meet the goal are
 * counted one by one. The cost model of a search counts their mean, which is less than such an adversary can do.
 */
function mineCounted(search: MiningTask, model: ThreatModel, services: Services) {
  const { clocks, kernels, plain = null } = services;
  const { policy, scheme, strategy, budget } = search;
  const { hashes: most = Number.POSITIVE_INFINITY, ...others } = budget;
  const { cost } = STRATEGIES[strategy];
  const key = cost(policy, scheme, 0).hashes;
  const work = { most, key, puzzle: cost(policy, scheme).hashes - key };
  const isCounted = work.puzzle > 0 && strategy !== 'stockpile' && requiredBits(policy).c2 === 0;
  const isSorted = isClosestGoal(search.goal) && most < Number.POSITIVE_INFINITY && key > 0;
  if (!isCounted || !(isSorted || (isFewEvaluations([work]) && !isClosestGoal(search.goal)))) {
    return mine(search, clocks, kernels, SEARCH_NOT_BEGUN, plain);
  }
  const sorted = isSorted ? sortedEffort(model, search) : null;
  const { attempts, evaluated } =
    sorted === null ? paidFor(search, work, kernels) : { attempts: sorted.keys, evaluated: [] };
  const counted = { ...search, budget: { ...others, attempts } };
  const result = mine(counted, clocks, kernels, SEARCH_NOT_BEGUN, plain);
  const made = result.ledger.attempts;
  const evaluations =
    sorted === null
      ? evaluated.filter((attempt) => attempt < made).length
      : result.identities.length + keysAbove(counted, result, kernels);
  const paid = sorted === null ? evaluations : Math.min(evaluations, sorted.evaluations);
  const hashes = Math.ceil(made * key + paid * work.puzzle);
  const identities = paid < evaluations ? [] : result.identities;
  return { ...result, identities, ledger: { ...result.ledger, hashes } };
}

/** The keys of a search with a higher ID than its valid one, or all of them. */
function keysAbove(
  search: MiningTask,
  { identities, ledger }: MiningResult,
  kernels: KernelSource,
) {
  const best = identities.map(({ claim }) => claim.nodeId);
  const goal = resolveGoal({ type: 'top' }, best, rankRuleOf(search.policy));
  const made = { ...search, goal, budget: { attempts: ledger.attempts } };
  const free = { most: Number.POSITIVE_INFINITY, key: 1, puzzle: 0 };
  return paidFor(made, free, kernels).evaluated.length;
}

/** The attempts that the work pays for, and those whose puzzles are evaluated, because their IDs meet the goal. */
function paidFor(
  search: MiningTask,
  { most, key, puzzle }: BoundedWork,
  kernels: KernelSource,
): { readonly attempts: number; readonly evaluated: readonly number[] } {
  const spec = { ...search, policy: { ...search.policy, c1: 0 } };
  const scan = scanner(spec, kernels);
  const step = phaseStep(spec, { type: 'keys' });
  const evaluated: number[] = [];
  const paid = () => {
    const keys = Math.floor((most - evaluated.length * puzzle) / key);
    return Math.min(search.budget.attempts ?? keys, keys);
  };
  for (let from = 0; ; from += step) {
    const count = Math.min(step, paid() - from);
    if (count < 1) return { attempts: Math.min(from, paid()), evaluated };
    const order = { from, count, wanted: Number.POSITIVE_INFINITY };
    for (const { attempt } of scan({ type: 'keys' }, order).hits) {
      const left = most - (attempt + 1) * key - evaluated.length * puzzle;
      if (left < puzzle) return { attempts: Math.min(attempt, paid()), evaluated };
      evaluated.push(attempt);
    }
  }
}

/** The highest rank that a budget finds: an early adversary tests the keys that it has made from there on. */
function highestGoal(policy: Policy): Goal {
  const highest = rankRuleOf(policy).type === 'smallest' ? 0 : 0xff;
  const nodeId = new Uint8Array(nodeIdBytesOf(policy)).fill(highest);
  return { type: 'near', nodeId, closerThan: null };
}

/** An adversary that registers early knows the number of honest nodes, and not their IDs. */
function rivalryOf({ network }: ThreatModel): Rivalry {
  const { scheme: _, ...policy } = network.identity;
  const valid = winProbability(policy, { type: 'any' });
  return {
    rivals: network.honest,
    shareAbove(nodeId) {
      const better = resolveGoal({ type: 'top' }, [nodeId], rankRuleOf(policy));
      return winProbability(policy, better) / valid;
    },
  };
}

/** What an adversary mines, and which of the identities found it registers. `aimed` if the honest nodes define the region of its IDs. */
function registeredBy(
  model: ThreatModel,
  adversary: Adversary,
): {
  readonly aimed: Aimed | null;
  readonly wish: Wish;
  readonly keeps: 'all' | 'best' | 'none';
  /** Whether the budget alone limits the number of its identities. */
  readonly isUnlimited: boolean;
} {
  const { goal } = responseOf(adversary);
  const { most, which } = registrantOf(model, adversary) ?? { most: null, which: 'any' };
  const aimed = aimedOf(goal);
  const all = wishOf(ALL_IDENTITIES);
  const isUnlimited = most === Number.POSITIVE_INFINITY;
  const keeps = most === 0 ? 'none' : 'all';
  // The best one of a whole budget is known when the budget ends. Of several, all are registered.
  if (which === 'best')
    return { aimed: null, wish: all, keeps: most === 1 ? 'best' : 'all', isUnlimited };
  if (aimed === null) return { aimed, wish: wishOf(goal), keeps, isUnlimited };
  // A rival may have a higher ID than the first one that is above all honest ones.
  const isApart = sidesOf(model).some(({ size }) => size < adversariesOf(model).length);
  if (goal === 'top' && which === 'above' && isApart) {
    const endless = { ...aimed, identities: Number.POSITIVE_INFINITY };
    return { aimed: endless, wish: all, keeps: 'best', isUnlimited: true };
  }
  const wish: Wish = { type: 'count', identities: Math.min(aimed.identities, IDENTITIES_MAX) };
  return { aimed: which === 'any' && most !== 0 ? null : aimed, wish, keeps, isUnlimited };
}

/** The search of an adversary that knows the honest IDs, which are in the order of their ranks. */
function aimedGoal(
  { region, identities }: Aimed,
  honestIds: readonly Uint8Array[],
  { rule, runSeed }: { readonly rule: RankRule; readonly runSeed: Seed },
): Goal {
  const wanted = Math.min(identities, IDENTITIES_MAX);
  const number = victimIndex(honestIds.length, runSeed);
  const [victim, next] = [honestIds[number], honestIds[(number + 1) % honestIds.length]];
  if (region === 'successors' && victim !== undefined && next !== undefined) {
    const [low, high] = rule.type === 'smallest' ? [next, victim] : [victim, next];
    return { type: 'between', low, high, identities: wanted };
  }
  const goal = resolveGoal({ type: 'top' }, honestIds, rule);
  if (wanted === 1) return goal;
  return goal.type === 'above' || goal.type === 'between'
    ? { ...goal, identities: wanted }
    : { type: 'count', identities: wanted };
}
