/**
 * @module
 * The end of the two hashes of a candidate: node IDs become the second message and are tested against
 * the window, puzzle hashes are tested against the limit, and hits are listed. The tests cover the 32
 * bits of the window and the 64 bits of the limit.
 */
import {
  DIGESTS, HITS, HITS_FOUND, INITIAL, INSIDE, LIMIT_HIGH, LIMIT_LANES, LIMIT_LOW, MESSAGE, STATE,
  WINDOW_HIGH, WINDOW_LANES, WINDOW_LOW,
} from './layout';
import { add } from './sha-rounds';

/** Reads the host's bounds into vectors. */
export function prepareBounds(): void {
  v128.store(LIMIT_LANES, i32x4.splat(load<u32>(LIMIT_HIGH)));
  const low = load<u32>(WINDOW_LOW);
  v128.store(WINDOW_LANES, i32x4.splat(low));
  v128.store(WINDOW_LANES, i32x4.splat(load<u32>(WINDOW_HIGH) - low), 16);
}

@inline function word(at: usize): v128 {
  return add(v128.load(STATE + at), v128.load(INITIAL + at));
}

/**
 * Makes the four node IDs the message of the second hash, and stores which are inside the window. The
 * groups 0 and 1 alternate, because the end of a block and the beginning of the next one overlap only
 * if they are independent (measured: 0.5 %).
 */
export function keepDigests(group: usize): void {
  const to = DIGESTS + group * MESSAGE;
  const w0 = word(0);
  v128.store(to, w0);
  v128.store(to, word(16), 16);
  v128.store(to, word(32), 32);
  v128.store(to, word(48), 48);
  v128.store(to, word(64), 64);
  v128.store(to, word(80), 80);
  v128.store(to, word(96), 96);
  v128.store(to, word(112), 112);
  const offset = i32x4.sub(w0, v128.load(WINDOW_LANES));
  v128.store(INSIDE + (group << 4), i32x4.le_u(offset, v128.load(WINDOW_LANES, 16)));
}

/** Bit mask of the lanes whose puzzle hash has a first word within the limit's high word. */
@inline export function passing(group: usize): i32 {
  const low = i32x4.le_u(word(0), v128.load(LIMIT_LANES));
  return i32x4.bitmask(v128.and(low, v128.load(INSIDE + (group << 4))));
}

/** Lists lane l of `mask` as attempt + l * step, if it is within the limit's low word too. */
export function report(mask: i32, attempt: u32, step: u32): void {
  const high = load<u32>(LIMIT_HIGH);
  const low = load<u32>(LIMIT_LOW);
  for (; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    const at = <usize>lane << 2;
    const word0 = load<u32>(STATE + at) + load<u32>(INITIAL);
    const word1 = load<u32>(STATE + 16 + at) + load<u32>(INITIAL + 16);
    if (word0 == high && word1 > low) continue;
    const found = load<u32>(HITS_FOUND);
    store<u32>(HITS + (<usize>found << 2), attempt + <u32>lane * step);
    store<u32>(HITS_FOUND, found + 1);
  }
}
