/**
 * @module
 * The share of lookups that succeed against closed forms: that of S/Kademlia, Σ h_i (1 − (1 − (1 − m)^i)^d), in a network
 * where its assumption holds, and the law of common bits in the network of the paper, where it does not.
 */

import { describe, expect, it } from 'vitest';
import { exactInterval } from '../../src/experiment/theory/statistics.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { analyticSuccess } from '../../src/overlay/forging.ts';
import type { Key } from '../../src/overlay/network.ts';
import { drawKey } from '../../src/overlay/network.ts';
import type { Cell, Measured } from '../../src/overlay/study.ts';
import { buildCell, measure } from '../../src/overlay/study.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { readPapers } from '../../src/runtime/files/papers.ts';
import { lengthLaw, needsOf, paperForm, successLaw } from './bits-law.ts';

const SEED = parseSeed('44');
const SHARES = [0.1, 0.2, 0.4];
const LOOKUPS = 4000;

type Study = Pick<Cell, 'ids' | 'tables'> & { readonly siblings: number };

function cellOf({ ids, tables, siblings }: Study, paths: number, share: number): Cell {
  return {
    ...{
      ids,
      share,
      tables,
      timing: null,
      lookups: LOOKUPS,
      keys: 0,
      expectAt: SHARES,
      seed: SEED,
    },
    rules: { paths, parallel: 1, siblings, conduct: 'invent' },
    forging: { attempts: 0, kept: 0, policy: STRICT_POLICY },
  };
}

/** The share of lookups with a path of i steps, where the paths of a lookup count as one: h_i. */
const sharesOf = ({ lookupLengths, lookups }: Measured) =>
  lookupLengths.map((count) => count / lookups);

/** Measures each number of paths among each share of adversaries, and without any. */
function* studied(study: Study, paths: readonly number[]) {
  const free = buildCell(cellOf(study, 1, 0));
  const built = SHARES.map((share) => buildCell(cellOf(study, 1, share)));
  for (const d of paths) {
    const base = measure(cellOf(study, d, 0), free);
    for (const [index, m] of SHARES.entries()) {
      const { successes, lookups } = measure(cellOf(study, d, m), built[index] ?? null);
      const [low, high] = exactInterval({ wins: successes, runs: lookups, confidence: 0.999 });
      yield { at: `m = ${m}, d = ${d}`, d, m, index, base, low, high, share: successes / lookups };
    }
  }
}

/**
 * IDs in 256 subtrees with 8 common bits. One of 16 in each subtree with 4 common bits has almost all nodes. A step over 4 bits leads
 * there, and the next step to the subtree of the key, so that almost all paths take two steps.
 */
function crowdedIds(): readonly Key[] {
  const random = createRandom(SEED, 'crowded');
  return Array.from({ length: 256 }, (_, prefix) =>
    Array.from({ length: prefix % 16 === 0 ? 800 : 16 }, () => {
      const { high, low } = drawKey(random);
      return { high: ((prefix << 24) | (high >>> 8)) >>> 0, low };
    }),
  ).flat();
}

describe('lookups whose paths are almost all equally long', () => {
  it('succeed as the form of the paper says at 12 points', () => {
    const tables = { bucket: 8, bits: 4, neighbours: 16, poison: 1 };
    const study = { ids: crowdedIds(), tables, siblings: 4 };
    const points = [...studied(study, [1, 2, 4, 8])];

    expect(points).toHaveLength(12);
    for (const { at, d, m, index, base, low, high } of points) {
      const form = analyticSuccess(sharesOf(base), m, d);

      expect(form, at).toBe(paperForm(sharesOf(base), d, m));
      expect(form, at).toBeGreaterThanOrEqual(low);
      expect(form, at).toBeLessThanOrEqual(high);
      // The lengths of the paths of each lookup change nothing.
      expect(Math.abs(form - (base.expected[index] ?? 0) / LOOKUPS), at).toBeLessThan(0.004);
    }
  });
});

describe('lookups of 10 000 nodes, k = 16, s = 16', () => {
  const random = createRandom(SEED, 'ids');
  const ids = Array.from({ length: 10_000 }, () => drawKey(random));
  const tables = { bucket: 16, bits: 1, neighbours: 80, poison: 1 };
  const law = { bucket: 16, needs: needsOf(10_000, 80) };
  const points = [...studied({ ids, tables, siblings: 16 }, [1, 2, 4, 8, 16])];

  it.each(points)('succeed as common bits say: $at', ({ d, m, low, high }) => {
    const odds = successLaw(law, d, m);

    expect(odds).toBeGreaterThanOrEqual(low);
    expect(odds).toBeLessThanOrEqual(high);
  });

  it.each(points)(
    'succeed more often than the form of the paper says, by what the lengths of one lookup differ: $at',
    ({ d, m, index, base, low, high }) => {
      const form = analyticSuccess(sharesOf(base), m, d);
      const expected = (base.expected[index] ?? 0) / LOOKUPS;
      const gap = successLaw(law, d, m) - paperForm(lengthLaw(law, d), d, m);

      expect(expected).toBeGreaterThanOrEqual(low);
      expect(expected).toBeLessThanOrEqual(high);
      expect(form).toBeLessThanOrEqual(expected + 1e-9);
      expect(form).toBeGreaterThan(0.96 * expected);
      expect(Math.abs(expected - form - gap)).toBeLessThan(0.004);
    },
  );
});

describe('the figures of the paper', () => {
  const needs = needsOf(10_000, 80);
  const numberOf = (text: string, name: string) =>
    Number(new RegExp(`${name} = (\\d+)`).exec(text)?.[1] ?? Number.NaN);

  it.each(['skademlia-figure-4', 'skademlia-figure-5'])(
    'have the numbers of the law: %s',
    async (name) => {
      const [paper] = await readPapers(name);

      expect(paper?.rows).toHaveLength(40);
      for (const { at, published, input } of paper?.rows ?? []) {
        const d = numberOf(at, 'd');
        const bucket = name.endsWith('4') ? 16 : 2 * d;

        expect(input['bucket'], at).toBe(bucket);
        expect(published, at).toBeCloseTo(
          successLaw({ bucket, needs }, d, numberOf(at, 'm') / 100),
          4,
        );
      }
    },
  );

  it('have bounds and messages of the law: skademlia-small-buckets, skademlia-overhead', async () => {
    const [bounds] = await readPapers('skademlia-small-buckets');
    const [overhead] = await readPapers('skademlia-overhead');
    const law = { bucket: 16, needs };
    const steps = lengthLaw(law, 1).reduce((sum, share, count) => sum + share * count, 0);

    for (const { at, published } of bounds?.rows ?? []) {
      const bound = at.includes('steps') ? steps : successLaw(law, numberOf(at, 'd'), 0.2);
      expect(published, at).toBeCloseTo(bound, 4);
    }
    for (const { at, published } of overhead?.rows ?? []) {
      expect(published, at).toBeCloseTo(numberOf(at, 'd') * 2 * steps, 2);
    }
  });

  it('have the numbers of the law: skademlia-path-lengths', async () => {
    const [paper] = await readPapers('skademlia-path-lengths');
    for (const { at, x = 0, published } of paper?.rows ?? []) {
      const [share = 0] = lengthLaw({ bucket: numberOf(at, 'k'), needs }, 1).slice(x);

      expect(published, at).toBeCloseTo(10_000 * share, 1);
    }
  });
});
