/**
 * @module
 * The strategies that search with the WASM kernel: points C ± jG around a moving centre, y or x by affine addition
 * with one shared inversion for a batch (Montgomery's trick), hashed in SIMD lanes. `batch` tests one key of each
 * point. `siblings` tests all keys that come free with it: Ed25519's two sign bits, secp256k1's negation and
 * endomorphism (six keys), and the eight keys A + T of Ed25519 if the policy accepts torsion. Noble makes every hit
 * again. A hit that fails there is a bug and throws. Noble also searches under policies with slow puzzles.
 */

import type { CurvePoint, CurvePointCons } from '@noble/curves/abstract/curve.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha512 } from '@noble/hashes/sha2.js';

import { bytesToHex, leadingZeroBits, utf8ToBytes } from '../bytes.ts';
import { idRuleOf, nodeIdOf } from '../identity/ids/node-id.ts';
import { torsionPoint } from '../identity/keys/expanded-key.ts';
import { scalarSecret } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import { headWindow, isClosestGoal, prefixWindow } from './goal.ts';
import type { Location, Walk } from './kernel/numbering.ts';
import {
  attemptsPerBatch,
  GROUP_ORDER,
  keysPerSum,
  modulo,
  PAIRS_PER_BATCH,
  pointScalar,
} from './kernel/numbering.ts';
import type { AffinePoint, SumMaker } from './kernel/twin.ts';
import { batchKeys, candidateOf, sumOf } from './kernel/twin.ts';
import type { Kernel, KernelOptions } from './kernel/wasm-kernel.ts';
import { attemptHashes, isKernelPolicy, requiredBits } from './policy-cost.ts';
import { countedBits, sift } from './sieve.ts';
import type {
  Candidate,
  Hit,
  KernelSource,
  ScanOrder,
  ScanResult,
  Searcher,
  SearchSpec,
  Strategy,
} from './strategy.ts';

/** One key of each point: Ed25519 with sign bit 0, secp256k1 with prefix 02. */
export const batchStrategy: Strategy<'batch'> = {
  name: 'batch',
  summary: 'C ± jG with one inversion for 2049 points; WASM kernel',
  ...kernelSearch(false),
};

/** All free siblings of a point. Each has a node ID of its own. */
export const siblingsStrategy: Strategy<'siblings'> = {
  name: 'siblings',
  summary:
    'batch, and all keys that come free with a point: 2 Ed25519, 6 secp256k1; 8 × 2 with torsion',
  ...kernelSearch(true),
};

/**
 * Candidates with this number of bits are always reported, for the "best so far" of a long search: ten per second
 * at ten million candidates per second. Noble checks each in at most a millisecond.
 */
const SHOWN_BITS = 20;
/** Batches in the first range of a scan. They double up to the maximum, because hits may be near. */
const RANGE_BATCHES_FIRST = 1;
const RANGE_BATCHES_MAX = 256;
/** The closest ID of a range is first sought among about this number of candidates, then among more. */
const CLOSEST_EXPECTED = 4;
const CLOSEST_STEP_BITS = 4;
/** A whole batch costs noble about as much as an eighth of its keys one by one. */
const SHARED_INVERSION_PAYS = 8;

function kernelSearch(siblings: boolean): Pick<Strategy, 'cost' | 'step' | 'searcher'> {
  return {
    /** The siblings of a point share its affine addition. A point and a torsion point take one of their own. */
    cost: (policy, scheme, share) => ({
      hashes: attemptHashes(policy, share),
      groupOperations: 1 / keysPerSum(kindOfWalk({ scheme, policy }, siblings)),
    }),
    /** One batch. */
    step: (spec) => attemptsPerBatch(kindOfWalk(spec, siblings)),
    searcher(spec, kernels) {
      const walk = walkOf(spec, siblings);
      const sums = nearSums();
      const candidate = rememberingLast((attempt) => candidateAt(walk, spec.policy, attempt, sums));
      if (!isKernelPolicy(spec.policy)) {
        return { candidate, scan: (order) => scanTwin(spec, walk, order) };
      }
      if (isClosestGoal(spec.goal)) {
        const ground = { spec, walk, kernels, candidate };
        return { candidate, scan: (order) => scanClosest(ground, order) };
      }
      // Opened by the first scan, because candidates need no kernel.
      let kernel: Kernel | null = null;
      return {
        candidate,
        scan(order) {
          kernel ??= openKernel({ spec, walk, kernels }, headWindow(spec.goal));
          return sift(spec, order, hitsInRanges({ spec, kernel, candidate }, order));
        },
      };
    },
  };
}

