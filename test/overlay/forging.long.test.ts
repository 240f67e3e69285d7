/**
 * @module
 * The price of leading a key: forged IDs against hashed ones, and closed forms against counting and simulation.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import {
  allSiblingsOdds,
  forgedNear,
  forgingHashes,
  idsToAdd,
  idsToLead,
} from '../../src/overlay/forging.ts';
import { compareDistances, drawKey, keyOf } from '../../src/overlay/network.ts';
import { measure } from '../../src/overlay/study.ts';
import { drawParties } from '../../src/overlay/tables.ts';
import { createRandom, parseSeed } from '../../src/random.ts';

const SEED = parseSeed('5');
const KEY = { high: 0x12345678, low: 0x9abcdef0 };
const forging = (attempts: number, kept: number, c1 = 0, c2 = 0) => ({
  attempts,
  kept,
  policy: { ...STRICT_POLICY, c1, c2 },
});

describe('forged IDs', () => {
  it.each([1, 5])('are as near to a key as the closest %i of as many hashes', (kept) => {
    const tries = 400;
    const random = createRandom(SEED, 'forged', kept);
    const distance = ({ high }: { readonly high: number }) => ((high ^ KEY.high) >>> 0) / 2 ** 32;
    const drawn = Array.from({ length: tries }, () => {
      return distance(forgedNear(KEY, forging(100, kept), random).at(-1) ?? KEY);
    });
    const hashed = Array.from({ length: tries }, (_, round) => {
      const ids = Array.from({ length: 100 }, (_, index) =>
        keyOf(sha256(Uint8Array.of(round & 0xff, round >> 8, index))),
      );
      return distance(ids.sort((one, other) => compareDistances(KEY, one, other))[kept - 1] ?? KEY);
    });
    const mean = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + value, 0) / tries;

    // The mean of the kept-th of 100 uniform distances, with a relative deviation of 1/√kept.
    const expected = kept / 101;
    const reach = (4 * expected) / Math.sqrt(kept * tries);
    expect(Math.abs(mean(drawn) - expected)).toBeLessThan(reach);
    expect(Math.abs(mean(hashed) - expected)).toBeLessThan(reach);
  });

  it('are the nearest first', () => {
    const near = forgedNear(KEY, forging(640, 10, 3), createRandom(SEED));

    expect(near).toHaveLength(10);
    expect(near).toEqual(near.toSorted((one, other) => compareDistances(KEY, one, other)));
  });

  it('are as many as coins that fall for each attempt', () => {
    const random = createRandom(SEED, 'coins');
    const draws = 4000;
    const counts = Array.from({ length: draws }, () => forgedNear(KEY, forging(16, 9, 4), random));
    const none = counts.filter(({ length }) => length === 0).length / draws;
    const total = counts.reduce((sum, { length }) => sum + length, 0);

    // None of 16 coins falls with probability (15/16)^16 = 35.6 %, and one falls on average. The bounds are four standard deviations.
    expect(Math.abs(none - (15 / 16) ** 16)).toBeLessThan(0.031);
    expect(Math.abs(total - draws)).toBeLessThan(4 * Math.sqrt(draws));
  });

  it.each([
    ['nothing', forging(0, 10, 3, 4), 0, 0],
    ['attempts without puzzles', forging(1000, 10), 10, 1000],
    // A node ID for each attempt, and 2^3 static puzzles and 2^4 solutions for each of ten IDs.
    ['both puzzles', forging(1000, 10, 3, 4), 10, 1000 + 10 * 8 + 10 * 16],
    ['puzzles of all attempts, of which few IDs come', forging(40, 10, 3, 4), 6, 2 * 40 + 6 * 16],
  ])('cost the hashes of %s', (_name, asked, ids, hashes) => {
    expect(forgingHashes(asked, ids)).toBe(hashes);
  });

  it('are found by static puzzles from the nearest on, 2^c1 for each', () => {
    const rounds = 300;
    const [kept, bits] = [3, 3];
    let evaluations = 0;
    for (let round = 0; round < rounds; round += 1) {
      const byDistance = Array.from({ length: 200 }, (_, index) =>
        sha256(Uint8Array.of(round & 0xff, round >> 8, index, 1)),
      ).sort((one, other) => compareDistances(KEY, keyOf(one), keyOf(other)));
      for (let found = 0; found < kept; evaluations += 1) {
        const id = byDistance.shift() ?? expect.unreachable();
        if ((sha256(id)[0] ?? 0) >> (8 - bits) === 0) found += 1;
      }
    }
    const stated = forgingHashes(forging(200, kept, bits), kept) - 200;

    // The standard deviation of one round is √(3·56) = 13.
    expect(Math.abs(evaluations / rounds - stated)).toBeLessThan((4 * 13) / Math.sqrt(rounds));
  });
});

describe('a network', () => {
  it.each([1, 2, 3])(
    'of %i nodes has an honest one, whatever the share of adversaries',
    (nodes) => {
      const random = createRandom(SEED, 'few');
      const ids = Array.from({ length: nodes }, () => drawKey(random));
      const { honest, adversaries } = drawParties(ids, 0.95, random);

      expect(honest).toHaveLength(1);
      expect(adversaries).toHaveLength(nodes - 1);
    },
  );
});

/** The oracle: a network on a line of distances, and coins for puzzles. It returns hashes and led keys of all rounds. */
function ledInTurn(nodes: number, attempts: number, c1: number, c2: number, rounds: number) {
  const random = createRandom(SEED, 'in turn', c1);
  let [hashes, led] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const honest = Math.min(...Array.from({ length: nodes }, () => random.unit()));
    const forged = Array.from({ length: attempts }, () => random.unit());
    hashes += attempts;
    for (const distance of forged.toSorted((one, other) => one - other)) {
      if (distance > honest) break;
      if (c1 > 0) hashes += 1;
      if (random.unit() >= 2 ** -c1) continue;
      for (hashes += 1; random.unit() >= 2 ** -c2; hashes += 1);
      led += 1;
      break;
    }
  }
  return { hashes, led };
}

