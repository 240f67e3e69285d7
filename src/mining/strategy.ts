/**
 * @module
 * How candidates are made. A strategy numbers its candidates: attempt i under a seed is the same
 * candidate on every machine, which is what makes the attempts ledger comparable. A searcher tests
 * ranges of attempts, so that threads can share a search and still agree on the lowest winner.
 */

import type { Policy } from '../identity/policy.ts';
import type { SchemeName } from '../identity/scheme.ts';
import type { Secret } from '../identity/secret.ts';
import type { Seed } from '../random.ts';
import type { Goal } from './goal.ts';
import type { LoadedKernel } from './kernel/wasm-kernel.ts';
import type { AttemptCost } from './ledger.ts';

/** From the slowest to the fastest. */
export const STRATEGY_NAMES = ['fresh', 'walk', 'batch', 'siblings'] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** One search, complete but for its budget. Plain data and bytes: it is posted to threads. */
export interface SearchSpec {
  readonly scheme: SchemeName;
  readonly policy: Policy;
  readonly goal: Goal;
  readonly strategy: StrategyName;
  readonly seed: Seed;
}

export interface Candidate {
  readonly secret: Secret;
  readonly publicKey: Uint8Array;
  readonly nodeId: Uint8Array;
}

/** What a scan of a range found. */
export interface ScanResult {
  /** The lowest attempt of the range that meets the goal and the static puzzle, or null. */
  readonly winner: number | null;
  /** Attempts tested: the whole range, or up to and including the winner. */
  readonly tested: number;
  /** The most static zero bits seen in the range; −1 for an empty one. */
  readonly bestBits: number;
}

export interface Searcher {
  scan(from: number, count: number): ScanResult;
  candidate(attempt: number): Candidate;
}

export interface Strategy {
  readonly name: StrategyName;
  /** What an attempt costs on average; whole attempts are rounded up in the ledger. */
  cost(policy: Policy, scheme: SchemeName): AttemptCost;
  /** Attempts of a short range, a few milliseconds at most; multiples of it waste nothing. */
  step(scheme: SchemeName): number;
  searcher(spec: SearchSpec, kernels: KernelSource): Searcher;
}

/** The WASM kernel with the tables of a scheme; throws where it was not built. */
export type KernelSource = (scheme: SchemeName) => LoadedKernel;
