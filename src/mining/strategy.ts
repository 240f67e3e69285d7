/**
 * @module
 * The definition of a strategy: how candidates are made. A strategy numbers its candidates: attempt i under a
 * seed is the same candidate on every machine, so ledgers of attempts can be compared. A searcher tests ranges
 * of attempts, so that threads can share a search and still agree on the lowest winners.
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

/** How the dynamic puzzle of the found keys is solved. */
export const DYNAMIC_STRATEGY_NAMES = ['dynamic', 'amortised-xor'] as const;
export type DynamicStrategyName = (typeof DYNAMIC_STRATEGY_NAMES)[number];

/** A search without its budget. It is plain data and bytes, because it is posted to threads. */
export interface SearchSpec {
  readonly scheme: SchemeName;
  readonly policy: Policy;
  readonly goal: Goal;
  readonly strategy: StrategyName;
  readonly dynamicStrategy: DynamicStrategyName;
  readonly seed: Seed;
  /** The stock of the strategy `stockpile`, in the order of release. */
  readonly stock?: Stock | undefined;
}

/** A part of a search: for keys to keep in stock, for keys that win, or for the X of one node ID. */
export type Phase =
  | { readonly type: 'stock' }
  | { readonly type: 'keys' }
  | { readonly type: 'solutions'; readonly nodeId: Uint8Array };

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

/** Keys in stock. The arrays are shared by threads, so a stock is not copied for each of them. */
export interface Stock {
  readonly length: number;
  /** Bytes of an ID. */
  readonly idBytes: number;
  readonly attempts: Float64Array;
  /** The IDs one after another. */
  readonly nodeIds: Uint8Array;
}

/** A range to scan. */
export interface ScanOrder {
  readonly from: number;
  readonly count: number;
  /** Number of winners at which the scan stops. */
  readonly wanted: number;
  /** If the closest ID is sought: only IDs closer than this distance count. */
  readonly closerThan?: Uint8Array | undefined;
}

/** What a scan of a range found. */
export interface ScanResult {
  /** Attempts that meet goal and static puzzle, in rising order, or the closest one of the range. */
  readonly hits: readonly Hit[];
  /** Number of tested attempts: the whole range, or up to the last wanted winner. */
  readonly tested: number;
  /** The most zero bits in the range. −1 if none were counted. */
  readonly bestBits: number;
  /** The keys of a phase that fills a stock, in no certain order. */
  readonly keys?: Stock | undefined;
}

export interface Searcher {
  scan(order: ScanOrder): ScanResult;
  candidate(attempt: number): Candidate;
}

/** A way to find keys. */
export interface Strategy<Name extends StrategyName = StrategyName> {
  readonly name: Name;
  /** What a candidate is, and what it costs. */
  readonly summary: string;
  /**
   * Average cost of an attempt if this share of the IDs meets the goal, by default all. The static puzzle of the others is
   * not evaluated. The ledger rounds the cost of all attempts up.
   */
  cost(policy: Policy, scheme: SchemeName, share?: number): AttemptCost;
  /** Attempts of a short range, which takes a few milliseconds. Multiples of it waste nothing. */
  step(spec: Pick<SearchSpec, 'scheme' | 'policy'>): number;
  searcher(spec: SearchSpec, kernels: KernelSource): Searcher;
}

/** A way to solve the dynamic puzzle of the found keys. */
export interface DynamicStrategy<Name extends DynamicStrategyName = DynamicStrategyName> {
  readonly name: Name;
  readonly summary: string;
  /** Whether one search serves all IDs. It needs a puzzle that can be amortised. */
  readonly isShared: boolean;
  /** The ID whose puzzle is searched under a seed. */
  searchedId(nodeId: Uint8Array, seed: Seed): Uint8Array;
  /** The solution of an ID, from the one that was found for its `searchedId`. */
  solutionFor(nodeId: Uint8Array, searched: Uint8Array, found: Uint8Array): Uint8Array;
}

/** The WASM kernels. Each function throws if its kernel was not built. */
export interface KernelSource {
  /** The key search with the tables of a scheme. */
  keys(scheme: SchemeName): LoadedKernel;
  /** The search for X. */
  solutions(): SolutionKernel;
}

/** For callers that only make candidates, or scan with noble. */
export const NO_KERNELS: KernelSource = { keys: refuseKernel, solutions: refuseKernel };

function refuseKernel(): never {
  throw new TypeError('"kernels" expected where candidates are scanned, got none');
}
