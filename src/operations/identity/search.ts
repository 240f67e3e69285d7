/**
 * @module
 * The input of `mine` as a search: which identity is sought, how, and how much may be spent. It refuses searches that
 * cannot succeed.
 */

import { NAMED_POLICIES } from '../../identity/named-policies.ts';
import type { Policy } from '../../identity/policy.ts';
import { policyUnsupportedReasons, STRICT_POLICY } from '../../identity/policy.ts';
import { deviceUnsuited } from '../../mining/device/suited.ts';
import type { Goal } from '../../mining/goal.ts';
import { formatGoal, identitiesWanted, isClosestGoal } from '../../mining/goal.ts';
import { winProbability } from '../../mining/odds.ts';
import type { MiningTask } from '../../mining/phases.ts';
import {
  PAIR_KEYS_MAX,
  pairKeysExpected,
  policyCost,
  requiredBits,
} from '../../mining/policy-cost.ts';
import { assertDynamicStrategy } from '../../mining/solution.ts';
import { strongestDynamicStrategy } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import type { InputOf } from '../member.ts';
import { inMember, memberFault } from '../operation.ts';
import { goalIn } from './goals.ts';
import type { MINE_MEMBERS } from './members.ts';
import { REMOTE_MINING, STOCKPILE_DEFAULT } from './members.ts';

export type MineInput = InputOf<typeof MINE_MEMBERS>;

/** The search that an input asks for, with this seed. Throws LabError about a member if it cannot succeed. */
export function miningTask(input: MineInput, seed: Seed, isRemote: boolean): MiningTask {
  const { scheme, strategy, attempts, hashes, cpu, wall, gpu } = input;
  const policy = policyIn(input);
  const isStocked = strategy === 'stockpile';
  if (input.stockpile !== undefined && !isStocked) {
    throw memberFault('arguments', 'stockpile', 'requires the strategy stockpile');
  }
  const most = isRemote ? REMOTE_MINING.stockpile : STOCKPILE_DEFAULT;
  const task: MiningTask = {
    scheme,
    policy,
    strategy,
    seed,
    goal: goalIn(input, policy),
    dynamicStrategy: input.dynamicStrategy ?? strongestDynamicStrategy(policy),
    stockpile: isStocked ? (input.stockpile ?? most) : undefined,
    isSeedGiven: input.seed !== undefined,
    budget: { attempts, hashes, cpuSeconds: cpu, wallSeconds: wall, deviceSeconds: gpu },
    device: input.device,
  };
  if (isRemote && identitiesWanted(task.goal) > REMOTE_MINING.identities) {
    const detail = `at most ${REMOTE_MINING.identities} identities in one search`;
    throw memberFault('job.size', 'goal', detail);
  }
  if (winProbability(policy, task.goal) === 0) throw unreachable(task.goal, input);
  assertPossible(task);
  assertSearchable(task);
  return task;
}

/** The policy that the identity must meet; `usual` if the input names none. Throws LabError `schema` if its members or the scheme do not fit together. */
export function policyIn(
  { policy: given, c1, c2, scheme }: Pick<MineInput, 'policy' | 'c1' | 'c2' | 'scheme'>,
  usual = STRICT_POLICY,
): Policy {
  const bits = { ...(c1 !== undefined && { c1 }), ...(c2 !== undefined && { c2 }) };
  const [own] = Object.keys(bits);
  if (typeof given === 'object' && own !== undefined) {
    throw memberFault('schema', own, 'must be in the policy if there is a whole one');
  }
  const base = typeof given === 'string' ? NAMED_POLICIES[given].policy : (given ?? usual);
  const policy = { ...base, ...bits };
  const [reason] = policyUnsupportedReasons(policy, scheme);
  if (reason === undefined) return policy;
  const [name = ''] = reason.path;
  const isOutside = given === undefined || name === 'scheme' || Object.hasOwn(bits, name);
  const path = isOutside ? reason.path : ['policy', ...reason.path];
  throw memberFault('schema', path, reason.message);
}

/** Refuses a search that its device cannot carry out. */
export function assertSearchable({ device, budget, ...task }: MiningTask): void {
  if (device === undefined) {
    if (budget.deviceSeconds === undefined) return;
    throw memberFault('arguments', 'gpu', 'requires the device gpu');
  }
  const reason = deviceUnsuited(task);
  if (reason !== null) throw memberFault('arguments', 'device', `gpu ${reason}`);
}

/** Refuses a search that no budget makes succeed, also one that is resumed. Throws LabError `arguments`. */
export function assertPossible({
  policy,
  goal,
  strategy,
  dynamicStrategy,
  budget,
}: MiningTask): void {
  if (goal.type === 'pair') assertPairPossible(policy, strategy);
  inMember('dynamicStrategy', () => assertDynamicStrategy(dynamicStrategy, policy));
  if (!isClosestGoal(goal) || requiredBits(policy).c2 === 0 || budget.attempts !== undefined)
    return;
  const detail =
    'is missing: near with a dynamic puzzle needs it (or against), because the puzzle is solved for the best of these keys';
  throw memberFault('arguments', 'attempts', detail);
}

function unreachable(goal: Goal, { goal: text, against }: MineInput) {
  const detail =
    text === 'top'
      ? `no node ID can pass all of ${against?.name}: it has the ID that ranks highest of all`
      : `no node ID can meet ${formatGoal(goal)}`;
  return memberFault('arguments', 'goal', detail);
}

function assertPairPossible(policy: Policy, strategy: MiningTask['strategy']): void {
  if (strategy === 'stockpile') {
    const detail = 'pair needs all keys, of which a stockpile keeps the best';
    throw memberFault('arguments', 'goal', detail);
  }
  if (pairKeysExpected(policy) * PAIR_MARGIN <= PAIR_KEYS_MAX) return;
  const { collisionBits } = policyCost(policy);
  const reason =
    collisionBits === null
      ? 'the node ID is the key itself'
      : `two admitted keys with one node ID take 2^${collisionBits.any.toFixed(1)} tests`;
  const remedy = 'shorten the node IDs with --id-bits, or use --policy truncated-id';
  throw memberFault('arguments', 'goal', `pair is out of reach: ${reason}; ${remedy}`);
}

/** A search for a pair keeps more than four times its average with a probability of 2^-18. */
const PAIR_MARGIN = 4;
