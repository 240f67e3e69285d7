/**
 * @module
 * The end of the two hashes of a candidate: node IDs become the second message and are tested against
 * the window, the last hash is probed for zero bits, and hits are listed. The tests cover the 32 bits
 * of the window and two words of the hash. A search that keeps all keys of a window lists their node IDs too, and makes
 * no second hash unless it makes the ID.
 */
import {
  DIGESTS, HITS, HITS_FOUND, ID_AT, ID_BYTES, IDS, INITIAL, INSIDE, IS_CUT, IS_LATE, LISTS_IDS,
  MASK_LANES, MESSAGE, PROBE_FIRST, PROBE_SECOND, QUEUE, QUEUED, STATE, WINDOW_HIGH, WINDOW_LANES, WINDOW_LOW,
  ZERO_FIRST, ZERO_LANES, ZERO_SECOND,
} from './layout';
import { add } from './sha/sha-rounds';

/** A wider window, in parts of 2^32, passes so many IDs that a queue of them saves less than it costs. */
const QUEUED_WIDTH_MAX: u32 = 0xc0000000;

let isQueueing = false;
let isListing = false;
let queued: usize = 0;

/** Reads the host's bounds into vectors. */
export function prepareBounds(): void {
  const low = load<u32>(WINDOW_LOW), width = load<u32>(WINDOW_HIGH) - low;
  const isLate = load<u32>(IS_LATE) != 0;
  v128.store(ZERO_LANES, i32x4.splat(load<u32>(ZERO_FIRST)));
  for (let hash: usize = 0; hash < 2; hash++) {
    const isTested = isLate == (hash == 1);
    v128.store(WINDOW_LANES + (hash << 5), i32x4.splat(isTested ? low : 0));
    v128.store(WINDOW_LANES + (hash << 5), i32x4.splat(isTested ? width : -1), 16);
  }
  isListing = load<u32>(LISTS_IDS) != 0;
  isQueueing = !isLate && (isListing || width <= QUEUED_WIDTH_MAX);
  queued = 0;
}

/** Whether only node IDs inside the window are hashed again. */
@inline export function queues(): bool { return isQueueing; }

/** Whether every node ID inside the window is a hit, and is listed. */
@inline export function listsIds(): bool { return isListing; }

@inline function word(at: usize): v128 {
  return add(v128.load(STATE + at), v128.load(INITIAL + at));
}

@inline function isWithin(w: v128, window: usize): v128 {
  return i32x4.le_u(i32x4.sub(w, v128.load(window)), v128.load(window, 16));
}

/**
 * Makes the four node IDs the message of the second hash, and stores which are inside the window. The
 * groups 0 and 1 alternate, because the end of a block and the beginning of the next one overlap only
 * if they are independent (measured: 0.5 %).
 */
export function keepDigests(group: usize): void {
  const to = DIGESTS + group * MESSAGE + load<u32>(ID_AT);
  let w0 = word(0);
  if (load<u32>(IS_CUT) != 0) {
    for (let at: usize = 0; at < 128; at += 16) {
      const cut = v128.and(word(at), v128.load(MASK_LANES + at));
      v128.store(to + at, v128.or(cut, v128.load(MASK_LANES + at, 128)));
    }
    w0 = v128.and(w0, v128.load(MASK_LANES));
  } else {
    v128.store(to, w0);
    v128.store(to, word(16), 16);
    v128.store(to, word(32), 32);
    v128.store(to, word(48), 48);
    v128.store(to, word(64), 64);
    v128.store(to, word(80), 80);
    v128.store(to, word(96), 96);
    v128.store(to, word(112), 112);
  }
  v128.store(INSIDE + (group << 4), isWithin(w0, WINDOW_LANES));
}

/** Bit mask of the lanes whose node IDs are inside the window. */
@inline export function inside(group: usize): i32 {
  return i32x4.bitmask(v128.load(INSIDE + (group << 4)));
}

/** Bit mask of the lanes whose last hash has zeros in its first probed word, and is inside the late window. */
@inline export function passing(): i32 {
  const probed = v128.and(word(load<u32>(PROBE_FIRST)), v128.load(ZERO_LANES));
  const isZero = i32x4.eq(probed, i32x4.splat(0));
  return i32x4.bitmask(v128.and(isZero, isWithin(word(0), WINDOW_LANES + 32)));
}

/** The same for keys that are node IDs. */
@inline export function passingKeys(): i32 {
  return passing() & i32x4.bitmask(isWithin(word(0), WINDOW_LANES));
}

/** Lists lane l of `mask` as attempt + l * step, if its second probed word has zeros too. */
export function report(mask: i32, attempt: u32, step: u32): void {
  for (; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    if (!isHit(lane)) continue;
    if (isListing) keepId(STATE, true, lane);
    list(attempt + <u32>lane * step);
  }
}

/** Lists the lanes of `mask` of a group with their node IDs. */
export function reportIds(mask: i32, group: usize, attempt: u32, step: u32): void {
  const ids = DIGESTS + group * MESSAGE + load<u32>(ID_AT);
  for (; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    keepId(ids, false, lane);
    list(attempt + <u32>lane * step);
  }
}

/** Stores the node ID of the next hit: a lane of eight words, to which a state lacks the initial one. */
function keepId(words: usize, isState: bool, lane: i32): void {
  const to = IDS + <usize>load<u32>(HITS_FOUND) * ID_BYTES, column = <usize>lane << 2;
  for (let w: usize = 0; w < 8; w++) {
    const row = (w << 4) + column;
    const added = isState ? load<u32>(INITIAL + row) : 0;
    store<u32>(to + (w << 2), bswap(load<u32>(words + row) + added));
  }
}

/** Lists the attempts of lanes of the queue. */
export function reportQueued(mask: i32): void {
  for (mask &= (1 << <i32>queued) - 1; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    if (isHit(lane)) list(load<u32>(QUEUED + (<usize>lane << 2)));
  }
  queued = 0;
}

@inline function isHit(lane: i32): bool {
  const at = <usize>load<u32>(PROBE_SECOND) + (<usize>lane << 2);
  const probed = load<u32>(STATE + at) + load<u32>(INITIAL + at);
  return (probed & load<u32>(ZERO_SECOND)) == 0;
}

@inline function list(attempt: u32): void {
  const found = load<u32>(HITS_FOUND);
  store<u32>(HITS + (<usize>found << 2), attempt);
  store<u32>(HITS_FOUND, found + 1);
}

/** Appends the node ID in a lane of a group to the queue. Returns whether the queue is full. */
export function enqueue(group: usize, lane: i32, attempt: u32): bool {
  const at = load<u32>(ID_AT);
  const from = DIGESTS + group * MESSAGE + at + (<usize>lane << 2);
  const to = QUEUE + at + (queued << 2);
  for (let w: usize = 0; w < 128; w += 16) store<u32>(to + w, load<u32>(from + w));
  store<u32>(QUEUED + (queued << 2), attempt);
  return ++queued == 4;
}

/** Number of node IDs in the queue. */
export function queueLength(): usize { return queued; }
