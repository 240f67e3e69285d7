/**
 * @module
 * The strategies that search with the WASM kernel: points C ± jG around a moving centre, y or x by
 * affine addition with one shared inversion a batch (Montgomery's trick), hashed in SIMD lanes.
 * `batch` tests one key a point; `siblings` all that come free with it: Ed25519's two sign bits,
 * secp256k1's negation and endomorphism, six keys; and where a policy lets torsion pass, the eight
 * keys A + T of Ed25519. Every hit is made again by noble before anybody sees it; one that does not
 * hold is a bug and throws. Puzzles that the kernel does not know are searched by its twin, noble.
 */

import { sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../bytes.ts';
import { nodeIdOf } from '../identity/ids/node-id.ts';
import { scalarSecret } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import { isClosestGoal } from './goal.ts';
import { headWindow, prefixWindow, sharedBits } from './head-window.ts';
import type { Walk } from './kernel/numbering.ts';
import { attemptsPerBatch, GROUP_ORDER, keysPerPoint } from './kernel/numbering.ts';
import { batchKeys, candidateOf } from './kernel/twin.ts';
import type { Kernel, KernelOptions } from './kernel/wasm-kernel.ts';
import { attemptHashes, isKernelPolicy, requiredBits } from './policy-cost.ts';
import { scanNodeIds, sift, testNodeId } from './sieve.ts';
import type {
  Candidate,
  Hit,
  KernelSource,
  ScanOrder,
  ScanResult,
  SearchSpec,
  Strategy,
} from './strategy.ts';

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
/** The closest of a range is first sought among about so many, then among more. */
const CLOSEST_EXPECTED = 4;
const CLOSEST_STEP_BITS = 4;
/** A whole batch costs noble about as much as this share of its keys one by one. */
const SHARED_INVERSION_PAYS = 8;

function kernelStrategy(name: 'batch' | 'siblings', siblings: boolean): Strategy {
  return {
    name,
    /** One affine addition a point, shared by its siblings; each torsion coset walks its own. */
    cost: (policy, scheme) => ({
      hashes: attemptHashes(policy),
      groupOperations: 1 / keysPerPoint({ scheme, siblings: siblings && hasFreeSiblings(policy) }),
    }),
    /** One batch. */
    step: ({ scheme, policy }) =>
      attemptsPerBatch({ scheme, siblings: siblings && hasFreeSiblings(policy) }),
    searcher(spec, kernels) {
      const walk = walkOf(spec, siblings);
      const candidate = (attempt: number) => candidateAt(walk, spec.policy, attempt);
      if (!isKernelPolicy(spec.policy)) {
        return { candidate, scan: (order) => scanTwin(spec, walk, order) };
      }
      if (isClosestGoal(spec.goal)) {
        return { candidate, scan: (order) => scanClosest({ spec, walk, kernels }, order) };
      }
      // Opened when first needed: whoever only asks for candidates needs no kernel.
      let kernel: Kernel | null = null;
      return {
        candidate,
        scan(order) {
          kernel ??= openKernel({ spec, walk, kernels }, headWindow(spec.goal));
          return scanWalk({ spec, walk, kernel }, order);
        },
      };
    },
  };
}

interface Ground {
  readonly spec: SearchSpec;
  readonly walk: Walk;
  readonly kernels: KernelSource;
}

interface Hunt {
  readonly spec: SearchSpec;
  readonly walk: Walk;
  readonly kernel: Kernel;
}

function walkOf(spec: SearchSpec, siblings: boolean): Walk {
  const { scheme, policy } = spec;
  const torsion = siblings && scheme === 'ed25519' && !policy.checks.torsion;
  const isFree = siblings && hasFreeSiblings(policy);
  return { scheme, siblings: isFree, torsion, startScalar: startScalarOf(spec) };
}

/**
 * Whether P and −P are two candidates. Where the ID is the key itself they differ in the sign bit
 * alone, which is in the last byte: two IDs of one rank and one strength.
 */
function hasFreeSiblings({ idRule }: Policy): boolean {
  return idRule !== 'yggdrasil';
}

/** The kernel with a sieve that lets every winner through, and now and then a nearly one. */
function openKernel({ spec, walk, kernels }: Ground, window: KernelOptions['window']): Kernel {
  const c1 = Math.min(requiredBits(spec.policy).c1, SHOWN_BITS);
  return kernels.keys(spec.scheme).open({ ...walk, c1, window });
}

function scanWalk(hunt: Hunt, order: ScanOrder): ScanResult {
  return sift(hunt.spec, order, hitsInRanges(hunt, order));
}

function* hitsInRanges(hunt: Hunt, order: ScanOrder): Generator<Hit> {
  for (const range of rangesOf(hunt.kernel, order)) yield* hitsOf(hunt, range);
}

/**
 * The closest of a range: among those that share enough leading bits with the target for a few to be
 * expected; with ever fewer bits while there is none.
 */
function scanClosest(ground: Ground, order: ScanOrder): ScanResult {
  const { spec } = ground;
  const { goal, policy } = spec;
  if (!isClosestGoal(goal)) throw new TypeError(`"goal" expected near, got ${goal.type}`);
  const expected = order.count * 2 ** -requiredBits(policy).c1;
  const needless = order.closerThan === undefined ? 0 : sharedBits(order.closerThan);
  let bits = Math.max(0, needless, Math.floor(Math.log2(expected / CLOSEST_EXPECTED)));
  for (;;) {
    const window = prefixWindow(goal.nodeId, bits);
    const hunt = { ...ground, kernel: openKernel(ground, window) };
    const result = sift(spec, order, hitsOf(hunt, order));
    const isAll = bits <= needless;
    if (result.hits.length > 0 || isAll) return { ...result, tested: order.count };
    bits = Math.max(needless, bits - CLOSEST_STEP_BITS);
  }
}

/** The kernel's hits of a range with their IDs, each made again by noble. */
function* hitsOf({ spec, walk, kernel }: Hunt, range: Pick<ScanOrder, 'from' | 'count'>) {
  const c1 = Math.min(requiredBits(spec.policy).c1, SHOWN_BITS);
  for (const hit of kernel.scan(range.from, range.count)) {
    const attempt = Number(hit);
    const { nodeId } = candidateAt(walk, spec.policy, attempt);
    const { bits } = testNodeId(spec, nodeId);
    if (bits < c1) throw new TypeError(`the kernel's attempt ${attempt} is no hit`);
    yield { attempt, nodeId };
  }
}

/** By noble: whole batches with one inversion each, or a few keys one by one. */
function scanTwin(spec: SearchSpec, walk: Walk, order: ScanOrder): ScanResult {
  const { policy } = spec;
  if (order.count * SHARED_INVERSION_PAYS >= attemptsPerBatch(walk)) {
    return sift(spec, order, twinCandidates(policy, walk, order));
  }
  return scanNodeIds(spec, order, (attempt) => candidateAt(walk, policy, attempt).nodeId);
}

function* twinCandidates(policy: Policy, walk: Walk, { from, count }: ScanOrder): Generator<Hit> {
  const size = attemptsPerBatch(walk);
  const end = from + count;
  for (let batch = Math.floor(from / size); batch * size < end; batch += 1) {
    let attempt = batch * size;
    for (const key of batchKeys(walk, BigInt(batch))) {
      if (attempt >= from && attempt < end && key !== null) {
        yield { attempt, nodeId: nodeIdOf(key, policy) };
      }
      attempt += 1;
    }
  }
}

/** Ranges that end where batches end, growing from small to large. */
function* rangesOf(kernel: Kernel, { from, count }: ScanOrder) {
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

function candidateAt(walk: Walk, policy: Policy, attempt: number): Candidate {
  const found = candidateOf(walk, BigInt(attempt));
  if (found === null) throw new TypeError(`attempt ${attempt} is the identity, which is no key`);
  const { publicKey } = found;
  const secret = scalarSecret(walk.scheme, found.secret, found.torsion);
  return { secret, publicKey, nodeId: nodeIdOf(publicKey, policy) };
}

/** Where the walk begins: SHA-512("usurp/walk/v1" 0x00 ‖ scheme 0x00 ‖ seed) modulo the order. */
export function startScalarOf({ scheme, seed }: Pick<SearchSpec, 'scheme' | 'seed'>): bigint {
  const digest = sha512(utf8ToBytes(['usurp/walk/v1', scheme, seed].join('\0')));
  return BigInt(`0x${bytesToHex(digest)}`) % GROUP_ORDER[scheme];
}
