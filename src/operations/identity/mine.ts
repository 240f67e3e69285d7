/**
 * @module
 * This folder contains the operations of identities: `mine`, `verify` and `claim`. This file contains the operation
 * `mine`: a search for identities that a policy admits, within a budget.
 */

import { bytesToHex } from '../../bytes.ts';
import { claimToJson } from '../../identity/claim.ts';
import { byRank, rankRuleOf } from '../../identity/ids/rank-key.ts';
import { formatGoal, identitiesWanted, isAboutSeveral, isClosestGoal } from '../../mining/goal.ts';
import type { MiningTask } from '../../mining/phases.ts';
import { costOf } from '../../mining/phases.ts';
import { pairAttempts, solutionHashes } from '../../mining/policy-cost.ts';
import type { MiningProgress, MiningResult } from '../../mining/search.ts';
import { ledgerOf } from '../../mining/search.ts';
import type { Hit } from '../../mining/strategy.ts';
import { parseSeed } from '../../random.ts';
import type { OperationContext } from '../operation.ts';
import { defineOperation, replayOf } from '../operation.ts';
import { MINE_MEMBERS } from './members.ts';
import type { MineOutput } from './mine-report.ts';
import { mineOutput, mineProgress, mineReport } from './mine-report.ts';
import { keyChance, miningText, searchOdds } from './odds.ts';
import type { MineInput } from './search.ts';
import { miningTask } from './search.ts';

const VERB = { name: 'mine', members: MINE_MEMBERS } as const;

export const MINE = defineOperation({
  ...VERB,
  collection: 'forgeries',
  title: 'Mine an identity',
  summary: 'search for an identity that a policy admits, within a budget',
  description: `It makes keys until one has the zero bits that the policy requires, and its node ID meets the goal.
Without a budget, a search on a command line runs until it is found or interrupted. The goal near:<id> takes the XOR-closest ID that the budget finds, and pair two keys with one node ID. With the policy of an instance whose exercise has a budget, the attempts count for that budget, and the server chooses the seed.`,
  output: mineOutput,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    miningTask(input, parseSeed('0'), isRemote);
  },
  atOnce: () => null,
  run,
  outcomeOf: ({ found }) => (found ? 'holds' : 'violated'),
  outcomes: { holds: 'found', violated: 'not found', unknown: null },
  report: mineReport,
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false, progress: mineProgress, secret: true },
  examples: [
    { c1: '12', attempts: '100000', seed: '1' },
    { c1: '10', c2: '8', goal: 'count:16' },
    { c1: '24', attempts: '2^22', cpu: '5m' },
    { c1: '10', wall: '5s', goal: `above:f${'0'.repeat(63)}` },
  ],
});

async function run(input: MineInput, context: OperationContext): Promise<MineOutput> {
  const { machine, threads, signal, isRemote, onProgress, onSecret, seedFor } = context;
  let keys: readonly Hit[] = [];
  const asked = miningTask(input, seedFor(input.seed), isRemote);
  const { task, result } = await machine.mine(asked, {
    threads,
    signal,
    onProgress(progress, searched) {
      const odds = searchOdds(searched, progress);
      onProgress({
        now: miningText(searched, progress),
        done: progress.tested,
        total: null,
        likelySeconds: odds?.p95Seconds,
        details() {
          // The first keys of a pair may be millions, and none of them is found for itself.
          if (progress.phase === 'keys' && searched.goal.type !== 'pair') keys = progress.hits();
          return { ...progressOf(searched, progress, keys), odds };
        },
      });
    },
  });
  onSecret?.({
    seed: task.seed,
    keys: result.identities.map(({ secret: { form, bytes } }) => ({
      form,
      hex: bytesToHex(bytes),
    })),
  });
  return { ...outputOf(task, result), replay: replayOf(VERB, input) };
}

function progressOf(task: MiningTask, progress: MiningProgress, keys: readonly Hit[]) {
  const { phase, tested, bestBits, wallSeconds, state } = progress;
  const highest = byRank(keys, rankRuleOf(task.policy)).at(-1);
  return {
    phase,
    tested,
    keys: keys.length,
    ledger: ledgerOf(task, state()),
    perSecond: tested / Math.max(wallSeconds, 1e-6),
    bestBits: bestBits < 0 ? null : bestBits,
    highest: highest ? { attempt: highest.attempt, nodeId: bytesToHex(highest.nodeId) } : null,
  };
}

function outputOf(task: MiningTask, result: MiningResult): Omit<MineOutput, 'replay'> {
  const { found, identity, identities, measured, ledger, device } = result;
  return {
    found,
    goal: formatGoal(task.goal),
    ending: endingOf(result, task),
    claim: identity && claimToJson(identity.claim),
    ...(isAboutSeveral(task.goal) && {
      claims: identities.map(({ claim }) => claimToJson(claim)),
    }),
    measured,
    ledger,
    expectedBits: expectedBits(task),
    strategy: task.strategy,
    ...(device !== undefined && { device }),
    ...(task.stockpile !== undefined && { stockpile: task.stockpile }),
    seed: task.isSeedGiven ? task.seed : null,
  };
}

function expectedBits(task: MiningTask): number | null {
  const { goal, policy } = task;
  if (isClosestGoal(goal)) return null;
  if (goal.type === 'pair') return Math.log2(pairAttempts(policy));
  return Math.log2(identitiesWanted(goal)) - Math.log2(keyChance(task));
}

/** Why a search ended. A stock may be used up before any budget is. */
function endingOf({ ending, ledger }: MiningResult, task: MiningTask): MineOutput['ending'] {
  const { strategy, budget, policy } = task;
  if (ending !== 'attempts' || ledger.attempts === budget.attempts) return ending;
  // What is left of the hashes does not pay for one more key or X.
  const next = Math.max(costOf(task).hashes, solutionHashes(policy));
  if (budget.hashes !== undefined && budget.hashes - ledger.hashes < next) return 'hashes';
  return strategy === 'stockpile' ? 'stock' : ending;
}
