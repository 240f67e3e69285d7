/**
 * @module
 * What `usurp mine` shows: a progress line without promises (mining has no memory), the table for
 * people, the answer for programs.
 */

import { leadingZeroBits } from '../../bytes.ts';
import { claimToJson } from '../../identity/claim.ts';
import {
  formatGoal,
  identitiesWanted,
  isAboutSeveral,
  isClosestGoal,
  xorDistance,
} from '../../mining/goal.ts';
import {
  attemptOdds,
  foundProbability,
  pairProbability,
  timeOdds,
  winProbability,
} from '../../mining/odds.ts';
import type { MiningTask } from '../../mining/phases.ts';
import { costOf, solvedIdentities } from '../../mining/phases.ts';
import { pairAttempts, realBits, requiredBits, solutionHashes } from '../../mining/policy-cost.ts';
import type { MiningResult } from '../../mining/search.ts';
import { formatCount, formatPercent, formatSeconds } from '../../operations/figures.ts';
import type { MiningProgress } from '../../runtime/threads/mining-pool.ts';
import { columns } from '../shell/layout.ts';

/** One line on a search under way. */
export function progressLine(task: MiningTask, progress: MiningProgress): string {
  const { tested, bestBits, cpuSeconds, wallSeconds } = progress;
  const rate = tested / wallSeconds;
  return [
    `${WHAT_IS_DONE[progress.phase]}: ${formatCount(tested)} ${WHAT_IS_COUNTED[progress.phase]}`,
    // The phases of several identities alternate, so that the whole time says nothing of one of them.
    ...(isSolvedOneByOne(task) ? [] : [`${formatCount(rate)}/s`]),
    `${formatSeconds(cpuSeconds)} CPU`,
    ...(bestBits < 0 || isClosestGoal(task.goal) ? [] : [`best ${bestBits} bits`]),
    ...chances(task, progress, rate),
  ].join(' · ');
}

/** What programs get; several claims only where several were asked for. */
export function answerOf(result: MiningResult, task: MiningTask) {
  const { found, identity, identities, measured, ledger } = result;
  const claim = identity === null ? null : claimToJson(identity.claim);
  // A seed that was drawn is the key.
  const seed = task.isSeedGiven === true ? task.seed : null;
  const several = isAboutSeveral(task.goal)
    ? { claims: identities.map((each) => claimToJson(each.claim)) }
    : {};
  return { found, claim, measured, ledger, strategy: task.strategy, seed, ...several };
}

export function tableOf(result: MiningResult, task: MiningTask): string {
  const { identities, ledger } = result;
  const wanted = identitiesWanted(task.goal);
  const end = endOf(result, task);
  const outcome = result.found ? 'yes' : `no (ended by: ${end})`;
  const isClosest = isClosestGoal(task.goal);
  const expected = isClosest
    ? 'the closest of them'
    : `expected ${formatCount(expectedAttempts(task))}`;
  return columns([
    [
      'found',
      wanted === 1
        ? outcome
        : `${identities.length} of ${wanted}${result.found ? '' : `, ended by: ${end}`}`,
    ],
    ...rowsOf(result, task),
    ['attempts', `${ledger.attempts} (${expected})`],
    ...(task.stockpile === undefined
      ? []
      : [['stockpiled', `${task.stockpile} keys before the epoch, not in this ledger`]]),
    ['hashes', String(ledger.hashes)],
    ['group operations', String(ledger.groupOperations)],
    ['CPU', formatSeconds(ledger.cpuSeconds)],
    ['wall', formatSeconds(ledger.wallSeconds)],
    ['overshoot', String(ledger.overshoot)],
  ]);
}

function expectedAttempts(task: MiningTask): number {
  if (task.goal.type === 'pair') return pairAttempts(task.policy);
  return identitiesWanted(task.goal) * attemptOdds(keyChance(task)).expected;
}

/** Why a search ended, in words; a stock may be used up before any budget is. */
function endOf({ ending, ledger }: MiningResult, task: MiningTask): string {
  const { strategy, budget } = task;
  if (ending !== 'attempts' || ledger.attempts === budget.attempts) return ending;
  // What is left of the hashes does not pay for one more key or X.
  if (budget.hashes !== undefined && budget.hashes - ledger.hashes < hashesOfNext(task))
    return 'hashes';
  return strategy === 'stockpile' ? 'the stock is used up' : ending;
}

