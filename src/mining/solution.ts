/**
 * @module
 * The second puzzle: the X that gives a node ID its dynamic zero bits. Candidates are numbered from 0
 * upwards, one test each, so "the first X" means the same everywhere. Strategy `dynamic` solves it
 * for one ID. `amortised-xor` breaks the form that S/Kademlia published (Baumgart and Mies 2007):
 * one Y with a good hash serves every ID as X = nodeId ⊕ Y, so Y is searched once.
 */

import { u64be } from '../bytes.ts';
import { LabError } from '../errors.ts';
import type { Policy } from '../identity/policy.ts';
import { dynamicBits } from '../identity/puzzles/dynamic.ts';
import { challengeOf } from '../identity/puzzles/puzzle.ts';
import { xorDistance } from './goal.ts';
import { isSolutionKernelPolicy } from './policy-cost.ts';
import type {
  DynamicStrategyName,
  KernelSource,
  ScanOrder,
  ScanResult,
  SearchSpec,
} from './strategy.ts';

/** Solutions with so many bits are reported whatever is asked, for the "best so far". */
const SHOWN_BITS = 20;
const KERNEL_RANGE_FIRST = 2 ** 14;

/** What an honest node does: solve its own puzzle. */
export const HONEST_DYNAMIC_STRATEGY: DynamicStrategyName = 'dynamic';

/** What the strongest forger uses against a policy. */
export function strongestDynamicStrategy(policy: Policy): DynamicStrategyName {
  return policy.dynamic === 'xor' ? 'amortised-xor' : 'dynamic';
}

/** Throws LabError `arguments` where the strategy has nothing to break. */
export function assertDynamicStrategy(name: DynamicStrategyName, policy: Policy): void {
  if (name !== 'amortised-xor' || policy.dynamic === 'xor') return;
  throw new LabError(
    'arguments',
    `amortised-xor breaks the xor form of the dynamic puzzle, not ${policy.dynamic}: use --dynamic xor, or the strategy dynamic`,
  );
}

/** The bytes of the X with this number for a node ID, in the form that the policy asks for. */
export function solutionBytes(policy: Policy, nodeId: Uint8Array, number: number): Uint8Array {
  switch (policy.dynamic) {
    case 'concat':
      return u64be(number);
    case 'xor':
      return rightAligned(number, nodeId.length);
    case 'unhashed':
      // The bug of this form: X = nodeId leaves nothing but zeros, so number 0 solves it.
      return xorDistance(nodeId, rightAligned(number, nodeId.length));
    default:
      return policy.dynamic satisfies never;
  }
}

/** Whose puzzle is searched: the ID's own, or where Y serves all of them that of the ID zero. */
export function searchedId(strategy: DynamicStrategyName, nodeId: Uint8Array): Uint8Array {
  return strategy === 'amortised-xor' ? new Uint8Array(nodeId.length) : nodeId;
}

/** The solution of an ID, made of the number that was found for its `searchedId`. */
export function solutionFor(
  { policy, dynamicStrategy }: Pick<SearchSpec, 'policy' | 'dynamicStrategy'>,
  nodeId: Uint8Array,
  number: number,
): Uint8Array {
  const found = solutionBytes(policy, searchedId(dynamicStrategy, nodeId), number);
  return dynamicStrategy === 'amortised-xor' ? xorDistance(nodeId, found) : found;
}

/**
 * Tests the solutions from..from+count−1 for a node ID; the hit is the lowest that solves. The kernel
 * searches where it knows the puzzle, else noble does.
 */
export function scanSolutions(
  search: { readonly policy: Policy; readonly nodeId: Uint8Array },
  order: Pick<ScanOrder, 'from' | 'count'>,
  kernels: KernelSource | null = null,
): ScanResult {
  return kernels !== null && isSolutionKernelPolicy(search.policy)
    ? scanByKernel(search, order, kernels)
    : scanByNoble(search, order);
}

/** Short ranges first, since X may be near; each hit is hashed again by noble. */
function scanByKernel(
  { policy, nodeId }: { readonly policy: Policy; readonly nodeId: Uint8Array },
  { from, count }: Pick<ScanOrder, 'from' | 'count'>,
  kernels: KernelSource,
): ScanResult {
  const { dynamic: form, c2 } = policy;
  if (form === 'unhashed') throw new TypeError('"form" expected one that hashes, got unhashed');
  const challenge = challengeOf(policy);
  const kernel = kernels.solutions();
  let bestBits = -1;
  let size = KERNEL_RANGE_FIRST;
  for (let next = from; next < from + count; next += size, size *= 2) {
    const range = { from: next, count: Math.min(size, from + count - next) };
    for (const number of kernel.scan(
      { form, challenge, nodeId, c2: Math.min(c2, SHOWN_BITS) },
      range,
    )) {
      const solution = solutionBytes(policy, nodeId, number);
      const bits = dynamicBits({ form, challenge, nodeId, solution, policy });
      bestBits = Math.max(bestBits, bits);
      if (bits < Math.min(c2, SHOWN_BITS)) {
        throw new TypeError(`the kernel's solution ${number} is no hit`);
      }
      if (bits >= c2) {
        return { hits: [{ attempt: number, nodeId }], tested: number - from + 1, bestBits };
      }
    }
  }
  return { hits: [], tested: count, bestBits };
}

function scanByNoble(
  { policy, nodeId }: { readonly policy: Policy; readonly nodeId: Uint8Array },
  { from, count }: Pick<ScanOrder, 'from' | 'count'>,
): ScanResult {
  const challenge = challengeOf(policy);
  let bestBits = -1;
  for (let number = from; number < from + count; number += 1) {
    const solution = solutionBytes(policy, nodeId, number);
    const bits = dynamicBits({ form: policy.dynamic, challenge, nodeId, solution, policy });
    bestBits = Math.max(bestBits, bits);
    if (bits >= policy.c2) {
      return { hits: [{ attempt: number, nodeId }], tested: number - from + 1, bestBits };
    }
  }
  return { hits: [], tested: count, bestBits };
}

function rightAligned(number: number, length: number): Uint8Array {
  const digits = u64be(number);
  if (length < digits.length) return digits.subarray(digits.length - length);
  const bytes = new Uint8Array(length);
  bytes.set(digits, length - digits.length);
  return bytes;
}
