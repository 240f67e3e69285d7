/**
 * @module
 * The host of the WASM kernel for texts: SHA-256 of many short texts that differ in one number, four at a time. Seeds
 * and ids of runs are such hashes. It checks after loading that the file computes this hash.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../../bytes.ts';

/**
 * Hashes up to `COUNT_MAX` texts in one call. It keeps the numbers and the digests between calls, so that a digest
 * can be a number of the next hash.
 */
export interface TextHasher {
  /** The numbers become from, from + 1, …, all below 2^53. */
  count(from: number, count: number): void;
  /** The digests become SHA-256(before ‖ number ‖ after), with each number in decimal digits. */
  hash(before: string, after: string): void;
  /** The numbers become the digests, read as big-endian integers. */
  chain(): void;
  /** The numbers in decimal digits. */
  decimals(): string[];
  /** The digests in hexadecimal digits. */
  hexes(): string[];
  /** Eight words of each digest. Valid until the next call. */
  words(): Int32Array;
}

/** Numbers of one call. */
export const TEXTS_MAX = 4096;

/** The exports of assembly/texts.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  countMax(): number;
  before(): number;
  after(): number;
  lengths(): number;
  digests(): number;
  texts(): number;
  hexes(): number;
  numbers(from: number, count: number): void;
  decimals(count: number): void;
  writeHexes(count: number): void;
  hash(bytesBefore: number, bytesAfter: number, count: number): void;
}

const AROUND_BYTES_MAX = 1024;
const SLOT_BYTES = 80;
const HEX_DIGITS = 64;
const DIGEST_WORDS = 8;

/** Compiles the kernel. Throws if the bytes are not this kernel or it computes another hash. */
export function loadTextKernel(bytes: Uint8Array): TextHasher {
  const module = new WebAssembly.Module(new Uint8Array(bytes));
  // The exports of assembly/texts.ts. The next line checks that it is this kernel.
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  if (exports.countMax?.() !== TEXTS_MAX) {
    throw new TypeError(`text kernel: expected one of ${TEXTS_MAX} texts`);
  }
  const hasher = hasherOf(exports);
  checkHashes(hasher);
  return hasher;
}

function hasherOf(exports: Exports): TextHasher {
  const memory = exports.memory.buffer;
  const decoder = new TextDecoder();
  let held = 0;
  const write = (text: string, at: number): number => {
    const bytes = utf8ToBytes(text);
    if (bytes.length > AROUND_BYTES_MAX) {
      throw new RangeError(
        `"text" expected at most ${AROUND_BYTES_MAX} bytes, got ${bytes.length}`,
      );
    }
    new Uint8Array(memory, at, bytes.length).set(bytes);
    return bytes.length;
  };
  return {
    count(from, count) {
      const last = from + (count - 1);
      const isInRange = Number.isSafeInteger(from) && from >= 0 && Number.isSafeInteger(last);
      if (!isInRange || count > TEXTS_MAX) {
        const wanted = `integers below 2^53, at most ${TEXTS_MAX}`;
        throw new RangeError(`"from" expected ${wanted}, got ${count} from ${from}`);
      }
      held = count;
      exports.numbers(from, count);
    },
    hash(before, after) {
      exports.hash(write(before, exports.before()), write(after, exports.after()), held);
    },
    chain: () => exports.decimals(held),
    decimals() {
      const slots = decoder.decode(new Uint8Array(memory, exports.texts(), SLOT_BYTES * held));
      const lengths = new Uint32Array(memory, exports.lengths(), held);
      return Array.from(lengths, (length, index) => {
        const end = SLOT_BYTES * (index + 1);
        return slots.slice(end - length, end);
      });
    },
    hexes() {
      exports.writeHexes(held);
      const digits = decoder.decode(new Uint8Array(memory, exports.hexes(), HEX_DIGITS * held));
      return Array.from({ length: held }, (_, index) =>
        digits.slice(HEX_DIGITS * index, HEX_DIGITS * (index + 1)),
      );
    },
    words: () => new Int32Array(memory, exports.digests(), DIGEST_WORDS * held),
  };
}

/** A file with one wrong bit may run and change every seed. */
function checkHashes(hasher: TextHasher): void {
  const [before, after] = ['before\0', 'after'.repeat(20)];
  hasher.count(98, 5);
  const first = hasher.decimals();
  hasher.hash(before, after);
  hasher.chain();
  const chained = hasher.decimals();
  hasher.hash('', '');
  const found = hasher.hexes();
  const expected = first.map((_, index) => {
    const inner = bytesToHex(sha256(utf8ToBytes(`${before}${98 + index}${after}`)));
    return BigInt(`0x${inner}`).toString();
  });
  const hashed = expected.map((text) => bytesToHex(sha256(utf8ToBytes(text))));
  if (chained.join() !== expected.join() || found.join() !== hashed.join()) {
    throw new TypeError('text kernel: wrong hash');
  }
}
