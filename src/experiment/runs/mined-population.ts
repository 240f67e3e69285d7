/**
 * @module
 * The population of a run in which everything is really done: honest nodes mine identities, adversaries
 * forge against them within their budgets, and the network's policy admits or refuses every claim.
 */

import type { Wish } from '../../adversary/goals.ts';
import { parseWish, resolveGoal, WISH_FORMS } from '../../adversary/goals.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import { addLedgers } from '../../mining/ledger.ts';
import { mine } from '../../mining/search.ts';
import {
  HONEST_DYNAMIC_STRATEGY,
  HONEST_STRATEGY,
  strongestDynamicStrategy,
} from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { ordinaryOwners, registrationOf, runRankRule } from './registration.ts';
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
    const honestIds = ordinary.members.flatMap(({ nodeId, owner }) =>
      owner === null ? [nodeId] : [],
    );
    const forges = forge(honestIds, runSeed);
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

function ordinaryMiner(model: ThreatModel, { clocks, kernels }: Services) {
  const { scheme, ...policy } = model.network.identity;
  const owners = ordinaryOwners(model);
  const strategies = { strategy: HONEST_STRATEGY, dynamicStrategy: HONEST_DYNAMIC_STRATEGY };
  const task = { scheme, policy, goal: { type: 'any' }, ...strategies, budget: {} } as const;
  return (runSeed: Seed) => {
    const mined = owners.map((_, index) =>
      mine({ ...task, seed: deriveSeed(runSeed, 'honest', index) }, clocks, kernels),
    );
    const found = mined.map(({ identity }) => {
      if (identity === null) throw new TypeError('an honest node was expected to find an identity');
      return { nodeId: identity.claim.nodeId };
    });
    const ranked = byRank(found, runRankRule(model, runSeed));
    const members = ranked.map(({ nodeId }, index): Member => {
      return { nodeId, owner: owners[index] ?? null };
    });
    return { members, ledger: mined.map(({ ledger }) => ledger).reduce(addLedgers) };
  };
}

/** With the goal count, the identities found before the budget ended also join. */
function forger(model: ThreatModel, { clocks, kernels }: Services) {
  const { scheme, ...policy } = model.network.identity;
  const { isFrozen } = registrationOf(model);
  const adversaries = adversariesOf(model).map(([name, adversary]) => {
    const { budget, strategy, stockpile } = adversary;
    const { dynamicStrategy = strongestDynamicStrategy(policy) } = adversary;
    const task = { scheme, policy, strategy, dynamicStrategy, budget, stockpile };
    return { name, wish: wishOf(adversary), task };
  });
  return (honestIds: readonly Uint8Array[], runSeed: Seed) =>
    adversaries.map(({ name, wish, task }) => {
      const goal = resolveGoal(wish, honestIds, rankRuleOf(policy));
      const seed = deriveSeed(runSeed, 'adversary', name);
      const { identities, ledger } = mine({ ...task, goal, seed }, clocks, kernels);
      // `mine` returns only identities that the policy admits. Frozen membership admits none.
      const members = (isFrozen ? [] : identities).map(({ claim }): Member => {
        return { nodeId: claim.nodeId, owner: name };
      });
      return { members, result: { name, joined: members.length > 0, ledger } };
    });
}

/** The goal of a valid model is a wish. */
function wishOf({ goal }: Adversary): Wish {
  const wish = parseWish(goal);
  if (wish === null) throw new TypeError(`"goal" expected ${WISH_FORMS}, got ${goal}`);
  return wish;
}
