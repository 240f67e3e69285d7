/**
 * @module
 * This folder searches identities: strategies, goals, budgets, ledgers and odds. This file lists the strategies
 * and names the default ones.
 */

import type { Policy } from '../identity/policy.ts';
import { DYNAMIC_PUZZLES } from '../identity/puzzles/puzzle.ts';
import { batchStrategy, siblingsStrategy } from './kernel-strategies.ts';
import { freshStrategy, walkStrategy } from './noble-strategies.ts';
import { isDynamicImplied } from './policy-cost.ts';
import { scanSolutions } from './solution.ts';
import { stockpileStrategy, stockScanner } from './stockpile.ts';
import type {
  DynamicStrategyName,
  KernelSource,
  Phase,
  ScanOrder,
  ScanResult,
  Searcher,
  SearchSpec,
  Strategy,
  StrategyName,
} from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';

export const STRATEGIES: { readonly [Name in StrategyName]: Strategy<Name> } = {
  fresh: freshStrategy,
  walk: walkStrategy,
  batch: batchStrategy,
  siblings: siblingsStrategy,
  stockpile: stockpileStrategy,
};

/** The default of forgers. Under every policy no other makes more candidates per second. */
export const STRONGEST_STRATEGY: StrategyName = 'siblings';
/** What an honest node uses: fast, with one identity for each point. */
export const HONEST_STRATEGY: StrategyName = 'batch';
/** What an honest node uses for its own dynamic puzzle. */
export const HONEST_DYNAMIC_STRATEGY: DynamicStrategyName = 'dynamic';

/** The default of forgers against a policy. The strategy `dynamic` tries X = 0 first. */
export function strongestDynamicStrategy(policy: Policy): DynamicStrategyName {
  const { isAmortisable } = DYNAMIC_PUZZLES[policy.dynamic];
  return isAmortisable && !isDynamicImplied(policy) ? 'amortised-xor' : 'dynamic';
}

/** The searcher of a spec. Without kernels it makes candidates, and scans with noble. */
export function searcherOf(spec: SearchSpec, kernels: KernelSource = NO_KERNELS): Searcher {
  return STRATEGIES[spec.strategy].searcher(spec, kernels);
}

/** The function that scans a range of any phase of a search, as a thread of the pool runs it. */
export function scanner(
  spec: SearchSpec,
  kernels: KernelSource = NO_KERNELS,
  searcher: Searcher = searcherOf(spec, kernels),
): (phase: Phase, order: ScanOrder) => ScanResult {
  let makeStock: ReturnType<typeof stockScanner> | null = null;
  const solutionKernels = kernels === NO_KERNELS ? null : kernels;
  return (phase, order) => {
    switch (phase.type) {
      case 'stock':
        makeStock ??= stockScanner(spec, kernels);
        return makeStock(order);
      case 'keys':
        return searcher.scan(order);
      case 'solutions':
        return scanSolutions({ policy: spec.policy, nodeId: phase.nodeId }, order, solutionKernels);
      default:
        return phase satisfies never;
    }
  };
}
