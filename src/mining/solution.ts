/**
 * @module
 * The search for the X of the dynamic puzzle. Candidates are numbered from 0 on, so "the first X" is the same
 * everywhere. The strategy `dynamic` solves the puzzle for one ID. `amortised-xor` breaks the form that
 * S/Kademlia published: one Y with a good hash serves every ID as X = nodeId ⊕ Y, so Y is searched once.
 */

import { sha256 } from '@noble/hashes/sha2.js';

import { utf8ToBytes } from '../bytes.ts';
import { LabError } from '../errors.ts';
import type { Policy } from '../identity/policy.ts';
import { challengeOf, DYNAMIC_PUZZLES, dynamicBits } from '../identity/puzzles/puzzle.ts';
import type { Seed } from '../random.ts';
import { xorDistance } from './goal.ts';
import { isSolutionKernelPolicy } from './policy-cost.ts';
import type {
  DynamicStrategy,
  DynamicStrategyName,
  KernelSource,
  ScanOrder,
  ScanResult,
} from './strategy.ts';

/** Solutions with this number of bits are always reported, for the "best so far". */
const SHOWN_BITS = 20;
const KERNEL_RANGE_FIRST = 2 ** 14;

export const DYNAMIC_STRATEGIES: {
  readonly [Name in DynamicStrategyName]: DynamicStrategy<Name>;
} = {
  dynamic: {
    name: 'dynamic',
    summary: 'X = 0, 1, 2, … for each identity; WASM kernel',
    isShared: false,
    searchedId: (nodeId) => nodeId,
    solutionFor: (_nodeId, _searched, found) => found,
  },
  'amortised-xor': {
    name: 'amortised-xor',
    summary: 'one Y for all identities, X = nodeId ⊕ Y; breaks --dynamic xor',
    isShared: true,
    searchedId: ({ length }, seed) => sharedStart(seed).subarray(0, length),
    // Y = searched ⊕ found.
    solutionFor: (nodeId, searched, found) => xorDistance(nodeId, xorDistance(searched, found)),
  },
};

/** The Y with number 0: SHA-256("usurp/amortised-xor/v1" 0x00 ‖ seed). Each seed has candidates of its own. */
function sharedStart(seed: Seed): Uint8Array {
  return sha256(utf8ToBytes(`usurp/amortised-xor/v1\0${seed}`));
}

/** Throws LabError `arguments` if the puzzle of the policy cannot be amortised, but the strategy does. */
export function assertDynamicStrategy(name: DynamicStrategyName, { dynamic }: Policy): void {
  if (!DYNAMIC_STRATEGIES[name].isShared || DYNAMIC_PUZZLES[dynamic].isAmortisable) return;
  throw new LabError(
    'arguments',
    `amortised-xor breaks the xor form of the dynamic puzzle, not ${dynamic}: use --dynamic xor, or the strategy dynamic`,
  );
}

/** The bytes of the X with this number for a node ID. */
export function solutionBytes(policy: Policy, nodeId: Uint8Array, number: number): Uint8Array {
  return DYNAMIC_PUZZLES[policy.dynamic].solution(nodeId, number);
}

/** Measures the X with a number for a node ID, in bits. */
export function solutionMeter(policy: Policy, nodeId: Uint8Array): (number: number) => number {
  const challenge = challengeOf(policy);
  return (number) => {
    const solution = solutionBytes(policy, nodeId, number);
    return dynamicBits({ form: policy.dynamic, challenge, nodeId, solution, policy });
  };
}

/**
 * Tests the solutions from..from+count−1 for a node ID. The hit is the lowest one that solves. A kernel searches
 * if it knows the puzzle, else noble.
 */
export function scanSolutions(
  { policy, nodeId }: { readonly policy: Policy; readonly nodeId: Uint8Array },
  { from, count }: Pick<ScanOrder, 'from' | 'count'>,
  kernels: KernelSource | null = null,
): ScanResult {
  const isKernelScan = kernels !== null && isSolutionKernelPolicy(policy);
  const numbers = isKernelScan
    ? kernelHits({ policy, nodeId }, { from, count }, kernels)
    : range({ from, count });
  const bitsOf = solutionMeter(policy, nodeId);
  let bestBits = -1;
  for (const number of numbers) {
    const bits = bitsOf(number);
    bestBits = Math.max(bestBits, bits);
    if (isKernelScan && bits < Math.min(policy.c2, SHOWN_BITS)) {
      throw new TypeError(`the kernel's solution ${number} is no hit`);
    }
    if (bits >= policy.c2) {
      return { hits: [{ attempt: number, nodeId }], tested: number - from + 1, bestBits };
    }
  }
  return { hits: [], tested: count, bestBits };
}

function* range({ from, count }: Pick<ScanOrder, 'from' | 'count'>): Generator<number> {
  for (let number = from; number < from + count; number += 1) yield number;
}

/** Numbers of hits. Short ranges are first, because the first X may be near. */
function* kernelHits(
  { policy, nodeId }: { readonly policy: Policy; readonly nodeId: Uint8Array },
  { from, count }: Pick<ScanOrder, 'from' | 'count'>,
  kernels: KernelSource,
): Generator<number> {
  const { dynamic: form, c2 } = policy;
  if (form === 'unhashed') throw new TypeError('"form" expected one that hashes, got unhashed');
  const kernel = kernels.solutions();
  const search = { form, challenge: challengeOf(policy), nodeId, c2: Math.min(c2, SHOWN_BITS) };
  let size = KERNEL_RANGE_FIRST;
  for (let next = from; next < from + count; next += size, size *= 2) {
    yield* kernel.scan(search, { from: next, count: Math.min(size, from + count - next) });
  }
}
