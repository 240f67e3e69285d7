/**
 * @module
 * Linear memory of the solution kernel, by hand as in layout.ts. Rounds and words are numbered from
 * the *counter word*, the one word of the block that differs from lane to lane: what is numbered r
 * belongs to SHA-256's round or word v + r, where v is 1 (`concat`) or 7 (`xor`). So one piece of
 * code, with constant addresses, serves both forms.
 */

/** Counters hashed at a time: two groups of four lanes. */
export const LANES: u32 = 8;

// What the host writes and reads, from `parameters()` on; solution-kernel.ts has the same offsets.
export const PARAMETERS: usize = 4096;
export const BLOCK: usize = PARAMETERS; // sixteen words, the counter's low one for counter 0
export const LIMIT_HIGH: usize = PARAMETERS + 64; // the most a hash's first 64 bits may be
export const LIMIT_LOW: usize = PARAMETERS + 68;
export const HITS_FOUND: usize = PARAMETERS + 72; // out: how many entries HITS holds

// One hash at a time: what the lanes have in common.
export const CHAIN: usize = PARAMETERS + 128; // eight words: the hash of the blocks before
export const SCALAR_STATE: usize = CHAIN + 32;
export const SCALAR_WORDS: usize = SCALAR_STATE + 32; // 64 words

// Constants in four lanes.
/** r = 1..14: the word and its round's constant; r = 15..30: the terms that no counter changes. */
export const FIXED: usize = SCALAR_WORDS + 256;
export const CONSTANTS: usize = FIXED + 31 * 16; // r = 0..62: the round's own
export const OPENING: usize = CONSTANTS + 63 * 16; // the state after round 0, less the counter word
export const COUNTING: usize = OPENING + 128; // 0, 1, 2, 3
export const TEMPLATE: usize = COUNTING + 16; // the counter word for counter 0
export const CHAIN_FIRST: usize = TEMPLATE + 16;
export const LIMIT_LANES: usize = CHAIN_FIRST + 16;

// Of each group: words 15..63, and the last a and b.
export const WORDS: usize = LIMIT_LANES + 16;
/** Bytes from one group's words to the other's. */
export const GROUP: usize = 64 * 16;
export const DIGESTS: usize = WORDS + 2 * GROUP;

export const HITS: usize = DIGESTS + 64; // u32: counters from the call's first
export const HITS_MAX: u32 = 8192;
