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
import { IS_WHOLE } from '../../sample.ts';
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

  it.each([
    // One identity after the other is solved: 99.9 % with enough hashes.
    ['of several ranks under a dynamic puzzle', { c2: 5 }, 'top-captured', 0.9, 1],
    ['of several successors under a dynamic puzzle', { c2: 5 }, 'successors-captured', 0.9, 1],
  ] as const)('%s is mined', (_what, identity, property, least, most) => {
    const part = wonPart({
      network: { honest: 3, identity: { c1: 0, ...identity } },
      adversaries: [{ budget: { hashes: 4000 } }],
      expect: { property, count: 2 },
      work: 'mined',
    });

    expect(part).toBeGreaterThan(least);
    expect(part).toBeLessThanOrEqual(most);
  });

  it('over epochs chooses the beacon that puts its IDs after the victim', () => {
    const part = wonPart({
      network: { honest: 6, identity: { c1: 3 } },
      epochs: { count: 2, salt: 'both', lifetime: 1 },
      adversaries: [{ budget: { attempts: 30 }, reveals: 3 }],
      expect: { property: 'successors-captured', count: 2 },
    });

    // Exact: 62.8 %.
    expect(part).toBeGreaterThan(0.5);
    expect(part).toBeLessThan(0.75);
  });

  it('under churn waits for the last window if it can save its budget', () => {
    const part = wonPart({
      network: { honest: 20, identity: { c1: 4, puzzle: SLOW } },
      epochs: { count: 10, churn: 0.05, unspent: 'saved' },
      adversaries: [{ budget: { hashes: 2000 } }],
      expect: { property: 'successors-captured' },
    });

    // 67.7 % by a program that spends all in the last window.
    expect(part).toBeGreaterThan(0.55);
  });

  it('by more identities than can be examined is refused', () => {
    const capture = () =>
      wonPart({
        network: { honest: 100, identity: { c1: 0 } },
        adversaries: [{ budget: { attempts: 200_000 } }],
        expect: { property: 'majority-captured' },
      });

    expect(capture).toThrow('more than 100000 identities');
  });

  it('of a majority has no closed form for IDs above all honest ones', () => {
    const { model } = settled(
      documentOf({
        network: { honest: 1, identity: { c1: 0 } },
        adversaries: [{ budget: { attempts: 20 }, goal: 'top' }],
        expect: { property: 'majority-captured' },
      }),
      null,
    );

    expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeNull();
  });
});

describe('the highest rank', () => {
  it('belongs to the rival that mines more, if each goes on above the honest IDs', () => {
    const part = wonPart({
      network: { honest: 5, identity: { c1: 0 } },
      adversaries: [400, 10].map((attempts) => ({
        ...{ budget: { attempts }, goal: 'top', registers: 'after', behaviours: [] },
      })),
      expect: { property: 'adversary-leads', by: 'bob' },
      work: 'mined',
    });

    // 2.4 % by the parts of all attempts.
    expect(part).toBeLessThan(0.12);
  });
});

/** The part of 200 drawn runs, or of 20 mined ones (60 in the slow suite), that have the property. */
function wonPart(parts: Parameters<typeof documentOf>[0]): number {
  const minedRuns = IS_WHOLE ? 60 : 20;
  const runs = parts.work === 'mined' ? minedRuns : 200;
  const { model } = settled(documentOf(parts), null);
  const { wins } = executeRuns(model, parseSeed('1'), { from: 0, count: runs }, STILL);
  return (wins[0] ?? 0) / runs;
}
