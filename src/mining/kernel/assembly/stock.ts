/**
 * @module
 * Tests of node IDs that were made before, such as those of a stockpile when a new epoch has salted the puzzle: one hash
 * for each of four lanes. The multiplications beside it cost almost nothing (interleaved.ts), and nothing reads them.
 */
import { Edwards } from './columns';
import { keepDigests, prepareBounds } from './hits';
import { HITS_FOUND, ID_BYTES, IDS, INITIAL, LISTS_IDS, STATE } from './layout';
import { testKept } from './stages';

/** Tests `count` node IDs at IDS, `stride` bytes apart, and lists the indexes of those that pass. */
export function testIds(count: u32, stride: usize): void {
  store<u32>(LISTS_IDS, 0);
  store<u32>(HITS_FOUND, 0);
  prepareBounds();
  for (let index: u32 = 0; index < count; index += 4) {
    const at = IDS + <usize>index * stride;
    stateOfWords(STATE, at, stride);
    stateOfWords(STATE + 64, at + 16, stride);
    keepDigests(0);
    const left = count - index;
    testKept<Edwards>(left < 4 ? (1 << left) - 1 : 15, index);
  }
}

/** Makes four words of a state whose digest contains 16 bytes of each of four IDs. */
@inline function stateOfWords(state: usize, at: usize, stride: usize): void {
  const a = bytesOf(at), b = bytesOf(at + stride);
  const c = bytesOf(at + 2 * stride), d = bytesOf(at + 3 * stride);
  const ab = i32x4.shuffle(a, b, 0, 4, 1, 5), cd = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const ef = i32x4.shuffle(a, b, 2, 6, 3, 7), gh = i32x4.shuffle(c, d, 2, 6, 3, 7);
  put(state, i64x2.shuffle(ab, cd, 0, 2));
  put(state + 16, i64x2.shuffle(ab, cd, 1, 3));
  put(state + 32, i64x2.shuffle(ef, gh, 0, 2));
  put(state + 48, i64x2.shuffle(ef, gh, 1, 3));
}

@inline function put(state: usize, words: v128): void {
  v128.store(state, i32x4.sub(words, v128.load(state + (INITIAL - STATE))));
}

/** 16 bytes as four big-endian words. */
@inline function bytesOf(at: usize): v128 {
  const x = v128.load(at);
  return i8x16.shuffle(x, x, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}
