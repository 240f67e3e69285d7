/**
 * @module
 * The odds of a search under way, as data and in words. Mining has no memory, so that there is no remaining time.
 */

import { z } from 'zod';

import { identitiesWanted, isClosestGoal } from '../../mining/goal.ts';
import {
  attemptOdds,
  foundProbability,
  pairProbability,
  timeOdds,
  winProbability,
} from '../../mining/odds.ts';
import type { MiningTask } from '../../mining/phases.ts';
import { solvedIdentities } from '../../mining/phases.ts';
import { realBits, requiredBits } from '../../mining/policy-cost.ts';
import type { MiningProgress } from '../../mining/search.ts';
import { formatCount, formatPercent, formatSeconds } from '../figures.ts';

export const oddsSchema = z.object({
  wanted: z.int().describe('Identities sought. The times are for one of them.'),
  foundProbability: z
    .number()
    .nullable()
    .describe('P(found by now); null if several identities are sought.'),
  expectedSeconds: z.number(),
  p50Seconds: z.number().describe('From any moment, 50 % end within this time.'),
  p95Seconds: z.number(),
});

type SearchOdds = z.output<typeof oddsSchema>;
type Readings = Pick<MiningProgress, 'phase' | 'tested' | 'wallSeconds'>;

/** The probability that one attempt wins. Every key in stock meets the goal already. */
export function keyChance({ policy, goal, strategy }: MiningTask): number {
  return winProbability(policy, strategy === 'stockpile' ? { type: 'any' } : goal);
}

/** The odds of the present phase; null if only the budget ends it, or before the first candidate. */
export function searchOdds(
  task: MiningTask,
  { phase, tested, wallSeconds }: Readings,
): SearchOdds | null {
  const isForKeys = phase === 'keys';
  if (phase === 'stock' || tested === 0 || (isForKeys && isClosestGoal(task.goal))) return null;
  const chance = isForKeys ? keyChance(task) : 2 ** -realBits(task.policy).c2;
  const wanted = isForKeys ? identitiesWanted(task.goal) : 1;
  const times = timeOdds(attemptOdds(chance), tested / wallSeconds);
  return {
    wanted,
    foundProbability: wanted === 1 ? foundProbability(chance, tested) : null,
    expectedSeconds: times.expected,
    p50Seconds: times.p50,
    p95Seconds: times.p95,
  };
}

/** What follows the number of tested candidates in a line about a search under way. */
export function miningText(task: MiningTask, progress: MiningProgress): string {
  const { phase, tested, bestBits, cpuSeconds, wallSeconds } = progress;
  return [
    WHAT_IS_COUNTED[phase],
    // The phases of several identities alternate, so that the whole time says nothing of one of them.
    ...(isSolvedOneByOne(task) ? [] : [`${formatCount(tested / wallSeconds)}/s`]),
    `${formatSeconds(cpuSeconds)} CPU`,
    ...(bestBits < 0 || isClosestGoal(task.goal) ? [] : [`best ${bestBits} bits`]),
    ...chances(task, progress),
  ].join(' · ');
}

const WHAT_IS_COUNTED = {
  stock: 'keys for the stock',
  keys: 'attempts',
  solutions: 'solutions of the dynamic puzzle',
} as const;
const UNLUCKY = 0.9;

function isSolvedOneByOne({ goal, policy }: MiningTask): boolean {
  return goal.type === 'count' && requiredBits(policy).c2 > 0;
}

function chances(task: MiningTask, progress: MiningProgress): string[] {
  const { phase, tested, state } = progress;
  if (phase === 'stock') return [`of ${formatCount(task.stockpile ?? 0)}`];
  if (isSolvedOneByOne(task)) {
    return [`${solvedIdentities(task, state())} of ${identitiesWanted(task.goal)} found`];
  }
  if (phase === 'keys' && task.goal.type === 'pair') {
    return [`P(found by now) ${formatPercent(pairProbability(task.policy, tested))}`];
  }
  const odds = searchOdds(task, progress);
  if (odds === null) return ['the budget alone ends it'];
  const { foundProbability: found, wanted, expectedSeconds, p50Seconds, p95Seconds } = odds;
  if (found === null) {
    return [`${wanted} wanted, one in ${formatSeconds(expectedSeconds)} on average`];
  }
  return [
    `P(found by now) ${formatPercent(found)}${found > UNLUCKY ? ', unlucky, still working' : ''}`,
    `from any moment 50 % in ${formatSeconds(p50Seconds)}, 95 % in ${formatSeconds(p95Seconds)}`,
  ];
}
