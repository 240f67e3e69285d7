/**
 * @module
 * The host of the WASM kernel for keys: loads it, keeps its cursor, and converts any range of attempts to whole
 * batches and back. If the kernel meets a zero denominator, it returns the batch unsearched and noble searches it, so
 * that no candidate is lost. The kernel is not trusted: its users verify the hits.
 */

import { DEFAULT_RULES, nodeIdOf, staticBits } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import { headOf, WHOLE_WINDOW } from '../goal.ts';
import type { Exports, KernelTest } from './memory.ts';
import {
  hitsIn,
  idsIn,
  instantiate,
  LISTED_ID_BYTES,
  PROBED_BITS,
  statusOf,
  TESTED_IDS_MAX,
  writeListing,
  writeParameters,
  writePoint,
  writePoints,
} from './memory.ts';
import type { Coset, Walk } from './numbering.ts';
import {
  attemptOfSum,
  attemptsPerBatch,
  GROUP_ORDER,
  keysPerSum,
  locationOf,
  POINTS_PER_BATCH,
  pointScalar,
  torsionsOf,
} from './numbering.ts';
import type { AffinePoint } from './twin.ts';
import { batchKeys, candidateOf, sumsOf } from './twin.ts';

/** What a scan searches, and on which walk. */
export interface KernelOptions extends Walk, KernelTest {}

export interface Kernel {
  /** Attempts in a batch. Ranges aligned to it waste nothing. */
  readonly attemptsPerBatch: number;
  /** Every hit among the attempts from..from + count - 1, in increasing order. */
  scan(from: bigint | number, count: number): bigint[];
  /**
   * Calls `take` with the keys in the window among all attempts of the batches of a range, in no certain order. It makes no
   * puzzle. `ids` is a view of the memory, with 32 bytes for each ID, and changes after the call.
   */
  list(from: number, count: number, take: (attempts: Float64Array, ids: Uint8Array) => void): void;
}

/** A test of node IDs that were made before. */
export interface IdTest extends KernelTest {
  /** Node IDs one after another, each of `idBytes` bytes. */
  readonly nodeIds: Uint8Array;
  readonly idBytes: number;
}

const STATUS_DEGENERATE = 1;
const STATUS_UNSOUND = 2;

/** The kernel counts attempts of one call in 32 bits. */
const ATTEMPTS_PER_CALL_MAX = 2 ** 31;

/** A compiled kernel with the tables of one scheme. Several walks can use it in turn. */
export interface LoadedKernel {
  /** Prepares the tables at the first call, which takes 10 to 50 ms. */
  open(options: KernelOptions): Kernel;
  /** Indexes of the node IDs that pass, in rising order. */
  test(ids: IdTest): number[];
}

/** Compiles the kernel. Throws if the bytes are not this kernel. */
export function loadKernel(bytes: Uint8Array, scheme: SchemeName): LoadedKernel {
  const exports = instantiate(bytes);
  const loaded: Loaded = { exports, isPrepared: false, position: null, centres: null };
  return {
    open: (options) => open(loaded, scheme, options),
    test: (ids) => testIds(loaded, scheme, ids),
  };
}

/** An instance, and the next batch of its walk. */
interface Loaded {
  readonly exports: Exports;
  /** Whether it has its tables. */
  isPrepared: boolean;
  position: (Coset & { readonly options: KernelOptions }) | null;
  /** The centres of a batch: its point with each torsion point of the walk. */
  centres: {
    readonly options: KernelOptions;
    readonly batch: bigint;
    readonly points: readonly (AffinePoint | null)[];
  } | null;
}

interface Cursor {
  readonly loaded: Loaded;
  readonly options: KernelOptions;
}

function open(loaded: Loaded, scheme: SchemeName, options: KernelOptions): Kernel {
  checkOptions(options, scheme);
  prepare(loaded, scheme);
  const cursor = { loaded, options };
  return {
    attemptsPerBatch: attemptsPerBatch(options),
    scan: (from, count) => scan(cursor, BigInt(from), count),
    list: (from, count, take) => list(cursor, { from: BigInt(from), count }, take),
  };
}

function prepare(loaded: Loaded, scheme: SchemeName): void {
  if (loaded.isPrepared) return;
  writePoints(loaded.exports, scheme);
  loaded.exports.prepare(scheme === 'ed25519' ? 0 : 1);
  loaded.isPrepared = true;
}

