/**
 * @module
 * The host of the WASM kernel for keys: loads it, keeps its cursor, and converts any range of attempts to whole
 * batches and back. If the kernel meets a zero denominator, it returns the batch unsearched and noble searches it, so
 * that no candidate is lost. The kernel is not trusted: its users verify the hits.
 */

import { DEFAULT_RULES, nodeIdOf, staticBits } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { HeadWindow } from '../goal.ts';
import { headOf, WHOLE_WINDOW } from '../goal.ts';
import type { KernelMessage, KernelRules } from './format.ts';
import { kernelFormat, PROBED_BITS } from './format.ts';
import type { Coset, Walk } from './numbering.ts';
import {
  attemptOfSum,
  attemptsPerBatch,
  GROUP_ORDER,
  keysPerSum,
  locationOf,
  PAIRS_PER_BATCH,
  POINTS_PER_BATCH,
  pointScalar,
  torsionsOf,
} from './numbering.ts';
import type { AffinePoint } from './twin.ts';
import { batchKeys, candidateOf, consecutivePoints, pointOf, sumsOf } from './twin.ts';

/** What a scan searches, and on which walk. */
export interface KernelOptions extends Walk {
  /** How node IDs are made and tested. By default those of the strict policy. */
  readonly rules?: KernelRules | undefined;
  /** Difficulty that a node ID must meet, 0..256 bits. */
  readonly c1: number;
  /** Bounds on the first 32 bits of the node ID. A shorter ID is continued with zeros. */
  readonly window?: HeadWindow | undefined;
}

export interface Kernel {
  /** Attempts in a batch. Ranges aligned to it waste nothing. */
  readonly attemptsPerBatch: number;
  /** Every hit among the attempts from..from + count - 1, in increasing order. */
  scan(from: bigint | number, count: number): bigint[];
}

/** The exports of assembly/index.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  pairs(): number;
  parameters(): number;
  pointsIn(): number;
  hits(): number;
  prepare(scheme: number): void;
  format(): void;
  seek(): void;
  advance(batches: number): number;
}

/** Offsets from `parameters()`. assembly/layout.ts has the same. */
const ZEROS = 64;
const WINDOW = 72;
const SIBLINGS = 80;
const HITS_FOUND = 84;
const STATUS = 88;
const KEY_FORMAT = 96;
const ID_FORMAT = 108;
const PROBES = 120;
const IS_LATE = 128;
const IS_CUT = 132;
const KEY_BLOCK = 144;
const ID_BLOCK = 272;
const ID_MASK = 400;
/** Bytes of a word in all lanes. */
const LANES = 16;

const STATUS_DEGENERATE = 1;
const STATUS_UNSOUND = 2;

/** The kernel counts attempts of one call in 32 bits. */
const ATTEMPTS_PER_CALL_MAX = 2 ** 31;

/** A compiled kernel with the tables of one scheme. Several walks can use it in turn. */
export interface LoadedKernel {
  open(options: KernelOptions): Kernel;
}

/**
 * Compiles the kernel and prepares its tables, which takes 10 to 50 ms. Throws if the bytes are not this kernel.
 */
export function loadKernel(bytes: Uint8Array, scheme: SchemeName): LoadedKernel {
  const exports = instantiate(bytes);
  writePoints(exports, scheme);
  exports.prepare(scheme === 'ed25519' ? 0 : 1);
  const loaded: Loaded = { exports, position: null, centres: null };
  return { open: (options) => open(loaded, scheme, options) };
}

/** An instance, and the next batch of its walk. */
interface Loaded {
  readonly exports: Exports;
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
  const cursor = { loaded, options };
  return {
    attemptsPerBatch: attemptsPerBatch(options),
    scan: (from, count) => scan(cursor, BigInt(from), count),
  };
}

function scan(cursor: Cursor, from: bigint, count: number): bigint[] {
  if (from < 0n) throw new RangeError(`"from" expected 0 or more, got ${from}`);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(`"count" expected a non-negative integer, got ${count}`);
  }
  const { options } = cursor;
  const found: bigint[] = [];
  const end = from + BigInt(count);
  const size = BigInt(attemptsPerBatch(options));
  const batchEnd = count === 0 ? 0n : (end + size - 1n) / size;
  const torsions = torsionsOf(options);
  // The kernel walks the points of one torsion point after those of another: few searches for a new centre.
  for (let torsion = 0; torsion < torsions; torsion += 1) {
    for (let batch = from / size; batch < batchEnd; ) {
      const step = searchBatches(cursor, { batch, torsion }, batchEnd - batch);
      for (const hit of step.hits) if (hit >= from && hit < end) found.push(hit);
      batch += step.batches;
    }
  }
  if (torsions > 1) found.sort((left, right) => (left < right ? -1 : 1));
  return found.filter((attempt) => isCandidate(options, attempt));
}

