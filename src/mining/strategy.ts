/**
 * @module
 * How candidates are made. A strategy numbers its candidates: attempt i under a seed is the same
 * candidate on every machine, which is what makes the attempts ledger comparable. A searcher tests
 * ranges of attempts, so that threads can share a search and still agree on the lowest winners.
 */

import type { SchemeName, Secret } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import type { Seed } from '../random.ts';
import type { Goal } from './goal.ts';
import type { SolutionKernel } from './kernel/solution-kernel.ts';
import type { LoadedKernel } from './kernel/wasm-kernel.ts';
import type { AttemptCost } from './ledger.ts';

/** How keys are found, from the slowest to the fastest, and from keys that were made before. */
export const STRATEGY_NAMES = ['fresh', 'walk', 'batch', 'siblings', 'stockpile'] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

/** How the dynamic puzzle of the keys found is solved. */
export const DYNAMIC_STRATEGY_NAMES = ['dynamic', 'amortised-xor'] as const;
export type DynamicStrategyName = (typeof DYNAMIC_STRATEGY_NAMES)[number];

/** One search, complete but for its budget. Plain data and bytes: it is posted to threads. */
export interface SearchSpec {
  readonly scheme: SchemeName;
  readonly policy: Policy;
  readonly goal: Goal;
  readonly strategy: StrategyName;
  readonly dynamicStrategy: DynamicStrategyName;
  readonly seed: Seed;
  /** What `stockpile` has in store, in the order of release; absent for every other strategy. */
  readonly stock?: readonly Hit[] | undefined;
}

export interface Candidate {
  readonly secret: Secret;
  readonly publicKey: Uint8Array;
  readonly nodeId: Uint8Array;
}

/** An attempt that counts, and its node ID. */
export interface Hit {
  readonly attempt: number;
  readonly nodeId: Uint8Array;
}

/** A range to be scanned, and what is wanted of it. */
export interface ScanOrder {
  readonly from: number;
  readonly count: number;
  /** No more winners than these are of use; the scan ends with the last of them. */
  readonly wanted: number;
  /** Where the closest is sought: only what is closer than this is news. */
  readonly closerThan?: Uint8Array | undefined;
}

/** What a scan of a range found. */
export interface ScanResult {
  /** Attempts that meet goal and static puzzle, rising; or the closest one of the range. */
  readonly hits: readonly Hit[];
  /** Attempts tested: the whole range, or up to and including the last winner wanted. */
  readonly tested: number;
  /** The most zero bits seen in the range; −1 if none were looked at. */
  readonly bestBits: number;
}

export interface Searcher {
  scan(order: ScanOrder): ScanResult;
  candidate(attempt: number): Candidate;
}

export interface Strategy {
  readonly name: StrategyName;
  /** What an attempt costs on average; whole attempts are rounded up in the ledger. */
  cost(policy: Policy, scheme: SchemeName): AttemptCost;
  /** Attempts of a short range, a few milliseconds at most; multiples of it waste nothing. */
  step(spec: Pick<SearchSpec, 'scheme' | 'policy'>): number;
  searcher(spec: SearchSpec, kernels: KernelSource): Searcher;
}

/** The WASM kernels; each throws where it was not built. */
export interface KernelSource {
  /** The key search with the tables of a scheme. */
  keys(scheme: SchemeName): LoadedKernel;
  /** The search for X. */
  solutions(): SolutionKernel;
}

/** Kernels for whoever makes candidates and scans nothing, or scans by noble alone. */
export const NO_KERNELS: KernelSource = { keys: refuseKernel, solutions: refuseKernel };

function refuseKernel(): never {
  throw new TypeError('"kernels" expected where candidates are scanned, got none');
}