function scan(cursor: Cursor, from: bigint, count: number): bigint[] {
  const { options } = cursor;
  const found: bigint[] = [];
  writeListing(cursor.loaded.exports, false);
  for (const { first, coset, hits } of stepsOf(cursor, { from, count })) {
    const attempts =
      hits === null
        ? searchSlowly(options, coset)
        : Array.from(hits.slice().sort(), (hit) =>
            attemptOfSum(options, coset.torsion, first + BigInt(hit)),
          );
    for (const hit of attempts) if (hit >= from && hit - from < count) found.push(hit);
  }
  if (torsionsOf(options) > 1) found.sort((left, right) => (left < right ? -1 : 1));
  return found.filter((attempt) => isCandidate(options, attempt));
}

function list(cursor: Cursor, range: AttemptRange, take: Parameters<Kernel['list']>[2]): void {
  const { options, loaded } = cursor;
  const [siblings, torsions] = [keysPerSum(options), torsionsOf(options)];
  writeListing(loaded.exports, true);
  for (const { first, coset, hits } of stepsOf(cursor, range)) {
    if (hits === null) {
      for (const attempt of searchSlowly(options, coset)) takeSlowly(options, attempt, take);
      continue;
    }
    // The numbers of `attemptOfSum` in floating point, which is exact below 2^53.
    const [start, torsion] = [Number(first), coset.torsion];
    const attempts = new Float64Array(hits.length);
    for (let index = 0; index < hits.length; index += 1) {
      const key = start + (hits[index] ?? 0);
      const point = Math.floor(key / siblings);
      attempts[index] = (point * torsions + torsion) * siblings + (key - point * siblings);
    }
    take(attempts, idsIn(loaded.exports));
  }
  writeListing(loaded.exports, false);
}

function takeSlowly(
  options: KernelOptions,
  attempt: bigint,
  take: Parameters<Kernel['list']>[2],
): void {
  const candidate = candidateOf(options, attempt);
  if (candidate === null) return;
  const ids = new Uint8Array(LISTED_ID_BYTES);
  ids.set(nodeIdOf(candidate.publicKey, options.rules));
  take(Float64Array.of(Number(attempt)), ids);
}

interface AttemptRange {
  readonly from: bigint;
  readonly count: number;
}

/** One call of the kernel. */
interface Step {
  readonly coset: Coset;
  /** Number of the first key in the walk of the coset. */
  readonly first: bigint;
  /** Numbers of the hits, counted from the first key. Null if the kernel refuses the batch. */
  readonly hits: Uint32Array | null;
}

/** Searches all batches that contain attempts of a range. */
function* stepsOf(cursor: Cursor, { from, count }: AttemptRange): Generator<Step> {
  if (from < 0n) throw new RangeError(`"from" expected 0 or more, got ${from}`);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(`"count" expected a non-negative integer, got ${count}`);
  }
  const { options } = cursor;
  const size = BigInt(attemptsPerBatch(options));
  const batchEnd = count === 0 ? 0n : (from + BigInt(count) + size - 1n) / size;
  const keys = BigInt(POINTS_PER_BATCH * keysPerSum(options));
  // The kernel walks the points of one torsion point after those of another: few searches for a new centre.
  for (let torsion = 0; torsion < torsionsOf(options); torsion += 1) {
    for (let batch = from / size; batch < batchEnd; ) {
      const coset = { batch, torsion };
      const step = searchBatches(cursor, coset, batchEnd - batch);
      yield { coset, first: batch * keys, hits: step?.hits ?? null };
      batch += step?.batches ?? 1n;
    }
  }
}

/**
 * Searches at least one batch and at most `batches`, with the torsion point of the coset added. Null if the kernel cannot
 * search the first one.
 */
function searchBatches(
  { loaded, options }: Cursor,
  coset: Coset,
  batches: bigint,
): { readonly batches: bigint; readonly hits: Uint32Array } | null {
  const { exports } = loaded;
  if (!seek(loaded, options, coset)) return null;
  const size = POINTS_PER_BATCH * keysPerSum(options);
  const perCall = BigInt(Math.floor(ATTEMPTS_PER_CALL_MAX / size));
  const done = exports.advance(Number(batches < perCall ? batches : perCall));
  const status = statusOf(exports);
  loaded.position = null;
  if (status === STATUS_UNSOUND) throw new Error('mining kernel: the running inverse is wrong');
  if (done === 0 && status === STATUS_DEGENERATE) return null;
  loaded.position = { ...coset, options, batch: coset.batch + BigInt(done) };
  return { batches: BigInt(done), hits: hitsIn(exports) };
}

