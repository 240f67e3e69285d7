/**
 * @module
 * What a policy really makes a miner pay: a puzzle whose check is switched off costs nothing,
 * whatever difficulty is written beside it.
 */

import type { Policy } from '../identity/policy.ts';
import { puzzleHashes } from '../identity/puzzles/puzzle-function.ts';

/** The bits that a claim must show, per puzzle. */
export function demandedBits(policy: Policy): { readonly c1: number; readonly c2: number } {
  return {
    c1: policy.checks.static ? policy.c1 : 0,
    c2: policy.checks.dynamic ? policy.c2 : 0,
  };
}

/** Hash evaluations of one attempt: the node ID, and the static puzzle where there is one. */
export function attemptHashes(policy: Policy): number {
  return idHashes(policy) + staticHashes(policy);
}

/** Hash evaluations of one static puzzle; none where nothing is asked or nothing is hashed. */
export function staticHashes(policy: Policy): number {
  if (demandedBits(policy).c1 === 0 || policy.idRule !== 'hash') return 0;
  return puzzleHashes(policy.puzzle);
}

/** Hash evaluations of one X. */
export function solutionHashes(policy: Policy): number {
  return policy.dynamic === 'unhashed' ? 0 : puzzleHashes(policy.puzzle);
}

/** Whether the WASM kernel of the key search can test what the policy demands. */
export function isKernelPolicy(policy: Policy): boolean {
  const isPlainId = policy.idRule === 'hash' && policy.hash === 'sha256' && policy.idBits === 256;
  const isPlainPuzzle = !policy.salted && policy.puzzle.function === 'hash';
  return isPlainId && (isPlainPuzzle || demandedBits(policy).c1 === 0);
}

/** Whether the WASM kernel of the search for X can. */
export function isSolutionKernelPolicy(policy: Policy): boolean {
  const isPlain = policy.hash === 'sha256' && policy.puzzle.function === 'hash';
  return isPlain && policy.idBits === 256 && policy.dynamic !== 'unhashed';
}

/** SHA-256 twice for the ID of a Storj node, nothing for that of an Yggdrasil node. */
function idHashes({ idRule }: Policy): number {
  switch (idRule) {
    case 'hash':
      return 1;
    case 'storj':
      return 2;
    case 'yggdrasil':
      return 0;
    default:
      return idRule satisfies never;
  }
}
