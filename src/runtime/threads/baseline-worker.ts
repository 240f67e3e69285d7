/**
 * @module
 * One thread of a naive search with a library. It tests ranges of candidates and keeps none: only the rate counts.
 */

import type { SchemeName } from '../../identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { challengeOf } from '../../identity/puzzles/puzzle.ts';
import { solutionMeter } from '../../mining/solution.ts';
import { nativeSolutionTest, testNativeKey } from '../openssl/native-search.ts';
import { threadClocks } from './clocks.ts';
import { serveRanges } from './range-pool.ts';

/** What is searched, and with what. Noble's search for keys is the strategy `fresh`. */
export type Baseline =
  | { readonly search: 'keys'; readonly implementation: 'node:crypto'; readonly scheme: SchemeName }
  | { readonly search: 'solutions'; readonly implementation: 'noble' | 'node:crypto' };

export interface BaselineReport {
  readonly tested: number;
  readonly cpuSeconds: number;
}

/** Any node ID. The cost of a test does not depend on it. */
const NODE_ID = new Uint8Array(32).fill(0xa5);

serveRanges((baseline: Baseline) => {
  const test = testOf(baseline);
  return ({ from, count }: { from: number; count: number }): BaselineReport => {
    const start = threadClocks.cpuSeconds();
    for (let number = from; number < from + count; number += 1) test(number);
    return { tested: count, cpuSeconds: threadClocks.cpuSeconds() - start };
  };
});

/** The zero bits of the candidate with a number. */
function testOf(baseline: Baseline): (number: number) => number {
  if (baseline.search === 'keys') return () => testNativeKey(baseline.scheme);
  return baseline.implementation === 'noble'
    ? solutionMeter(STRICT_POLICY, NODE_ID)
    : nativeSolutionTest(challengeOf(STRICT_POLICY), NODE_ID);
}