function hashesOfNext(task: MiningTask): number {
  return Math.max(costOf(task).hashes, solutionHashes(task.policy));
}

/** The probability that one attempt wins. Whatever is in stock meets the goal already. */
function keyChance({ policy, goal, strategy }: MiningTask): number {
  return winProbability(policy, strategy === 'stockpile' ? { type: 'any' } : goal);
}

const WHAT_IS_DONE = {
  stock: 'stockpiling',
  keys: 'mining',
  solutions: 'solving the dynamic puzzle',
} as const;
const WHAT_IS_COUNTED = { stock: 'keys', keys: 'attempts', solutions: 'solutions tried' } as const;
const UNLUCKY = 0.9;

function isSolvedOneByOne({ goal, policy }: MiningTask): boolean {
  return goal.type === 'count' && requiredBits(policy).c2 > 0;
}

function chances(task: MiningTask, progress: MiningProgress, rate: number): string[] {
  const { phase, tested, state } = progress;
  const all = identitiesWanted(task.goal);
  if (isSolvedOneByOne(task) && phase !== 'stock') {
    return [`${solvedIdentities(task, state())} of ${all} found`];
  }
  if (phase === 'stock') return [`of ${formatCount(task.stockpile ?? 0)}`];
  if (phase === 'keys' && isClosestGoal(task.goal)) return ['the budget alone ends it'];
  const isPair = phase === 'keys' && task.goal.type === 'pair';
  if (isPair) return [`P(found by now) ${formatPercent(pairProbability(task.policy, tested))}`];
  const wanted = phase === 'keys' ? all : 1;
  const chance = phase === 'keys' ? keyChance(task) : 2 ** -realBits(task.policy).c2;
  const times = timeOdds(attemptOdds(chance), rate);
  if (wanted > 1) return [`${wanted} wanted, one in ${formatSeconds(times.expected)} on average`];
  const found = foundProbability(chance, tested);
  return [
    `P(found by now) ${formatPercent(found)}${found > UNLUCKY ? ', unlucky, still working' : ''}`,
    `from any moment 50 % in ${formatSeconds(times.p50)}, 95 % in ${formatSeconds(times.p95)}`,
  ];
}

function rowsOf(result: MiningResult, task: MiningTask): string[][] {
  if (task.goal.type === 'pair') return pairRows(result);
  return identitiesWanted(task.goal) === 1 ? identityRows(result, task) : severalRows(result);
}

/** Both keys, which have one node ID. */
function pairRows({ identities }: MiningResult): string[][] {
  const claims = identities.map(({ claim }) => claimToJson(claim));
  return [
    ...claims.slice(0, 1).map(({ nodeId }) => ['node ID', nodeId]),
    ...claims.map(({ publicKey }, index) => [`public key ${index + 1}`, publicKey]),
  ];
}

function identityRows({ identity, measured }: MiningResult, task: MiningTask): string[][] {
  if (identity === null || measured === null) return [];
  const claim = claimToJson(identity.claim);
  const rows = [
    ['scheme', claim.scheme],
    ['public key', claim.publicKey],
    ['node ID', claim.nodeId],
    ['zero bits', `c1 ${measured.c1}, c2 ${measured.c2}`],
  ];
  if (task.goal.type === 'near') {
    const distance = xorDistance(identity.claim.nodeId, task.goal.nodeId);
    const shared = leadingZeroBits(distance);
    rows.push(['goal', `${formatGoal(task.goal)}, ${shared} leading bits shared`]);
  }
  return [...rows, ['solution', claim.solution ?? 'none'], ['signature', claim.signature]];
}

function severalRows({ identities }: MiningResult): string[][] {
  return identities.map(({ claim }, index) => {
    const { nodeId, solution } = claimToJson(claim);
    return [`node ID ${index + 1}`, solution === null ? nodeId : `${nodeId}  X ${solution}`];
  });
}
