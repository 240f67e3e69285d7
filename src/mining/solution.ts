/**
 * @module
 * The second puzzle: the X that gives a node ID its dynamic zero bits. X is tried from 0 upwards as a
 * big-endian integer (8 bytes in the `concat` form, 32 in the published `xor` form of S/Kademlia),
 * one hash each, so "the first X" means the same everywhere.
 */

import { u64be } from '../bytes.ts';
import type { Policy } from '../identity/policy.ts';
import { challengeOf, dynamicBits, solutionBytesOf } from '../identity/puzzle.ts';
import type { ScanResult } from './strategy.ts';

/** The bytes of the X with this number, in the form that the policy asks for. */
export function solutionBytes(policy: Policy, number: number): Uint8Array {
  const digits = u64be(number);
  const bytes = new Uint8Array(solutionBytesOf(policy.dynamic));
  bytes.set(digits, bytes.length - digits.length);
  return bytes;
}

/** Tests the solutions from..from+count−1 for a node ID; `winner` is the lowest that solves. */
export function scanSolutions(
  search: { readonly policy: Policy; readonly nodeId: Uint8Array },
  range: { readonly from: number; readonly count: number },
): ScanResult {
  const { policy, nodeId } = search;
  const challenge = challengeOf(policy);
  let bestBits = -1;
  for (let number = range.from; number < range.from + range.count; number += 1) {
    const solution = solutionBytes(policy, number);
    const bits = dynamicBits({ form: policy.dynamic, challenge, nodeId, solution });
    bestBits = Math.max(bestBits, bits);
    if (bits >= policy.c2) return { winner: number, tested: number - range.from + 1, bestBits };
  }
  return { winner: null, tested: range.count, bestBits };
}