describe('the leader of a key', () => {
  it.each([
    [100, 0, 5],
    [400, 3, 5],
  ])(
    'costs what an adversary pays that works only to lead: %i attempts, c1 = %i, c2 = %i',
    (attempts, c1, c2) => {
      const rounds = 2000;
      const oracle = ledInTurn(100, attempts, c1, c2, rounds);
      const random = createRandom(SEED, 'leading');
      const cell = {
        ids: Array.from({ length: 100 }, () => drawKey(random)),
        share: 0,
        tables: { bucket: 8, bits: 1, neighbours: 8, poison: 1 },
        rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'collude' as const },
        forging: forging(attempts, 16, c1, c2),
        ...{ lookups: 400, keys: 400, timing: null, expectAt: [], seed: SEED },
      };
      const { keysCaptured, hashesToLead } = measure(cell, null);
      const p = oracle.led / rounds;

      // Four standard deviations of 400 keys, and of 2000, whose hashes for each led key have a share of the attempts.
      expect(Math.abs(keysCaptured / 400 - p)).toBeLessThan(
        4 * Math.sqrt(p * (1 - p) * (1 / 400 + 1 / rounds)),
      );
      expect(hashesToLead).toBe(400 * attempts + keysCaptured * ((c1 > 0 ? 2 ** c1 : 0) + 2 ** c2));
      const stated = rounds * attempts + oracle.led * ((c1 > 0 ? 2 ** c1 : 0) + 2 ** c2);
      expect(Math.abs(stated - oracle.hashes) / oracle.led).toBeLessThan(
        (4 * 35) / Math.sqrt(oracle.led),
      );
    },
  );

  it('costs nothing if the adversary has the closest ID already', () => {
    const random = createRandom(SEED, 'held');
    const cell = {
      ids: Array.from({ length: 40 }, () => drawKey(random)),
      share: 0.5,
      tables: { bucket: 8, bits: 1, neighbours: 8, poison: 1 },
      rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'collude' as const },
      forging: forging(20, 20),
      ...{ lookups: 100, keys: 100, timing: null, expectAt: [], seed: SEED },
    };
    const { hashesToLead, hashesPerKey } = measure(cell, null);

    // Each key is held with probability 1/2. The bounds are four standard deviations of networks and keys.
    expect(hashesPerKey).toBe(20);
    expect(hashesToLead % 20).toBe(0);
    expect(Math.abs(hashesToLead / 20 - 50)).toBeLessThan(4 * Math.sqrt(25 + 40));
  });

  it.each([
    [3, 2, 1],
    [3, 4, 2],
    [2, 5, 3],
    [4, 2, 3],
  ])('has all siblings as counting says: n = %i, t = %i, s = %i', (honest, forged, siblings) => {
    const total = honest + forged;
    const sets = Array.from({ length: 2 ** total }, (_, set) => set).filter(
      (set) => set.toString(2).replaceAll('0', '').length === siblings,
    );
    const all = sets.filter((set) => set < 2 ** forged);

    expect(allSiblingsOdds(honest, forged, siblings)).toBeCloseTo(all.length / sets.length, 12);
  });

  it('is an adversary with the probability t/(n + t)', () => {
    const random = createRandom(SEED, 'ids');
    const keys = 400;
    const { keysLed, hashesPerKey } = measure(
      {
        ids: Array.from({ length: 100 }, () => drawKey(random)),
        share: 0,
        tables: { bucket: 8, bits: 1, neighbours: 8, poison: 1 },
        rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'collude' },
        lookups: keys,
        keys,
        forging: forging(idsToLead(100, 0.5), 1),
        timing: null,
        expectAt: [],
        seed: SEED,
      },
      null,
    );

    expect(hashesPerKey).toBe(100);
    // Half of 400 keys, four standard deviations of 10 around it.
    expect(Math.abs(keysLed - 200)).toBeLessThan(40);
  });

  it.each([0, 0.25, 0.5])(
    'costs attempts·(n + t)/(t·(1 − m)) if the adversary has a share m = %d',
    (share) => {
      const [networks, keys] = [40, 15];
      const measured = Array.from({ length: networks }, (_, index) => {
        const random = createRandom(SEED, 'held', index);
        return measure(
          {
            ids: Array.from({ length: 40 }, () => drawKey(random)),
            share,
            tables: { bucket: 8, bits: 1, neighbours: 8, poison: 1 },
            rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'collude' },
            lookups: keys,
            keys,
            forging: forging(20, 20),
            timing: null,
            expectAt: [],
            seed: parseSeed(String(index)),
          },
          null,
        );
      });
      const shareOf = (name: 'keysLed' | 'keysCaptured') =>
        measured.reduce((sum, each) => sum + each[name], 0) / (networks * keys);
      const [led, captured] = [shareOf('keysLed'), shareOf('keysCaptured')];
      const forgedFirst = 20 / 60;

      // A key is captured if a forged ID is the closest, and an honest node is the closest of the others.
      expect(Math.abs(captured - forgedFirst * (1 - share))).toBeLessThan(0.09);
      expect(Math.abs(led - (forgedFirst + (1 - forgedFirst) * share))).toBeLessThan(0.09);
      if (share === 0) expect(captured).toBe(led);
    },
  );

  it('is an adversary with the probability E[K/(n+K)] if K IDs meet the static puzzle', () => {
    const random = createRandom(SEED, 'few');
    const counts = Array.from({ length: 50 }, (_, round) => {
      const { keysLed } = measure(
        {
          ids: [drawKey(random), drawKey(random)],
          share: 0,
          tables: { bucket: 8, bits: 1, neighbours: 8, poison: 1 },
          rules: { paths: 1, parallel: 1, siblings: 1, conduct: 'collude' },
          lookups: 20,
          keys: 20,
          forging: forging(1000, 1, 10),
          timing: null,
          expectAt: [],
          seed: parseSeed(String(round)),
        },
        null,
      );
      return keysLed;
    });
    const led = counts.reduce((sum, count) => sum + count);

    // K ~ Bin(1000, 2^-10): 25.9 % of 1000 keys, within four standard deviations of 16 keys, as networks differ, too.
    expect(Math.abs(led - 259)).toBeLessThan(64);
  });

  it.each([
    [1000, 0, 0],
    [1000, 0.2, 0],
    [1000, 0, 0.25],
    [1000, 0.2, 0.25],
    [1000, 0.6, 0],
    [2, 0.9, 0.9],
  ])(
    'among %i nodes, m = %d, of which %d have left, takes the fewest IDs that suffice',
    (nodes, share, left) => {
      const held = share === 0.9 ? 1 : nodes * share;
      const honest = Math.max(1, (nodes - held) * (1 - left));
      for (const probability of [0.5, 0.95]) {
        const ids = idsToAdd({ nodes, share, left }, probability);
        const odds = (added: number) => (held + added) / (held + added + honest);

        expect(odds(ids)).toBeGreaterThanOrEqual(probability - 1e-12);
        if (ids > 0) expect(odds(ids - 1)).toBeLessThan(probability);
      }
    },
  );

  it.each([
    [1000, 0.5, 1000],
    [1000, 0.95, 19_000],
    [10, 0.1, 2],
  ])('among %i nodes with probability %d takes %i IDs', (nodes, odds, ids) => {
    expect(idsToLead(nodes, odds)).toBe(ids);
  });
});
