/**
 * @module
 * A sampled run whose election names somebody else: it must never be counted. The election is
 * replaced by one that always lets the lowest lead.
 */

import { expect, it, vi } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import { executeRun, STILL, topId } from '../models.ts';

vi.mock('../../../src/simulation/run/simulate.ts', () => ({
  decideElection: () => ({ leader: 1, messages: 0 }),
}));

it('throws if an election contradicts the draw', () => {
  const model = topId('work=sampled', 'network.honest=20', 'adversaries.main.budget.attempts=4096');

  const run = () => executeRun(model, { seed: parseSeed('1'), run: 0 }, STILL);

  expect(run).toThrow('"winner" expected adversary in bully-oneshot, got honest');
});
