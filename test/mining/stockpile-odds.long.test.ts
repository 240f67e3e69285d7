/**
 * @module
 * What a stockpile is worth, by simulation: 16 honest nodes, a puzzle of 8 bits, 2^14 keys made before
 * the epoch and 2 048 tests after its beacon. Drawn are the 32-byte node IDs, since a key's hash is as
 * good as random, and the honest ones as if each had solved its puzzle. Real are the choice of what to
 * keep, the order of release and every puzzle, SHA-256 as the policy has it. The expected shares are
 * E[K / (n + K)] for K winners among the keys that count (every order of n + K keys is as likely).
 */

import { describe, expect, it } from 'vitest';
import { compareBytes } from '../../src/bytes.ts';
import type { RankRule } from '../../src/identity/ids/rank-key.ts';
import { rankKeyOf } from '../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { meetsGoal } from '../../src/mining/goal.ts';
import { testNodeId } from '../../src/mining/sieve.ts';
import { hitAt, packHits, releaseOrder } from '../../src/mining/stock.ts';
import { stockSearch, stockSize } from '../../src/mining/stockpile.ts';
import type { Hit } from '../../src/mining/strategy.ts';
import type { Random } from '../../src/random.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { policyWith, specOf, taskWith } from './tasks.ts';

const HONEST = 16;
const C1 = 8;
const KEYS = 2 ** 14;
const TESTS = 2048;
const REPETITIONS = Number(process.env.STOCKPILE_REPETITIONS ?? 40);

/** An epoch: the stock in the order that is known before, and the honest IDs to beat. */
interface Epoch {
  readonly stock: readonly Uint8Array[];
  readonly honest: readonly Uint8Array[];
  readonly beacon: Uint8Array;
  readonly salted: Policy;
  readonly random: Random;
}

const EPOCHS = Array.from({ length: REPETITIONS }, (_, epoch) => epochOf(epoch));
const STOCKPILED = topShare(KEYS);
const FROM_BEACON = topShare(TESTS);

describe('the stockpile reaches the top', () => {
  it('as the formula has it: .80 of the time, and .32 for who starts at the beacon', () => {
    expect(STOCKPILED).toBeCloseTo(0.798, 3);
    expect(FROM_BEACON).toBeCloseTo(0.324, 3);
  });

  it('where nothing is salted: all its keys count', () => {
    const policy = policyWith({ c1: C1 });

    const share = shareOfTop(({ stock }) => highestWinner(stock, policy), byNodeId);

    expect(share).toBeWithin(STOCKPILED);
  });

  it('where the puzzle alone is salted, as if it were not: the tests begin at its top', () => {
    const share = shareOfTop(
      ({ stock, salted }) => highestWinner(stock.slice(0, TESTS), salted),
      byNodeId,
    );

    expect(share).toBeWithin(STOCKPILED);
    expect(share, 'more than by starting at the beacon').not.toBeWithin(FROM_BEACON);
  });

  it('no more than by starting at the beacon where puzzle and rank are salted', () => {
    const share = shareOfTop(
      ({ stock, salted }) => winnersOf(stock.slice(0, TESTS), salted),
      byBeacon,
    );

    expect(share).toBeWithin(FROM_BEACON);
    expect(share, 'less than unsalted').not.toBeWithin(STOCKPILED);
  });

  it('not without a stock: a search that starts at the beacon, with ranks salted or not', () => {
    const winners = new Map(
      EPOCHS.map((epoch) => [epoch, winnersOf(drawn(TESTS, epoch.random), epoch.salted)]),
    );
    for (const rule of [byNodeId, byBeacon]) {
      const share = shareOfTop((epoch) => winners.get(epoch) ?? [], rule);

      expect(share).toBeWithin(FROM_BEACON);
    }
  });
});

function epochOf(epoch: number): Epoch {
  const random = createRandom(parseSeed('410'), 'stockpile', epoch);
  const spec = specOf(taskWith({ policy: { c1: C1 } }));
  const { goal } = stockSearch(spec, KEYS);
  const hits = drawn(KEYS, random)
    .map((nodeId, attempt): Hit => ({ attempt, nodeId }))
    .filter(({ nodeId }) => meetsGoal(goal, nodeId));
  const stock = releaseOrder(packHits(hits), stockSize(KEYS, spec));
  return {
    stock: Array.from({ length: stock.length }, (_, index) => hitAt(stock, index).nodeId),
    honest: drawn(HONEST, random),
    beacon: drawn(1, random)[0] ?? new Uint8Array(),
    salted: policyWith({ c1: C1, salted: true, epoch }),
    random,
  };
}

/** How often the best of the winners passes all honest nodes. */
function shareOfTop(
  winnersIn: (epoch: Epoch) => readonly Uint8Array[],
  rule: (epoch: Epoch) => RankRule,
): number {
  const tops = EPOCHS.filter((epoch) => {
    const best = (ids: readonly Uint8Array[]) =>
      ids.map((id) => rankKeyOf(id, rule(epoch))).sort((a, b) => compareBytes(b, a))[0];
    const [forged, honest] = [best(winnersIn(epoch)), best(epoch.honest)];
    return forged !== undefined && honest !== undefined && compareBytes(forged, honest) > 0;
  });
  return tops.length / REPETITIONS;
}

function winnersOf(ids: readonly Uint8Array[], policy: Policy): readonly Uint8Array[] {
  return ids.filter((id) => testNodeId({ policy, goal: { type: 'any' } }, id).isWinner);
}

/** Of IDs in the order of release the first winner is the highest: no other is tested. */
function highestWinner(ids: readonly Uint8Array[], policy: Policy): readonly Uint8Array[] {
  const goal = { type: 'any' } as const;
  const first = ids.find((id) => testNodeId({ policy, goal }, id).isWinner);
  return first === undefined ? [] : [first];
}

const byNodeId = (): RankRule => ({ type: 'node-id' });
const byBeacon = ({ beacon }: Epoch): RankRule => ({ type: 'salted', beacon });

/** E[K / (n + K)] for K ~ Bin(tests, 2^-c1). */
function topShare(tests: number): number {
  const p = 2 ** -C1;
  let probability = (1 - p) ** tests;
  let share = 0;
  for (let k = 1; k <= tests; k += 1) {
    probability *= ((tests - k + 1) / k) * (p / (1 - p));
    share += probability * (k / (HONEST + k));
  }
  return share;
}

function drawn(count: number, random: Random): readonly Uint8Array[] {
  return Array.from({ length: count }, () => {
    const view = new DataView(new ArrayBuffer(32));
    for (let at = 0; at < 32; at += 4) view.setUint32(at, random.below(2 ** 32));
    return new Uint8Array(view.buffer);
  });
}

expect.extend({
  /** Within four standard deviations of a share of the repetitions. */
  toBeWithin(share: number, expected: number) {
    const sigma = Math.sqrt((expected * (1 - expected)) / REPETITIONS);
    const pass = Math.abs(share - expected) < 4 * sigma;
    return { pass, message: () => `${share} against ${expected} ± ${4 * sigma}` };
  },
});

declare module 'vitest' {
  interface Matchers {
    toBeWithin(expected: number): void;
  }
}
