/**
 * @module
 * Captures of ranks by adversaries that evaluate puzzles only for the IDs that matter. The expected values come from
 * programs that share no code with the product.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns, settled } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../models.ts';
import { documentOf } from '../oracles/instances.ts';

const SLOW = { function: 'iterated', iterations: 1000 };

describe('a capture of ranks', () => {
  it.each([
    ['top-captured', { honest: 11, c1: 6, count: 3, puzzle: SLOW }, { hashes: 1e6 }, 99.7],
    ['top-captured', { honest: 15, c1: 8, count: 1 }, { hashes: 1400 }, 24.1],
    ['successors-captured', { honest: 11, c1: 6, count: 2, puzzle: SLOW }, { hashes: 1e6 }, 99.8],
    ['successors-captured', { honest: 50, c1: 16, count: 3 }, { cpuSeconds: 1 }, 48.6],
  ] as const)('%s with %o and %o is known', (property, network, budget, percent) => {
    const { honest, count, ...identity } = network;
    const rate = 'cpuSeconds' in budget ? { rate: 8e6 } : {};
    const open = documentOf({
      network: { honest, identity },
      adversaries: [{ budget, ...rate }],
      expect: { property, count },
    });
    const { model } = settled(open, null);

    const { probability } = theoryOf(model, EMPTY_TALLY, null);
    const { wins } = executeRuns(model, parseSeed('1'), { from: 0, count: 500 }, STILL);

    expect(100 * (probability ?? 0)).toBeCloseTo(percent, 1);
    const deviation = Math.sqrt(((percent / 100) * (1 - percent / 100)) / 500);
    expect(Math.abs((wins[0] ?? 0) / 500 - percent / 100)).toBeLessThan(4 * deviation + 0.001);
  });

  it('of several adversaries that are judged apart goes on after it has enough', () => {
    const { responses } = settled(
      documentOf({
        network: { honest: 5, identity: { c1: 4 } },
        adversaries: [{ budget: { hashes: 5000 } }, { budget: { hashes: 5000 } }],
        expect: { property: 'top-captured', count: 2, by: 'any' },
      }),
      null,
    );

    expect(responses.map(({ response }) => response.goal)).toEqual(['top:all', 'top:all']);
  });
});