/** Tests IDs in as many calls as they need. Each copies its IDs into the memory. */
function testIds(
  loaded: Loaded,
  scheme: SchemeName,
  { nodeIds, idBytes, ...test }: IdTest,
): number[] {
  const { exports } = loaded;
  // The next search must write its own parameters.
  loaded.position = null;
  writeParameters(exports, { ...test, scheme, siblings: false });
  const found: number[] = [];
  const memory = idsIn(exports);
  const length = Math.floor(nodeIds.length / idBytes);
  for (let from = 0; from < length; from += TESTED_IDS_MAX) {
    const count = Math.min(TESTED_IDS_MAX, length - from);
    memory.set(nodeIds.subarray(from * idBytes, (from + count) * idBytes));
    exports.testIds(count, idBytes);
    for (const hit of hitsIn(exports)) found.push(from + hit);
  }
  return found;
}

/** Makes a batch the kernel's next one. Returns false if the kernel cannot start from its centre. */
function seek(loaded: Loaded, options: KernelOptions, coset: Coset): boolean {
  const { exports, position } = loaded;
  const isThere = position?.options === options && position.torsion === coset.torsion;
  if (isThere && position.batch === coset.batch) return true;
  const centre = centreOf(loaded, options, coset) ?? identityOf(options);
  // The y of the two points of order four is zero, which would make every product of the batch zero.
  if (centre === null || centre.y === 0n) return false;
  writeParameters(exports, options);
  writePoint(exports, exports.parameters(), centre);
  exports.seek();
  return true;
}

function centreOf(
  loaded: Loaded,
  options: KernelOptions,
  { batch, torsion }: Coset,
): AffinePoint | null {
  if (loaded.centres?.options !== options || loaded.centres.batch !== batch) {
    const points = sumsOf(options, pointScalar(options, { batch, offset: 0 }));
    loaded.centres = { options, batch, points };
  }
  return loaded.centres.points[torsion] ?? null;
}

function identityOf(options: Walk): AffinePoint | null {
  return options.scheme === 'ed25519' ? { x: 0n, y: 1n } : null;
}

/** Attempts of a batch whose candidates pass, searched by noble. */
export function searchSlowly(options: KernelOptions, { batch, torsion }: Coset): bigint[] {
  const hits: bigint[] = [];
  let attempt = batch * BigInt(attemptsPerBatch(options));
  for (const key of batchKeys(options, batch)) {
    const isOfCoset = locationOf(options, attempt).torsion === torsion;
    if (isOfCoset && key !== null && passes(options, key)) hits.push(attempt);
    attempt++;
  }
  return hits;
}

/** The tests that the kernel does not make: for the identity, and for more bits than it probes. */
export function isCandidate(options: KernelOptions, attempt: bigint): boolean {
  if (pointScalar(options, locationOf(options, attempt)) === 0n) return false;
  if (options.c1 <= PROBED_BITS) return true;
  const candidate = candidateOf(options, attempt);
  return candidate !== null && passes(options, candidate.publicKey);
}

/** The complete test of a key, by noble. */
export function passes(
  { c1, window = WHOLE_WINDOW, rules = DEFAULT_RULES }: Omit<KernelOptions, keyof Walk>,
  publicKey: Uint8Array,
): boolean {
  const nodeId = nodeIdOf(publicKey, rules);
  const head = headOf(nodeId);
  const { low, high } = window;
  const isInside = low <= high ? head >= low && head <= high : head >= low || head <= high;
  return isInside && (c1 === 0 || staticBits(nodeId, rules) >= c1);
}

function checkOptions(options: KernelOptions, scheme: SchemeName): void {
  const { c1, startScalar } = options;
  const { low, high } = options.window ?? WHOLE_WINDOW;
  if (options.scheme !== scheme) {
    throw new TypeError(`"scheme" expected ${scheme}, got ${options.scheme}`);
  }
  if (!Number.isInteger(c1) || c1 < 0 || c1 > 256) {
    throw new RangeError(`"c1" expected 0..256, got ${c1}`);
  }
  if (startScalar < 0n || startScalar >= GROUP_ORDER[options.scheme]) {
    throw new RangeError(`"startScalar" expected 0..order - 1, got ${startScalar}`);
  }
  for (const bound of [low, high]) {
    if (!Number.isInteger(bound) || bound < 0 || bound > 0xffffffff) {
      throw new RangeError(`"window" expected 32-bit bounds, got ${low}..${high}`);
    }
  }
}