/** A search on a walk, and its kernels. */
export interface Ground {
  readonly spec: SearchSpec;
  readonly walk: Walk;
  readonly kernels: KernelSource;
}

interface Hunt extends Pick<Searcher, 'candidate'> {
  readonly spec: SearchSpec;
  readonly kernel: Kernel;
}

/** The function that makes a candidate again only if another was made since: a hit becomes a claim at once. */
export function rememberingLast(make: Searcher['candidate']): Searcher['candidate'] {
  let last: { readonly attempt: number; readonly candidate: Candidate } | null = null;
  return (attempt) => {
    if (last?.attempt !== attempt) last = { attempt, candidate: make(attempt) };
    return last.candidate;
  };
}

/** The candidates of a search. */
export function walkOf(spec: SearchSpec, siblings: boolean): Walk {
  return { ...kindOfWalk(spec, siblings), startScalar: startScalarOf(spec) };
}

function kindOfWalk(
  { scheme, policy }: Pick<SearchSpec, 'scheme' | 'policy'>,
  siblings: boolean,
): Omit<Walk, 'startScalar'> {
  const torsion = siblings && scheme === 'ed25519' && !policy.checks.torsion;
  return { scheme, siblings: siblings && hasFreeSiblings(policy), torsion };
}

/**
 * Whether P and −P are two candidates. If the ID is the key itself, they differ only in the sign bit, which is in
 * the last byte, so that both have the same strength and nearly the same rank.
 */
function hasFreeSiblings(policy: Policy): boolean {
  return !idRuleOf(policy).isKey;
}

/** The kernel with a sieve that passes every winner and a few other candidates. */
export function openKernel(
  { spec, walk, kernels }: Ground,
  window: KernelOptions['window'],
): Kernel {
  const { policy: rules, scheme } = spec;
  return kernels.keys(scheme).open({ ...walk, rules, c1: shownBits(rules), window });
}

/** The bits with which a candidate is reported. The free ones say nothing. */
export function shownBits(policy: Policy, shown = SHOWN_BITS): number {
  const { freeBits } = idRuleOf(policy).puzzle(policy);
  return Math.min(requiredBits(policy).c1, shown + freeBits);
}

function* hitsInRanges(hunt: Hunt, order: ScanOrder): Generator<Hit> {
  for (const range of rangesOf(hunt.kernel, order)) yield* hitsOf(hunt, range);
}

/**
 * The closest ID of a range. It is sought among IDs that share enough leading bits with the target that only a few
 * are expected, then with fewer bits until there is one.
 */
function scanClosest(ground: Ground & Pick<Searcher, 'candidate'>, order: ScanOrder): ScanResult {
  const { spec } = ground;
  let result: ScanResult = { hits: [], tested: 0, bestBits: -1 };
  for (const window of closestWindows(spec, order)) {
    const hunt = { ...ground, kernel: openKernel(ground, window) };
    result = sift(spec, order, hitsOf(hunt, order));
    if (result.hits.length > 0) break;
  }
  return { ...result, tested: order.count };
}

/** The windows in which the closest ID of a range is sought, until there is one. */
export function* closestWindows({ goal, policy }: SearchSpec, order: ScanOrder) {
  if (!isClosestGoal(goal)) throw new TypeError(`"goal" expected near, got ${goal.type}`);
  const expected = order.count * 2 ** -requiredBits(policy).c1;
  const needless = order.closerThan === undefined ? 0 : leadingZeroBits(order.closerThan);
  let bits =
    Math.max(needless, Math.floor(Math.log2(expected / CLOSEST_EXPECTED))) + CLOSEST_STEP_BITS;
  while (bits > needless) {
    bits = Math.max(needless, bits - CLOSEST_STEP_BITS);
    yield prefixWindow(goal.nodeId, bits);
  }
}

/** The kernel's hits of a range. Noble makes each again, with its ID. */
function* hitsOf({ spec, kernel, candidate }: Hunt, range: Pick<ScanOrder, 'from' | 'count'>) {
  const c1 = shownBits(spec.policy);
  for (const hit of kernel.scan(range.from, range.count)) {
    const attempt = Number(hit);
    const { nodeId } = candidate(attempt);
    if (countedBits(spec.policy, nodeId) < c1)
      throw new TypeError(`the kernel's attempt ${attempt} is no hit`);
    yield { attempt, nodeId };
  }
}

/** The scan by noble. */
function scanTwin(spec: SearchSpec, walk: Walk, order: ScanOrder): ScanResult {
  return sift(spec, order, nodeIdsOf(walk, spec.policy, order));
}

