/**
 * @module
 * One thread of a naive search with a library, or of tests of keys in stock. It tests ranges of candidates and keeps none:
 * only the rate counts.
 */

import { idRuleOf } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import type { DynamicForm } from '../../identity/puzzles/puzzle.ts';
import { challengeOf, DYNAMIC_PUZZLES, PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { solutionMeter } from '../../mining/solution.ts';
import { packHits } from '../../mining/stock.ts';
import { stockpileStrategy } from '../../mining/stockpile.ts';
import { searcherOf } from '../../mining/strategies.ts';
import { parseSeed } from '../../random.ts';
import { nativeKeyTest, nativeSolutionTest } from '../openssl/native-search.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import type { Range } from './range-pool.ts';
import { serveRanges } from './range-pool.ts';

/** What is searched, and with what. Noble's search for keys makes the candidates of the strategy `fresh`. */
export type Baseline =
  | {
      readonly search: 'keys';
      readonly implementation: 'noble' | 'openssl';
      readonly scheme: SchemeName;
      readonly policy: Policy;
    }
  | {
      readonly search: 'solutions';
      readonly implementation: 'noble' | 'openssl';
      readonly form: DynamicForm;
    }
  | { readonly search: 'stock' };

export interface BaselineReport {
  readonly tested: number;
  readonly cpuSeconds: number;
}

/** Any node ID. The cost of a test does not depend on it. */
const NODE_ID = new Uint8Array(32).fill(0xa5);
const STOCK_KEYS = 2 ** 15;

serveRanges((baseline: Baseline) => {
  const scan = baseline.search === 'stock' ? stockScan() : eachOf(testOf(baseline));
  return (range: Range): BaselineReport => {
    const start = threadClocks.cpuSeconds();
    scan(range);
    return { tested: range.count, cpuSeconds: threadClocks.cpuSeconds() - start };
  };
});

function eachOf(test: (number: number) => number): (range: Range) => void {
  return ({ from, count }) => {
    for (let number = from; number < from + count; number += 1) test(number);
  };
}

/** Tests a small stock again and again. */
function stockScan(): (range: Range) => void {
  const stock = packHits(new Array(STOCK_KEYS).fill({ attempt: 0, nodeId: NODE_ID }));
  const policy = { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX };
  const spec = { policy, scheme: 'ed25519', goal: { type: 'any' }, stock } as const;
  const names = {
    strategy: 'stockpile',
    dynamicStrategy: 'dynamic',
    seed: parseSeed('0'),
  } as const;
  const searcher = stockpileStrategy.searcher({ ...spec, ...names }, kernelSource());
  return ({ count }) => {
    for (let left = count; left > 0; left -= STOCK_KEYS) {
      searcher.scan({ from: 0, count: Math.min(left, STOCK_KEYS), wanted: 1 });
    }
  };
}

/** The zero bits of the candidate with a number. */
function testOf(baseline: Exclude<Baseline, { search: 'stock' }>): (number: number) => number {
  if (baseline.search === 'solutions') {
    const { implementation, form: dynamic } = baseline;
    if (implementation === 'noble') return solutionMeter({ ...STRICT_POLICY, dynamic }, NODE_ID);
    const { message, solution } = DYNAMIC_PUZZLES[dynamic];
    const input = { challenge: challengeOf(STRICT_POLICY), nodeId: NODE_ID };
    return nativeSolutionTest(message({ ...input, solution: solution(NODE_ID, 0) }));
  }
  const { implementation, scheme, policy } = baseline;
  if (implementation === 'openssl') {
    const test = nativeKeyTest(scheme, policy);
    if (test === null) throw new TypeError('"policy" expected one that node:crypto can test');
    return test;
  }
  const goal = { type: 'any' } as const;
  const names = { strategy: 'fresh', dynamicStrategy: 'dynamic', seed: parseSeed('0') } as const;
  const { candidate } = searcherOf({ scheme, policy, goal, ...names });
  const { bits } = idRuleOf(policy).puzzle(policy);
  return (number) => bits(candidate(number).nodeId, policy);
}
