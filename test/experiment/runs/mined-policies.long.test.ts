/**
 * @module
 * Mined runs under every policy: the law of the closed form, whose bits are the real ones.
 * `MINED_RUNS` makes the law hold in more of them.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../../src/identity/named-policies.ts';
import { isSlow } from '../../../src/identity/puzzles/puzzle-function.ts';
import { policyCost, realBits } from '../../../src/mining/policy-cost.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL, topId } from '../models.ts';

const RUNS = Number(process.env.MINED_RUNS ?? 24);
/** Without MINED_RUNS. A run takes a quarter of a second. */
const SLOW_RUNS = Number(process.env.MINED_RUNS ?? 6);
const DIFFICULTY = 2;
const ATTEMPTS = 12;
const HONEST = 3;
const seed = parseSeed('22');

describe.each(POLICY_NAMES)('%s', (name) => {
  const { policy } = NAMED_POLICIES[name];
  const { c1: nominal } = policyCost({ ...policy, c1: 20, c2: 0 }).nominal;
  const c1 = DIFFICULTY + nominal - realBits({ ...policy, c1: 20 }).c1;

  const runs = isSlow(policy.puzzle) ? SLOW_RUNS : RUNS;

  it(`agrees with E[K/(n+K)] in ${runs} mined runs`, () => {
    // Without this check an ID costs no key, and a document with an adversary is refused.
    const checks = { ...policy.checks, smallOrder: true };
    const identity = JSON.stringify({ ...policy, checks, scheme: 'ed25519', c1, c2: 0 });
    const model = topId(
      `network.honest=${HONEST}`,
      `network.identity=${identity}`,
      `adversaries.main.budget.attempts=${ATTEMPTS}`,
    );

    const tally = executeRuns(model, seed, { from: 0, count: runs }, STILL);

    const theory = topProbability({
      honest: HONEST,
      attempts: ATTEMPTS,
      difficultyBits: DIFFICULTY,
    });
    for (const wins of tally.wins) {
      const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
      expect(low).toBeLessThan(theory);
      expect(high).toBeGreaterThan(theory);
    }
    expect(tally.elections.held).toBe(2 * runs);
  });
});
