/**
 * @module
 * The strategies that search with the WASM kernel: points C ± jG around a moving centre, y or x by
 * affine addition with one shared inversion a batch (Montgomery's trick), hashed in SIMD lanes.
 * `batch` tests one key a point; `siblings` all that come free with it: Ed25519's two sign bits,
 * secp256k1's negation and endomorphism, six keys. Every hit is made again by noble before anybody
 * sees it; one that does not hold is a bug and throws.
 */

import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../bytes.ts';
import { nodeIdOf } from '../identity/node-id.ts';
import { scalarSecret } from '../identity/secret.ts';
import { demandedBits } from './demand.ts';
import type { Goal } from './goal.ts';
import type { Walk } from './kernel/numbering.ts';
import { attemptsPerBatch, GROUP_ORDER, keysPerPoint } from './kernel/numbering.ts';
import { candidateOf } from './kernel/twin.ts';
import type { Kernel } from './kernel/wasm-kernel.ts';
import { testNodeId } from './sieve.ts';
import type { Candidate, KernelSource, ScanResult, SearchSpec, Strategy } from './strategy.ts';

/** One key a point: Ed25519 with sign bit 0, secp256k1 with prefix 02. */
export const batchStrategy: Strategy = kernelStrategy('batch', false);
/** All free siblings of a point, each a node ID of its own. */
export const siblingsStrategy: Strategy = kernelStrategy('siblings', true);

/**
 * Candidates with so many bits are reported whatever is asked, for the "best so far" of a long
 * search: ten a second at ten million candidates, each a millisecond's work at most.
 */
const SHOWN_BITS = 20;
/** Batches of the first range of a scan; doubled until RANGE_BATCHES_MAX, since hits may be near. */
const RANGE_BATCHES_FIRST = 1;
const RANGE_BATCHES_MAX = 256;

function kernelStrategy(name: 'batch' | 'siblings', siblings: boolean): Strategy {
  return {
    name,
    /** One affine addition a point, shared by its siblings. */
    cost: (policy, scheme) => ({
      hashes: demandedBits(policy).c1 > 0 ? 2 : 1,
      groupOperations: 1 / keysPerPoint({ scheme, siblings }),
    }),
    /** One batch. */
    step: (scheme) => attemptsPerBatch({ scheme, siblings }),
    searcher(spec, kernels) {
      const walk: Walk = { scheme: spec.scheme, siblings, startScalar: startScalarOf(spec) };
      // Opened when first needed: whoever only asks for candidates needs no kernel.
      let kernel: Kernel | null = null;
      return {
        candidate: (attempt) => candidateAt(walk, attempt),
        scan(from, count) {
          kernel ??= openKernel(spec, walk, kernels);
          return scanWalk({ spec, walk, kernel }, from, count);
        },
      };
    },
  };
}

interface Hunt {
  readonly spec: SearchSpec;
  readonly walk: Walk;
  readonly kernel: Kernel;
}

/** The kernel with a sieve that lets every winner through, and now and then a nearly one. */
function openKernel(spec: SearchSpec, walk: Walk, kernels: KernelSource): Kernel {
  const c1 = Math.min(demandedBits(spec.policy).c1, SHOWN_BITS);
  return kernels(spec.scheme).open({ ...walk, c1, window: windowOf(spec.goal) });
}

function scanWalk(hunt: Hunt, from: number, count: number): ScanResult {
  const { spec, walk, kernel } = hunt;
  const { c1 } = demandedBits(spec.policy);
  let bestBits = -1;
  for (const range of rangesOf(kernel, from, count)) {
    for (const hit of kernel.scan(range.from, range.count)) {
      const attempt = Number(hit);
      const { nodeId } = candidateAt(walk, attempt);
      const { bits, isWinner } = testNodeId(spec, nodeId);
      if (bits < Math.min(c1, SHOWN_BITS))
        throw new TypeError(`the kernel's attempt ${attempt} is no hit`);
      bestBits = Math.max(bestBits, bits);
      if (isWinner) return { winner: attempt, tested: attempt - from + 1, bestBits };
    }
  }
  return { winner: null, tested: count, bestBits };
}

/** Ranges that end where batches end, growing from small to large. */
function* rangesOf(kernel: Kernel, from: number, count: number) {
  const end = from + count;
  let batches = RANGE_BATCHES_FIRST;
  for (let next = from; next < end; ) {
    const aligned = next - (next % kernel.attemptsPerBatch) + batches * kernel.attemptsPerBatch;
    const stop = Math.min(end, aligned);
    yield { from: next, count: stop - next };
    next = stop;
    batches = Math.min(2 * batches, RANGE_BATCHES_MAX);
  }
}

function candidateAt(walk: Walk, attempt: number): Candidate {
  const found = candidateOf(walk, BigInt(attempt));
  if (found === null) throw new TypeError(`attempt ${attempt} is the identity, which is no key`);
  const { publicKey } = found;
  const secret = scalarSecret(walk.scheme, found.secret);
  return { secret, publicKey, nodeId: nodeIdOf(publicKey) };
}

/** Bounds on the first 32 bits of a node ID that meets the goal. */
function windowOf(goal: Goal): { readonly low: number; readonly high: number } {
  switch (goal.type) {
    case 'any':
      return { low: 0, high: 0xffffffff };
    case 'above':
      return { low: Number.parseInt(bytesToHex(goal.nodeId.subarray(0, 4)), 16), high: 0xffffffff };
    default:
      return goal satisfies never;
  }
}

/** Where the walk begins: SHA-512("usurp/walk/v1" 0x00 ‖ scheme 0x00 ‖ seed) modulo the order. */
export function startScalarOf({ scheme, seed }: SearchSpec): bigint {
  const digest = sha512(utf8ToBytes(['usurp/walk/v1', scheme, seed].join('\0')));
  return BigInt(`0x${bytesToHex(digest)}`) % GROUP_ORDER[scheme];
}