interface Step {
  readonly batches: bigint;
  readonly hits: Iterable<bigint>;
}

/** Searches at least one batch and at most `batches`, with the torsion point of the coset added. */
function searchBatches({ loaded, options }: Cursor, coset: Coset, batches: bigint): Step {
  const { exports } = loaded;
  const slowly = () => ({ batches: 1n, hits: searchSlowly(options, coset) });
  if (!seek(loaded, options, coset)) return slowly();
  const size = POINTS_PER_BATCH * keysPerSum(options);
  const perCall = BigInt(Math.floor(ATTEMPTS_PER_CALL_MAX / size));
  const done = exports.advance(Number(batches < perCall ? batches : perCall));
  const parameters = new DataView(exports.memory.buffer, exports.parameters());
  const status = parameters.getUint32(STATUS, true);
  loaded.position = null;
  if (status === STATUS_UNSOUND) throw new Error('mining kernel: the running inverse is wrong');
  if (done === 0 && status === STATUS_DEGENERATE) return slowly();
  loaded.position = { ...coset, options, batch: coset.batch + BigInt(done) };
  const count = parameters.getUint32(HITS_FOUND, true);
  const hits = new Uint32Array(exports.memory.buffer, exports.hits(), count).slice().sort();
  const first = coset.batch * BigInt(size);
  return {
    batches: BigInt(done),
    hits: Array.from(hits, (hit) => attemptOfSum(options, coset.torsion, first + BigInt(hit))),
  };
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
  exports.format();
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
function searchSlowly(options: KernelOptions, { batch, torsion }: Coset): bigint[] {
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
function isCandidate(options: KernelOptions, attempt: bigint): boolean {
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

function instantiate(bytes: Uint8Array): Exports {
  const module = new WebAssembly.Module(bytes);
  // The exports of assembly/index.ts. The next line checks that it is this kernel.
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  if (exports.pairs?.() !== PAIRS_PER_BATCH || exports.format === undefined) {
    throw new TypeError(`mining kernel: expected one for ${PAIRS_PER_BATCH} pairs a batch`);
  }
  return exports;
}

/** G, 2G, …, 1024G and the step 2049G. */
function writePoints(exports: Exports, scheme: SchemeName): void {
  const table = consecutivePoints({ scheme }, 1n, PAIRS_PER_BATCH);
  const step = pointOf({ scheme }, BigInt(POINTS_PER_BATCH));
  [...table, step].forEach((point, index) => {
    if (point !== null) writePoint(exports, exports.pointsIn() + 64 * index, point);
  });
}

function writePoint(exports: Exports, address: number, point: AffinePoint): void {
  const view = new DataView(exports.memory.buffer, address, 64);
  for (let i = 0; i < 4; i++) {
    view.setBigUint64(8 * i, BigInt.asUintN(64, point.x >> BigInt(64 * i)), true);
    view.setBigUint64(32 + 8 * i, BigInt.asUintN(64, point.y >> BigInt(64 * i)), true);
  }
}

function writeParameters(exports: Exports, options: KernelOptions): void {
  const { c1, rules = DEFAULT_RULES, window = WHOLE_WINDOW } = options;
  const view = new DataView(exports.memory.buffer, exports.parameters());
  const write = (address: number, ...words: readonly number[]) => {
    for (const [index, word] of words.entries()) view.setUint32(address + 4 * index, word, true);
  };
  const { key, id, idMask, isIdLate, probe } = kernelFormat(rules, options.scheme);
  const probes = probe(c1);
  write(ZEROS, ...probes.map(({ zeros }) => zeros));
  write(WINDOW, window.low, window.high);
  write(SIBLINGS, options.siblings ? 1 : 0);
  write(KEY_FORMAT, ...formatOf(key));
  write(ID_FORMAT, ...formatOf(id));
  write(PROBES, ...probes.map(({ word }) => LANES * word));
  write(IS_LATE, isIdLate ? 1 : 0);
  write(IS_CUT, idMask.every((mask) => mask === 0xffffffff) ? 0 : 1);
  write(KEY_BLOCK, ...key.words);
  write(ID_BLOCK, ...id.words);
  write(ID_MASK, ...idMask);
}

function formatOf({ kind, word, blocks }: KernelMessage): readonly number[] {
  return [kind, LANES * word, blocks > 1 ? 1 : 0];
}