/** The node IDs of a range by noble: whole batches with one inversion each, or a few keys one by one. */
export function* nodeIdsOf(
  walk: Walk,
  policy: Policy,
  { from, count }: Pick<ScanOrder, 'from' | 'count'>,
): Generator<Hit> {
  if (count * SHARED_INVERSION_PAYS >= attemptsPerBatch(walk)) {
    yield* twinCandidates(policy, walk, { from, count });
    return;
  }
  const sums = nearSums();
  for (let attempt = from; attempt < from + count; attempt += 1) {
    yield { attempt, nodeId: candidateAt(walk, policy, attempt, sums).nodeId };
  }
}

/** The candidates of a range by noble: whole batches with one inversion each. */
export function* twinCandidates(
  policy: Policy,
  walk: Walk,
  { from, count }: Pick<ScanOrder, 'from' | 'count'>,
): Generator<Hit> {
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

/** Growing ranges that end where batches end. */
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

/** The key and the secret of an attempt, by noble. */
export function candidateAt(
  walk: Walk,
  policy: Policy,
  attempt: number,
  makeSum?: SumMaker,
): Candidate {
  const found = candidateOf(walk, BigInt(attempt), makeSum);
  if (found === null) throw new TypeError(`attempt ${attempt} is the identity, which is no key`);
  const { publicKey } = found;
  const secret = scalarSecret(walk.scheme, found.secret, found.torsion);
  return { secret, publicKey, nodeId: nodeIdOf(publicKey, policy) };
}

/** The start of the walk: SHA-512("usurp/walk/v1" 0x00 ‖ scheme 0x00 ‖ seed) modulo the order. */
export function startScalarOf({ scheme, seed }: Pick<SearchSpec, 'scheme' | 'seed'>): bigint {
  const digest = sha512(utf8ToBytes(['usurp/walk/v1', scheme, seed].join('\0')));
  return BigInt(`0x${bytesToHex(digest)}`) % GROUP_ORDER[scheme];
}

/**
 * A maker of sums that remembers the centre of the last batch. The sums of hits that follow each other. A short ID
 * or an easy puzzle gives many hits in one batch. The first of a batch is made from nothing, the others from the
 * centre of the batch by one addition, in a quarter of the time.
 */
export function nearSums(): SumMaker {
  let last: bigint | null = null;
  let addToCentre: Adder | null = null;
  return (walk, location, scalar) => {
    const { batch } = location;
    if (batch !== last) {
      last = batch;
      addToCentre = null;
      return sumOf(walk, location, scalar);
    }
    addToCentre ??= adderAt(walk, pointScalar(walk, { batch, offset: 0 }));
    return addToCentre(location);
  };
}

/** Makes the sum of a location from the centre of its batch. It must not be the identity. */
type Adder = (location: Location) => AffinePoint;

function adderAt({ scheme }: Walk, scalar: bigint): Adder {
  return scheme === 'ed25519'
    ? adder(ed25519.Point, MULTIPLES.ed25519, { scalar, torsionOf: torsionPoint })
    : adder(secp256k1.Point, MULTIPLES.secp256k1, { scalar, torsionOf: null });
}

function adder<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  multiples: () => readonly P[],
  {
    scalar,
    torsionOf,
  }: { readonly scalar: bigint; readonly torsionOf: ((index: number) => P) | null },
): Adder {
  const centre = Point.BASE.multiplyUnsafe(modulo(scalar, Point.Fn.ORDER));
  return ({ offset, torsion }) => {
    const multiple = multiples()[Math.abs(offset)] ?? Point.ZERO;
    const point = centre.add(offset < 0 ? multiple.negate() : multiple);
    return (torsion === 0 || torsionOf === null ? point : point.add(torsionOf(torsion))).toAffine();
  };
}

/** The points 0, G, 2G, … up to the half of a batch, which are made when they are first needed. */
function multiplesOf<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
): () => readonly P[] {
  let made: readonly P[] | null = null;
  return () => {
    made ??= multiplesUpTo(Point, PAIRS_PER_BATCH);
    return made;
  };
}

function multiplesUpTo<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  most: number,
): readonly P[] {
  const points = [Point.ZERO];
  for (let point = Point.BASE; points.length <= most; point = point.add(Point.BASE)) {
    points.push(point);
  }
  return points;
}

const MULTIPLES = {
  ed25519: multiplesOf(ed25519.Point),
  secp256k1: multiplesOf(secp256k1.Point),
};
