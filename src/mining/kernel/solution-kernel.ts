/**
 * @module
 * The host of the WASM kernel for solutions: searches the X of the dynamic puzzle over SHA-256, in four lanes twice.
 * It makes the blocks of the message, cuts ranges where the high word of X changes, and checks after loading that the
 * file computes this hash. It keeps nothing between calls, so several searches can use it in turn. The kernel is not
 * trusted: its users verify the hits.
 */

import { concatBytes, u64be } from '../../bytes.ts';
import type { DynamicForm } from '../../identity/puzzles/puzzle.ts';
import { DYNAMIC_PUZZLES, dynamicBits, PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';

/** The forms that hash. */
export type SolutionForm = Exclude<DynamicForm, 'unhashed'>;

/** What a scan searches. */
export interface SolutionSearch {
  readonly form: SolutionForm;
  /** 32 bytes. The xor form does not use them. */
  readonly challenge: Uint8Array;
  /** 32 bytes. */
  readonly nodeId: Uint8Array;
  /** Leading zero bits that the hash must have, 0..256. */
  readonly c2: number;
}

/** The solutions with the numbers from..from+count−1, as big-endian integers below 2^53. */
interface Range {
  readonly from: number;
  readonly count: number;
}

export interface SolutionKernel {
  /** Every hit of the range, in rising order. */
  scan(search: SolutionSearch, range: Range): number[];
}

/** The exports of assembly/solutions.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  lanes(): number;
  parameters(): number;
  hits(): number;
  begin(): void;
  absorb(): void;
  prepare(counterWord: number): void;
  search(low: number, count: number, enough: number): number;
}

/** Offsets from `parameters()`. assembly/solution/solution-layout.ts has the same. */
const LIMIT = 64;
const HITS_FOUND = 72;

const LANES = 8;
const BLOCK_BYTES = 64;
const NODE_ID_BYTES = 32;
/** Index of the word of the last block that is the lower half of X. The upper half is the word before it. */
export const COUNTER_WORD: Readonly<Record<SolutionForm, number>> = { concat: 1, xor: 7 };
/** Bits that the kernel tests. */
const KERNEL_BITS_MAX = 64;
const WORD_NUMBERS = 2 ** 32;
/** The kernel counts the numbers of one call in 32 bits. */
const NUMBERS_PER_CALL_MAX = 2 ** 31;
/** More hits than its list holds. */
const ALL = 2 ** 31;

/** Compiles the kernel. Throws if the bytes are not this kernel or it computes another hash. */
export function loadSolutionKernel(bytes: Uint8Array): SolutionKernel {
  const exports = instantiate(bytes);
  const kernel: SolutionKernel = {
    scan: (search, range) => [...hitsOf(exports, search, range)],
  };
  checkHashes(kernel);
  return kernel;
}

/** The hits of a range, one call of the kernel after another. */
function* hitsOf(
  exports: Exports,
  search: SolutionSearch,
  { from, count }: Range,
): Generator<number> {
  checkSearch(search);
  checkRange(from, count);
  for (let next = from; next < from + count; ) {
    const low = next % WORD_NUMBERS;
    const most = Math.min(from + count - next, WORD_NUMBERS - low, NUMBERS_PER_CALL_MAX);
    prepare(exports, search, Math.floor(next / WORD_NUMBERS));
    const tested = exports.search(low, most, ALL);
    const found = new DataView(exports.memory.buffer, exports.parameters());
    const total = found.getUint32(HITS_FOUND, true);
    for (const offset of new Uint32Array(exports.memory.buffer, exports.hits(), total).slice()) {
      if (isWhole(search, next + offset)) yield next + offset;
    }
    next += tested;
  }
}

/** Writes the search into the kernel, for numbers with this upper half. */
function prepare(exports: Exports, search: SolutionSearch, high: number): void {
  const view = new DataView(exports.memory.buffer, exports.parameters());
  const message = paddedMessage(search);
  const blocks = message.length / BLOCK_BYTES;
  exports.begin();
  for (let block = 0; block < blocks; block += 1) {
    if (block > 0) exports.absorb();
    const words = new DataView(message.buffer, block * BLOCK_BYTES, BLOCK_BYTES);
    for (let at = 0; at < BLOCK_BYTES; at += 4) view.setUint32(at, words.getUint32(at), true);
  }
  const highAt = 4 * (COUNTER_WORD[search.form] - 1);
  view.setUint32(highAt, view.getUint32(highAt, true) ^ high, true);
  const limit = (1n << BigInt(KERNEL_BITS_MAX - Math.min(search.c2, KERNEL_BITS_MAX))) - 1n;
  view.setUint32(LIMIT, Number(limit >> 32n), true);
  view.setUint32(LIMIT + 4, Number(limit & 0xffffffffn), true);
  exports.prepare(COUNTER_WORD[search.form]);
}

/** The message for X = 0, padded to whole blocks (FIPS 180-4, section 5.1.1). */
export function paddedMessage({
  form,
  challenge,
  nodeId,
}: SolutionSearch): Uint8Array<ArrayBuffer> {
  const message = form === 'xor' ? nodeId : concatBytes(challenge, nodeId, u64be(0));
  const length = BLOCK_BYTES * Math.ceil((message.length + 9) / BLOCK_BYTES);
  const padded = new Uint8Array(length);
  padded.set(message);
  padded[message.length] = 0x80;
  padded.set(u64be(8 * message.length), length - 8);
  return padded;
}

/** The kernel tests at most 64 bits. */
function isWhole(search: SolutionSearch, number: number): boolean {
  return search.c2 <= KERNEL_BITS_MAX || bitsOf(search, number) >= search.c2;
}

function bitsOf({ form, challenge, nodeId }: SolutionSearch, number: number): number {
  const solution = DYNAMIC_PUZZLES[form].solution(nodeId, number);
  return dynamicBits({ form, challenge, nodeId, solution });
}

function checkSearch({ challenge, nodeId, c2 }: SolutionSearch): void {
  for (const [name, bytes] of Object.entries({ challenge, nodeId })) {
    if (bytes.length !== NODE_ID_BYTES) {
      throw new RangeError(`"${name}" expected ${NODE_ID_BYTES} bytes, got ${bytes.length}`);
    }
  }
  if (!Number.isInteger(c2) || c2 < 0 || c2 > PUZZLE_BITS_MAX) {
    throw new RangeError(`"c2" expected 0..${PUZZLE_BITS_MAX}, got ${c2}`);
  }
}

function checkRange(from: number, count: number): void {
  for (const [name, value] of Object.entries({ from, count })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`"${name}" expected an integer in 0..2^53-1, got ${value}`);
    }
  }
  if (count > 2 ** 53 - from) {
    throw new RangeError(`"count" expected numbers below 2^53, got ${count} from ${from}`);
  }
}

function instantiate(bytes: Uint8Array): Exports {
  const module = new WebAssembly.Module(new Uint8Array(bytes));
  // The exports of assembly/solutions.ts. The next line checks that it is this kernel.
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  if (exports.lanes?.() !== LANES) {
    throw new TypeError(`solution kernel: expected one of ${LANES} lanes`);
  }
  return exports;
}

/** A file with one wrong bit may run and lose every solution. The check takes half a millisecond. */
function checkHashes(kernel: SolutionKernel): void {
  const sample = {
    challenge: new Uint8Array(32).fill(0x5c),
    nodeId: new Uint8Array(32).fill(0x36),
  };
  for (const form of ['concat', 'xor'] as const) {
    const search = { form, ...sample, c2: 4 };
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    const expected = numbers.filter((number) => bitsOf(search, number) >= search.c2);
    const found = kernel.scan(search, { from: 0, count: numbers.length });
    if (found.join() !== expected.join())
      throw new TypeError(`solution kernel: wrong ${form} hash`);
  }
}
