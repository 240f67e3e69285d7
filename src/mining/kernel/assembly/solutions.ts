/**
 * @module
 * The exports of the solution kernel, for the dynamic puzzle: SHA-256 of messages that differ in one
 * 64-bit counter in their last block. The host (solution-kernel.ts) calls `begin`, writes the blocks one
 * after another, calls `absorb` after each but the last, then `prepare`, then `search` for ranges of the
 * counter's low word. Counters are xored into the block.
 */
import { absorbBlock, beginChain, prepareBlock } from './solution/solution-constants';
import {
  CHAIN, DIGESTS, HITS, HITS_FOUND, HITS_MAX, LANES, LIMIT_HIGH, LIMIT_LOW, PARAMETERS,
} from './solution/solution-layout';
import { hashLanes } from './solution/solution-rounds';

/** Index of the counter's low word in the block of the concat form. It is 7 in the xor form. */
const CONCAT_WORD = 1;

let isConcat = true;

export function lanes(): i32 { return LANES; }
export function parameters(): usize { return PARAMETERS; }
export function hits(): usize { return HITS; }

export function begin(): void { beginChain(); }
export function absorb(): void { absorbBlock(); }

/** Prepares searches in the block for counters whose low word is word `v`, 1 or 7. */
export function prepare(v: i32): void {
  isConcat = v == CONCAT_WORD;
  prepareBlock(v);
}

/**
 * Tests the low words low..low+count-1, which must be below 2^32 and at most 2^31 in number. Returns the
 * number of tested ones. It stops early after `enough` hits or with a full list, and may list a few more
 * hits than `enough`.
 */
export function search(low: u32, count: u32, enough: u32): u32 {
  const most = min(enough, HITS_MAX - LANES);
  let tested: u32 = 0;
  store<u32>(HITS_FOUND, 0);
  while (tested < count && load<u32>(HITS_FOUND) < most) {
    const mask = hashLanes(low + tested, isConcat);
    if (mask != 0) report(mask, tested, count);
    tested += LANES;
  }
  return min(tested, count);
}

/** Lists the lanes of `mask` that are in the range and within the limit's low word too. */
function report(mask: i32, tested: u32, count: u32): void {
  const high = load<u32>(LIMIT_HIGH), low = load<u32>(LIMIT_LOW);
  for (; mask != 0; mask &= mask - 1) {
    const lane = ctz(mask);
    const at = DIGESTS + (<usize>(lane >> 2) << 5) + (<usize>(lane & 3) << 2);
    const word0 = load<u32>(at) + load<u32>(CHAIN);
    const word1 = load<u32>(at, 16) + load<u32>(CHAIN, 4);
    if (tested + lane >= count || (word0 == high && word1 > low)) continue;
    const found = load<u32>(HITS_FOUND);
    store<u32>(HITS + (<usize>found << 2), tested + lane);
    store<u32>(HITS_FOUND, found + 1);
  }
}
